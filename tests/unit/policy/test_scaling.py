"""Which counts may be changed in place, and what the values say then."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.model.plan import Plan
from helm_roster.policy import changes, scaling
from helm_roster.policy.scaling import Scaling

from tests.unit.builders import gang, group, plan

MEMBER = ("scheduling", "gangs", "step", "members", "decode")
COUNT = ("groups", "decode", "replicas")


def operation(*, minimum: int = 4, elastic: bool = True, replicas: int = 8) -> Plan:
    """Return a gang of an elastic and a fixed member, and groups outside of it."""
    bounds = {"owner": "hpa", "min": 2, "max": 6}
    groups = {
        "decode": group(replicas),
        "prefill": group(2),
        "web": group(2, kind="Deployment"),
        "auto": group(2, kind="Deployment", autoscaling=bounds),
    }
    return plan(groups, {"step": gang(decode=(minimum, elastic), prefill=(2, False))})


def refusal(found: Scaling) -> str:
    (text,) = found.refusals
    return text


def settings(found: Scaling) -> dict[Any, Any]:
    (step,) = found.steps
    return dict(step.settings)


def test_a_count_is_what_the_values_say_of_the_group() -> None:
    assert settings(scaling.decide({"decode": 12}, operation(), {})) == {COUNT: 12}


def test_an_elastic_member_at_its_minimum_stays_elastic() -> None:
    assert settings(scaling.decide({"decode": 4}, operation(), {})) == {COUNT: 4, (*MEMBER, "elastic"): True}


def test_an_elastic_member_keeps_a_minimum_that_would_rise_with_the_count() -> None:
    found = scaling.decide({"decode": 6}, operation(replicas=4), {})
    assert settings(found) == {COUNT: 6, (*MEMBER, "min"): 4}


def test_a_count_below_the_minimum_is_refused_with_the_way() -> None:
    told = refusal(scaling.decide({"decode": 3}, operation(), {}))
    assert 'group "decode": 3 is below the minimum of 4 in gang "step"' in told
    assert "upgrade op --reset-then-reuse-values --set scheduling.gangs.step.members.decode.min=3)" in told


def spanning(minimum: int, *, elastic: bool) -> Plan:
    """Return a gang over three replicas of four pods each."""
    groups = {"decode": group(3, kind="LeaderWorkerSet", podsPerReplica=4)}
    return plan(groups, {"step": gang(decode=(minimum, elastic))}, backend="volcano")


def test_of_replicas_that_span_pods_the_values_say_minima_in_replicas() -> None:
    told = refusal(scaling.decide({"decode": 1}, spanning(8, elastic=True), {}))
    assert '1 is below the minimum of 2 in gang "step"' in told
    assert "scheduling.gangs.step.members.decode.min=1)" in told
    kept = scaling.decide({"decode": 4}, spanning(12, elastic=True), {})
    assert settings(kept) == {COUNT: 4, (*MEMBER, "min"): 3}


def test_of_a_gang_of_replicas_that_span_pods_more_are_a_group_outside_of_it() -> None:
    told = refusal(scaling.decide({"decode": 4}, spanning(12, elastic=False), {}))
    assert "all 12 pods of which start together" in told
    assert "make a group outside the gang, such as decode-extra, of replicas that come and go, or" in told


@pytest.mark.parametrize("count", [1, 3])
def test_another_count_of_a_fixed_member_is_refused(count: int) -> None:
    told = refusal(scaling.decide({"prefill": count}, operation(), {}))
    assert 'group "prefill" is a fixed member of gang "step"' in told
    assert (
        "change the size, for which it restarts (helm roster upgrade op --reset-then-reuse-values "
        f"--set groups.prefill.replicas={count} --recreate; "
    ) in told


def test_where_the_values_say_its_minimum_that_changes_with_the_count() -> None:
    least = ("scheduling", "gangs", "step", "members", "prefill", "min")
    told = refusal(scaling.decide({"prefill": 3}, operation(), {}, is_written=lambda path: path == least))
    assert (
        f"--set groups.prefill.replicas=3 --set {'.'.join(least)}=3 --recreate; helm roster plan --against op" in told
    )


@pytest.mark.parametrize("name", ["decode", "prefill"])
def test_a_gang_keeps_a_pod_of_each_member(name: str) -> None:
    assert "at least one pod of each member" in refusal(scaling.decide({name: 0}, operation(), {}))


def test_a_fixed_member_that_was_scaled_by_hand_may_be_brought_back() -> None:
    (step,) = scaling.decide({"prefill": 2}, operation(), {"prefill": 3}).steps
    assert (step.before, step.after, step.is_done) == (3, 2, False)


def test_a_gang_of_one_may_be_made_elastic_first() -> None:
    alone = plan({"decode": group(4)}, {"step": gang(decode=(4, False))})
    told = refusal(scaling.decide({"decode": 5}, alone, {}))
    assert "--set scheduling.gangs.step.members.decode.elastic=true), or change the size, for" in told


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ({"decode": 3}, "--set replica-operation.scheduling.gangs.step.members.decode.min=3"),
        ({"auto": 7}, "--set replica-operation.groups.auto.autoscaling.max=7"),
    ],
)
def test_below_a_chart_that_wraps_ours_paths_begin_at_its_root(asked: dict[str, int], path: str) -> None:
    assert path in refusal(scaling.decide(asked, operation(), {}, ("replica-operation",)))


def test_a_gang_of_one_below_a_chart_is_made_elastic_there() -> None:
    alone = plan({"decode": group(4)}, {"step": gang(decode=(4, False))})
    told = refusal(scaling.decide({"decode": 5}, alone, {}, ("replica-operation",)))
    assert "--set replica-operation.scheduling.gangs.step.members.decode.elastic=true)" in told


@pytest.mark.parametrize("count", [1, 7])
def test_an_autoscaled_group_stays_within_its_bounds(count: int) -> None:
    told = refusal(scaling.decide({"auto": count}, operation(), {}))
    assert told.startswith(f'group "auto": its autoscaler (hpa) keeps 2 to 6, and would take {count} back')


@pytest.mark.parametrize(
    ("owner", "way"),
    [
        ("hpa", "so take groups.auto.autoscaling out of the values, and set groups.auto.replicas to 0"),
        ("external", "change the bound first (helm roster upgrade op --reset-then-reuse-values --set groups.auto.auto"),
    ],
)
def test_a_group_is_stopped_in_a_way_that_its_autoscaler_knows(owner: str, way: str) -> None:
    found = plan({"auto": group(2, kind="Deployment", autoscaling={"owner": owner, "min": 2, "max": 6})})
    assert way in refusal(scaling.decide({"auto": 0}, found, {}))


def test_of_an_autoscaled_group_the_values_say_no_count() -> None:
    (step,) = scaling.decide({"auto": 6}, operation(), {"auto": 3}).steps
    assert (step.by_autoscaler, step.settings, step.before) == (True, {}, 3)


def test_an_autoscaler_without_maximum_takes_any_count_from_its_minimum() -> None:
    found = plan({"auto": group(2, kind="Deployment", autoscaling={"owner": "external", "min": 2})})
    assert scaling.decide({"auto": 99}, found, {}).refusals == ()
    assert "keeps 2 or more" in refusal(scaling.decide({"auto": 1}, found, {}))


def test_a_job_is_refused_with_the_way() -> None:
    told = refusal(scaling.decide({"train": 4}, plan({"train": group(2, kind="Job")}, kind="job"), {}))
    assert 'group "train" is a Job, whose number of pods belongs to its run: set operation.run' in told
    start = "(helm roster upgrade op --reset-then-reuse-values --set groups.train.replicas=4 "
    assert told.endswith(f"{start}--set operation.run=NEW_RUN)")


def test_the_minimum_of_a_job_changes_with_its_count_where_the_values_say_it() -> None:
    made = plan({"train": group(2, kind="Job")}, {"step": gang(train=(2, False))}, kind="job")
    told = refusal(scaling.decide({"train": 4}, made, {}, is_written=lambda path: path[-1] == "min"))
    assert "--set groups.train.replicas=4 --set scheduling.gangs.step.members.train.min=4 --set operation.run=" in told


def test_an_unknown_group_gets_the_nearest_name() -> None:
    told = refusal(scaling.decide({"dekode": 4}, operation(), {}))
    assert told == 'there is no group "dekode" in op: did you mean "decode"? known: auto, decode, prefill, web'


@pytest.mark.parametrize(("running", "done"), [({}, True), ({"web": 2}, True), ({"web": 3}, False)])
def test_a_count_is_done_where_release_and_cluster_have_it(running: dict[str, int], *, done: bool) -> None:
    (step,) = scaling.decide({"web": 2}, operation(), running).steps
    assert step.is_done is done


def workload(group: str, replicas: int, image: str = "a", *, name: str = "") -> dict[str, Any]:
    labels = {"helm-roster.dev/group": group}
    template = {"spec": {"containers": [{"name": "main", "image": image}]}}
    spec = {"replicas": replicas, "template": template}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name or group, "labels": labels},
        "spec": spec,
    }


def pod_group(name: str, minimum: int) -> dict[str, Any]:
    metadata = {"name": name, "labels": {"helm-roster.dev/gang": "step"}}
    return {"apiVersion": "x/v1", "kind": "PodGroup", "metadata": metadata, "spec": {"min": minimum}}


def beyond(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> str:
    return scaling.beyond(changes.compare(before, after, "op"), {"web"}, {"PodGroup"})


def test_replicas_of_the_named_group_and_its_grouping_object_may_change() -> None:
    assert beyond([workload("web", 1), pod_group("g", 1)], [workload("web", 2), pod_group("g", 2)]) == ""


def test_pods_of_a_dependent_may_be_replaced_and_nothing_else_of_it() -> None:
    found = changes.compare([workload("db", 1)], [workload("db", 1, "b")], "op")
    assert scaling.beyond(found, {"web"}, (), {"db"}) == ""
    scaled = changes.compare([workload("db", 1)], [workload("db", 2)], "op")
    assert scaling.beyond(scaled, {"web"}, (), {"db"}) == "Deployment db (scaled)"


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (workload("db", 1), workload("db", 2), "Deployment db (scaled)"),
        (workload("web", 1), workload("web", 2, "b"), "Deployment web (spec.template.spec.containers.main.image)"),
        (pod_group("g", 1), pod_group("h", 1), "PodGroup g (removed), PodGroup h (new)"),
    ],
    ids=["other group", "more than its count", "other grouping"],
)
def test_whatever_else_changes_is_named(before: dict[str, Any], after: dict[str, Any], told: str) -> None:
    assert beyond([before], [after]) == told


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ([workload("web", 1)], [workload("web", 2, name="web-2")], "Deployment web-2 (recreated)"),
        ([], [workload("web", 2)], "Deployment web (new)"),
        ([workload("web", 1)], [], "Deployment web (removed)"),
    ],
    ids=["recreated", "new", "removed"],
)
def test_a_workload_that_comes_or_goes_is_more_than_a_count(
    before: list[dict[str, Any]], after: list[dict[str, Any]], told: str
) -> None:
    assert beyond(before, after) == told


def test_where_a_gang_gets_its_quota_as_a_whole_more_pods_are_a_group_outside_of_it() -> None:
    admission = {"backend": "kueue", "queue": "team"}
    asked = plan({"decode": group(4)}, {"step": gang(decode=(4, False))}, admission=admission)
    told = refusal(scaling.decide({"decode": 6}, asked, {}))
    assert "make a group outside the gang, such as decode-extra, of pods that come and go" in told
    assert "elastic" not in told
    assert "--set groups.decode.replicas=6 --recreate" in told
