"""Totals of what pods claim of devices, and what is warned of."""

from __future__ import annotations

from typing import Any

from helm_roster.model.plan import Plan
from helm_roster.policy import accelerators, device_claims, shared_memory, totals, warnings

from tests.unit.builders import group, plan

CLASS = {"deviceClass": "gpu.nvidia.com", "model": "NVIDIA H200"}
MADE = {
    "op-a": {"devices": {"gpu.nvidia.com": 4, "efa": 8}, "accelerators": 4},
    "op-leader": {"devices": {"gpu.nvidia.com": 2}, "accelerators": 2},
    "op-two": {"devices": {"gpu.nvidia.com": 5}, "accelerators": 4},
    "op-own": {"devices": {"gpu.nvidia.com": 1}},
    "op-nics": {"devices": {"mrdma": 3}},
    "op-pool": {"devices": {"mrdma": 7}, "shared": True},
}


def claiming(*templates: str, claim: str = "") -> dict[str, Any]:
    """Return a pod whose main container has claims of these templates, and one of a claim that pods share."""
    named: list[dict[str, str]] = [{"name": name, "resourceClaimTemplateName": name} for name in templates]
    named += [{"name": "pool", "resourceClaimName": claim}] if claim else []
    resources = {"claims": [{"name": entry["name"]} for entry in named]}
    return {"resourceClaims": named, "containers": [{"name": "main", "resources": resources}]}


def asked(*groups: dict[str, Any]) -> Plan:
    """Return the plan of groups that have accelerators by a claim."""
    named = {name: {**one, "accelerator": CLASS} for name, one in zip("ab", groups, strict=False)}
    return plan(named, claims=MADE, backend="default")


def test_claimed_accelerators_count_under_their_model_and_companions_by_their_class() -> None:
    found = totals.count(asked(group(3, pod=claiming("op-a", "op-nics", "unknown"))))
    assert (dict(found.steady.accelerators), dict(found.steady.other)) == ({"NVIDIA H200": 12}, {"efa": 24, "mrdma": 9})
    assert dict(found.minimum_to_start.accelerators) == {"NVIDIA H200": 4}


def test_other_devices_of_the_accelerators_class_count_by_their_class() -> None:
    planned = asked(group(1, pod=claiming("op-two", "op-own")))
    found = totals.count(planned)
    assert dict(found.steady.accelerators) == {"NVIDIA H200": 4}
    assert dict(found.steady.other) == {"gpu.nvidia.com": 2}
    (part,) = planned.parts("a")
    assert accelerators.of_container(part.spec["containers"][0], part) == 4


def test_leaders_claim_for_themselves() -> None:
    pods = {"pod": claiming("op-a"), "leaderPod": claiming("op-leader")}
    leader = {"accelerators": 0, "accelerator": CLASS}
    spanning = group(2, kind="LeaderWorkerSet", podsPerReplica=4, leader=leader, **pods)
    found = totals.count(asked(spanning))
    assert dict(found.steady.accelerators) == {"NVIDIA H200": 28}
    assert dict(found.leaders["a"].accelerators) == {"NVIDIA H200": 4}


def test_what_pods_share_counts_once_and_in_no_group() -> None:
    pod = claiming(claim="op-pool")
    found = totals.count(asked(group(3, pod=pod), group(2, pod=pod)))
    assert dict(found.groups["a"].other) == {}
    assert [dict(one.other) for one in (found.steady, found.minimum_to_start, found.rollout_peak)] == [{"mrdma": 7}] * 3


def test_a_container_with_several_that_are_claimed_needs_shared_memory() -> None:
    (warning,) = shared_memory.warnings(asked(group(1, pod=claiming("op-a"))))
    assert 'container "main" has 4 accelerators' in warning


def test_accelerators_by_a_resource_beside_claimed_ones_are_warned_of() -> None:
    def told(resource: str, *templates: str, **more: Any) -> list[str]:
        pod = claiming(*templates)
        pod["containers"][0]["resources"]["limits"] = {resource: 2}
        return list(device_claims.twofold(asked(group(1, pod=pod, **more))))

    (line,) = told("nvidia.com/gpu", "op-a")
    assert line.startswith(
        'group "a": its pods claim accelerators of the class gpu.nvidia.com, and ask for nvidia.com/gpu'
    )
    assert told("example.com/card", "op-a")
    assert told("rdma/ib", "op-a") == told("example.com/card", "op-a", devices=["example.com/card"]) == []
    assert told("nvidia.com/gpu", "op-nics") == []


def test_pods_that_a_rollout_leaves_alone_are_warned_of() -> None:
    def told(partition: int) -> list[str]:
        spec = {"updateStrategy": {"rollingUpdate": {"partition": partition}}}
        found = warnings.of_plan(asked(group(2, accelerators=4, spec=spec)))
        return [line for line in found if "rollout.partition" in line]

    (line,) = told(1)
    assert line.startswith('group "a": a pod below rollout.partition that is made again waits for its old template')
    assert told(0) == []
