"""Whether a scheduler runs, by what it leaves in the cluster."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from helm_roster.manifests.walk import Manifest
from helm_roster.policy import liveness

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
UNKNOWN = "no pod of this namespace was answered of late"


def before(seconds: int) -> str:
    return (NOW - timedelta(seconds=seconds)).isoformat()


def lease(age: int, **spec: Any) -> Manifest:
    return {"metadata": {"namespace": "kube-system", "name": "it"}, "spec": {"renewTime": before(age), **spec}}


def pod(age: int, *, answered: int | None = None, reason: str = "", **spec: Any) -> Manifest:
    condition = {"type": "PodScheduled", "reason": reason, "lastTransitionTime": before(answered or 0)}
    return {
        "metadata": {"name": "p", "creationTimestamp": before(age)},
        "spec": spec,
        "status": {"conditions": [condition] if answered is not None else []},
    }


@pytest.mark.parametrize(
    ("leases", "pods", "state", "told"),
    [
        pytest.param([lease(2)], [], "ok", "it runs: its lease kube-system/it was renewed 2 s ago", id="renewed"),
        pytest.param([lease(59)], [], "ok", "59 s ago", id="renewed a while ago"),
        pytest.param([lease(61)], [], "failed", "it does not run: its lease kube-system/it was", id="not renewed"),
        pytest.param([lease(300)], [pod(9, answered=1)], "failed", "5 min ago", id="not renewed, whatever pods say"),
        pytest.param([lease(100, leaseDurationSeconds=60)], [], "ok", "100 s ago", id="a long lease"),
        pytest.param([lease(999), lease(3)], [], "ok", "3 s ago", id="an old lease beside it"),
        pytest.param([], [pod(900, answered=40)], "ok", "it runs: it answered pod p 40 s ago", id="a pod answered"),
        pytest.param([], [pod(900, answered=700)], "skipped", UNKNOWN, id="a pod answered long ago"),
        pytest.param([], [pod(90)], "warning", "it has said nothing on pod p, which waits for 90 s", id="a pod waits"),
        pytest.param([], [pod(30)], "skipped", UNKNOWN, id="a new pod"),
        pytest.param([], [pod(90, schedulingGates=[{"name": "x"}])], "skipped", UNKNOWN, id="a gated pod"),
        pytest.param([], [pod(90, answered=5, reason="SchedulingGated")], "skipped", UNKNOWN, id="the API's word"),
        pytest.param([], [pod(90, nodeName="n")], "skipped", UNKNOWN, id="a pod without conditions"),
        pytest.param([], [], "skipped", "there is no lease of it", id="nothing"),
        pytest.param(None, [], "skipped", "its lease may not be read", id="no rights"),
        pytest.param([], None, "skipped", "of it, and nothing else would show it", id="not a scheduler"),
    ],
)  # fmt: skip
def test_a_scheduler_runs_by_what_it_leaves(
    leases: list[Manifest] | None, pods: list[Manifest] | None, state: str, told: str
) -> None:
    found = liveness.judge("it", leases, pods, NOW)
    assert (found.state, told in found.found) == (state, True), found.found
