"""Which logs are read."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import constants
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import logs

from tests.unit import live_objects as make

ENDED = {"exitCode": 1, "reason": "Error"}


def pod(name: str, group: str, *statuses: Manifest, init: tuple[str, ...] = (), **more: Any) -> Manifest:
    """Return a pod of a group whose containers have these statuses."""
    made = make.pod(name, *statuses, labels={constants.GROUP_LABEL: group}, **more)
    made["spec"] |= {
        "initContainers": [{"name": each} for each in init],
        "containers": [{"name": status["name"]} for status in statuses] or [{"name": "main"}],
    }
    return made


def test_logs_come_by_group_and_pod_as_people_count() -> None:
    found = [pod(f"w-{rank}", "w", make.container()) for rank in (10, 9)] + [pod("d-0", "d", make.container())]
    assert [target.label for target in logs.targets(found)] == ["d/d-0", "w/w-9", "w/w-10"]


def test_the_main_container_is_the_first_or_the_one_that_kubectl_takes() -> None:
    found = pod("w", "w", make.container("a"), make.container("b"))
    assert [target.container for target in logs.targets([found])] == ["a"]
    found["metadata"]["annotations"] = {"kubectl.kubernetes.io/default-container": "b"}
    assert [target.container for target in logs.targets([found])] == ["b"]


def test_others_are_found_by_name_and_all_of_them_carry_their_names() -> None:
    found = pod("w", "w", make.container("a"), make.container("b"), init=("fetch",))
    assert [target.container for target in logs.targets([found], container="fetch")] == ["fetch"]
    every = logs.targets([found], everything=True)
    assert [target.label for target in every] == ["w/w[fetch]", "w/w[a]", "w/w[b]"]


@pytest.mark.parametrize(
    ("found", "state", "why"),
    [
        (pod("w", "w", make.container()), "running", ""),
        (pod("w", "w", make.container(terminated=ENDED)), "ended", ""),
        (pod("w", "w", make.container(waiting={"reason": "CrashLoopBackOff"}, last=ENDED)), "ended", ""),
        (pod("w", "w", make.container(waiting={"reason": "ImagePullBackOff"})), "waiting", "ImagePullBackOff"),
        (pod("w", "w", node=""), "waiting", "its pod has no node yet"),
        (pod("w", "w"), "waiting", "it is not created yet"),
    ],
)
def test_a_log_is_there_once_a_container_began(found: Manifest, state: str, why: str) -> None:
    (target,) = logs.targets([found])
    assert (target.state, target.why) == (state, why)


def test_each_start_of_a_container_is_a_log_of_its_own() -> None:
    first, second = (pod("w", "w", make.container(restarts=count)) for count in (0, 1))
    (one,), (other,) = logs.targets([first]), logs.targets([second])
    assert one.key != other.key
    assert (one.has_previous, other.has_previous) == (False, True)


@pytest.mark.parametrize(
    ("pods", "workloads", "over"),
    [
        ([make.pod("p", phase="Succeeded")], [], True),
        ([make.pod("p")], [], False),
        ([], [make.workload("w")], False),
        ([], [make.workload("w", terminating=True)], True),
        ([], [make.workload("w", kind="Job", conditions=[{"type": "Complete", "status": "True"}])], True),
    ],
)
def test_all_is_over_when_no_pod_runs_and_none_will_come(
    pods: list[Manifest],
    workloads: list[Manifest],
    over: bool,  # noqa: FBT001
) -> None:
    assert logs.are_over(pods, workloads) is over
