"""What a word was meant to be: the nearest of those that are known."""

from __future__ import annotations

from collections.abc import Iterable

_CUTOFF = 0.6


def nearest(word: str, known: Iterable[str], cutoff: float = _CUTOFF) -> str | None:
    """Return the word of ``known`` that is most like ``word``; None where none comes near (0 to 1: ``cutoff``)."""
    import difflib  # noqa: PLC0415  (only what is wrong needs it, and the renderer imports this module)

    close = difflib.get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return close[0] if close else None


def hint(word: str, known: Iterable[str], form: str = '; did you mean "{}"?') -> str:
    """Return the nearest known word in the middle of ``form``; nothing where none comes near."""
    found = nearest(word, known)
    return form.format(found) if found else ""
