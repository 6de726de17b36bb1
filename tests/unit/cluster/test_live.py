"""Sorting what was read from a cluster into groups."""

from __future__ import annotations

import pytest

from helm_roster import constants, errors
from helm_roster.cluster import live
from helm_roster.manifests.walk import Manifest


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


def test_one_name_in_two_releases_is_refused() -> None:
    found = [manifest("Pod", "p", release=release) for release in ("a", "b")]
    with pytest.raises(errors.RefusedError, match=r"several releases hold an operation \"own\": .*\(a, b\)"):
        live.only_release(found, "own")


def event(message: str, **fields: object) -> Manifest:
    return {"message": message, "metadata": {}, **fields}


@pytest.mark.parametrize(
    "newer",
    [
        event("new", lastTimestamp="2026-01-02T00:00:00Z"),
        event("new", lastTimestamp=None, eventTime="2026-01-02T00:00:00.000000Z"),
        event(
            "new", series={"lastObservedTime": "2026-01-02T00:00:00.000000Z"}, eventTime="2025-01-01T00:00:00.000000Z"
        ),
        event("new", metadata={"creationTimestamp": "2026-01-02T00:00:00Z"}),
    ],
    ids=["counted", "not counted", "series", "created"],
)
def test_an_event_is_dated_by_whatever_time_it_has(newer: Manifest) -> None:
    old = event("old", lastTimestamp="2026-01-01T00:00:00Z")
    assert max([newer, old, event("timeless", lastTimestamp=None, eventTime=None)], key=live._time) is newer
