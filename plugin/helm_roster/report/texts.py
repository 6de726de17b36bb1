"""Values in one line of a table."""

from __future__ import annotations

import json


def short(value: object, letters: int) -> str:
    """Return the beginning of a value's first line, at most that many letters of it, and a sign where more follows."""
    text = value if isinstance(value, str) and value else json.dumps(value)
    first, newline, _ = text.partition("\n")
    return f"{first[:letters]}…" if newline or len(first) > letters else first
