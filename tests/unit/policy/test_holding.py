"""What holds an object, and how to let go of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from helm_roster.manifests.walk import Manifest
from helm_roster.policy import holding
from helm_roster.policy.holding import NodeState

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
FORCE = "kubectl delete pod x -n team --grace-period=0 --force"
PATCH = 'kubectl patch things.example.com x -n team --type=merge -p \'{"metadata":{"finalizers":null}}\''
TRACKED = ["batch.kubernetes.io/job-tracking"]


def ending(late: int, *finalizers: str, node: str = "") -> Manifest:
    """Return an object whose end was due that many seconds ago."""
    due = (NOW - timedelta(seconds=late)).isoformat(timespec="seconds").replace("+00:00", "Z")
    metadata = {"name": "x", "namespace": "team", "deletionTimestamp": due, "deletionGracePeriodSeconds": 30}
    return {"metadata": metadata | {"finalizers": list(finalizers)}, "spec": {"nodeName": node} if node else {}}


@pytest.mark.parametrize(
    ("pod", "node", "words"),
    [
        ({"metadata": {"name": "x"}}, "unknown", "Pod x is not deleted yet"),
        (ending(-20, node="n1"), "ready", "Pod x is terminating on node n1 (grace 30 s)"),
        (ending(-20), "unknown", "Pod x is terminating (grace 30 s)"),
        (ending(-20, node="n1"), "gone", f"Pod x is terminating on node n1, which is gone: {FORCE}"),
        (ending(9, *TRACKED, node="n1"), "not ready", f"not ready; if that machine will not come back: {FORCE}"),
        (ending(99, node="n1"), "ready", "99 s overdue: kubectl describe node n1 may tell why; kubectl delete pod x"),
    ],
)
def test_a_pod_is_held_by_its_node(pod: Manifest, node: NodeState, words: str) -> None:
    assert words in holding.of_object("Pod", "pods", pod, node=node, now=NOW)


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (ending(1, "a/b"), f"Thing x waits for its finalizer a/b; if nobody removes that any more: {PATCH}"),
        (ending(1, "kubernetes.io/pvc-protection"), "kubernetes.io/pvc-protection, which goes with what uses it"),
        (ending(99, "foregroundDeletion"), f"if nobody removes that any more: {PATCH}"),
        (ending(1), "Thing x is being deleted"),
    ],
)
def test_another_object_is_held_by_its_finalizers(found: Manifest, words: str) -> None:
    assert words in holding.of_object("Thing", "things.example.com", found, node="unknown", now=NOW)


def protected(late: int, *others: str, users: tuple[str, ...] = ()) -> str:
    found = ending(late, "kubernetes.io/pvc-protection", *others)
    return holding.of_object("Thing", "things.example.com", found, node="unknown", now=NOW, users=users)


@pytest.mark.parametrize(
    ("users", "words"),
    [
        ((), "which goes with what uses it"),
        (("a", "b"), "which goes with what uses it (pod a, b)"),
        (("a", "b", "c", "d"), "which goes with what uses it (pod a, b, c and others)"),
    ],
)
def test_nobody_is_told_to_let_go_of_what_is_in_use(users: tuple[str, ...], words: str) -> None:
    assert protected(9999, users=users).endswith(words)


def test_letting_go_of_another_finalizer_leaves_the_protection_of_what_is_in_use() -> None:
    assert protected(9999, "a/b").endswith(
        "if nobody removes a/b any more: kubectl patch things.example.com x -n team --type=merge -p "
        '\'{"metadata":{"finalizers":["kubernetes.io/pvc-protection"]}}\''
    )


def condition(kind: str, **more: Any) -> Manifest:
    return {"type": kind, "status": "True", **more}


def test_a_namespace_that_ends_says_what_keeps_it() -> None:
    metadata = {"name": "team", "deletionTimestamp": "2026-11-30T12:00:00Z"}
    held = [
        condition("NamespaceDeletionDiscoveryFailure", message="metrics.k8s.io/v1beta1: stale"),
        condition("NamespaceContentRemaining", message="Some resources are remaining: pods. has 1 resource instances"),
        condition("NamespaceFinalizersRemaining", message="a/b in 1 resource instances"),
        {"type": "NamespaceDeletionContentFailure", "status": "False"},
    ]
    lines = list(holding.of_namespace({"metadata": metadata, "status": {"conditions": held}}))
    assert [line.partition("; ")[2] for line in lines] == [
        "metrics.k8s.io/v1beta1: stale: kubectl get apiservices shows which API does not answer",
        "a/b in 1 resource instances",
    ]
    assert list(holding.of_namespace({"metadata": metadata})) == ["namespace team is being deleted too"]


def test_of_a_namespace_that_stays_nothing_is_said() -> None:
    assert list(holding.of_namespace({"metadata": {"name": "team"}})) == []
