"""The forms that Kubernetes wants of names: keys and values of labels, names of resources.

Each function returns what is wrong with a text, and nothing where it is right.
"""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_DOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_DOMAIN_LENGTH: Final = 253
_WORDS: Final = "at most 63 letters, digits, dashes, dots and underscores, a letter or digit at the ends"
_HUGE_PAGES: Final = "hugepages-"


def key(text: str) -> str:
    """Return what is wrong with the key of a label, annotation or taint."""
    prefix, slash, name = text.rpartition("/")
    if slash and not (_DOMAIN.fullmatch(prefix) and len(prefix) <= _DOMAIN_LENGTH):
        return f'"{prefix}" before the slash is no domain in lower case'
    return "" if _NAME.fullmatch(name) else f"a key is {_WORDS}; before it a domain and a slash, if any"


def value(text: str) -> str:
    """Return what is wrong with the value of a label."""
    return "" if not text or _NAME.fullmatch(text) else f"a label's value is {_WORDS}"


def resource(text: str) -> str:
    """Return what is wrong with the name of a device's resource."""
    if text.startswith(_HUGE_PAGES):
        return ""
    if "/" not in text:
        return "a device's resource is named by a domain and a name, as in nvidia.com/gpu"
    return key(text)
