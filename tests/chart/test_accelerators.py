"""Accelerators: a count of the group, under the resource of a preset."""

from __future__ import annotations

import pytest

from helm_roster.model.devices import Accelerator
from helm_roster.model.plan import Part
from helm_roster.policy import totals

from tests.chart.rendering import GPU, Chart, Values, layered, nested, operation

IMAGE = {"container": {"image": "example/app:1"}}
RAW = {"resources": {"limits": {"nvidia.com/gpu": 8}}}


def test_they_are_asked_for_by_request_and_limit(chart: Chart) -> None:
    values = layered({"accelerators": 8, "resources": {"requests": {"cpu": 4}}}, gpu=GPU)
    assert chart.render(values).container()["resources"] == {
        "requests": {"cpu": 4, "nvidia.com/gpu": 8},
        "limits": {"nvidia.com/gpu": 8},
    }


def test_the_workload_says_how_many_of_which_model(chart: Chart) -> None:
    annotations = chart.render(layered({"accelerators": 8}, gpu=GPU)).workload()["metadata"]["annotations"]
    assert annotations["helm-roster.dev/accelerators"] == "8 nvidia.com/gpu"
    assert annotations["helm-roster.dev/model"] == "NVIDIA H200"


def test_a_group_without_them_says_nothing(chart4: Chart) -> None:
    annotations = chart4.render(layered({}, gpu=GPU)).workload()["metadata"]["annotations"]
    assert not {"helm-roster.dev/accelerators", "helm-roster.dev/model"} & set(annotations)


@pytest.mark.parametrize("raw", [8, "8"])
def test_the_same_count_written_raw_is_accepted(chart4: Chart, raw: object) -> None:
    values = layered({"accelerators": 8, "resources": {"limits": {"nvidia.com/gpu": raw}}}, gpu=GPU)
    assert chart4.render(values).container()["resources"]["limits"] == {"nvidia.com/gpu": 8}


def test_an_extended_resource_may_be_written_raw(chart4: Chart) -> None:
    values = layered({"resources": {"limits": {"example.com/nic": 2, "amd.com/gpu": "0"}}})
    assert chart4.render(values).container()["resources"]["limits"] == {"example.com/nic": 2, "amd.com/gpu": "0"}


def test_none_of_a_preset_may_be_written_raw(chart4: Chart) -> None:
    values = layered({"resources": {"limits": {"nvidia.com/gpu": 0, "example.com/nic": 1}}}, gpu=GPU)
    assert chart4.render(values).container()["resources"]["limits"] == {"nvidia.com/gpu": 0, "example.com/nic": 1}


BESIDE = {"a": {"accelerators": 2, "order": 2}, "b": {"accelerators": 1, "native": False}, "c": {}}


def test_each_container_has_its_own(chart: Chart) -> None:
    group = {"accelerators": 4, "sidecars": BESIDE, "init": {"d": {"accelerators": 3, "order": 1}}}
    pod = chart.render(layered(group, gpu=GPU)).pod()
    containers = {entry["name"]: entry for entry in (*pod["containers"], *pod["initContainers"])}
    assert all("accelerators" not in entry for entry in containers.values())
    found = {name: entry.get("resources") for name, entry in containers.items()}
    assert found.pop("c") is None
    counts = {"main": 4, "a": 2, "b": 1, "d": 3}
    assert found == {
        name: {side: {"nvidia.com/gpu": count} for side in ("limits", "requests")} for name, count in counts.items()
    }


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        ({"accelerators": 4, "sidecars": BESIDE}, 7),
        ({"sidecars": BESIDE}, 3),
        ({"accelerators": 4, "init": {"d": {"accelerators": 3}}}, 4),
        ({"accelerators": 4, "init": {"d": {"accelerators": 8}}}, 8),
        ({"accelerators": 1, "sidecars": {"a": {"accelerators": 2}}, "init": {"d": {"accelerators": 8}}}, 8),
        (
            {
                "accelerators": 1,
                "sidecars": {"a": {"accelerators": 2, "order": -1}},
                "init": {"d": {"accelerators": 8}},
            },
            10,
        ),
        ({"accelerators": 1, "sidecars": BESIDE, "init": {"d": {"accelerators": 8, "order": 1}}}, 8),
        ({"accelerators": 1, "sidecars": BESIDE, "init": {"d": {"accelerators": 8, "order": 3}}}, 10),
    ],
)
def test_the_pod_has_as_many_as_a_node_must_offer(chart4: Chart, group: Values, expected: int) -> None:
    values = layered(group, gpu=GPU)
    assert chart4.resolved(values)["groups"]["a"]["accelerators"] == expected
    annotations = chart4.render(values).workload()["metadata"]["annotations"]
    assert annotations["helm-roster.dev/accelerators"] == f"{expected} nvidia.com/gpu"
    (asked,) = totals.accelerators_of(
        Part(
            name="",
            count=1,
            spec=chart4.render(values).pod(),
            accelerator=Accelerator(model="x", resource="nvidia.com/gpu"),
        )
    ).values()
    assert asked == expected


def test_a_leader_counts_its_own_containers(chart4: Chart) -> None:
    group = {"accelerators": 4, "podsPerReplica": 2, "sidecars": {"x": {"accelerators": 2}}}
    values = layered({**group, "leader": {"accelerators": 0, "sidecars": {"x": {"accelerators": 1}}}}, gpu=GPU)
    found = chart4.resolved(values)["groups"]["a"]
    assert (found["accelerators"], found["leader"]["accelerators"]) == (6, 1)
    pod = chart4.render(values).pod(leader=True)
    assert "resources" not in pod["containers"][0]
    assert pod["initContainers"][0]["resources"]["limits"] == {"nvidia.com/gpu": 1}


def test_a_leader_that_says_nothing_of_them_has_what_its_group_has(chart4: Chart) -> None:
    sidecars = {"x": {"accelerators": 2}}
    group = {"accelerators": 4, "podsPerReplica": 2, "sidecars": sidecars, "leader": {"container": {"args": ["lead"]}}}
    values = layered(group, gpu=GPU)
    assert "leader" not in chart4.resolved(values)["groups"]["a"]
    objects = chart4.render(values)
    assert objects.container(leader=True)["resources"] == objects.container()["resources"]


def test_ranks_of_torchrun_are_those_of_the_main_container(chart4: Chart) -> None:
    group = {"accelerators": 4, "sidecars": {"x": {"accelerators": 2, "native": False}}}
    objects = chart4.render(layered(group, gpu=GPU) | {"operation": {"kind": "job"}})
    assert objects.env()["PET_NPROC_PER_NODE"] == "4"


@pytest.mark.parametrize("amount", [0.5, "1500m"])
@pytest.mark.parametrize("part", [[], ["init", "x"], ["sidecars", "x"]], ids=".".join)
def test_parts_of_a_device_are_refused(chart4: Chart, amount: object, part: list[str]) -> None:
    path = ".".join([*part, "resources", "limits"])
    refusal = chart4.refusal(layered(nested(path, {"example.com/nic": amount})))
    assert refusal.startswith(f"groups.a.{path}.example.com/nic: {amount}, but devices are given whole")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (layered({"accelerators": 1}), "groups.a: accelerators is 1, but no preset says of which resource; list one"),
        *(
            (
                layered({"accelerators": 1}, gpu={"accelerator": {"resource": name}}),
                f'groups.a: accelerator.resource "{name}" of its preset is no extended resource, which is a domain, /',
            )
            for name in ("gpu", "a..b/gpu", "requests.a.b/gpu", "a.b/" + "c" * 64)
        ),
        (
            layered({"accelerators": 1, "resources": {"requests": {"nvidia.com/gpu": 4}}}, gpu=GPU),
            "groups.a.resources.requests: nvidia.com/gpu is 4, but accelerators is 1; leave the resource out",
        ),
        (
            layered({"sidecars": {"x": {"accelerators": 2}}}),
            "groups.a.sidecars.x: accelerators is 2, but no preset says of which resource; list one under presets",
        ),
        (
            layered({"sidecars": {"x": {"accelerators": 2, **RAW}}}, gpu=GPU),
            "groups.a.sidecars.x.resources.limits: nvidia.com/gpu is 8, but accelerators is 2; leave the resource out",
        ),
        (
            layered({"accelerators": 1, "sidecars": {"x": RAW}}, gpu=GPU),
            (
                'groups.a.sidecars.x.resources.limits: nvidia.com/gpu is 8, which preset "gpu" has as its accelerator, '
                "but sidecars.x.accelerators is 0; set `sidecars.x.accelerators: 8` instead"
            ),
        ),
        (
            layered({"resources": {"limits": {"nvidia.com/gpu": 8}}}, gpu=GPU),
            'groups.a.resources.limits: nvidia.com/gpu is 8, which preset "gpu" has as its accelerator, but',
        ),
        (
            {"presets": {"gpu": GPU}} | operation({"a": RAW}) | {"defaults": {"presets": ["gpu"], **IMAGE}},
            'groups.a.resources.limits: nvidia.com/gpu is 8, which preset "gpu" has as its accelerator, but',
        ),
    ],
)
def test_counts_that_contradict_are_refused(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values).startswith(words)
