"""The registry: every backend by its name in the values. A literal on purpose, so that types are checked."""

from __future__ import annotations

from typing import Final

from helm_roster.backend_base import Backend
from helm_roster.backends import coscheduling, default, kai, native, volcano
from helm_roster.model.plan import TemplatePath

PLACEMENT: Final[dict[str, Backend]] = {
    "default": default,
    "native": native,
    "kai": kai,
    "volcano": volcano,
    "coscheduling": coscheduling,
}
# ``none`` needs no module: nothing is asked of a queue.
ADMISSION: Final[tuple[str, ...]] = ("none",)
# Kubernetes' own field, by which patches may give pods to a scheduler that no backend knows.
_SCHEDULER_NAME: Final[TemplatePath] = ("spec", "schedulerName")


def owned(asked: str) -> tuple[TemplatePath, ...]:
    """Return what backends set in pod templates, any of them, where ``asked`` is the backend that places the pods.

    A patch of it would be lost, or hold for another backend's. The scheduler's name is that of ``asked`` alone.
    """
    return tuple(
        path
        for name, backend in PLACEMENT.items()
        for path in backend.OWNED
        if name == asked or path != _SCHEDULER_NAME
    )
