"""Reading replicas that span pods: what their controller makes has no label of ours, and the kind is not everywhere."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import constants
from helm_roster.cluster import client, live
from helm_roster.cluster.live import Observed
from helm_roster.manifests.walk import Manifest

from tests.unit import api_servers

OURS = {constants.INSTANCE_LABEL: "rel", constants.OPERATION_LABEL: "rel", constants.GROUP_LABEL: "decode"}
SPEC = {"replicas": 2, "leaderWorkerTemplate": {"size": 4}}


def made(name: str, of: str = "op-decode", revision: str = "new") -> Manifest:
    labels = {constants.LWS_NAME_LABEL: of, constants.LWS_REVISION_LABEL: revision}
    metadata = {
        "name": name,
        "namespace": "team",
        "uid": f"uid-{name}",
        "labels": labels,
        "creationTimestamp": "2026-11-30",
    }
    return {"metadata": metadata, "spec": {"replicas": 3}, "status": {}}


def pod(name: str) -> Manifest:
    return {"metadata": {"name": name, "uid": f"uid-{name}", "labels": {**OURS, constants.LWS_NAME_LABEL: "op-decode"}}}


def cluster(**objects: list[Manifest]) -> api_servers.Cluster:
    """Return a cluster of one group of two replicas, with what the controller made of it."""
    found = api_servers.Cluster()
    workload = {"metadata": {"name": "op-decode", "namespace": "team", "uid": "u", "labels": OURS}, "spec": SPEC}
    sets = [made("op-decode"), made("op-decode-0", revision="old"), made("other", of="other", revision="x")]
    found.objects = {"leaderworkersets": [workload], "statefulsets": sets, "pods": [pod("op-decode-0")], **objects}
    return found


def observed(answer: api_servers.Answer, monkeypatch: pytest.MonkeyPatch) -> Observed:
    with api_servers.serving(answer, monkeypatch):
        found = live.observe(client.connect(), "team", "rel")
    assert found
    return found


def test_the_group_is_its_leader_worker_set_and_its_template_that_of_the_leaders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    group = observed(cluster(), monkeypatch).live.groups["decode"]
    assert group.workload
    assert (group.workload["kind"], group.template) == ("LeaderWorkerSet", "new")
    assert group.makers == ["uid-op-decode", "uid-op-decode-0"]


def test_why_workers_cannot_be_created_is_told_of_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    about = {"kind": "StatefulSet", "name": "op-decode-0", "uid": "uid-op-decode-0"}
    event = {"metadata": {}, "reason": "FailedCreate", "message": "exceeded quota", "involvedObject": about}
    assert observed(cluster(events=[event]), monkeypatch).notes == {"decode": "exceeded quota"}


def test_a_survey_counts_what_the_controller_made_to_no_other_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    with api_servers.serving(cluster(), monkeypatch):
        found = live.observe_all(client.connect(), "team")
    assert [one.release for one in found.observed] == ["rel"]


@pytest.mark.parametrize("running", [True, False])
def test_who_may_not_list_the_kind_sees_operations_that_have_none_of_it(
    monkeypatch: pytest.MonkeyPatch, *, running: bool
) -> None:
    web: dict[str, Any] = {"metadata": {"name": "op-web", "labels": OURS}, "spec": {"replicas": 1}}
    found = cluster(deployments=[web], statefulsets=[], **({} if running else {"pods": []}))
    found.forbidden = {"leaderworkersets"}
    if running:
        with pytest.raises(client.ApiError, match="you may not list leaderworkersets"):
            observed(found, monkeypatch)
    else:
        assert list(observed(found, monkeypatch).live.groups) == ["decode"]
