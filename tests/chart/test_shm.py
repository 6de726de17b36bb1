"""Shared memory of the main container."""

from __future__ import annotations

import pytest

from tests.chart import validity
from tests.chart.rendering import GPU, Chart, Values, layered, operation

SHM = {"shm": {"size": "32Gi"}}
VOLUME = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "32Gi"}}


def test_it_is_a_volume_in_memory_of_that_size(chart: Chart) -> None:
    objects = chart.render(operation({"a": SHM}))
    assert objects.pod()["volumes"] == [VOLUME]
    assert objects.container()["volumeMounts"] == [{"mountPath": "/dev/shm", "name": "shm"}]
    validity.check(objects.all)


def test_other_containers_have_none(chart4: Chart) -> None:
    (sidecar,) = chart4.render(operation({"a": {**SHM, "sidecars": {"x": {}}}})).pod()["initContainers"]
    assert "volumeMounts" not in sidecar


def test_groups_of_one_operation_may_differ(chart4: Chart) -> None:
    objects = chart4.render(operation({"a": SHM, "b": {"shm": {"size": "448Gi"}}, "c": {}}))
    sizes = [objects.pod(name).get("volumes", [{}])[0].get("emptyDir", {}).get("sizeLimit") for name in "abc"]
    assert sizes == ["32Gi", "448Gi", None]


@pytest.mark.parametrize(
    ("group", "size"),
    [
        ({"accelerators": 8}, "16Gi"),
        ({"accelerators": 2, "sidecars": {"x": {"accelerators": 4}}}, "4Gi"),
        ({"accelerators": 8, "shm": {"size": "1Gi"}}, "1Gi"),
        ({"accelerators": 8, "shm": {"perAccelerator": "1.5Gi"}}, "12Gi"),
        ({"accelerators": 8, "shm": {"perAccelerator": "010Gi"}}, "80Gi"),
        ({}, None),
    ],
)
def test_it_may_follow_the_accelerators(chart4: Chart, group: Values, size: str | None) -> None:
    pod = chart4.render(layered(group, gpu={**GPU, "shm": {"perAccelerator": "2Gi"}})).pod()
    assert [volume["emptyDir"]["sizeLimit"] for volume in pod.get("volumes", [])] == [size] * bool(size)


@pytest.mark.parametrize("path", ["/dev/shm", "/dev/shm/"])
def test_what_the_group_mounts_there_itself_stays(chart: Chart, path: str) -> None:
    group = {"volumes": {"own": {"hostPath": {"path": "/dev/shm"}}}, "container": {"volumeMounts": {path: "own"}}}
    assert chart.render(operation({"a": {**group, **SHM}})).all == chart.render(operation({"a": group})).all


def test_a_connection_that_is_mounted_there_stays(chart4: Chart) -> None:
    connections = {"host": {"kind": "hostPath", "path": "/dev/shm", "mountPath": "/dev/shm"}}
    objects = chart4.render(operation({"a": {**SHM, "connections": ["host"]}}, connections=connections))
    assert [volume["name"] for volume in objects.pod()["volumes"]] == ["host"]


@pytest.mark.parametrize("group", [{"shm": None}, {"shm": {"size": None}}, {"unset": ["shm"]}])
def test_a_layer_may_take_it_away(chart4: Chart, group: Values) -> None:
    assert "volumes" not in chart4.render(layered(group, defaults=SHM)).pod()


def test_another_volume_of_its_name_is_refused(chart4: Chart) -> None:
    refusal = chart4.refusal(operation({"a": {**SHM, "volumes": {"shm": {"emptyDir": {}}}}}))
    assert refusal == (
        'groups.a.shm: its volume is called "shm", and so is another one of the pod; choose another name for that'
    )


@pytest.mark.parametrize("size", [32, "32 GB", "-1Gi"])
def test_a_size_is_a_quantity(chart4: Chart, size: object) -> None:
    assert "at '/groups/a/shm/size'" in chart4.schema_refusal(operation({"a": {"shm": {"size": size}}}))
