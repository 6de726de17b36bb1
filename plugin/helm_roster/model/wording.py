"""Words that many messages share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

# A phrase of some length, and itself again behind it; the length is bounded, since long texts are searched too.
_REPEATED: Final = re.compile(r"\b(\w.{18,200}?\w)(?:[\s.,;]+\1\b)+")


def few(words: Sequence[str], most: int = 3, *, by: str = ", ") -> str:
    """Return the first words in one line, and how many more there are."""
    more = len(words) - most
    return by.join(words[:most]) + (f" and {more} more" if more > 0 else "")


def once(text: str) -> str:
    """Return the text with a phrase that stands there several times on end said once."""
    return _REPEATED.sub(r"\1", text)


def counted(number: int, noun: str) -> str:
    """Return ``1 pod``, ``2 pods``, ``2 NetworkPolicies``, ``2 Gateways``."""
    if number == 1 or re.search(r"[^s]s$", noun):
        return f"{number} {noun}"
    if re.search(r"[^aeiou]y$", noun):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}{'es' if noun.endswith('ss') else 's'}"


def agreed(number: int, verb: str) -> str:
    """Return ``waits`` for one, ``wait`` for more of them."""
    return f"{verb}s" if number == 1 else verb


def required(expression: Mapping[str, Any]) -> str:
    """Return a requirement on labels in a few words, as in ``zone=a|b`` or ``zone not c``."""
    values = few([str(value) for value in expression.get("values") or ()], 2, by="|")
    words = {"In": f"={values}", "NotIn": f" not {values}", "Exists": "", "DoesNotExist": " absent"}
    operator = str(expression.get("operator"))
    return f"{expression.get('key')}{words.get(operator, f' {operator} {values}')}"
