"""The nearest known word."""

from __future__ import annotations

import pytest

from helm_roster.model import nearest


@pytest.mark.parametrize(("word", "hint"), [("decod", '; did you mean "decode"?'), ("zzz", "")])
def test_a_word_that_comes_near_is_named_and_no_other(word: str, hint: str) -> None:
    assert nearest.hint(word, {"decode": 1, "web": 2}) == hint


def test_how_near_a_word_must_come_can_be_said() -> None:
    assert nearest.nearest("decoding", ["decode"]) == "decode"
    assert nearest.nearest("decoding", ["decode"], 0.9) is None
