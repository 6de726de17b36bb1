"""What a YAML scalar means to Kubernetes: go-yaml v2 behind sigs.k8s.io/yaml, then JSON.

Helm and kubectl read every manifest that way, so this is what decides whether ``08`` is a number and ``y`` a
boolean (go-yaml v2 ``resolve.go``, Go ``strconv``). No YAML library is needed here.
"""

from __future__ import annotations

import base64
import math
import re
import struct
from typing import Final, TypeAlias

Scalar: TypeAlias = bool | int | float | str | None

_TAG: Final = "tag:yaml.org,2002:"
MERGE_TAG: Final = _TAG + "merge"
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    _TAG + "bool": (bool,),
    _TAG + "int": (int,),
    _TAG + "float": (float, int),
    _TAG + "null": (type(None),),
}
NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_TRUE = ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")
_FALSE = ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")
_WORDS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(NULLS),
    **dict.fromkeys(_TRUE, True),
    **dict.fromkeys(_FALSE, False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_NUMBER_STARTS: Final = frozenset("+-.0123456789")
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|0[bB]([01]+)|(0|[1-9][0-9]*))")
_BASES: Final = (16, 8, 2, 10)
_BETWEEN_DIGITS = re.compile(r"(?<=[0-9])_(?=[0-9])")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INT64_MIN, _INT64_MAX, _UINT64_MAX = -(2**63), 2**63 - 1, 2**64 - 1
# encoding/json writes whole floats without an exponent, so the API reads integers; beyond this they are not exact.
_JSON_WHOLE: Final = 2**53


def resolve(text: str) -> Scalar:
    """Return what go-yaml reads in a plain scalar; timestamps stay text, whole floats stay floats."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    # go-yaml drops all underscores; behind a leading point Go itself reads them, and only between digits.
    digits = _BETWEEN_DIGITS.sub("", text) if text[0] == "." else text.replace("_", "")
    whole = _integer(digits)
    if whole is not None:
        return whole
    number = float(digits) if _FLOAT.fullmatch(digits) else None
    # Out of range is an error in Go, and the scalar then stays text.
    return text if number is None or not math.isfinite(number) else number


def tagged(tag: str, text: str) -> Scalar:
    """Return what an explicit tag makes of a scalar; unknown tags leave the text, as in Go.

    Raises:
        ValueError: The text is not what its tag says, in words.
    """
    if tag == _TAG + "binary":
        return _decoded(text)
    if tag not in _TYPES:
        return text
    found = resolve(text)
    if type(found) not in _TYPES[tag]:
        msg = f'"{text}" is no {tag.removeprefix(_TAG)}, as its tag says'
        raise ValueError(msg)
    return found


def literal(value: object) -> str:
    """Return a bool, number or None as a plain scalar that is read as just that."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(repr(value), repr(value))
        case _:
            msg = f"{type(value).__name__} has no place in a manifest"
            raise TypeError(msg)


def is_text(text: str) -> bool:
    """Return whether a plain scalar is read as text, not as a boolean, a number or null."""
    return isinstance(resolve(text), str)


def as_json(value: Scalar) -> Scalar:
    """Return ``value`` as it comes out of JSON: a whole float is an integer there."""
    if isinstance(value, float) and abs(value) < _JSON_WHOLE and value.is_integer():
        return int(value)
    return value


def key_text(text: str) -> str:
    """Return the text of a plain mapping key, as sigs.k8s.io/yaml turns booleans and numbers into strings."""
    match resolve(text):
        case bool(flag):
            return "true" if flag else "false"
        case int(number):
            return str(number)
        case float(number):
            return _float32_text(number, text)
        case _:
            return text


def _integer(digits: str) -> int | None:
    found = _INTEGER.fullmatch(digits)
    if found is None:
        return None
    sign, *bodies = found.groups()
    body, base = next((body, base) for body, base in zip(bodies, _BASES, strict=True) if body is not None)
    number = int(sign + body, base)
    # ParseUint, which takes what int64 cannot hold, allows no sign.
    return number if _INT64_MIN <= number <= (_INT64_MAX if sign else _UINT64_MAX) else None


def _decoded(text: str) -> str:
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode(errors="replace")
    except ValueError as cause:
        msg = "what !!binary marks is no base64"
        raise ValueError(msg) from cause


def _float32_text(number: float, text: str) -> str:
    """Return FormatFloat(number, 'g', -1, 32), exact up to six significant digits; nobody has such keys."""
    if not math.isfinite(number):
        return text.lower().removeprefix("+")
    candidates = (f"{number:.{digits}g}" for digits in (6, 7, 8))
    try:
        wanted = struct.pack("<f", number)
        return next((found for found in candidates if struct.pack("<f", float(found)) == wanted), f"{number:.9g}")
    except OverflowError:
        return ".inf" if number > 0 else "-.inf"
