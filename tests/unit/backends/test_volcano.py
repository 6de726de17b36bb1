"""What the Volcano backend makes and refuses; that the real scheduler keeps it is proven in tests/cluster."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.backends import volcano

from tests.unit.builders import around, gang, group, plan

GROUP_NAME, ROLE, PRIORITY = "scheduling.k8s.io/group-name", "volcano.sh/task-spec", "volcano.sh/task-priority"
RL_GROUPS = {"learner": group(4, accelerators=1), "actor": group(8, accelerators=1)}
RL_GANG = {"step": gang(learner=(4, False), actor=(2, True))}


def asked(*arguments: Any, **options: Any) -> Any:
    return plan(*arguments, **{"backend": "volcano", **options})


def made(*arguments: Any, **options: Any) -> list[dict[str, Any]]:
    return volcano.objects(asked(*arguments, **options))


def spec(*arguments: Any, **options: Any) -> dict[str, Any]:
    (entry,) = made(*arguments, **options)
    found: dict[str, Any] = entry["spec"]
    return found


def stamped(name: str, *arguments: Any, **options: Any) -> dict[str, Any]:
    wanted, template = asked(*arguments, **options), {"spec": {}}
    assert volcano.stamp(around(template), wanted.operation.groups[name], wanted)
    return template


def test_a_gang_is_one_pod_group_whose_minimum_is_the_sum_of_its_members() -> None:
    assert spec(RL_GROUPS, RL_GANG) == {
        "minMember": 6,
        "minTaskMember": {"actor": 2, "learner": 4},
        "queue": "default",
    }


def test_a_single_member_has_a_minimum_of_its_own_too() -> None:
    assert spec({"worker": group(4)}, {"train": gang(worker=(4, False))})["minTaskMember"] == {"worker": 4}


def test_two_elastic_members_are_sub_groups_each_taken_as_one() -> None:
    found = spec(
        {"actor": group(8), "learner": group(8), "critic": group(1)},
        {"step": gang(actor=(2, True), learner=(3, True), critic=(1, False))},
    )
    assert "minTaskMember" not in found
    assert found["minMember"] == 6
    assert {entry["name"]: (entry["subGroupSize"], entry["minSubGroups"]) for entry in found["subGroupPolicy"]} == {
        "actor": (2, 1),
        "learner": (3, 1),
        "critic": (1, 1),
    }


def test_sub_groups_are_told_apart_by_labels_that_pods_carry() -> None:
    found = spec(RL_GROUPS, {"step": gang(learner=(2, True), actor=(2, True))})
    for entry in found["subGroupPolicy"]:
        assert entry["labelSelector"] == {"matchLabels": {"helm-roster.dev/group": entry["name"]}}
        assert entry["matchLabelKeys"] == ["helm-roster.dev/group"]


def test_a_group_outside_gangs_has_a_pod_group_of_its_own() -> None:
    alone, step = made(RL_GROUPS | {"web": group(2, kind="Deployment")}, RL_GANG)[::-1]
    assert alone["spec"] == {"minMember": 1, "queue": "default"}
    assert alone["metadata"]["labels"] == {"helm-roster.dev/group": "web"}
    assert alone["metadata"]["name"] != step["metadata"]["name"]


def test_the_queue_and_the_pods_priority_stand_in_every_pod_group() -> None:
    pod = {"priorityClassName": "research"}
    groups = {"worker": group(4, pod=pod), "web": group(1, pod=pod)}
    for entry in made(groups, {"train": gang(worker=(4, False))}, queue="team-a"):
        assert (entry["spec"]["queue"], entry["spec"]["priorityClassName"]) == ("team-a", "research")


def test_pods_name_their_pod_group_member_and_scheduler() -> None:
    step, web = made(RL_GROUPS | {"web": group(2)}, RL_GANG)
    for name, entry in (("learner", step), ("actor", step), ("web", web)):
        template = stamped(name, RL_GROUPS | {"web": group(2)}, RL_GANG)
        annotations = template["metadata"]["annotations"]
        assert (annotations[GROUP_NAME], annotations[ROLE]) == (entry["metadata"]["name"], name)
        assert template["spec"]["schedulerName"] == "volcano"


def test_fixed_members_come_before_elastic_ones_whatever_their_order() -> None:
    members = {"step": gang(learner=(4, False, 5), actor=(2, True, 0), critic=(1, False, 0))}
    groups = RL_GROUPS | {"critic": group(1)}
    place = {name: int(stamped(name, groups, members)["metadata"]["annotations"][PRIORITY]) for name in groups}
    assert place["critic"] > place["learner"] > place["actor"]


def test_a_lone_member_that_becomes_elastic_keeps_its_pod_template() -> None:
    """Else its pods would be replaced for more of them to be asked for."""
    before, after = (
        stamped("worker", {"worker": group(replicas)}, {"step": gang(worker=(4, replicas > 4))}) for replicas in (4, 6)
    )
    assert before == after


def test_a_change_of_members_or_sizes_keeps_the_pod_groups_name() -> None:
    others = [
        gang(learner=(8, False), actor=(2, True)),
        gang(learner=(4, False)),
        gang(learner=(2, True), actor=(2, True)),
    ]
    names = {made({"learner": group(8), "actor": group(8)}, {"step": entry})[0]["metadata"]["name"] for entry in others}
    assert len(names) == 1


def test_another_run_has_other_pod_groups() -> None:
    first, second = (made(RL_GROUPS | {"web": group(1, kind="Job")}, RL_GANG, run=run) for run in ("1", "2"))
    assert {entry["metadata"]["name"] for entry in first} & {entry["metadata"]["name"] for entry in second} == set()


RACK = {"within": "rack", "tier": 1}
HARD = {"mode": "hard", "highestTierAllowed": 1}


def spanning(gangs: dict[str, Any], size: int = 4) -> Any:
    """Return a plan whose `rollout` is made by LeaderWorkerSets of `size` pods."""
    found = asked({"learner": group(4), "rollout": group(8, podsPerReplica=size)}, gangs)
    operation = found.operation
    rollout = operation.groups["rollout"]
    kind = rollout.workload.replace(kind="LeaderWorkerSet", api_version="leaderworkerset.x-k8s.io/v1")
    groups = {**operation.groups, "rollout": rollout.replace(workload=kind)}
    return found.replace(operation=operation.replace(groups=groups))


def test_a_gangs_locality_is_its_pod_groups_network_topology() -> None:
    found = spec(RL_GROUPS, {"step": RL_GANG["step"] | {"locality": RACK}})
    assert (found["networkTopology"], found["minTaskMember"]) == (HARD, {"actor": 2, "learner": 4})


def test_a_tier_by_name_and_a_preferred_locality_are_told_apart() -> None:
    locality = {"within": "rack", "tier": "leaf", "required": False}
    found = spec(RL_GROUPS, {"step": RL_GANG["step"] | {"locality": locality}})
    assert found["networkTopology"] == {"mode": "soft", "highestTierName": "leaf"}


def test_a_members_locality_makes_every_member_a_sub_group() -> None:
    step = gang(learner=(4, False), actor=(2, True))
    step["members"]["learner"]["locality"] = RACK
    found = spec(RL_GROUPS, {"step": step})
    policies = {entry["name"]: entry for entry in found["subGroupPolicy"]}
    assert "minTaskMember" not in found
    assert policies["learner"]["networkTopology"] == HARD
    assert (policies["learner"]["subGroupSize"], policies["learner"]["minSubGroups"]) == (4, 1)
    assert "networkTopology" not in policies["actor"]


def test_replicas_that_span_pods_are_sub_groups_by_their_index() -> None:
    found = volcano.objects(spanning({"step": gang(learner=(4, False), rollout=(8, True))}))[0]["spec"]
    rollout = next(entry for entry in found["subGroupPolicy"] if entry["name"] == "rollout")
    assert found["minMember"] == 12
    assert (rollout["subGroupSize"], rollout["minSubGroups"]) == (4, 2)
    assert rollout["matchLabelKeys"] == ["leaderworkerset.sigs.k8s.io/group-index"]


@pytest.mark.parametrize("whose", ["gang", "member"])
def test_a_segment_is_a_replica_that_spans_pods(whose: str) -> None:
    step, locality = gang(rollout=(8, True)), {**RACK, "segment": 4}
    (step if whose == "gang" else step["members"]["rollout"])["locality"] = locality
    wanted = spanning({"step": step})
    assert volcano.check(wanted) == []
    found = volcano.objects(wanted)[0]["spec"]
    assert "networkTopology" not in found
    assert [(entry["networkTopology"], entry["subGroupSize"]) for entry in found["subGroupPolicy"]] == [(HARD, 4)]


def test_a_fixed_group_of_replicas_that_span_pods_may_stay_in_one_domain() -> None:
    step = gang(rollout=(32, False))
    step["members"]["rollout"]["locality"] = RACK
    wanted = spanning({"step": step})
    assert volcano.check(wanted) == []
    (policy,) = volcano.objects(wanted)[0]["spec"]["subGroupPolicy"]
    assert (policy["subGroupSize"], policy["minSubGroups"]) == (32, 1)
    assert policy["matchLabelKeys"] == ["helm-roster.dev/group"]


def test_another_locality_is_another_pod_group() -> None:
    gangs = [RL_GANG["step"], RL_GANG["step"] | {"locality": RACK}, RL_GANG["step"] | {"locality": {**RACK, "tier": 2}}]
    assert len({made(RL_GROUPS, {"step": entry})[0]["metadata"]["name"] for entry in gangs}) == 3


def test_min_resources_are_those_of_the_minimum_only() -> None:
    found = spec(RL_GROUPS, {"step": RL_GANG["step"] | {"minResources": True}})
    assert found["minResources"] == {"cpu": "6", "memory": "6Gi", "nvidia.com/gpu": "6"}
    assert "minResources" not in spec(RL_GROUPS, RL_GANG)


def test_that_min_resources_keep_a_gang_out_of_its_queue_is_said() -> None:
    lines = volcano.guarantees(asked(RL_GROUPS, {"step": RL_GANG["step"] | {"minResources": True}}))
    assert [line for line in lines if "out of its queue" in line] == lines[-1:]
    assert not any("out of its queue" in line for line in volcano.guarantees(asked(RL_GROUPS, RL_GANG)))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param(
            {"stalenessGracePeriod": 60}, "gangs.step.stalenessGracePeriod: Volcano evicts no gang", id="stale"
        ),
        pytest.param({"stalenessGracePeriod": -1}, "gangs.step.stalenessGracePeriod", id="never stale"),
        pytest.param({"preemption": "gang"}, "gangs.step.preemption is gang", id="preemption"),
        pytest.param({"preemption": "pod"}, "set for the whole cluster", id="preemption of pods"),
        pytest.param({"locality": {"within": "rack"}}, "set scheduling.topology.levels.rack.tier", id="no tier"),
        pytest.param({"locality": {**RACK, "segment": 2}}, "locality.segment is 2", id="segment"),
        pytest.param({"locality": {**RACK, "segment": 1}}, "a replica of it is 1 pod: remove", id="segment of one"),
    ],
)
def test_settings_that_it_cannot_keep_are_refused(settings: dict[str, Any], words: str) -> None:
    (refusal,) = volcano.check(asked({"w": group(2)}, {"step": gang(w=(2, False)) | settings}))
    assert words in refusal


def test_a_minimum_that_is_no_whole_number_of_replicas_is_refused() -> None:
    (refusal,) = volcano.check(spanning({"step": gang(learner=(4, False), rollout=(6, True))}))
    assert "min 6 is no whole number of its replicas of 4 pods" in refusal


def test_one_domain_for_an_elastic_group_of_replicas_that_span_pods_is_refused() -> None:
    step = gang(rollout=(8, True))
    step["members"]["rollout"]["locality"] = RACK
    (refusal,) = volcano.check(spanning({"step": step}))
    assert "set locality.segment to 4, or min to replicas" in refusal


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        pytest.param({"w": group(2, spec={"podManagementPolicy": "OrderedReady"})}, "one by one", id="one by one"),
        pytest.param({"w": group(2, pod={"schedulerName": "other"})}, "schedulerName other", id="foreign scheduler"),
        pytest.param({"w": group(2, pod={"nodeName": "n1"})}, "nodeName n1", id="bound by hand"),
        pytest.param(
            {
                "w": group(
                    2, pod={"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}}
                )
            },
            "required pod affinity",
            id="required affinity",
        ),
        pytest.param({"w": group(2, podsPerReplica=2)}, "do not say which replica they are of", id="replicas of pods"),
    ],
)
def test_what_it_cannot_keep_is_refused(groups: dict[str, Any], words: str) -> None:
    (refusal,) = volcano.check(asked(groups, {"train": gang(w=(2, False))}))
    assert words in refusal


def test_members_of_unlike_priority_are_refused() -> None:
    groups = {"w": group(2, pod={"priorityClassName": "high"}), "v": group(2)}
    (refusal,) = volcano.check(asked(groups, {"train": gang(w=(2, False), v=(2, False))}))
    assert "differ in priorityClassName" in refusal


def test_an_elastic_member_that_comes_first_and_two_of_them_are_taken() -> None:
    groups = RL_GROUPS | {"sampler": group(8)}
    assert volcano.check(asked(groups, {"step": gang(learner=(4, False, 1), actor=(2, True), sampler=(2, True))})) == []


def test_it_needs_pod_groups_and_queues() -> None:
    assert [need.kind.kind for need in volcano.needs(asked(RL_GROUPS, RL_GANG))] == ["PodGroup", "Queue"]
