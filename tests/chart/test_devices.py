"""Devices that come along with accelerators or with the pod, and huge pages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
from tests.chart.rendering import GPU, Chart, Values, layered, operation

EFA = "vpc.amazonaws.com/efa"


def preset(**devices: Any) -> Values:
    """Return a preset of an accelerator with these devices, whose names are told without domain."""
    return {**GPU, "devices": {f"rdma/{name}": entry for name, entry in devices.items()}}


def limits(chart: Chart, values: Values) -> Values:
    """Return what the main container may use; the same is asked for."""
    resources: Values = chart.render(values).container().get("resources") or {"limits": {}}
    assert all(resources["requests"][name] == amount for name, amount in resources["limits"].items() if "/" in name)
    return resources["limits"]


def test_they_come_with_each_accelerator_or_with_the_pod(chart: Chart) -> None:
    group = {"accelerators": 8, "resources": {"requests": {"memory": "1Gi"}}}
    devices = {
        EFA: {"perAccelerator": 4},
        "rdma/ib": {"perPod": 1},
        "nvidia.com/rdma-vf": {"perPod": 0},
        "hugepages-2Mi": {"perPod": "5120Mi"},
        "hugepages-1Gi": {"perAccelerator": "1.5Gi"},
    }
    values = layered(group, gpu={**GPU, "devices": devices})
    objects = chart.render(values)
    expected = {
        "nvidia.com/gpu": 8,
        EFA: 32,
        "rdma/ib": 1,
        "nvidia.com/rdma-vf": 0,
        "hugepages-2Mi": "5120Mi",
        "hugepages-1Gi": "12Gi",
    }
    assert objects.container()["resources"] == {"limits": expected, "requests": {"memory": "1Gi", **expected}}
    validity.check(objects.all)


@pytest.mark.parametrize(
    ("amount", "total"), [("010", 30), ("08", 24), ("0", 0), ("00", 0), ("0010Mi", "30Mi"), ("00.5Gi", "1.5Gi")]
)
def test_a_zero_in_front_of_a_number_means_nothing(chart4: Chart, amount: str, total: int | str) -> None:
    values = layered({"accelerators": 3}, gpu=preset(x={"perAccelerator": amount}))
    assert limits(chart4, values)["rdma/x"] == total


@pytest.mark.parametrize("field", ["perAccelerator", "perPod"])
def test_a_number_that_cannot_be_multiplied_is_refused(chart4: Chart, field: str) -> None:
    refused = chart4.schema_refusal(layered({"accelerators": 3}, gpu=preset(x={field: "9" * 20})))
    assert "/presets/gpu/devices/rdma~1x" in refused


def test_each_container_has_those_of_its_accelerators(chart4: Chart) -> None:
    group = {"accelerators": 2, "sidecars": {"a": {"accelerators": 1}, "b": {}}, "init": {"c": {"accelerators": 4}}}
    values = layered(group, gpu=preset(each={"perAccelerator": 2}, pod={"perPod": 3}))
    pod = chart4.render(values).pod()
    found = {entry["name"]: entry.get("resources", {}).get("limits") for entry in pod["initContainers"]}
    assert found == {
        "a": {"nvidia.com/gpu": 1, "rdma/each": 2},
        "b": None,
        "c": {"nvidia.com/gpu": 4, "rdma/each": 8},
    }
    assert pod["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": 2, "rdma/each": 4, "rdma/pod": 3}


@pytest.mark.parametrize(
    ("lower", "group", "expected"),
    [
        ({"perAccelerator": 4}, {}, {}),
        ({"perAccelerator": 0}, {"accelerators": 2}, {"nvidia.com/gpu": 2, "rdma/ib": 0}),
        ({"perAccelerator": 4}, {"accelerators": 2, "devices": {"rdma/ib": None}}, {"nvidia.com/gpu": 2}),
        ({"perAccelerator": 4}, {"accelerators": 2, "unset": ["devices.rdma/ib"]}, {"nvidia.com/gpu": 2}),
        ({"perAccelerator": 4}, {"accelerators": 2, "devices": None}, {"nvidia.com/gpu": 2}),
        (
            {"perAccelerator": 4},
            {"accelerators": 2, "devices": {"rdma/ib": {"perPod": 1}}},
            {"nvidia.com/gpu": 2, "rdma/ib": 1},
        ),
        (
            {"perPod": 4},
            {"accelerators": 2, "devices": {"rdma/ib": {"perAccelerator": 1}, "rdma/vf": {"perPod": 3}}},
            {"nvidia.com/gpu": 2, "rdma/ib": 2, "rdma/vf": 3},
        ),
        ({"perPod": 4}, {"resources": {"limits": {"rdma/ib": "4"}}}, {"rdma/ib": 4}),
    ],
)
def test_a_group_may_say_otherwise(chart4: Chart, lower: Values, group: Values, expected: Values) -> None:
    assert limits(chart4, layered(group, gpu=preset(ib=lower))) == expected


def test_a_leader_has_those_of_its_own_accelerators(chart4: Chart) -> None:
    gpu = preset(each={"perAccelerator": 2}, pod={"perPod": 1})
    group = {"accelerators": 8, "podsPerReplica": 2, "presets": ["gpu"]}
    groups = {"a": {**group, "leader": {"accelerators": 1}}, "b": {**group, "leader": {"accelerators": 0}}}
    objects = chart4.render(operation(groups, presets={"gpu": gpu}))
    assert objects.container("a")["resources"]["limits"] == {"nvidia.com/gpu": 8, "rdma/each": 16, "rdma/pod": 1}
    assert objects.container("a", leader=True)["resources"]["limits"] == {
        "nvidia.com/gpu": 1,
        "rdma/each": 2,
        "rdma/pod": 1,
    }
    assert "resources" not in objects.container("b", leader=True)


def test_a_group_without_accelerators_skips_an_inherited_preset_of_companions(chart4: Chart) -> None:
    companions: dict[str, Values] = {
        "devices": {"devices": {"rdma/ib": {"perPod": 1}}},
        "networks": {"networks": {"example.org/nets": {"perPod": 1, "each": "x"}}},
        "fills": {"fillsNode": True},
    }
    asks = {"accelerators": 1}
    groups: dict[str, Values] = {
        "none": {},
        "own": {"presets": list(companions)},
        "main": {**asks, "presets": ["gpu"]},
        "beside": {"presets": ["gpu"], "sidecars": {"x": asks}},
        "starting": {"presets": ["gpu"], "init": [{"name": "y", **asks}]},
    }
    values = operation(groups, presets={**companions, "gpu": GPU, "plain": {}})
    values["defaults"] |= {"presets": [*companions, "plain"]}
    resolved = chart4.resolved(values)["groups"]
    assert {name: resolved[name]["skippedPresets"] for name in groups} == {
        "none": list(companions),
        **{name: [] for name in ("own", "main", "beside", "starting")},
    }


@pytest.mark.parametrize("group", [{"sidecars": {"x": None}, "unset": ["init.y"]}, {"sidecars": None, "init": None}])
def test_a_group_that_takes_such_containers_away_has_no_accelerators(chart4: Chart, group: Values) -> None:
    containers = {"sidecars": {"x": {"accelerators": 1}}, "init": {"y": {"accelerators": 1}}}
    values = operation({"a": group}, presets={"gpu": GPU})
    values["defaults"] |= {"presets": ["gpu"], **containers}
    assert chart4.resolved(values)["groups"]["a"]["skippedPresets"] == ["gpu"]


@pytest.mark.parametrize(("gone", "left"), [("init", "sidecars"), ("sidecars", "init")])
def test_a_group_that_takes_one_kind_of_containers_away_keeps_the_accelerators_of_the_other(
    chart4: Chart, gone: str, left: str
) -> None:
    values = operation({"a": {gone: None}}, presets={"gpu": GPU})
    values["defaults"] |= {"presets": ["gpu"], left: {"x": {"accelerators": 1}}}
    assert chart4.resolved(values)["groups"]["a"]["accelerators"] == 1


COUNTED = {"nvidia.com/gpu": {"perPod": 2}}


def test_that_there_is_no_device_may_be_said_of_accelerators_too(chart4: Chart) -> None:
    values = operation({"a": {"devices": {"nvidia.com/gpu": {"perPod": 0}}}}, presets={"gpu": GPU})
    assert limits(chart4, values) == {"nvidia.com/gpu": 0}


def refused(group: Values, **devices: Any) -> Values:
    return layered({"accelerators": 1, **group}, gpu=preset(**devices))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            refused({}, ib={"perAccelerator": 1, "perPod": 1}),
            "groups.a.devices.rdma/ib: perAccelerator and perPod both say how many; keep one",
        ),
        (
            refused({"devices": {"cpu": {"perPod": 1}}}),
            "groups.a.devices.cpu: no device; allowed: a domain, / and a name, as in rdma/ib, or hugepages-",
        ),
        *(
            (
                refused({"devices": {name: {"perPod": 1}}}),
                f"groups.a.devices.{name}: no device; allowed: a domain, / and",
            )
            for name in ("a..b/c", "a.-b/c", "requests.a.b/c", "a.b/" + "c" * 64, "a" * 245 + "/c")
        ),
        (
            refused({"devices": {"nvidia.com/gpu": {"perPod": 1}}}),
            "groups.a.devices.nvidia.com/gpu: the accelerator of the group, which is counted by accelerators",
        ),
        *(
            (
                operation({"a": {"podsPerReplica": 2, **group}}, presets={"gpu": GPU, "p": counted}),
                (
                    f'groups.{at}.devices.nvidia.com/gpu: preset "gpu" has it as its accelerator; list that under '
                    "presets, and set accelerators"
                ),
            )
            for group, counted, at in (
                ({"devices": COUNTED}, {}, "a"),
                ({"presets": ["p"]}, {"devices": COUNTED}, "a"),
                ({"presets": ["p"]}, {"leader": {"devices": COUNTED}}, "a.leader"),
            )
        ),
        (
            refused({"resources": {"limits": {"rdma/ib": 2}}}, ib={"perPod": 1}),
            "groups.a.resources.limits: rdma/ib is 2, but devices make it 1; leave the resource out",
        ),
        (
            refused(
                {"sidecars": {"x": {"accelerators": 2, "resources": {"requests": {"rdma/ib": 2}}}}},
                ib={"perAccelerator": 3},
            ),
            "groups.a.sidecars.x.resources.requests: rdma/ib is 2, but devices make it 6; leave the resource out",
        ),
        (refused({}, ib={"perPod": "0.5"}), "groups.a.resources.limits.rdma/ib: 0.5, but devices are given whole"),
        (
            refused({"devices": {"hugepages-2Mi": {"perPod": "4Mi"}}}),
            (
                "groups.a.resources.limits.hugepages-2Mi: Kubernetes takes huge pages only beside cpu or memory; set "
                "groups.a.resources.requests.memory, for what is no huge page"
            ),
        ),
        (
            refused({"devices": {"hugepages-2Mi": {"perPod": "3Mi"}}, "resources": {"limits": {"cpu": 1}}}),
            "groups.a.resources.limits.hugepages-2Mi: 3Mi is no number of whole pages; set a multiple of 2Mi",
        ),
    ],
)
def test_what_cannot_be_is_refused(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values).startswith(words)


def test_names_as_long_as_kubernetes_takes_them_are_devices(chart4: Chart) -> None:
    name = "a" * 244 + "/" + "c" * 63
    assert chart4.render(refused({"devices": {name: {"perPod": 1}}})).container()["resources"]["limits"][name] == 1
