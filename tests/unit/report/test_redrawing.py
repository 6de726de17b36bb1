"""What is drawn over itself on a terminal, seen from the terminal's side."""

from __future__ import annotations

import io
from typing import IO

import pytest

from helm_roster.report import redrawing

from tests.support import terminals

CURSOR_UP = "\x1b[1A"


@pytest.mark.parametrize("stays", [True, False])
def test_later_lines_take_the_place_of_earlier_ones(terminal: tuple[IO[str], int], stays: bool) -> None:  # noqa: FBT001
    stream, reader = terminal
    with redrawing.place(stream, stays=stays) as draw:
        draw("one [bold]", "two")
        draw("three")
    stream.close()
    told = terminals.whole(reader)
    assert told.index("one [bold]") < told.index(CURSOR_UP) < told.index("three")
    assert told.rstrip().endswith("\x1b[2K") is not stays


def test_only_a_terminal_that_moves_its_cursor_is_drawn_on(
    terminal: tuple[IO[str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert redrawing.is_possible(terminal[0])
    assert not redrawing.is_possible(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not redrawing.is_possible(terminal[0])
