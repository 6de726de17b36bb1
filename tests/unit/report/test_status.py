"""A status as people and programs read it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helm_roster.backend_base import Decision
from helm_roster.cluster.live import Observed
from helm_roster.cluster.records import Record
from helm_roster.model.live import Live
from helm_roster.policy import health
from helm_roster.report import status_json, status_table

from tests.support import schemas
from tests.unit import live_objects as make

CRASH = make.container(waiting={"reason": "CrashLoopBackOff"}, last={"exitCode": 137, "reason": "OOMKilled"})
HELD = make.group("learner", 2, *(make.pod(f"l-{n}", node="", says="0/3 nodes are available") for n in range(2)))


def document(live: Live, *decisions: Decision, record: Record | None = None) -> dict[str, Any]:
    found = status_json.document(Observed(live=live, release="rl", record=record), health.assess(live), decisions)
    schemas.check(json.dumps(found))
    return found


def test_the_document_names_its_version_and_kind() -> None:
    found = document(make.live(HELD))
    assert (found["apiVersion"], found["kind"], found["release"]) == ("helm-roster.dev/v1alpha1", "Status", None)


def test_quota_placement_and_readiness_are_decisions_of_their_own() -> None:
    found = document(make.live(HELD))
    assert [found[stage]["state"] for stage in status_json.STAGES] == ["clear", "waiting", "clear"]
    held = {"group": "learner", "message": "0/3 nodes are available", "pods": ["l-0", "l-1"]}
    assert found["placement"] == {"state": "waiting", "pods": 2, "messages": [held]}


def test_a_groups_workload_is_its_kind_as_in_a_plan_and_its_object_the_name() -> None:
    group = document(make.live(HELD))["groups"][0]
    assert (group["workload"], group["object"], "kind" in group) == ("Deployment", "op-learner", False)


def test_the_schedulers_words_stand_with_their_gang() -> None:
    decision = Decision(gang="step", group="learner", state="waiting", message="minCount (4) cannot be satisfied")
    lines = list(status_table.head(document(make.live(HELD), decision)))
    assert '  gang "step", learner: waiting: minCount (4) cannot be satisfied' in lines
    assert "  placement: 2 pods of learner wait: 0/3 nodes are available" in lines


def test_what_holds_a_group_outside_gangs_is_told_of_the_group() -> None:
    decision = Decision(gang="", group="web", state="broken", message="PodGroup web is gone")
    assert "  group web: broken: PodGroup web is gone" in list(status_table.head(document(make.live(HELD), decision)))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("0/3 nodes", ""),
        ("0/3 nodes are available", ""),
        ("0/3 nodes are available, no victims", ": no victims"),
        ("2 of 4: 0/3 nodes are available", ": 2 of 4"),
    ],
    ids=["less", "the same", "more", "before"],
)
def test_what_the_scheduler_says_of_a_gang_is_told_once(said: str, told: str) -> None:
    decision = Decision(gang="step", group="learner", state="waiting", message=said)
    lines = list(status_table.head(document(make.live(HELD), decision)))
    assert f'  gang "step", learner: waiting{told}' in lines


def test_pods_of_which_the_scheduler_says_a_part_of_the_same_are_told_together() -> None:
    said = {"l-0": "no nodes", "l-1": "no nodes, no victims", "l-2": "", "l-3": "too few"}
    held = make.group("learner", 4, *(make.pod(name, node="", says=text) for name, text in said.items()))
    assert list(status_table.head(document(make.live(held))))[3:6] == [
        "  placement: 2 pods of learner wait: no nodes, no victims",
        "  placement: 1 pod of learner waits",
        "  placement: 1 pod of learner waits: too few",
    ]


def test_helms_state_is_told() -> None:
    record = Record(name="rl", state="pending-install", revision=1)
    first = next(status_table.head(document(make.live(HELD), record=record)))
    assert first == "op (service) in namespace team; Helm release rl: pending-install, revision 1"


def test_why_helm_failed_stands_under_the_verdict() -> None:
    observed = Observed(live=make.live(HELD), release="rl", record=Record(name="rl", state="failed", revision=1))
    found = status_json.document(observed, health.assess(observed.live), [], failure="exceeded quota: q")
    assert list(status_table.head(found))[2] == "  Helm: exceeded quota: q"
    assert found["release"]["reason"] == "exceeded quota: q"


def test_a_cause_is_one_line_with_container_reason_and_exit_code() -> None:
    crashing = make.group("decode", 5, *(make.pod(f"d-{number}", CRASH) for number in range(5)))
    assert list(status_table.problems(document(make.live(crashing)))) == [
        'group "decode": d-0, d-1, d-2 and 2 more: container main: CrashLoopBackOff (OOMKilled, exit code 137)'
    ]


def test_a_warning_is_told_unless_the_stages_say_it() -> None:
    pod = make.pod("p", make.container())
    told = [make.event(reason, "message", "p", count=2) for reason in ("Unhealthy", "BackOff")]
    found = document(make.live(make.group("decode", 1, pod, events=told)))
    assert [event["reason"] for event in found["groups"][0]["events"]] == ["BackOff", "Unhealthy"]
    assert list(status_table.problems(found)) == ['group "decode": Pod p: Unhealthy (2 times): message']


def test_a_claim_without_any_storage_class_is_told_with_what_to_do() -> None:
    about = {"kind": "PersistentVolumeClaim", "name": "data", "uid": "c"}
    said = "no persistent volumes available for this claim and no storage class is set"
    told = make.event("FailedBinding", said, "", involvedObject=about)
    (line,) = status_table.problems(document(make.live(make.group("a", 1, make.pod("p", node=""), events=[told]))))
    assert line.startswith(f'group "a": PersistentVolumeClaim data: FailedBinding: {said}; give its connection a stor')


@pytest.mark.parametrize(
    ("word", "text"),
    [("WaitingForPlacement", "Waiting for placement"), ("NotFound", "Not found"), ("Ready", "Ready")],
)
def test_a_verdict_reads_as_words(word: str, text: str) -> None:
    assert status_table.verdict(word) == text


@pytest.mark.parametrize(
    ("group", "state"),
    [
        (HELD, "2 wait for placement"),
        (make.group("a", 1, make.pod("p", CRASH)), "CrashLoopBackOff"),
        (make.group("a", 1, make.pod("p", make.container())), "starting"),
        (make.group("a", 1, make.ready_pod("p")), "ready"),
        (make.group("a", 1), "no pods yet"),
        (make.group("a", 0), "scaled to zero"),
    ],
    ids=["waiting", "crashing", "starting", "ready", "no pods", "zero"],
)
def test_a_groups_state_is_a_few_words(group: Any, state: str) -> None:
    assert status_table._state(document(make.live(group))["groups"][0]) == state


GATED = make.group("learner", 2, *(make.pod(f"l-{n}", node="", gates=[{"name": "q"}]) for n in range(2)))


def test_a_decision_on_quota_stands_beside_one_on_placement() -> None:
    quota = Decision(gang="step", group="learner", stage="quota", state="preempted", message="for another")
    placement = Decision(gang="step", group="learner", state="waiting")
    found = document(make.live(GATED), quota, placement)
    assert [(one["stage"], one["state"]) for one in found["gangs"]] == [
        ("quota", "preempted"),
        ("placement", "waiting"),
    ]
    assert '  gang "step", learner: preempted: for another' in list(status_table.head(found))


def test_a_gang_that_has_its_quota_is_no_line_of_its_own() -> None:
    admitted = Decision(gang="step", group="learner", stage="quota", state="admitted")
    lowered = admitted.replace(group="rollout", message="the quota was lowered")
    lines = "\n".join(status_table.head(document(make.live(HELD), admitted, lowered)))
    assert "admitted: the quota was lowered" in lines
    assert "learner: admitted" not in lines


def test_pods_that_quota_holds_back_do_not_wait_for_placement() -> None:
    (row,) = status_table.table(document(make.live(GATED))).columns[-1].cells
    assert row == "2 wait for quota"


def test_a_suspended_operation_tells_how_it_is_let_in_again() -> None:
    off = Decision(gang="", group="extra", stage="quota", state="deactivated", message="by hand")
    found = document(
        make.live(make.group("extra", 0, suspended="6")), off, record=Record(name="rl", state="deployed", revision=1)
    )
    assert found["groups"][0]["suspended"] is True
    assert list(status_table.head(found))[1:] == [
        "Suspended", "  helm roster resume rl has it admitted again", "  quota: extra waits: suspended (6 replicas)",
        "  placement: nothing waits", "  readiness: nothing waits",
    ]  # fmt: skip
