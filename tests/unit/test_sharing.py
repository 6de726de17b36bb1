"""Which tests share a process."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support import sharing
from tests.support.roster import ROOT


@pytest.mark.parametrize(
    ("nodeid", "expected"),
    [
        ("tests/cluster/test_kueue_runs.py::test_a", "Kueue"),
        ("tests/cluster/test_kueue_gangs.py::test_a[volcano]", "Kueue"),
        ("tests/cluster/test_volcano.py::test_a", "Volcano"),
        ("tests/cluster/test_kai_topology.py::test_a[3]", "KAI"),
        ("tests/cluster/test_strict.py::test_a", "KAI"),
        ("tests/cluster/test_placement.py::test_a[kai]", "KAI"),
        ("tests/cluster/test_placement.py::test_a[helm3-volcano]", "Volcano"),
        ("tests/cluster/test_placement.py::test_a[volcano-helm4]", "Volcano"),
        ("tests/cluster/test_schedulers.py::test_a[volcano]", "Volcano"),
        ("tests/cluster/test_schedulers.py::test_what_volcano_does", "Volcano"),
        ("tests/cluster/test_placement.py::test_a[native]", ""),
        ("tests/cluster/test_placement.py::test_a_volcano[4]", ""),
        ("tests/unit/backends/test_volcano.py::test_a", ""),
        ("tests/unit/backends/kueue/test_kueue.py::test_a", ""),
        ("tests/chart/test_gangs.py::test_a[volcano]", ""),
    ],
)
def test_tests_of_kueue_are_together_and_so_are_those_of_volcano_and_of_kai(nodeid: str, expected: str) -> None:
    assert sharing.project(nodeid) == expected


@pytest.mark.parametrize(
    ("nodeid", "expected"),
    [
        ("tests/cluster/test_lws.py::test_a", sharing.SPANNING),
        ("tests/cluster/test_lws_examples.py::test_a[native-x]", sharing.SPANNING),
        ("tests/cluster/test_kueue_runs.py::test_a", "Kueue"),
        ("tests/cluster/test_scale.py::test_a", ""),
    ],
)
def test_tests_of_leader_worker_sets_share_a_process_which_need_not_begin_with_them(nodeid: str, expected: str) -> None:
    assert sharing.scope(nodeid) == expected


def test_they_come_first_then_what_takes_long_and_all_others_keep_their_order() -> None:
    names = [
        "tests/unit/test_b.py::b",
        f"{sharing.LONG}test_a",
        "tests/cluster/test_x.py::b[kai]",
        "tests/cluster/test_x.py::b[volcano]",
        "tests/chart/test_a.py::a",
        "tests/cluster/test_kueue_runs.py::b[kai]",
    ]
    items: list[Any] = [SimpleNamespace(nodeid=name) for name in names]
    sharing.first(items)
    assert [item.nodeid for item in items] == [names[5], names[3], names[2], names[1], names[0], names[4]]


@pytest.mark.parametrize(
    ("scopes", "first"),
    [
        (["tests/cluster/test_a.py", "tests/chart/test_b.py", "tests/unit/test_c.py"], "tests/chart/test_b.py"),
        (["tests/cluster/test_a.py", "tests/cluster/test_b.py"], "tests/cluster/test_a.py"),
    ],
)
def test_a_process_that_has_a_control_plane_goes_on_with_what_needs_none(scopes: list[str], first: str) -> None:
    queue = OrderedDict.fromkeys(scopes)
    sharing.bring_forward(queue)
    assert list(queue) == [first, *(scope for scope in scopes if scope != first)]


def test_what_takes_long_is_there() -> None:
    assert (ROOT / sharing.LONG.removesuffix("::")).is_file()


def test_each_process_begins_with_modules_of_its_own_and_imports_all() -> None:
    names = list("abcdefgh")
    found = [sharing.turned(names, process, 4) for process in range(4)]
    assert [order[:2] for order in found] == [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]]
    assert [sorted(order) for order in found] == [names] * 4


def test_what_is_imported_beforehand_is_what_a_run_was_asked_for() -> None:
    config: Any = SimpleNamespace(rootpath=ROOT, args=["tests/unit/test_sharing.py::a", "tests/unit/helm"])
    found = [str(path.relative_to(ROOT)) for path in sharing.modules(config)]
    assert "tests/unit/test_sharing.py" in found
    assert "tests/unit/helm/test_values.py" in found
    assert {Path(name).parent.name for name in found} == {"unit", "helm"}
    assert all(Path(name).name.startswith("test_") for name in found)
