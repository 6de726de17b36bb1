"""Words that many messages share."""

from __future__ import annotations

from collections.abc import Sequence


def few(words: Sequence[str], most: int = 3, *, by: str = ", ") -> str:
    """Return the first words in one line, and how many more there are."""
    more = len(words) - most
    return by.join(words[:most]) + (f" and {more} more" if more > 0 else "")


def counted(number: int, noun: str) -> str:
    """Return ``1 pod``, ``2 pods``, ``2 NetworkPolicies``."""
    if number == 1 or (noun.endswith("s") and not noun.endswith("ss")):
        return f"{number} {noun}"
    if noun.endswith("y"):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}{'es' if noun.endswith('ss') else 's'}"
