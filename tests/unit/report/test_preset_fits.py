"""How presets fit a cluster, for people."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.report import preset_fits

FITS: dict[str, Any] = {
    "name": "p", "fits": True, "selects": True, "takesOthers": False, "matching": 3, "usable": 1, "cordoned": 0,
    "offers": [], "taints": [], "lacking": [], "fewer": 0, "examples": {}, "classes": [],
    "unserved": [], "levels": [], "unmet": [], "refused": "",
}  # fmt: skip


def device_class(**more: Any) -> dict[str, Any]:
    return {"name": "c", "exists": True, "driver": "d", "devices": 4, "nodes": 2, **more}


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ({"taints": [{"taint": "a=b:NoSchedule", "nodes": 2}]}, "p: 2 nodes keep its pods off by a=b:NoSchedule"),
        ({"taints": [{"taint": "a=b:NoSchedule", "nodes": 2}], "takesOthers": True},
         "p: a=b:NoSchedule on 2 nodes is for the preset of the accelerators to tolerate; look at both: NAME+p"),
        ({"lacking": [{"resource": "r.com/nic", "nodes": 1}]}, "p: 1 node offers no r.com/nic"),
        ({"cordoned": 1}, "p: 1 node cordoned"),
        ({"fewer": 2}, "p: 2 nodes offer fewer accelerators than its perNode"),
        ({"fewer": 2, "examples": {"fewer": ["a", "b"]}},
         "p: 2 nodes offer fewer accelerators than its perNode (a, b)"),
        ({"cordoned": 3, "examples": {"cordoned": ["a", "b"]}}, "p: 3 nodes cordoned (a, b, …)"),
        ({"lacking": [{"resource": "r.com/n", "nodes": 1}], "examples": {"r.com/n": ["a"]}},
         "p: 1 node offers no r.com/n (a)"),
        ({"matching": 0, "unmet": ["a=b", "zone"]}, "p: no node has a=b, zone"),
        ({"matching": 0},
         "p: no node has all that it asks for; helm roster presets show tells its labels and devices"),
        ({"selects": False, "matching": 0},
         "p: it selects no nodes, so it fits wherever what else its groups take does"),
        ({"refused": "why"}, "p: no group can be made with it: why"),
        ({"unserved": ["K (v1)"]}, "p: K (v1) is not served"),
        ({"classes": [device_class(exists=False)]}, "p: there is no DeviceClass c"),
        ({"classes": [device_class(exists=None)]}, "p: you may not look for the DeviceClass c"),
        ({"classes": [device_class(driver=None, devices=None, nodes=None)]},
         "p: DeviceClass c names no driver, so its devices are not counted"),
        ({"classes": [device_class(devices=0)]}, "p: no driver publishes devices for DeviceClass c (d)"),
        ({"levels": [{"level": "rack", "label": "l", "nodes": 0, "values": 0}]},
         "p: no node has the label l of level rack"),
    ],
)  # fmt: skip
def test_what_stands_in_the_way_is_told_in_a_line(found: dict[str, Any], line: str) -> None:
    assert preset_fits.lines({"presets": [FITS | found]})[1] == line


def test_a_preset_that_fits_needs_no_line() -> None:
    assert preset_fits.lines({"presets": [FITS]}) == []


def test_that_selectors_of_claims_are_not_evaluated_is_said() -> None:
    assert "are not evaluated" in preset_fits.lines({"presets": [FITS | {"classes": [device_class()]}]})[-1]


def test_what_nodes_offer_is_told_in_the_table() -> None:
    offers = [{"resource": "r.com/gpu", "nodes": 2, "each": "8"}]
    levels = [{"level": "rack", "label": "l", "nodes": 4, "values": 2}]
    entry = FITS | {"offers": offers, "classes": [device_class()], "levels": levels}
    (*_, cells) = preset_fits.table({"presets": [entry]}).columns[3].cells
    assert str(cells) == "2 with 8 r.com/gpu; 4 devices of d on 2 nodes; rack: 4 in 2"


def test_presets_that_nobody_named_and_that_fit_nowhere_are_told_in_one_line() -> None:
    found = preset_fits.fitting({"presets": [FITS, FITS | {"name": "q", "fits": False, "cordoned": 1}]})
    assert len(list(preset_fits.table(found).columns[0].cells)) == 1
    assert preset_fits.lines(found) == [
        "",
        "1 more preset selects nodes and fits none of them: q; check by name to see why",
    ]
