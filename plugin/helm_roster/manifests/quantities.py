"""Kubernetes quantities, exact: "500m", "1.5Gi", "1e3" (apimachinery pkg/api/resource quantity.go), and of what.

Amounts are ``Fraction``: CPU in cores, memory in bytes, everything else in pieces.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Final

from helm_roster import errors
from helm_roster.manifests import door

_QUANTITY = re.compile(r"([+-]?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,2}|)")
_DECIMAL: Final = {suffix: Fraction(1000) ** power for power, suffix in enumerate("num kMGTPE", start=-3)}
_BINARY: Final = {f"{prefix}i": Fraction(1024) ** power for power, prefix in enumerate("KMGTPE", start=1)}
_FACTORS: Final = {**_DECIMAL, **_BINARY, "": Fraction(1)}
_SMALLEST_BINARY: Final = 1024
_NANO: Final = Fraction(1, 10**9)
_DIGITS: Final = 4
_SMALL: Final = {"m": _DECIMAL["m"], "u": _DECIMAL["u"], "n": _NANO}


def parse(value: object, where: str = "") -> Fraction:
    """Return the amount of a quantity, given as text or as a number; finer than nano is rounded up, as in the API.

    Raises:
        BadInputError: ``value`` is no Kubernetes quantity; it is named, and ``where`` it stands, if that is given.
    """
    plain = door.to_plain(value)
    found = None if isinstance(plain, bool) or plain is None else _QUANTITY.fullmatch(str(plain))
    if found is None:
        at = f"{where}: " if where else ""
        msg = f"{at}{plain!r} is no Kubernetes quantity; write it like 2, 500m or 64Gi"
        raise errors.BadInputError(msg)
    sign, whole, fraction, suffix = found.groups(default="")
    amount = Fraction(int(whole + fraction or "0"), 10 ** len(fraction)) * _factor(suffix)
    amount = math.ceil(amount / _NANO) * _NANO
    return -amount if sign == "-" else amount


def form(value: object) -> tuple[Fraction, str]:
    """Return the amount of a quantity and the notation in which the API stores it: ``e``, ``i`` (1Gi) or neither.

    Two that are equal in both are stored as the same text (apimachinery pkg/api/resource CanonicalizeBytes).

    Raises:
        BadInputError: ``value`` is no Kubernetes quantity.
    """
    amount, suffix = parse(value), str(door.to_plain(value)).lstrip("+-.0123456789")
    if suffix in _BINARY:
        return amount, "i" if abs(amount) >= _SMALLEST_BINARY else ""
    return amount, "e" if amount and suffix not in _FACTORS else ""


def is_extended(resource: str) -> bool:
    """Return whether this names a device, by the API's own rule (pkg/apis/core/helper IsExtendedResourceName)."""
    return "/" in resource and "kubernetes.io/" not in resource and not resource.startswith("requests.")


def format_cpu(cores: Fraction | int) -> str:
    """Return cores as a quantity: "12", "500m"; whole numbers never get a suffix."""
    if Fraction(cores).denominator == 1:
        return str(int(cores))
    suffix = next((suffix for suffix, unit in _SMALL.items() if (cores / unit).denominator == 1), "n")
    return f"{math.ceil(cores / _SMALL[suffix])}{suffix}"


def format_memory(size: Fraction | int) -> str:
    """Return bytes as a quantity: "64Gi", "1536Mi", "1000"; a part of a byte is rounded up."""
    whole = math.ceil(size)
    fitting = [suffix for suffix, unit in _BINARY.items() if whole and whole % unit == 0]
    return f"{whole // int(_BINARY[fitting[-1]])}{fitting[-1]}" if fitting else str(whole)


def short_cpu(text: str) -> str:
    """Return a quantity of cores for people: more than one in decimals, rounded up to thousandths."""
    cores = parse(text)
    if cores <= 1 or cores.denominator == 1:
        return text
    whole, thousandths = divmod(math.ceil(cores * 1000), 1000)
    return f"{whole}.{thousandths:03}".rstrip("0").rstrip(".")


def short_memory(text: str) -> str:
    """Return a quantity of bytes for people: in a unit of which there are few, rounded up to tenths."""
    if len(text.rstrip("KMGTPEi")) <= _DIGITS:
        return text
    size = parse(text)
    suffix = next((suffix for suffix, unit in _BINARY.items() if size / unit < 10**_DIGITS), "Ei")
    return f"{math.ceil(size / _BINARY[suffix] * 10) / 10:.10g}{suffix}"


def _factor(suffix: str) -> Fraction:
    if suffix in _FACTORS:
        return _FACTORS[suffix]
    return Fraction(10) ** int(suffix[1:])
