"""The patterns of the chart's schema in words, for people."""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile(r"\^\[a-z0-9\]\(\[-(\.?)a-z0-9\](?:\*|\{0,([0-9]+)\})\[a-z0-9\]\)\?\$")
_WORDS: Final = {
    "^none$": "none",
    "^[A-Za-z0-9][-._/A-Za-z0-9]*$": "a name, mostly with a domain, such as rdma/ib",
    "^[0-9]+%$": "a percentage, such as 25%",
    "^([0-9]*[1-9][0-9]*([.][0-9]+)?|0*[.][0-9]*[1-9][0-9]*)([kMGTPE]i?)?$": "a quantity above 0, such as 100Gi",
    "^0*[1-9][0-9]{0,13}([.][0-9]{1,9})?([kMGTPE]|[KMGTPE]i)?$": "a quantity above 0, such as 2Gi",
    "^[0-9]{1,14}([.][0-9]{1,9})?([kMGTPE]|[KMGTPE]i)?$": "a number or a quantity, such as 2 or 5120Mi",
    "^[1-9][0-9]{0,4}(x[1-9][0-9]{0,4}){1,3}$": "numbers joined by x, such as 4x4 or 2x2x4",
    "^([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]+|[numkMGTPE]|[KMGTPE]i)?$": "a quantity, such as 500m, 2 or 16Gi",
    "^/": "a path that begins with /",
    "^/[^:]*$": "a path that begins with / and has no colon",
    "^[-._a-zA-Z0-9]+$": "letters, digits, dots, dashes and underscores",
    "^[a-z][-a-z0-9]*$": "lower-case letters, digits and dashes, a letter first",
    "^(pod|leader|workload|[A-Z][A-Za-z0-9]*(/[a-z]+)?)$": (
        "pod, leader, workload, or a kind, such as ConfigMap or Service/ready"
    ),
    "^[a-z0-9]([-_.a-z0-9]*[a-z0-9])?(/[a-z0-9]([-_.a-z0-9]*[a-z0-9])?)*$": (
        "lower-case letters, digits, dots, dashes and underscores, in parts joined by /, such as platform/h200"
    ),
}


def in_words(pattern: str) -> str | None:
    """Return what fits ``pattern``; None for one that the schema of our chart does not have."""
    name = _NAME.fullmatch(pattern)
    if name is None:
        return _WORDS.get(pattern)
    signs = "digits, dots and dashes" if name[1] else "digits and dashes"
    most = f"at most {int(name[2]) + 2} " if name[2] else ""
    return f"{most}lower-case letters, {signs}, no dash at the ends"
