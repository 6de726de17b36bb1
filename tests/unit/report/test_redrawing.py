"""What is drawn over itself on a terminal, seen from the terminal's side."""

from __future__ import annotations

import contextlib
import io
import os
import pty
from collections.abc import Iterator
from typing import IO

import pytest

from helm_roster.report import redrawing

CURSOR_UP = "\x1b[1A"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[IO[str], int]]:
    """A terminal: what a program writes to, and the descriptor at which a person reads."""
    monkeypatch.setenv("TERM", "xterm")
    theirs, ours = pty.openpty()
    with os.fdopen(ours, "w") as stream:
        yield stream, theirs
    os.close(theirs)


def whole(reader: int) -> str:
    """Read what was written to a terminal whose other side is closed; its end is an error (EIO) on Linux."""
    parts = []
    with contextlib.suppress(OSError):
        while part := os.read(reader, 65536):
            parts.append(part)
    return b"".join(parts).decode()


@pytest.mark.parametrize("stays", [True, False])
def test_later_lines_take_the_place_of_earlier_ones(terminal: tuple[IO[str], int], stays: bool) -> None:  # noqa: FBT001
    stream, reader = terminal
    with redrawing.place(stream, stays=stays) as draw:
        draw("one [bold]", "two")
        draw("three")
    stream.close()
    told = whole(reader)
    assert told.index("one [bold]") < told.index(CURSOR_UP) < told.index("three")
    assert told.rstrip().endswith("\x1b[2K") is not stays


def test_only_a_terminal_that_moves_its_cursor_is_drawn_on(
    terminal: tuple[IO[str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert redrawing.is_possible(terminal[0])
    assert not redrawing.is_possible(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not redrawing.is_possible(terminal[0])
