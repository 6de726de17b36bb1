"""The registry: every backend by its name in the values. A literal on purpose, so that types are checked."""

from __future__ import annotations

from typing import Final

from helm_roster.backend_base import Backend
from helm_roster.backends import default, native
from helm_roster.model.plan import TemplatePath

PLACEMENT: Final[dict[str, Backend]] = {
    "default": default,
    "native": native,
}
# ``none`` needs no module: nothing is asked of a queue.
ADMISSION: Final[tuple[str, ...]] = ("none",)
# What a backend sets in pod templates, any of them: a patch of it would be lost, or hold for another backend's.
OWNED: Final[tuple[TemplatePath, ...]] = tuple(path for backend in PLACEMENT.values() for path in backend.OWNED)
