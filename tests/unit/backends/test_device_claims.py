"""What backends keep and refuse of gangs whose pods claim devices; measured on the real ones in tests/cluster."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import all_backends
from helm_roster.backends import kueue
from helm_roster.model.plan import Plan

from tests.unit.builders import gang, group, plan

CLAIMED = {"accelerator": {"deviceClass": "gpu.nvidia.com", "model": "NVIDIA H200"}, "accelerators": 8}
CLAIMS = [{"name": "accelerators", "resourceClaimTemplateName": "op-worker-accelerators-1"}]
BARE = {"resources": {"claims": [{"name": "accelerators"}]}}


def asked(backend: str, *, container: dict[str, Any] | None = None, pod: dict[str, Any] | None = None) -> Plan:
    """Return the plan of a gang of four whose pods claim their accelerators."""
    made = group(
        4, pod={"resourceClaims": CLAIMS, "containers": [{"name": "main", **(container or BARE)}], **(pod or {})}
    )
    return plan({"worker": {**made, **CLAIMED}}, {"step": gang(worker=(4, False))}, backend=backend)


@pytest.mark.parametrize(("backend", "words"), [
    ("native", "claims of worker: no device is held while a gang waits; none is taken from pods of a lower priority"),
    ("volcano", "claims of worker: no device is held while a gang waits; none is taken from pods of a lower priority"),
    ("kai", "claims of worker: no device is held while a gang waits; pods of a lower priority give way with their"),
])  # fmt: skip
def test_what_is_kept_of_claims_is_said_where_there_are_some(backend: str, words: str) -> None:
    backends = all_backends.PLACEMENT[backend]
    (told,) = [line for line in backends.guarantees(asked(backend)) if line.startswith("claims")]
    assert told.startswith(words)
    without = plan({"worker": group(4)}, {"step": gang(worker=(4, False))}, backend=backend)
    assert not [line for line in backends.guarantees(without) if line.startswith("claims")]


def refusals(**pod: Any) -> list[str]:
    return [line for line in all_backends.PLACEMENT["volcano"].check(asked("volcano", **pod)) if "claim" in line]


def test_volcano_refuses_a_gang_of_pods_that_only_claim() -> None:
    (told,) = refusals()
    assert told == (
        'gang "step": pods of "worker" claim devices and request nothing else, and such pods Volcano before 1.16.1 '
        "binds one by one, so the gang would not be held: set groups.worker.resources.requests.cpu or .memory"
    )
    assert len(refusals(container={"resources": {"requests": {"cpu": "0"}}})) == 1


@pytest.mark.parametrize("pod", [
    {"container": {"resources": {"requests": {"cpu": "5m"}}}},
    {"container": {"resources": {"limits": {"memory": "1Gi"}}}},
    {"pod": {"resources": {"requests": {"cpu": "1"}}}},
    {"pod": {"resourceClaims": []}},
])  # fmt: skip
def test_volcano_takes_what_requests_anything_or_claims_nothing(pod: dict[str, Any]) -> None:
    assert refusals(**pod) == []


def admitted(worker: dict[str, Any]) -> Plan:
    """Return the plan of a group that is admitted by a queue."""
    return plan({"worker": worker}, backend="default", admission={"backend": "kueue", "queue": "team"})


def test_kueue_refuses_accelerators_that_its_quota_would_not_count() -> None:
    (told,) = kueue.check(admitted({**group(4, kind="Job"), **CLAIMED}))
    assert told.startswith('group "worker": its accelerators are claimed (gpu.nvidia.com), and Kueue counts no claims')
    assert kueue.check(admitted({**group(4, kind="Job"), **CLAIMED, "admission": {"backend": "none"}})) == []


def test_kueue_says_that_other_claims_are_not_counted() -> None:
    wanted = admitted(group(4, kind="Job", accelerators=8, claims=["imex"]))
    assert kueue.check(wanted) == []
    assert "quota, claims of worker: what pods claim of devices is not counted" in kueue.guarantees(wanted)


def sharing(backend: str, device_class: str, replicas: int = 4) -> list[str]:
    """Return what is refused of a gang whose pods share one claim of that class."""
    shared = [{"name": "pool", "resourceClaimName": "op-pool"}]
    made = group(replicas, pod={"resourceClaims": shared})
    claims = {"op-pool": {"devices": {device_class: 1}, "shared": True}}
    wanted = plan({"worker": made}, {"step": gang(worker=(replicas, False))}, backend=backend, claims=claims)
    return all_backends.PLACEMENT[backend].check(wanted)


def test_a_claim_that_pods_of_a_gang_share_is_refused_where_it_keeps_the_gang_from_its_start() -> None:
    (told,) = sharing("volcano", "channel")
    assert told.startswith(
        'gang "step": its pods share the claim "pool", which Volcano 1.15 never gives to several pods'
    )
    (told,) = sharing("kai", "gpu.amd.com")
    assert told.startswith(
        'gang "step": its pods share the claim "pool" of gpu.amd.com, of which KAI takes as many dev'
    )
    assert sharing("kai", "channel") == sharing("native", "gpu.nvidia.com") == sharing("volcano", "channel", 1) == []
