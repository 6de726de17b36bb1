"""How far a restarted gang is, and which gangs are stuck between an old and a new group."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import constants
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.policy import gang_specs, restarting
from helm_roster.policy.restarting import Aim

PATHS = (("spec", "in"),)
AIM = Aim(group="a", name="new", minimum=2)


def pod(name: str, *, of: str = "new", revision: str = "2", node: str = "n1", gone: bool = False) -> Manifest:
    metadata: Manifest = {"name": name, "uid": f"uid-{name}", "labels": {constants.REVISION_LABEL: revision}}
    if gone:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    return {"metadata": metadata, "spec": {"in": of, **({"nodeName": node} if node else {})}, "status": {}}


def group(
    *pods: Manifest, observed: int = 2, kind: str = "StatefulSet", wanted: str = "new", gang: str = "step"
) -> LiveGroup:
    annotations = {constants.GANG_ANNOTATION: gang}
    workload = {
        "kind": kind,
        "metadata": {"name": "op-a", "generation": 2, "annotations": annotations},
        "spec": {"replicas": 4, "template": {"spec": {"in": wanted} if wanted else {}}},
        "status": {"observedGeneration": observed},
    }
    return LiveGroup(name="a", workload=workload, pods=pods, template="2")


NEW, ALSO = pod("a-0"), pod("a-1")


@pytest.mark.parametrize(
    ("other", "aim"),
    [
        pytest.param(pod("a-2", of="old"), AIM, id="in the old group"),
        pytest.param(pod("a-2", of="old", gone=True), AIM, id="in the old group, and going"),
        pytest.param(pod("a-2", revision="1"), AIM, id="of the old template"),
        pytest.param(pod("a-2"), AIM.replace(before=frozenset({"uid-a-2"})), id="there before"),
    ],
)
def test_pods_that_are_old_are_left_to_delete(other: Manifest, aim: Aim) -> None:
    found = group(NEW, ALSO, other)
    assert restarting.old_pods(found, aim, PATHS) == [other]
    assert not restarting.is_done(found, aim, PATHS)


@pytest.mark.parametrize(
    ("found", "done"),
    [
        pytest.param(group(NEW, ALSO), True, id="the minimum is placed"),
        pytest.param(group(NEW, ALSO, pod("a-2", node="")), True, id="one more waits"),
        pytest.param(group(NEW, pod("a-1", node="")), False, id="fewer are placed"),
        pytest.param(group(NEW, ALSO, observed=1), False, id="its controller has yet to look"),
    ],
)
def test_a_group_is_done_when_all_pods_are_new_and_enough_are_placed(found: LiveGroup, done: bool) -> None:  # noqa: FBT001
    assert restarting.is_done(found, AIM, PATHS) == done


def test_until_the_controller_has_looked_a_revision_says_nothing() -> None:
    assert restarting.old_pods(group(pod("a-0", revision="1"), observed=1), AIM, PATHS) == []


OLD, WAITS = pod("a-0", of="old"), pod("a-3", node="")


@pytest.mark.parametrize(
    ("found", "minimum", "left"),
    [
        pytest.param(group(OLD, WAITS), 2, 1, id="one came and waits"),
        pytest.param(group(OLD, WAITS), None, 1, id="of an older version, which says no minimum"),
        pytest.param(group(OLD, WAITS), 1, None, id="one is enough"),
        pytest.param(group(OLD, pod("a-3")), 2, None, id="one came and is placed"),
        pytest.param(group(OLD), 2, None, id="none came yet"),
        pytest.param(group(pod("a-0", of="old", gone=True), WAITS), 2, None, id="the old ones are going"),
        pytest.param(group(WAITS), 2, None, id="no old one is left"),
        pytest.param(group(OLD, pod("a-3", of="", node=""), wanted=""), 2, None, id="turned off"),
        pytest.param(group(OLD, WAITS, kind="Job"), 2, None, id="a Job"),
        pytest.param(group(OLD, WAITS, gang=""), None, None, id="in no gang, with a group of its own"),
    ],
)
def test_a_gang_is_stuck_where_pods_come_into_it_one_by_one(
    found: LiveGroup, minimum: int | None, left: int | None
) -> None:
    spec: dict[str, Any] = {"members": {"a": {"min": minimum}}}
    annotations = {constants.GANG_SPEC_ANNOTATION: gang_specs.text(spec)} if minimum else {}
    grouping = [{"metadata": {"labels": {constants.GANG_LABEL: "step"}, "annotations": annotations}}]
    live = Live(name="op", namespace="default", groups={"a": found}, grouping=grouping)
    expected = [] if left is None else [("step", "a", left)]
    assert [*restarting.stuck(live, PATHS)] == expected


def test_of_replicas_that_span_pods_the_set_of_the_leaders_is_deleted_and_of_others_the_pods() -> None:
    workload = {"kind": "LeaderWorkerSet", "metadata": {"name": "op-a"}}
    owned = {name: pod(name) for name in ("op-a-0", "op-a-0-1")}
    for name, owner in (("op-a-0", "op-a"), ("op-a-0-1", "op-a-0")):
        owned[name]["metadata"]["ownerReferences"] = [{"kind": "StatefulSet", "name": owner, "uid": f"of-{owner}"}]
    found = [restarting.to_delete(workload, one) for one in owned.values()]
    assert found == [("StatefulSet", "op-a", "of-op-a"), None]
    assert restarting.to_delete(group().workload, NEW) == ("Pod", "a-0", "uid-a-0")
