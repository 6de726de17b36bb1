"""Patterns of HyperNodes: Volcano reads them by Go's regexp (RE2), which is not quite Python's.

Only what means the same in both is compiled, after a few forms that Python writes otherwise were replaced.
"""

from __future__ import annotations

import re
import warnings
from typing import Final

# A character class, an escape, or a group that is more than one; everything else is alike.
_TOKEN: Final = re.compile(r"\[\^?\]?(?:\[:\^?[a-z]+:\]|\\.|[^\]\\])*\]|\\.|\(\?(?:P<|[^)])?", re.DOTALL)
_NAMED: Final = re.compile(r"\[:(\^?[a-z]+):\]")
_CLASSES: Final = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
    "^digit": r"\D",
    "^space": r"\S",
    "^word": r"\W",
}
_GROUP: Final = re.compile(r"\(\?(P<|:|[ims-])")
# An end of text that Go does not know, and references back.
_FOREIGN: Final = re.compile(r"\\[Z1-9]")


def compiled(pattern: str) -> re.Pattern[str] | None:
    """Return Python's form of a pattern of Go's, to be searched for; None where there is none that surely means it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(_TOKEN.sub(_translated, pattern), re.ASCII)
    except (re.error, LookupError, OverflowError, RecursionError):
        return None


def _translated(found: re.Match[str]) -> str:
    """Return the part as Python writes it.

    Raises:
        LookupError: Python has no such thing, or Go has not.
    """
    part = found[0]
    if part.startswith("["):
        return f"[{_NAMED.sub(lambda name: _CLASSES[name[1]], part[1:])}"
    if part == r"\z":
        return r"\Z"
    if _FOREIGN.fullmatch(part) or (part.startswith("(?") and not _GROUP.match(part)):
        raise LookupError(part)
    return part
