"""Sizes without a unit, and mounts and caches inside read-only ones."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.policy import containers

from tests.unit.builders import group, plan

VOLUMES = [
    {"name": "disk", "persistentVolumeClaim": {"claimName": "c"}},
    {"name": "keys", "secret": {"secretName": "s"}},
    {"name": "texts", "configMap": {"name": "c"}},
    {"name": "both", "projected": {"sources": []}},
    {"name": "about", "downwardAPI": {"items": []}},
    {"name": "model", "image": {"reference": "m:1"}},
]


def told(**main: Any) -> list[str]:
    pod = {"containers": [{"name": "main", **main}], "volumes": VOLUMES}
    return list(containers.warnings(plan({"w": group(1, pod=pod)}, backend="default")))


@pytest.mark.parametrize("side", ["requests", "limits"])
@pytest.mark.parametrize(("resource", "size"), [("memory", "64"), ("memory", 64), ("ephemeral-storage", "100m")])
def test_a_size_without_its_unit_is_told(side: str, resource: str, size: object) -> None:
    (line,) = told(resources={side: {resource: size}})
    words = f"resources.{side}.{resource} is {size}, in bytes; write its unit, as in 64Mi or 64Gi"
    assert line == f'group "w", container "main": {words}'


def test_sizes_that_may_be_meant_are_not_told() -> None:
    assert told(resources={"requests": {"memory": "1Mi", "cpu": "64"}, "limits": {"memory": "64000000"}}) == []
    assert told(resources={"limits": {"memory": 0}}) == []


@pytest.mark.parametrize(
    "outer",
    [{"name": "disk", "readOnly": True}, {"name": "model"}, {"name": "texts", "subPath": "d"}],
    ids=["read-only", "image", "folder of a config map"],
)
@pytest.mark.parametrize("path", ["/data", "/data/"])
def test_a_mount_inside_a_read_only_one_is_told(outer: dict[str, Any], path: str) -> None:
    (line,) = told(volumeMounts=[{"mountPath": path, **outer}, {"mountPath": "/data/a/b", "name": "own"}])
    words = f'/data/a/b (volume "own") is inside /data (volume "{outer["name"]}"), which is read-only'
    assert line.startswith(f'group "w", container "main": {words}')


@pytest.mark.parametrize("name", ["keys", "texts", "both", "about"])
@pytest.mark.parametrize("said", [{}, {"readOnly": True}], ids=["not said", "read-only"])
def test_a_mount_inside_a_volume_in_which_the_kubelet_makes_its_place_is_not_told(name: str, said: Any) -> None:
    mounts = [{"mountPath": "/etc/cfg", "name": name, **said}, {"mountPath": "/etc/cfg/sub", "name": "own"}]
    assert told(volumeMounts=mounts) == []


def test_of_what_is_mounted_around_only_the_nearest_counts() -> None:
    mounts = [
        {"mountPath": "/data", "name": "disk", "readOnly": True},
        {"mountPath": "/data/own", "name": "own"},
        {"mountPath": "/data/own/sub", "name": "keys"},
    ]
    (line,) = told(volumeMounts=mounts)
    assert line.startswith('group "w", container "main": /data/own (volume "own") is inside /data')


def test_a_mount_beside_a_read_only_one_or_inside_another_is_not_told() -> None:
    mounts = [{"mountPath": "/data", "name": "model"}, {"mountPath": "/data2/x", "name": "own"}]
    assert told(volumeMounts=mounts) == []
    assert told(volumeMounts=[{"mountPath": "/data", "name": "disk"}, {"mountPath": "/data/x", "name": "own"}]) == []


@pytest.mark.parametrize(
    "name", ["HF_HOME", "XDG_CACHE_HOME", "VLLM_CACHE_ROOT", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"]
)
@pytest.mark.parametrize("mount", [{"name": "disk", "readOnly": True}, {"name": "model"}], ids=["said", "image"])
def test_a_cache_in_a_read_only_mount_is_told(name: str, mount: dict[str, Any]) -> None:
    (line,) = told(volumeMounts=[{"mountPath": "/data/", **mount}], env=[{"name": name, "value": "/data/hub"}])
    words = f'{name} is /data/hub, in /data (volume "{mount["name"]}"), which is read-only'
    assert line.startswith(f'group "w", container "main": {words}')


def test_a_cache_that_can_be_written_or_is_elsewhere_is_not_told() -> None:
    mounts = [{"mountPath": "/data", "name": "disk", "readOnly": True}, {"mountPath": "/data/own", "name": "own"}]
    env = [("HF_HOME", "/data/own/hub"), ("TRITON_CACHE_DIR", "/data2"), ("MODEL", "/data"), ("HF_HOME", "$(X)/data")]
    assert told(volumeMounts=mounts[1:], env=[{"name": name, "value": value} for name, value in env]) == []
    own = [{"name": "HF_HOME", "value": "/data/own/hub"}, {"name": "VLLM_CACHE_ROOT", "valueFrom": {}}]
    assert not [line for line in told(volumeMounts=mounts, env=own) if "HF_HOME" in line or "VLLM" in line]


def test_a_container_of_ours_that_only_waits_writes_no_caches() -> None:
    waits, mount = {"name": "weights-filled"}, {"mountPath": "/data", "name": "disk", "readOnly": True}
    caches = {"env": [{"name": "HF_HOME", "value": "/data/hf"}], "volumeMounts": [mount]}
    pod = {"containers": [{"name": "main"}], "initContainers": [{**waits, **caches}], "volumes": VOLUMES}
    assert list(containers.warnings(plan({"w": group(1, pod=pod)}, backend="default"))) == []
