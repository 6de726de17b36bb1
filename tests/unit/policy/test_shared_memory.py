"""Volumes in memory: their sizes, and the two ways in which they end a run."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from helm_roster import errors
from helm_roster.model.plan import Plan
from helm_roster.policy import shared_memory

from tests.unit.builders import group, plan

SHM = [{"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "32Gi"}}]


def one(count: int, *, memory: str = "64Gi", mount: str = "", **pod: Any) -> Plan:
    """Return a plan of one group with that many accelerators a pod, and the memory limit and mount given."""
    limits = {"nvidia.com/gpu": count, "memory": memory}
    mounts = [{"name": "shm", "mountPath": mount}] if mount else []
    container = {"name": "main", "resources": {"limits": limits}, "volumeMounts": mounts}
    made = group(2, accelerators=count, pod={"containers": [container], "volumes": SHM, **pod})
    return plan({"w": made}, backend="default")


def test_only_volumes_in_memory_are_listed_with_their_size() -> None:
    unbounded = {"name": "tmp", "emptyDir": {"medium": "Memory"}}
    asked = one(1, volumes=[*SHM, unbounded, {"name": "disk", "emptyDir": {}}])
    assert shared_memory.volumes(asked.pod_specs("w")[0], "w") == {"shm": Fraction(32 * 2**30), "tmp": None}


def test_a_size_above_the_memory_limit_is_told_with_both() -> None:
    (warning,) = shared_memory.warnings(one(8, memory="16Gi", mount="/dev/shm"))
    assert 'group "w": /dev/shm may hold 32Gi in memory, above the memory limit of container "main" (16Gi)' in warning


def test_several_accelerators_with_the_runtimes_own_shared_memory_are_told() -> None:
    (warning,) = shared_memory.warnings(one(8))
    assert 'container "main" has 8 accelerators, and its /dev/shm is the container runtime\'s, 64 MB' in warning
    assert warning.endswith("set shm.size")


def test_a_sidecar_with_several_mounts_its_own() -> None:
    sidecar = {"name": "x", "restartPolicy": "Always", "resources": {"limits": {"nvidia.com/gpu": 2}}}
    (warning,) = shared_memory.warnings(one(1, initContainers=[sidecar]))
    assert 'container "x" has 2 accelerators' in warning
    assert warning.endswith("mount a volume there whose medium is Memory, such as that of shm")


@pytest.mark.parametrize("mount", ["/dev/shm", "/dev/shm/", "/dev"])
def test_a_mount_at_dev_shm_is_enough_whatever_it_is(mount: str) -> None:
    assert shared_memory.warnings(one(8, mount=mount)) == []


def test_one_accelerator_or_the_nodes_own_memory_needs_nothing() -> None:
    assert shared_memory.warnings(one(1)) == []
    assert shared_memory.warnings(one(8, hostIPC=True)) == []


def beside(**fields: Any) -> Plan:
    """Return a plan of one group with a small second container among the init containers, which writes to /dev/shm."""
    limits, mounts = {"memory": "1Gi"}, [{"name": "shm", "mountPath": "/dev/shm"}]
    small = {"name": "small", "resources": {"limits": limits}, "volumeMounts": mounts, **fields}
    return one(1, initContainers=[small])


def test_a_native_sidecar_writes_there_as_well() -> None:
    (warning,) = shared_memory.warnings(beside(restartPolicy="Always"))
    assert 'container "small" (1Gi)' in warning


def test_an_init_container_is_over_before_the_others_write() -> None:
    assert shared_memory.warnings(beside()) == []


def test_a_group_without_pods_is_no_matter() -> None:
    limits = {"nvidia.com/gpu": 8}
    made = group(0, accelerators=8, pod={"containers": [{"name": "main", "resources": {"limits": limits}}]})
    assert shared_memory.warnings(plan({"w": made}, backend="default")) == []


def test_a_size_that_is_none_is_refused_with_its_place() -> None:
    volume = {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": "abc"}}
    with pytest.raises(errors.BadInputError, match=r'^group "w": volumes\.shm\.emptyDir\.sizeLimit: .abc. is no'):
        shared_memory.warnings(one(1, volumes=[volume]))


def test_a_memory_limit_that_is_none_is_refused_with_its_place() -> None:
    with pytest.raises(errors.BadInputError, match=r'^group "w": resources\.limits\.memory of container "main": .abc'):
        shared_memory.warnings(one(1, memory="abc", mount="/dev/shm"))
