"""Which nodes a preset's pods mean, and what keeps them away."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.presets import fitting
from helm_roster.presets.devices import ClassFound
from helm_roster.presets.fitting import Level, Offer

TAINT = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
ACCELERATOR = {"resource": "r.com/gpu", "perNode": 8}


def node(name: str, *taints: dict[str, str], off: bool = False, **offers: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "labels": {"pool": "gpu", "rack": f"r{name}"}},
        "spec": {"taints": list(taints), "unschedulable": off},
        "status": {"allocatable": {f"r.com/{key}": count for key, count in offers.items()}},
    }


def spec(*resources: str, tolerates: bool = False, selects: bool = True) -> dict[str, Any]:
    requests = {f"r.com/{name}": "8" for name in resources}
    return {
        "containers": [{"resources": {"limits": requests}}],
        **({"nodeSelector": {"pool": "gpu"}} if selects else {}),
        **({"tolerations": [{"key": "gpu", "operator": "Exists"}]} if tolerates else {}),
    }


def test_nodes_of_the_labels_are_counted_with_what_they_offer_and_lack() -> None:
    nodes = [node("a", gpu="8", nic="4"), node("b", gpu="8", nic="4"), node("c", gpu="4"), node("d", gpu="8", nic="x")]
    other = node("e", gpu="8") | {"metadata": {"name": "e", "labels": {}}}
    found = fitting.fit(spec("gpu", "nic"), [*nodes, other], ACCELERATOR)
    assert (found.matching, found.usable, found.fewer, found.lacking) == (4, 2, 1, (("r.com/nic", 2),))
    assert found.offers == (
        Offer(resource="r.com/gpu", nodes=3, each="8"),
        Offer(resource="r.com/gpu", nodes=1, each="4"),
        Offer(resource="r.com/nic", nodes=2, each="4"),
    )


def test_taints_and_cordons_keep_pods_away_unless_they_are_tolerated() -> None:
    cordon = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    nodes = [node("a", TAINT, gpu="8"), node("b", TAINT, gpu="8"), node("c", cordon, off=True, gpu="8")]
    found = fitting.fit(spec("gpu"), nodes, ACCELERATOR)
    assert (found.matching, found.usable, found.cordoned) == (3, 0, 1)
    assert found.taints == (("gpu=yes:NoSchedule", 2),)
    assert found.examples == {"gpu=yes:NoSchedule": ("a", "b"), "cordoned": ("c",)}
    assert not found.fits
    assert fitting.fit(spec("gpu", tolerates=True), nodes, ACCELERATOR).usable == 2


def test_taints_are_left_to_the_preset_that_says_which_accelerators_there_are() -> None:
    found = fitting.fit(spec("nic"), [node("a", TAINT, nic="4"), node("b", TAINT)], {}, takes_others=True)
    assert (found.fits, found.usable, found.taints, found.lacking) == (
        True, 1, (("gpu=yes:NoSchedule", 2),), (("r.com/nic", 1),),
    )  # fmt: skip


def test_a_preset_without_labels_means_the_nodes_that_have_its_devices() -> None:
    nodes = [node("a", gpu="8"), node("b")]
    found = fitting.fit(spec("gpu", selects=False), nodes, ACCELERATOR)
    assert (found.matching, found.usable, found.fits) == (1, 1, True)


def test_a_preset_that_asks_for_nothing_of_nodes_fits_anywhere() -> None:
    found = fitting.fit(spec(selects=False), [node("a")], {})
    assert (found.selects, found.matching, found.fits) == (False, 0, True)


@pytest.mark.parametrize(
    ("one", "usable"),
    [
        (ClassFound(name="c", exists=True, driver="d", devices=8, nodes=frozenset({"a"})), 1),
        (ClassFound(name="c", exists=True), 2),
        (ClassFound(name="c", exists=None), 2),
        (ClassFound(name="c", exists=False), 0),
    ],
    ids=["devices on one node", "not known where", "may not look", "no such class"],
)
def test_claims_are_met_where_the_driver_has_devices(one: ClassFound, usable: int) -> None:
    assert fitting.fit(spec(), [node("a"), node("b")], {}, [one]).usable == usable


def test_a_kind_that_is_not_served_makes_it_unfit() -> None:
    assert not fitting.fit(spec(), [node("a")], {}, unserved=["ComputeDomain (x/v1)"]).fits


def test_levels_are_counted_by_nodes_and_values() -> None:
    found = fitting.levels({"rack": {"label": "rack"}, "spine": "none"}, [node("a"), node("b"), node("b")])
    assert found.levels == (
        Level(level="rack", label="rack", nodes=3, values=2),
        Level(level="spine", label="none", nodes=0, values=0),
    )
    assert not found.fits


def test_where_nothing_matches_the_labels_and_resources_are_told_that_no_node_has() -> None:
    expressions = [
        {"key": "rack", "operator": "Exists"},
        {"key": "rack", "operator": "In", "values": ["x", "y"]},
    ]
    terms = {"nodeSelectorTerms": [{"matchExpressions": expressions}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    asks = {"nodeSelector": {"pool": "gpu", "zone": "z"}, "affinity": affinity, "containers": []}
    assert fitting.fit(asks, [node("a")], {}).unmet == ("zone=z", "rack=x|y")
    assert fitting.fit(spec("nic", selects=False), [node("a", gpu="8")], {}).unmet == ("r.com/nic",)
    terms["nodeSelectorTerms"].append({"matchExpressions": []})
    assert fitting.fit(asks, [node("a")], {}).unmet == ("zone=z",)
