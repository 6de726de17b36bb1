"""Words that many messages share."""

from __future__ import annotations

import pytest

from helm_roster.model import wording


@pytest.mark.parametrize(
    ("words", "told"),
    [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c", "d"], "a, b and 2 more")],
)
def test_a_few_are_named_and_the_rest_counted(words: list[str], told: str) -> None:
    assert wording.few(words, 2) == told
