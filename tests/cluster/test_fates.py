"""Each fate of a simulated pod, seen as a real kubelet would report it."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.cluster import fates, raw
from tests.cluster.api import Json, stays, wait_for
from tests.cluster.namespaces import Namespace, pod_ready


@pytest.fixture
def one(namespace: Namespace) -> Namespace:
    """A namespace with one node."""
    namespace.add_node()
    return namespace


def put(namespace: Namespace, annotations: dict[str, str], *, restart: str = "Always", containers: int = 1) -> None:
    """Create the pod `p` with these annotations; its containers are worker, c1, c2 and so on."""
    spec = raw.pod_spec(namespace.node_selector, restart=restart)
    spec["containers"] += [{"name": f"c{index}", "image": raw.IMAGE} for index in range(1, containers)]
    namespace.create(raw.pod("p", spec, annotations))


def watch(namespace: Namespace, what: str, until: Callable[[Json], object], timeout: float = 20) -> Json:
    """Wait until the status of the pod `p` is so, and return it."""
    return wait_for(lambda: (namespace.pod("p") or {"status": {}})["status"], timeout, what, until=until)


def reason(status: Json, container: int = 0) -> str:
    """Return why the container waits, or ""."""
    statuses = status.get("containerStatuses") or [{"state": {}}] * (container + 1)
    return str(statuses[container]["state"].get("waiting", {}).get("reason", ""))


def crash_loops(status: Json) -> bool:
    """Tell whether the pod's first container is backing off."""
    return reason(status) == "CrashLoopBackOff"


@pytest.mark.parametrize("annotations", [{}, fates.annotate("ready")], ids=["no fate", "ready"])
def test_a_pod_runs_and_is_ready(one: Namespace, annotations: dict[str, str]) -> None:
    put(one, annotations, containers=2)
    wait_for(lambda: one.pod("p") or {}, 60, "a ready pod", until=pod_ready)
    status = watch(one, "running", lambda status: status["phase"] == "Running")
    assert [(item["name"], item["ready"], item["restartCount"]) for item in status["containerStatuses"]] == [
        ("worker", True, 0),
        ("c1", True, 0),
    ]
    assert status["podIP"]


def test_never_ready_runs_and_is_not_ready(one: Namespace) -> None:
    put(one, fates.annotate("never-ready"))
    status = watch(one, "running", lambda status: status["phase"] == "Running")
    assert "running" in status["containerStatuses"][0]["state"]
    stays(lambda: one.pod("p") or {}, 2, "not being ready", until=lambda pod: not pod_ready(pod))


def test_slow_is_ready_after_the_seconds_it_names(one: Namespace) -> None:
    put(one, fates.annotate("slow", seconds=2))
    watch(one, "running", lambda status: status["phase"] == "Running")
    began = time.monotonic()
    assert not pod_ready(one.pod("p") or {})
    wait_for(lambda: one.pod("p") or {}, 10, "a ready pod", until=pod_ready)
    assert time.monotonic() - began > 1


def test_failing_crash_loops_with_its_exit_code_and_a_rising_count(one: Namespace) -> None:
    put(one, fates.annotate("failing"))
    looping = watch(one, "a second crash loop", lambda status: crash_loops(status) and _restarts(status) >= 1)
    worker = looping["containerStatuses"][0]
    ended = worker["lastState"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (1, "Error")
    assert "restarting failed container=worker" in worker["state"]["waiting"]["message"]
    assert looping["phase"] == "Running"


def _restarts(status: Json) -> int:
    return int(status["containerStatuses"][0]["restartCount"])


def test_oom_crash_loops_as_killed_for_memory(one: Namespace) -> None:
    put(one, fates.annotate("oom"))
    looping = watch(one, "a crash loop", crash_loops)
    ended = looping["containerStatuses"][0]["lastState"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")


@pytest.mark.parametrize(("fate", "code", "why"), [("failing", 1, "Error"), ("oom", 137, "OOMKilled")])
def test_a_pod_that_never_restarts_fails_for_good(one: Namespace, fate: str, code: int, why: str) -> None:
    put(one, fates.annotate(fate), restart="Never")
    status = watch(one, "failure", lambda status: status["phase"] == "Failed")
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (code, why)


def test_only_the_named_container_fails(one: Namespace) -> None:
    put(one, fates.annotate("failing", container="c1"), containers=3)
    status = watch(one, "c1 in a crash loop", lambda status: reason(status, 1) == "CrashLoopBackOff")
    assert [item["ready"] for item in status["containerStatuses"]] == [True, False, True]
    assert not pod_ready({"status": status})


def test_an_image_that_is_not_found_keeps_the_pod_pending(one: Namespace) -> None:
    put(one, fates.annotate("image-not-found"))
    watch(one, "the failed pull", lambda status: reason(status) == "ErrImagePull")
    status = watch(one, "the back-off", lambda status: reason(status) == "ImagePullBackOff")
    assert status["phase"] == "Pending"
    assert f'Back-off pulling image "{raw.IMAGE}"' in status["containerStatuses"][0]["state"]["waiting"]["message"]


def test_completes_ends_well(one: Namespace) -> None:
    one.create(raw.job("j", 2, raw.pod_spec(one.node_selector), fates.annotate("completes")))
    job = wait_for(
        lambda: one.get("batch/v1", "Job", "j") or {}, 60, "two successes", until=lambda job: _succeeded(job) == 2
    )
    assert job["status"].get("failed", 0) == 0


def _succeeded(job: Json) -> int:
    return int(job.get("status", {}).get("succeeded", 0))


def test_a_job_without_a_fate_runs_on(one: Namespace) -> None:
    one.create(raw.job("j", 2, raw.pod_spec(one.node_selector)))
    wait_for(lambda: [pod for pod in one.pods() if pod_ready(pod)], 60, "two", until=lambda pods: len(pods) == 2)
    stays(lambda: [pod["status"]["phase"] for pod in one.pods()], 2, "running on", until={"Running"}.issuperset)


def test_a_failing_job_is_reported_by_its_controller(one: Namespace) -> None:
    one.create(raw.job("j", 1, raw.pod_spec(one.node_selector), fates.annotate("failing")))
    wait_for(lambda: one.get("batch/v1", "Job", "j") or {}, 60, "a failed Job", until=_failed)


def _failed(job: Json) -> bool:
    return any(item["type"] == "Failed" for item in job.get("status", {}).get("conditions", []))


def test_a_deleted_pod_is_gone_at_once(one: Namespace) -> None:
    put(one, {})
    wait_for(lambda: one.pod("p") or {}, 60, "a ready pod", until=pod_ready)
    one.delete("v1", "Pod", "p", gracePeriodSeconds=30)
    wait_for(lambda: one.pod("p"), 3, "the pod to be gone", until=lambda pod: pod is None)


def test_a_pod_stays_terminating_as_long_as_it_says_in_spite_of_edits(one: Namespace) -> None:
    put(one, fates.annotate(terminating_seconds=3))
    wait_for(lambda: one.pod("p") or {}, 60, "a ready pod", until=pod_ready)
    began = time.monotonic()
    one.delete("v1", "Pod", "p", gracePeriodSeconds=30)
    stays(lambda: one.pod("p"), 2, "terminating")
    one.api.patch(one.path("v1", "Pod", "p"), {"metadata": {"labels": {"edited": "yes"}}})
    wait_for(lambda: one.pod("p"), 10, "the pod to be gone", until=lambda pod: pod is None)
    assert 3 <= time.monotonic() - began < 5


def test_a_fate_that_is_none_is_said_on_the_pod(one: Namespace) -> None:
    put(one, {fates.FATE: "faling"})
    status = watch(one, "a reason", lambda status: reason(status) == "UnknownFate")
    assert '"faling"' in status["containerStatuses"][0]["state"]["waiting"]["message"]


def test_the_helper_refuses_a_fate_that_is_none() -> None:
    with pytest.raises(ValueError, match="no such fate: faling"):
        fates.annotate("faling")
