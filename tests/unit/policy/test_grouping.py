"""What of a group's place in a gang its pods and its grouping object tell."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from helm_roster.manifests.walk import Manifest
from helm_roster.policy import grouping

from tests.unit import asks
from tests.unit import live_objects as make

WHERE = ("metadata", "annotations", "group")


def member(name: str, said: str) -> Any:
    found = make.group(name, 2)
    assert found.workload
    found.workload["spec"]["template"] = {"metadata": {"annotations": {"group": said} if said else {}}}
    return found


def waiting(seconds: int, conditions: list[Manifest] | None = None) -> Manifest:
    pod = make.pod("w-0", node="")
    pod["metadata"]["creationTimestamp"] = (asks.NOW - timedelta(seconds=seconds)).isoformat()
    pod["status"]["conditions"] = conditions or []
    return pod


def test_groups_come_by_name_with_the_grouping_object_that_their_pods_name() -> None:
    live = make.live(member("b", "x"), member("a", "y"), member("c", ""))
    assert [(name, found.name) for name, found in grouping.members(live, WHERE)] == [("y", "a"), ("x", "b")]


def test_a_grouping_object_that_is_there_is_no_fault() -> None:
    assert grouping.fault({"metadata": {"name": "x"}}, "Group x") == ""


def test_a_grouping_object_that_is_gone_or_goes_is_a_fault() -> None:
    assert grouping.fault(None, "Group x").startswith("Group x is gone, and pods that are created now are not placed")
    going = {"metadata": {"name": "x", "deletionTimestamp": make.GONE}}
    assert grouping.fault(going, "Group x").startswith("Group x is being deleted")


@pytest.mark.parametrize(
    ("kind", "asked", "said"),
    [("Deployment", 2, ""), ("Deployment", 1, "w asks for 1 of the 2 pods that its gang needs"), ("Job", 2, "")],
)
def test_a_group_that_asks_for_fewer_pods_than_its_minimum_lacks_some(kind: str, asked: int, said: str) -> None:
    assert grouping.lacking(make.group("w", asked, kind=kind), 2) == said


def test_pods_that_end_badly_or_leave_have_no_place() -> None:
    pods = (make.pod("a"), make.pod("b", phase="Failed"), make.pod("c", terminating=True), make.pod("d", node=""))
    assert grouping.placed(make.group("w", 4, *pods)) == 1


def test_pods_that_ended_well_have_had_theirs() -> None:
    assert grouping.placed(make.group("w", 1, make.pod("a", phase="Succeeded"), kind="Job")) == 1


def test_the_words_on_a_pod_without_a_node_are_the_groups() -> None:
    pods = (make.pod("a", says="of earlier"), make.pod("b", node=""), make.pod("c", node="", says="full"))
    assert grouping.words(make.group("w", 3, *pods)) == "full"


@pytest.mark.parametrize(("seconds", "silence"), [(29, 0), (31, 31)])
def test_a_scheduler_that_said_nothing_on_a_pod_for_half_a_minute_is_silent(seconds: int, silence: int) -> None:
    assert grouping.silence(make.group("w", 1, waiting(seconds)), asks.NOW) == silence


def test_a_scheduler_that_said_something_is_not_silent() -> None:
    said = [{"type": "PodScheduled", "status": "False", "message": ""}]
    assert not grouping.silence(make.group("w", 1, waiting(300, said)), asks.NOW)


@pytest.mark.parametrize("kind", ["Job", "Deployment"])
@pytest.mark.parametrize(("said", "status"), [("Complete", "True"), ("Failed", "True"), ("Complete", "False")])
def test_a_job_is_over_when_its_condition_says_so(kind: str, said: str, status: str) -> None:
    found = make.group("w", 1, kind=kind, conditions=[{"type": said, "status": status}])
    assert grouping.has_ended(found) == (kind == "Job" and status == "True")
