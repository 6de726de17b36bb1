"""Which pods count while a rollout goes on."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import constants
from helm_roster.model.live import LiveGroup
from helm_roster.policy import rollouts

from tests.unit import live_objects as make

LABELS = {"Deployment": constants.POD_TEMPLATE_LABEL, "StatefulSet": constants.REVISION_LABEL}


def group(kind: str, *, template: str = "new", generations: tuple[int, int] = (2, 2), **spec: Any) -> LiveGroup:
    """Return a group with a pod of an old template and one of a new one; ``generations``: as written, as observed."""
    members = [make.pod(name, labels={LABELS.get(kind, "x"): name}) for name in ("old", "new")]
    found = make.group("web", 2, *members, kind=kind)
    assert found.workload is not None
    found.workload["spec"] |= spec
    found.workload["metadata"]["generation"], found.workload["status"]["observedGeneration"] = generations
    return found.replace(template=template)


def names(found: LiveGroup) -> list[str]:
    return [pod["metadata"]["name"] for pod in rollouts.newest(make.live(found)).groups["web"].pods]


@pytest.mark.parametrize("kind", LABELS)
def test_pods_of_the_old_template_are_left_out(kind: str) -> None:
    assert names(group(kind)) == ["new"]


@pytest.mark.parametrize("kind", LABELS)
def test_no_pod_counts_before_the_controller_has_seen_the_change(kind: str) -> None:
    assert names(group(kind, generations=(3, 2))) == []


@pytest.mark.parametrize(("updated", "counted"), [(1, []), (2, ["old", "new"])])
def test_where_the_newest_template_is_not_known_no_pod_counts_while_old_ones_are_there(
    updated: int, counted: list[str]
) -> None:
    found = group("Deployment", template="")
    assert found.workload is not None
    found.workload["status"] |= {"replicas": 2, "updatedReplicas": updated}
    assert names(found) == counted


@pytest.mark.parametrize(
    "found",
    [
        group("StatefulSet", updateStrategy={"type": "OnDelete"}),
        group("StatefulSet", updateStrategy={"rollingUpdate": {"partition": 1}}),
        group("Deployment", template=""),
        group("Job"),
    ],
    ids=["on delete", "partition", "unknown", "job"],
)
def test_where_old_pods_stay_or_cannot_be_told_all_count(found: LiveGroup) -> None:
    assert names(found) == ["old", "new"]


def paused(*, updated: int, template: str) -> LiveGroup:
    found = group("Deployment", paused=True, template=template)
    assert found.workload is not None
    found.workload["status"] |= {"replicas": 2, "updatedReplicas": updated}
    return found


@pytest.mark.parametrize(
    ("found", "counted"),
    [(paused(updated=0, template="old"), []), (paused(updated=1, template="new"), ["new"])],
    ids=["before it began", "in its midst"],
)
def test_a_paused_rollout_makes_no_pod_new(found: LiveGroup, counted: list[str]) -> None:
    assert names(found) == counted


def test_a_pause_without_a_change_leaves_all_pods_new() -> None:
    assert names(paused(updated=2, template="old")) == ["old"]
