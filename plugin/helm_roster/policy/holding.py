"""What holds an object that is being deleted, and the command that lets go of it; pure.

| held by | what lets go of it |
|---|---|
| a finalizer | whoever set it; else ``kubectl patch … finalizers: null`` |
| one that protects what is in use (``…-protection``) or waits for what it owns | their end; after a minute as above |
| a node that is gone or not ready: it never says that the containers ended | ``kubectl delete pod … --force`` |
| a node that does not end a pod in time | the node; ``--force`` leaves the containers running |
| a namespace that ends, but cannot | what its conditions say |
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from datetime import datetime
from typing import Final, Literal

from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest

NodeState = Literal["ready", "not ready", "gone", "unknown"]

_PATIENCE_SECONDS: Final = 60
# What Kubernetes' own controllers set and remove by themselves: what is in use, what owns others, Jobs' pods.
_PROTECTION: Final = "-protection"
_OWN: Final = frozenset({"foregroundDeletion", "orphan", "batch.kubernetes.io/job-tracking"})
_TRACKING: Final = "batch.kubernetes.io/job-tracking"
_NO_FINALIZERS: Final = '{"metadata":{"finalizers":null}}'
_DISCOVERY: Final = "NamespaceDeletionDiscoveryFailure"
# Only says that something is still there.
_CONTENT: Final = "NamespaceContentRemaining"


def of_object(kind: str, long_name: str, manifest: Manifest, *, node: NodeState, now: datetime) -> str:
    """Return what holds an object that was deleted, in a line.

    Args:
        kind: Its kind, as in ``Pod``.
        long_name: Its kind as kubectl takes it, as in ``deployments.apps``.
        manifest: The object; of others than pods the metadata are enough.
        node: The state of its node; of pods only.
        now: The time, with its zone.
    """
    what = f"{kind} {walk.get(manifest, 'metadata', 'name')}"
    deleted = walk.get(manifest, "metadata", "deletionTimestamp")
    if not deleted:
        return f"{what} is not deleted yet"
    late = int((now - datetime.fromisoformat(str(deleted))).total_seconds())
    finalizers = [str(entry) for entry in walk.sequence(manifest, "metadata", "finalizers")]
    if kind == "Pod" and not set(finalizers) - {_TRACKING}:
        return f"{what} {_pod(manifest, node, late)}"
    if finalizers:
        return f"{what} {_finalizers(long_name, manifest, finalizers, late)}"
    return f"{what} is being deleted"


def of_namespace(namespace: Manifest) -> Iterator[str]:
    """Yield what keeps a namespace that is being deleted, a line each; nothing of one that stays."""
    if not walk.get(namespace, "metadata", "deletionTimestamp"):
        return
    name = walk.get(namespace, "metadata", "name")
    conditions: list[Manifest] = walk.sequence(namespace, "status", "conditions")
    held = [entry for entry in conditions if entry.get("status") == "True" and entry.get("type") != _CONTENT]
    if not held:
        yield f"namespace {name} is being deleted too"
    for entry in held:
        remedy = ": kubectl get apiservices shows which API does not answer" if entry.get("type") == _DISCOVERY else ""
        said = " ".join(str(entry.get("message") or entry.get("reason") or entry.get("type")).split())
        yield f"namespace {name} is being deleted too; {said}{remedy}"


def _finalizers(long_name: str, manifest: Manifest, finalizers: list[str], late: int) -> str:
    listed = f"waits for its finalizer {', '.join(finalizers)}"
    passing = all(name.endswith(_PROTECTION) or name in _OWN for name in finalizers)
    if passing and late < _PATIENCE_SECONDS:
        return f"{listed}, which goes with what uses it"
    how = f"{_kubectl('patch', long_name, manifest)} --type=merge -p {shlex.quote(_NO_FINALIZERS)}"
    return f"{listed}; if nobody removes that any more: {how}"


def _pod(manifest: Manifest, node: NodeState, late: int) -> str:
    name = walk.get(manifest, "spec", "nodeName")
    grace = walk.get(manifest, "metadata", "deletionGracePeriodSeconds", default=0)
    force = f"{_kubectl('delete', 'pod', manifest)} --grace-period=0 --force"
    if not name:
        return f"is terminating (grace {grace} s)"
    if node == "gone":
        return f"is terminating on node {name}, which is gone: {force}"
    if node == "not ready":
        return f"is terminating on node {name}, which is not ready; if that machine will not come back: {force}"
    if late <= 0:
        return f"is terminating on node {name} (grace {grace} s)"
    return (
        f"is terminating on node {name}, {late} s overdue: kubectl describe node {name} may tell why; {force} lets go "
        "of it, though its containers may run on"
    )


def _kubectl(verb: str, what: str, manifest: Manifest) -> str:
    namespace, name = (walk.get(manifest, "metadata", key) for key in ("namespace", "name"))
    return f"kubectl {verb} {what} {name} -n {namespace}"
