"""Sorting what was read from a cluster into groups."""

from __future__ import annotations

import pytest

from helm_roster import constants, errors
from helm_roster.cluster import client, live
from helm_roster.manifests.walk import Manifest

from tests.unit import api_servers


def manifest(kind: str, name: str, *, group: str = "", release: str = "rel", **metadata: str) -> Manifest:
    labels = {constants.INSTANCE_LABEL: release, constants.OPERATION_LABEL: "own"}
    labels |= {constants.GROUP_LABEL: group} if group else {}
    return {"kind": kind, "metadata": {"name": name, "labels": labels, **metadata}}


def test_objects_are_sorted_by_group_and_the_rest_are_grouping_objects() -> None:
    found = [
        manifest("Deployment", "op-web", group="web"),
        manifest("Pod", "op-web-1", group="web"),
        manifest("Service", "op-old", group="old"),
        manifest("PodGroup", "op-step"),
    ]
    sorted_ = live._sort(found, "rel", "team")
    assert {name: (group.workload is not None, len(group.pods)) for name, group in sorted_.groups.items()} == {
        "web": (True, 1),
        "old": (False, 0),
    }
    assert [entry["metadata"]["name"] for entry in sorted_.grouping] == ["op-step"]


def test_the_operation_goes_by_its_own_name() -> None:
    assert live._sort([manifest("Pod", "p", group="web")], "rel", "team").name == "own"


def test_of_two_runs_the_newer_counts_unless_it_is_being_deleted() -> None:
    old = manifest("Job", "a-1", creationTimestamp="2026-01-01T00:00:00Z")
    new = manifest("Job", "a-2", creationTimestamp="2026-01-02T00:00:00Z")
    leaving = manifest("Job", "a-3", creationTimestamp="2026-01-03T00:00:00Z", deletionTimestamp="2026-01-03T00:00:01Z")
    assert live._newest([old, new, leaving]) is new


def test_a_job_that_fills_stands_with_the_groups_whose_pods_wait_for_it() -> None:
    def waits(name: str, *init: str) -> Manifest:
        template = {"spec": {"initContainers": [{"name": container} for container in init]}}
        return manifest("Deployment", f"op-{name}", group=name) | {"spec": {"template": template}}

    jobs = [manifest("Job", name, creationTimestamp=f"2026-01-0{at}") for at, name in enumerate(("old", "new"))]
    for job in jobs:
        job["metadata"]["labels"][constants.FILLS_LABEL] = "models"
    sorted_ = live._sort([*jobs, waits("a", "other", "models-filled"), waits("b", "other")], "rel", "team")
    named = {
        name: {of: job["metadata"]["name"] for of, job in group.fills.items()} for name, group in sorted_.groups.items()
    }
    assert named == {"a": {"models": "new"}, "b": {}}


def test_one_name_in_two_releases_is_refused() -> None:
    found = [manifest("Pod", "p", release=release) for release in ("a", "b")]
    with pytest.raises(errors.RefusedError, match=r"several releases hold an operation \"own\": .*\(a, b\)"):
        live.only_release(found, "own")


REVISION = "deployment.kubernetes.io/revision"


def replica_set(name: str, revision: int, owner: str) -> Manifest:
    found = manifest("ReplicaSet", name, group="web", uid=f"uid-{name}")
    found["metadata"] |= {"annotations": {REVISION: str(revision)}, "ownerReferences": [{"uid": owner}]}
    found["metadata"]["labels"][constants.POD_TEMPLATE_LABEL] = name
    return found


def test_the_template_of_a_deployment_is_that_of_its_newest_replica_set() -> None:
    deployment = manifest("Deployment", "op-web", group="web", uid="d")
    sets = [replica_set("nine", 9, "d"), replica_set("ten", 10, "d"), replica_set("others", 11, "x")]
    assert live._sort([deployment, *sets], "rel", "team").groups["web"].template == "ten"


def test_the_template_of_a_stateful_set_is_its_update_revision() -> None:
    found = manifest("StatefulSet", "op-web", group="web") | {"status": {"updateRevision": "op-web-2"}}
    assert live._sort([found], "rel", "team").groups["web"].template == "op-web-2"


def without_pod_groups(placement: str) -> api_servers.Answer:
    """Return an API server with one Deployment, to which whoever asks may not list PodGroups."""
    web = manifest("Deployment", "op-web", group="web")
    web["metadata"]["annotations"] = {constants.PLACEMENT_ANNOTATION: placement} if placement else {}

    def answer(path: str) -> tuple[int, Manifest]:
        if "/podgroups?" in path:
            return 403, {"message": "no"}
        return 200, {"items": [web] if "/deployments?" in path else []}

    return answer


def test_who_may_not_list_grouping_objects_sees_operations_without_gangs(monkeypatch: pytest.MonkeyPatch) -> None:
    with api_servers.serving(without_pod_groups(""), monkeypatch):
        found = live.observe_all(client.connect(), "team")
    assert ([one.release for one in found.observed], found.unseen) == (["rel"], [])


def test_who_may_not_list_grouping_objects_is_told_so_where_a_gang_needs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        api_servers.serving(without_pod_groups("native"), monkeypatch),
        pytest.raises(client.ApiError, match="you may not list podgroups"),
    ):
        live.observe(client.connect(), "team", "rel")


def test_events_go_to_the_group_of_the_object_that_they_are_about() -> None:
    found = [manifest("Pod", "p", group="web", uid="1"), manifest("Pod", "q", group="db", uid="2")]
    warnings = [{"message": uid, "involvedObject": {"uid": uid}} for uid in ("1", "2", "3")]
    groups = live._sort(found, "rel", "team", warnings).groups
    assert {name: [event["message"] for event in group.events] for name, group in groups.items()} == {
        "web": ["1"],
        "db": ["2"],
    }


@pytest.mark.parametrize(
    ("node", "phase", "told"),
    [("", "Pending", ["FailedBinding", "ProvisioningFailed"]), ("", "Bound", []), ("n1", "Pending", [])],
    ids=["waits", "bound", "placed"],
)
def test_why_a_claim_has_no_volume_is_told_of_the_groups_whose_pods_wait_for_it(
    monkeypatch: pytest.MonkeyPatch, node: str, phase: str, told: list[str]
) -> None:
    pod = manifest("Pod", "p", group="web", uid="1")
    pod["spec"] = {"nodeName": node, "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
    other = manifest("Pod", "q", group="db", uid="2")
    claims = [{"metadata": {"name": name, "uid": name}, "status": {"phase": phase}} for name in ("data", "another")]
    events = {
        "Warning": [{"reason": "ProvisioningFailed", "involvedObject": {"uid": "data"}}],
        "Normal": [{"reason": "FailedBinding", "involvedObject": {"uid": uid}} for uid in ("data", "another")],
    }

    def answer(path: str) -> tuple[int, Manifest]:
        listed = {
            "/pods?": [pod, other],
            "/persistentvolumeclaims?": claims,
            "type%3DWarning": events["Warning"],
            "type%3DNormal%2Creason%3DFailedBinding": events["Normal"],
        }
        return 200, {"items": next((items for part, items in listed.items() if part in path), [])}

    with api_servers.serving(answer, monkeypatch):
        found = live.observe(client.connect(), "team", "rel")
    assert found
    groups = found.live.groups
    assert [sorted(event["reason"] for event in groups[name].events) for name in ("web", "db")] == [told, []]


def test_why_pods_cannot_be_created_is_the_newest_such_event_of_the_workload() -> None:
    workload = manifest("StatefulSet", "op-web", group="web", uid="s") | {"spec": {"replicas": 1}}
    about = {"involvedObject": {"uid": "s"}, "reason": "FailedCreate"}
    warnings = [
        {**about, "message": "old", "lastTimestamp": "2026-01-01T00:00:00Z"},
        {**about, "message": "new", "lastTimestamp": "2026-01-02T00:00:00Z"},
        {**about, "message": "other", "reason": "FailedMount", "lastTimestamp": "2026-01-03T00:00:00Z"},
    ]
    assert live._notes(live._sort([workload], "rel", "team", warnings)) == {"web": "new"}
