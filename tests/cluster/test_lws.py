"""Replicas that span pods, with the real LeaderWorkerSet controller and kube-scheduler.

The first test is of a cluster without it: all tests of this file share a control plane, which serves it afterwards.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from tests.cluster import operations, projects, spanning
from tests.cluster.api import Json, stays, wait_for
from tests.cluster.namespaces import Namespace
from tests.cluster.spanning import Spanning
from tests.support.roster import CHART, cli
from tests.support.runner import Runner

BINDS = 60.0
SERVES = "helm-roster.dev/leader=true"
# What plays the tests' LeaderWorkerSet: the group decode of 2 replicas of 4 pods, one accelerator each.
REPLICAS, SIZE = 2, 4
PODS = REPLICAS * SIZE


def decode(namespace: Namespace, replicas: int = REPLICAS, **more: Any) -> Json:
    return operations.group(namespace, replicas, gpus=1, podsPerReplica=SIZE, **more)


def values(namespace: Namespace, *, in_gang: bool = True, **more: Any) -> Json:
    groups = {"decode": decode(namespace, **more), "router": operations.router(namespace, "decode")}
    return operations.values(groups, gangs={"step": {"decode": {}}} if in_gang else None)


def of(namespace: Namespace, group: str = "decode", *more: str) -> list[Json]:
    return namespace.pods(",".join([f"helm-roster.dev/group={group}", *more]))


def bound(namespace: Namespace, group: str = "decode") -> int:
    return sum("nodeName" in pod["spec"] for pod in of(namespace, group))


def uids(namespace: Namespace) -> dict[str, str]:
    """Return the uids of decode's pods that stay, by name."""
    staying = (pod["metadata"] for pod in of(namespace) if "deletionTimestamp" not in pod["metadata"])
    return {found["name"]: found["uid"] for found in staying}


def replica(found: dict[str, str], index: int) -> dict[str, str]:
    name = f"op-decode-{index}"
    return {pod: uid for pod, uid in found.items() if pod == name or pod.startswith(f"{name}-")}


def lws(namespace: Namespace, name: str = "op-decode") -> Json:
    return namespace.get(spanning.VERSION, spanning.KIND, name) or {}


def settled(namespace: Namespace, replicas: int = REPLICAS) -> None:
    """Wait until so many replicas are ready, and all of the newest template."""

    def whole(found: Json) -> bool:
        told = found.get("status", {})
        counts = [told.get(key) for key in ("replicas", "readyReplicas", "updatedReplicas")]
        return counts == [replicas] * 3 and told.get("observedGeneration") == found["metadata"]["generation"]

    wait_for(lambda: lws(namespace), BINDS, f"{replicas} whole replicas", until=whole)


def env(pod: Json) -> dict[str, str]:
    (container,) = pod["spec"]["containers"]
    return {entry["name"]: entry["value"] for entry in container["env"]}


def test_where_it_is_not_served_nothing_is_applied_and_doctor_says_so(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    assert "leaderworkerset.x-k8s.io" not in [entry["name"] for entry in namespace.api.get("/apis")["groups"]]
    written = operations.write(tmp_path, values(namespace, in_gang=False))
    done = roster4.attempt("install", "op", "-f", written)
    said = (
        "the cluster does not serve LeaderWorkerSet (leaderworkerset.x-k8s.io/v1), of which these values make an "
        "object: install LeaderWorkerSet 0.9 or newer (https://lws.sigs.k8s.io), or set podsPerReplica: 1, without "
        'workload: LeaderWorkerSet, of group "decode"'
    )
    assert (done.returncode, done.stderr, namespace.everything()) == (1, f"Error: {said}\n", [])
    found = json.loads(roster4.attempt("doctor", "-f", written, "-o", "json").stdout)
    (kinds,) = (entry for entry in found["checks"] if entry["check"] == "kinds")
    assert (kinds["state"], "LeaderWorkerSet" in kinds["found"]) == ("failed", True)
    assert kinds["remedy"] in said


def test_a_gang_is_held_whole_and_a_failed_pod_takes_its_replica_along_and_no_other(
    lws: Spanning, namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    del lws
    namespace.add_nodes(PODS - 1)
    operations.install(roster4, "op", operations.write(tmp_path, values(namespace)))
    wait_for(lambda: len(of(namespace)), BINDS, "pods of all ranks", until=lambda seen: seen == PODS)
    wait_for(lambda: bound(namespace, "router"), BINDS, "the router to be placed")
    stays(lambda: bound(namespace), 2, "no pod of the gang bound", until=lambda seen: not seen)
    held = operations.status(roster4, "op")
    assert (held["verdict"], operations.health(held, "decode")["readyReplicas"]) == ("WaitingForPlacement", 0)

    namespace.add_node()
    settled(namespace)
    found = operations.status(roster4, "op")
    group = operations.health(found, "decode")
    assert (found["verdict"], group["ready"], group["podsPerReplica"], group["readyReplicas"]) == ("Ready", 8, 4, 2)
    _serving_and_ranks(namespace)

    before = uids(namespace)
    namespace.delete("v1", "Pod", "op-decode-1-2")
    wait_for(
        lambda: replica(uids(namespace), 1), BINDS, "another replica 1",
        until=lambda seen: len(seen) == SIZE and not set(seen.values()) & set(before.values()),
    )  # fmt: skip
    settled(namespace)
    assert replica(uids(namespace), 0) == replica(before, 0)
    namespace.set_ready("op-decode-0-1", ready=False)
    told = operations.health(operations.status(roster4, "op"), "decode")
    assert told["readyReplicas"] == 1
    assert "Worker pod op-decode-1-2 failed" in str(told["events"])

    roster4("cancel", "op")
    namespace.is_left_with()


def _serving_and_ranks(namespace: Namespace) -> None:
    """See that leaders alone serve, that ranks are as runtimes read them, and that an autoscaler sees one pod each."""
    pods = {pod["metadata"]["name"]: pod for pod in of(namespace)}
    for index in range(REPLICAS):
        names = [f"op-decode-{index}", *(f"op-decode-{index}-{rank}" for rank in range(1, SIZE))]
        found = [env(pods[name]) for name in names]
        assert [one["LWS_WORKER_INDEX"] for one in found] == [*map(str, range(SIZE))]
        assert {one["LWS_LEADER_ADDRESS"] for one in found} == {f"op-decode-{index}.op-decode.{namespace.name}"}
        assert {one["LWS_GROUP_SIZE"] for one in found} == {str(SIZE)}
    leaders = {"op-decode-0", "op-decode-1"}
    assert {pod["metadata"]["name"] for pod in of(namespace, "decode", SERVES)} == leaders
    slices = wait_for(
        lambda: _endpoints(namespace, "op-decode-svc"), 30, "the leaders to be endpoints",
        until=lambda seen: len(seen) == REPLICAS,
    )  # fmt: skip
    assert slices == leaders
    assert _endpoints(namespace, "op-decode") == set(pods)
    service = namespace.get("v1", "Service", "op-decode") or {}
    assert service["spec"]["publishNotReadyAddresses"] is True
    assert "ownerReferences" not in service["metadata"]
    scale = namespace.api.get(f"{namespace.path(spanning.VERSION, spanning.KIND, 'op-decode')}/scale")
    seen = namespace.pods(scale["status"]["selector"])
    assert (scale["status"]["replicas"], {pod["metadata"]["name"] for pod in seen}) == (REPLICAS, leaders)


def _endpoints(namespace: Namespace, service: str) -> set[str]:
    found = namespace.items("discovery.k8s.io/v1", "EndpointSlice", f"kubernetes.io/service-name={service}")
    return {entry["targetRef"]["name"] for one in found for entry in one.get("endpoints") or ()}


def test_outside_gangs_a_replica_is_added_and_a_gang_is_turned_on_by_a_restart(
    lws: Spanning, namespace: Namespace, helm3: Runner, tmp_path: Path
) -> None:
    del lws
    roster3 = cli(helm3)
    namespace.add_nodes(PODS + SIZE)
    made = values(namespace, in_gang=False)
    operations.install(roster3, "op", operations.write(tmp_path, made))
    settled(namespace)
    before = uids(namespace)
    roster3("scale", "op", "decode=3")
    settled(namespace, 3)
    assert {name: uid for name, uid in uids(namespace).items() if name in before} == before

    made["groups"]["decode"] |= {"replicas": 3, "container": {**made["groups"]["decode"]["container"], "args": ["-v"]}}
    written = operations.write(tmp_path, made)
    told = json.loads(roster3("plan", "-f", written, "--against", "op", "-o", "json").stdout)
    change, _ = told["changes"]["groups"]
    assert (change["name"], change["action"]) == ("decode", "rolls")
    roster3("upgrade", "op", "-f", written)
    roster3("wait", "op", "--timeout", "90s")
    settled(namespace, 3)
    assert {pod["spec"]["containers"][0]["args"][0] for pod in of(namespace)} == {"-v"}

    single = {**made["groups"]["decode"], "podsPerReplica": 1, "workload": "StatefulSet"}
    written = operations.write(tmp_path, operations.values({**made["groups"], "decode": single}))
    refused = roster3.attempt("upgrade", "op", "-f", written)
    assert (refused.returncode, "which the LeaderWorkerSet made, is in its place" in refused.stderr) == (1, True)

    joined = operations.values(made["groups"], gangs={"step": {"decode": {}}})
    written = operations.write(tmp_path, joined)
    refused = roster3.attempt("upgrade", "op", "-f", written)
    assert (refused.returncode, 'gang "step": this restarts it' in refused.stderr) == (1, True)
    roster3("upgrade", "op", "-f", written, "--recreate", "--timeout", "90s")
    settled(namespace, 3)
    assert all(pod["spec"].get("schedulingGroup") for pod in of(namespace))

    roster3("cancel", "op")
    namespace.is_left_with()


def test_the_longest_names_are_taken_down_to_the_pods_and_longer_ones_are_refused(
    lws: Spanning, namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    del lws
    namespace.add_nodes(SIZE)
    base, name = "b" * 53, "g" * 40

    def written(group: str, replicas: int = 1) -> Path:
        spanning_group = operations.group(namespace, replicas, gpus=1, podsPerReplica=SIZE)
        return operations.write(tmp_path, operations.values({group: spanning_group}, gangs={"step": {group: {}}}))

    refused = roster4.attempt("template", base, "-f", written(f"{name}g"))
    assert (refused.returncode, "40" in refused.stderr) == (1, True)
    operations.install(roster4, base, written(name))
    wait_for(lambda: bound(namespace, name), BINDS, "pods of all ranks", until=lambda seen: seen == SIZE)
    (pod,) = (pod for pod in of(namespace, name) if pod["metadata"]["name"].endswith("-0-3"))
    assert env(pod)["LWS_WORKER_INDEX"] == "3"

    # A replica called <object>-<index>, of 52 characters and of one more, which the chart refuses: there a label of its
    # pods, <replica>-<hash>, is too long wherever the hash has all of its ten digits, as three of four have.
    fits, *long = (spanning.bare(letter * length) for letter, length in zip("nopqrs", (50, *[51] * 5), strict=True))
    namespace.create(fits, *long)
    wait_for(lambda: made(namespace, fits), BINDS, "a worker of 52 characters", until=bool)
    leaders = {f"{one['metadata']['name']}-0" for one in long}
    wait_for(lambda: leaders <= set(names(namespace)), BINDS, "leaders of 53 characters", until=bool)
    stays(lambda: all(made(namespace, one) for one in long), 3, "no worker of one", until=lambda seen: not seen)
    refused = roster4.attempt("template", base, "-f", written(name, replicas=10001))
    assert (refused.returncode, "has 53 characters" in refused.stderr) == (1, True)


def names(namespace: Namespace) -> list[str]:
    """Return the names of all pods."""
    return [str(pod["metadata"]["name"]) for pod in namespace.pods("")]


def made(namespace: Namespace, bare: Json) -> list[str]:
    """Return the workers of the first replica."""
    return [name for name in names(namespace) if name.startswith(f"{bare['metadata']['name']}-0-")]


def test_what_the_chart_makes_of_replicas_that_span_pods_passes_strict_validation(lws: Spanning, helm4: Runner) -> None:
    text = helm4("template", "op", CHART, "-f", CHART / "ci/spanning-values.yaml").stdout
    found = [one for one in yaml.load_all(text, yaml.CSafeLoader) if one and one["kind"] == spanning.KIND]
    assert len(found) > 1
    for manifest in found:
        projects.validate(lws.cluster.api, manifest)
