"""Fixtures of tests of what people see."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

import pytest

from tests.support import terminals


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[IO[str], int]]:
    """A terminal that can move its cursor, 120 letters wide."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    with terminals.opened() as sides:
        yield sides
