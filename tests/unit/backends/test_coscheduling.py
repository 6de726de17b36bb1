"""What the backend for coscheduling of scheduler-plugins makes and refuses; its scheduler is not run here."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from helm_roster.backends import coscheduling
from helm_roster.cluster.asking import NoCluster
from helm_roster.model.live import Live, LiveGroup

from tests.unit.builders import around, gang, group, plan

LABEL = "scheduling.x-k8s.io/pod-group"
RACK = {"within": "rack", "label": "example.org/rack"}


def minima(*arguments: Any) -> dict[str, int]:
    """Return the minima of the PodGroups by what each is of."""
    made = coscheduling.objects(plan(*arguments, backend="coscheduling"))
    assert {(one["apiVersion"], one["kind"]) for one in made} == {("scheduling.x-k8s.io/v1alpha1", "PodGroup")}
    return {label: one["spec"]["minMember"] for one in made for label in one["metadata"]["labels"].values()}


def test_a_gang_has_one_minimum_over_all_members_and_other_groups_one_of_their_own() -> None:
    groups = {"learner": group(4), "scorer": group(2), "proxy": group(3)}
    assert minima(groups, {"step": gang(learner=(4, False), scorer=(2, False))}) == {"step": 6, "proxy": 1}


def test_an_elastic_gang_of_one_needs_its_minimum() -> None:
    assert minima({"worker": group(8)}, {"train": gang(worker=(2, True))}) == {"train": 2}


@pytest.mark.parametrize("name", ["worker", "proxy"])
def test_pods_are_labelled_with_their_group_and_given_to_the_scheduler(name: str) -> None:
    asked = plan({"worker": group(2), "proxy": group(1)}, {"train": gang(worker=(2, False))}, backend="coscheduling")
    template: dict[str, Any] = {"metadata": {"labels": {"own": "label"}}}
    assert coscheduling.stamp(around(template), asked.operation.groups[name], asked)
    assert template["spec"] == {"schedulerName": "scheduler-plugins-scheduler"}
    made = {one["metadata"]["name"] for one in coscheduling.objects(asked)}
    assert template["metadata"]["labels"].pop(LABEL) in made
    assert template["metadata"]["labels"] == {"own": "label"}


def test_a_long_name_of_a_group_is_still_a_label_and_tells_gangs_apart() -> None:
    member = gang(worker=(2, False)), gang(proxy=(1, False))
    gangs = {f"{'g' * 40}-{letter}": one for letter, one in zip("ab", member, strict=True)}
    asked = plan({"worker": group(2), "proxy": group(1)}, gangs, backend="coscheduling", name="o" * 50)
    made = [one["metadata"]["name"] for one in coscheduling.objects(asked)]
    assert [len(name) for name in made] == [63, 63]
    assert made[0][:-6] == made[1][:-6]
    assert made[0] != made[1]


BY_ROLE = gang(learner=(4, False), actor=(2, True))


@pytest.mark.parametrize(
    ("entry", "placement", "words"),
    [
        pytest.param(BY_ROLE, {}, 'with "actor" elastic it might start without a whole member', id="by role"),
        pytest.param(
            gang(actor=(2, True)) | {"locality": RACK},
            {},
            "scheduling.gangs.step.locality is given, but coscheduling does not know where",
            id="locality",
        ),
        pytest.param(gang(actor=(2, True)), {"queue": "research"}, "coscheduling has no queues: remove it", id="queue"),
        pytest.param(gang(actor=(2, True)) | {"preemption": "gang"}, {}, "what of a gang is taken", id="preemption"),
    ],
)
def test_what_one_minimum_cannot_say_is_refused(entry: dict[str, Any], placement: dict[str, Any], words: str) -> None:
    groups = {"learner": group(4), "actor": group(8)}
    (refusal,) = coscheduling.check(plan(groups, {"step": entry}, backend="coscheduling", **placement))
    assert words in refusal


def test_fixed_members_are_not_refused_and_the_plan_says_that_nothing_was_run() -> None:
    groups = {"learner": group(4), "scorer": group(2)}
    asked = plan(groups, {"step": gang(learner=(4, False), scorer=(2, False))}, backend="coscheduling")
    assert coscheduling.check(asked) == []
    assert "not run on its scheduler by us (step: 4 learner, 2 scorer)" in coscheduling.guarantees(asked)[0]


CREATED = datetime(2026, 1, 1, tzinfo=UTC)


class Later(NoCluster):
    """A minute after the pods were created."""

    def now(self) -> datetime:
        """Return that time."""
        return CREATED + timedelta(seconds=60)


def member(name: str, *nodes: str, replicas: int, said: str = "no node") -> LiveGroup:
    """Return a member of the gang; a pod for each node, without one where that is empty."""
    template = {"metadata": {"labels": {LABEL: "pg"}}}
    pods = [
        {
            "metadata": {"name": f"{name}-{index}", "creationTimestamp": CREATED.isoformat()},
            "spec": {"nodeName": node},
            "status": {"conditions": [{"type": "PodScheduled", "status": str(bool(node)), "message": said}]},
        }
        for index, node in enumerate(nodes)
    ]
    annotations = {"helm-roster.dev/gang": "train"}
    workload = {"metadata": {"annotations": annotations}, "spec": {"replicas": replicas, "template": template}}
    return LiveGroup(name=name, workload=workload, pods=pods)


def states(minimum: int, *members: LiveGroup) -> dict[str, str]:
    kind = {"apiVersion": "scheduling.x-k8s.io/v1alpha1", "kind": "PodGroup"}
    grouping = [{**kind, "metadata": {"name": "pg"}, "spec": {"minMember": minimum}}]
    groups = {one.name: one for one in members}
    seen = Live(name="op", namespace="default", groups=groups, grouping=grouping)
    return {one.group: one.state for one in coscheduling.explain(seen, Later())}


def test_each_member_of_a_group_is_reported() -> None:
    fixed = member("a", "n1", replicas=1), member("b", "n2", "", replicas=2)
    assert states(3, *fixed) == {"a": "placed", "b": "waiting"}


def test_pods_above_the_minimum_are_not_waited_for() -> None:
    assert states(1, member("a", "n1", "", replicas=2)) == {"a": "placed"}


def live(
    *, there: str = "scheduling.x-k8s.io/v1alpha1", node: str = "", said: str = "no node", **metadata: str
) -> Live:
    workload = {"metadata": {"annotations": {"helm-roster.dev/gang": "train"}}, "spec": {"template": {}}}
    workload["spec"]["template"] = {"metadata": {"labels": {LABEL: "pg"}}}
    conditions = [{"type": "PodScheduled", "status": "False", "message": said}] if said else []
    pod = {
        "metadata": {"name": "w-0", "creationTimestamp": CREATED.isoformat()},
        "spec": {"nodeName": node} if node else {},
        "status": {"conditions": conditions},
    }
    grouping = [{"apiVersion": there, "kind": "PodGroup", "metadata": {"name": "pg", **metadata}}]
    groups = {"worker": LiveGroup(name="worker", workload=workload, pods=[pod])}
    return Live(name="op", namespace="default", groups=groups, grouping=grouping)


@pytest.mark.parametrize(
    ("seen", "state", "words"),
    [
        pytest.param(live(), "waiting", "", id="the pods say why"),
        pytest.param(live(node="n"), "placed", "", id="placed"),
        pytest.param(live(said=""), "waiting", "has said nothing for 60 s", id="scheduler down"),
        pytest.param(
            live(there="scheduling.k8s.io/v1beta1"), "broken", "PodGroup pg is gone", id="another system's only"
        ),
        pytest.param(live(deletionTimestamp="2026-01-01T00:00:00Z"), "broken", "is being deleted", id="terminating"),
    ],
)
def test_a_gang_is_judged_by_its_pods_and_its_group(seen: Live, state: str, words: str) -> None:
    (decision,) = coscheduling.explain(seen, Later())
    assert decision.state == state
    assert words in decision.message
