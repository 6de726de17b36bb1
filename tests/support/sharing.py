"""How tests are shared among processes: by file, but those of Kueue, of Volcano and of KAI in one each, which begin so.

Each process that has one of them starts a control plane for them, so it goes on with tests that need no other; and what
takes long must not be what starts last, so another process begins with an installation by pip.

Each process imports all tests, and to compile them with pytest's asserts takes three times what all else does that it
does before the first: so each begins with other ones, and finds compiled what the others began with.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import sys
from collections import OrderedDict
from pathlib import Path
from typing import Any, Final

import pytest
from xdist.scheduler.loadfile import LoadFileScheduling
from xdist.workermanage import WorkerController

CLUSTER: Final = "tests/cluster/"
# Tests with the controller of LeaderWorkerSets share a process, whose control plane serves that kind once they began.
SPANNING: Final = "tests/cluster/test_lws"
LONG: Final = "tests/test_wheel.py::"
# By a test's name, the first that fits; what takes the definitions of both is with KAI, whose own are fewer.
_OF: Final = {
    "Kueue": re.compile(r"^tests/cluster/test_kueue\w*\.py::"),
    "Volcano": re.compile(
        r"^tests/cluster/(test_volcano\w*\.py::|test_schedulers\.py::\w*volcano|.*\[(\S*-)?volcano\b)"
    ),
    "KAI": re.compile(r"^tests/cluster/(test_(kai|strict|rendered|schedulers)\w*\.py::|.*\[(\S*-)?kai\b)"),
}


def project(nodeid: str) -> str:
    """Tell by a test's name which tests it shares a process with: those of Kueue, Volcano or KAI; else empty."""
    return next((name for name, pattern in _OF.items() if pattern.match(nodeid)), "")


def scope(nodeid: str) -> str:
    """Tell by a test's name which tests it shares a process with, of whatever kind; else empty."""
    return SPANNING if nodeid.startswith(SPANNING) else project(nodeid)


class Sharing(LoadFileScheduling):
    """By file, but for the tests of Kueue, Volcano and KAI."""

    def _split_scope(self, nodeid: str) -> str:
        return scope(nodeid) or super()._split_scope(nodeid)

    def _assign_work_unit(self, node: WorkerController) -> None:
        if not self.assigned_work.get(node, {}).keys().isdisjoint(_OF):
            bring_forward(self.workqueue)
        super()._assign_work_unit(node)


def bring_forward(queue: OrderedDict[str, Any]) -> None:
    """Let the first file that needs no cluster come next; where all need one the order stays."""
    found = next((scope for scope in queue if not scope.startswith(CLUSTER)), None)
    if found is not None:
        queue.move_to_end(found, last=False)


def first(items: list[pytest.Item]) -> None:
    """Bring the tests of Kueue, Volcano and KAI to the front, then what takes long; all others keep their order."""
    order = [*_OF, ""]
    items.sort(key=lambda item: (order.index(project(item.nodeid)), not item.nodeid.startswith(LONG)))


def compile_by_turns(config: pytest.Config) -> None:
    """Import the test modules before they are collected, where several processes do so and keep what is compiled."""
    here: dict[str, Any] | None = getattr(config, "workerinput", None)
    if here is None or sys.dont_write_bytecode:
        return
    names = [".".join(path.relative_to(config.rootpath).with_suffix("").parts) for path in modules(config)]
    for name in turned(names, int(here["workerid"].removeprefix("gw")), here["workercount"]):
        with contextlib.suppress(Exception):  # told when it is collected
            importlib.import_module(name)


def modules(config: pytest.Config) -> list[Path]:
    """Return the files of tests that a run was asked for, in order."""
    asked = [config.rootpath / argument.partition("::")[0] for argument in config.args]
    return sorted({path for place in asked for path in ([place] if place.is_file() else place.rglob("test_*.py"))})


def turned(names: list[str], process: int, processes: int) -> list[str]:
    """Return the names in the same order, from the place where this process begins and round to it."""
    start = len(names) * process // processes
    return names[start:] + names[:start]
