"""What is said of an object that is still there."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from helm_roster.cluster import leftovers
from helm_roster.cluster.client import PODS
from helm_roster.cluster.leftovers import Leftover
from helm_roster.manifests.walk import Manifest


def leftover(manifest: Manifest) -> Leftover:
    return Leftover(resource=PODS, manifest=manifest)


def deleted(seconds_ago: int, **metadata: object) -> Manifest:
    """Return a pod whose end was due that many seconds ago."""
    due = (datetime.now(UTC) - timedelta(seconds=seconds_ago)).isoformat(timespec="seconds")
    base = {"name": "p", "deletionTimestamp": due, "deletionGracePeriodSeconds": 30}
    return {"metadata": base | metadata, "spec": {"nodeName": "n1"}}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: {"metadata": {"name": "p"}}, "Pod p is not deleted yet"),
        (lambda: deleted(0, finalizers=["a/b"]), "Pod p waits for its finalizer a/b"),
        (lambda: deleted(-20), "Pod p is terminating on node n1 (grace 30 s)"),
        (lambda: deleted(100), "s overdue: does its node still run?)"),
    ],
    ids=["not deleted", "finalizer", "in its grace period", "overdue"],
)
def test_what_holds_an_object_is_said(make: Callable[[], Manifest], words: str) -> None:
    assert words in leftovers.reason(leftover(make()))


def test_an_object_that_helm_keeps_is_kept() -> None:
    assert leftover({"metadata": {"annotations": {"helm.sh/resource-policy": "keep"}}}).is_kept
    assert not leftover({"metadata": {}}).is_kept
