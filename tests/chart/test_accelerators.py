"""Accelerators: a count of the group, under the resource of a preset."""

from __future__ import annotations

import pytest

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
        (
            layered({"accelerators": 1}, gpu={"accelerator": {"resource": "gpu"}}),
            'groups.a: accelerator.resource "gpu" of its preset is no extended resource, which is a domain, /',
        ),
        (
            layered({"accelerators": 1, "resources": {"requests": {"nvidia.com/gpu": 4}}}, gpu=GPU),
            "groups.a.resources.requests: nvidia.com/gpu is 4, but accelerators is 1; leave the resource out",
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
