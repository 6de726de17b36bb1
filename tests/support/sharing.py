"""How tests are shared among processes: by file, and all those of Volcano and KAI in one, which begins with them.

Each process that has one of them starts their control plane; and what takes minutes must not be what starts last, so
another process begins with the one test that takes two: an installation by pip, which waits for downloads besides.
"""

from __future__ import annotations

import re

import pytest
from xdist.scheduler.loadfile import LoadFileScheduling

TOGETHER = "Volcano and KAI"
LONG = "tests/test_plugin_install.py::"
_TOGETHER = re.compile(
    r"^tests/cluster/(test_(volcano|kai|strict|rendered|schedulers)\w*\.py::|.*\[(\S*-)?(volcano|kai)\b)"
)


def together(nodeid: str) -> bool:
    """Tell by a test's name whether it takes Volcano, KAI or their definitions."""
    return bool(_TOGETHER.match(nodeid))


class Sharing(LoadFileScheduling):
    """By file, but for the tests of Volcano and KAI."""

    def _split_scope(self, nodeid: str) -> str:
        return TOGETHER if together(nodeid) else super()._split_scope(nodeid)


def first(items: list[pytest.Item]) -> None:
    """Bring the tests of Volcano and KAI to the front, then the file that takes long; all others keep their order."""
    items.sort(key=lambda item: (not together(item.nodeid), not item.nodeid.startswith(LONG)))
