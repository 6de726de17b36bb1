"""Values in one line of a table, and lines that are not too many."""

from __future__ import annotations

import json
from collections.abc import Sequence


def short(value: object, letters: int) -> str:
    """Return the beginning of a value's first line, at most that many letters of it, and a sign where more follows."""
    text = value if isinstance(value, str) and value else json.dumps(value)
    first, newline, _ = text.partition("\n")
    return f"{first[:letters]}…" if newline or len(first) > letters else first


def few_lines(lines: Sequence[str], most: int = 8, count: int | None = None) -> list[str]:
    """Return the first lines, and how many more there are: of ``count``, where not all are in ``lines``."""
    more = (len(lines) if count is None else count) - most
    return [*lines[:most], *([f"and {more} more"] if more > 0 else [])]
