"""Words that many messages share."""

from __future__ import annotations

from collections.abc import Sequence


def few(words: Sequence[str], most: int = 3) -> str:
    """Return the first words in one line, and how many more there are."""
    more = len(words) - most
    return ", ".join(words[:most]) + (f" and {more} more" if more > 0 else "")
