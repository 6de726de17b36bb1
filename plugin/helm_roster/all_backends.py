"""The registry: every backend by its name in the values.

A render needs one of them and starts anew for every call of Helm, so each is imported when it is asked for. Functions
on purpose, so that types are checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeVar

from helm_roster.backend_base import Admission, Backend
from helm_roster.model.plan import TemplatePath

# ruff: noqa: PLC0415  (see above)

T_co = TypeVar("T_co", covariant=True)


def _default() -> Backend:
    from helm_roster.backends import default

    return default


def _native() -> Backend:
    from helm_roster.backends import native

    return native


def _kai() -> Backend:
    from helm_roster.backends import kai

    return kai


def _volcano() -> Backend:
    from helm_roster.backends import volcano

    return volcano


def _coscheduling() -> Backend:
    from helm_roster.backends import coscheduling

    return coscheduling


def _kueue() -> Admission:
    from helm_roster.backends import kueue

    return kueue


class _Imported(Mapping[str, T_co]):
    """Backends by name; which names there are is known without an import."""

    def __init__(self, found: Mapping[str, Callable[[], T_co]]) -> None:
        self._found = found

    def __getitem__(self, name: str) -> T_co:
        return self._found[name]()

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


PLACEMENT: Final[Mapping[str, Backend]] = _Imported({
    "default": _default,
    "native": _native,
    "kai": _kai,
    "volcano": _volcano,
    "coscheduling": _coscheduling,
})  # fmt: skip
# Beside ``none``, which needs no module: nothing is asked of a queue.
ADMISSION: Final[Mapping[str, Admission]] = _Imported({"kueue": _kueue})
NO_ADMISSION: Final = "none"


def owned(placement: str, admission: str) -> tuple[TemplatePath, ...]:
    """Return what no patch may set in pod templates where these backends place and admit the pods.

    What only others would set means nothing to it, or is for a scheduler that no backend knows.
    """
    admits = ADMISSION[admission].OWNED if admission in ADMISSION else ()
    return (*PLACEMENT[placement].OWNED, *admits)
