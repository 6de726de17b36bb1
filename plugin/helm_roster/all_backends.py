"""The registry: every backend by its name in the values. A literal on purpose, so that types are checked."""

from __future__ import annotations

from typing import Final

from helm_roster.backend_base import Backend
from helm_roster.backends import default, native

PLACEMENT: Final[dict[str, Backend]] = {
    "default": default,
    "native": native,
}
# ``none`` needs no module: nothing is asked of a queue.
ADMISSION: Final[tuple[str, ...]] = ("none",)
