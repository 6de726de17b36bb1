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


def owned(asked: str) -> tuple[TemplatePath, ...]:
    """Return what no patch may set in pod templates where ``asked`` is the backend that places the pods.

    What only others would set means nothing to it, or is for a scheduler that no backend knows.
    """
    return tuple(PLACEMENT[asked].OWNED)
