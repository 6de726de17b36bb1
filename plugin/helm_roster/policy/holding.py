"""What holds an object that is being deleted, and the command that lets go of it; pure.

| held by | what lets go of it |
|---|---|
| a finalizer | whoever set it; else ``kubectl patch … finalizers: null`` |
| one that protects what is in use (``…-protection``) | the end of the pods that use it; never by hand |
| one that waits for what it owns | their end; after a minute as the first |
| a node that is gone or not ready: it never says that the containers ended | ``kubectl delete pod … --force`` |
| a node that does not end a pod in time | the node; ``--force`` leaves the containers running |
| a namespace that ends, but cannot | what its conditions say |
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, Literal

from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest

NodeState = Literal["ready", "not ready", "gone", "unknown"]

_PATIENCE_SECONDS: Final = 60
# What Kubernetes' own controllers set and remove by themselves. What is in use may be written to until the last moment,
# and a volume's claim has no grace of its own: a pod that uses it may still end in peace, so nobody is told to let go.
_PROTECTION: Final = "-protection"
_OWN: Final = frozenset({"foregroundDeletion", "orphan", "batch.kubernetes.io/job-tracking"})
_TRACKING: Final = "batch.kubernetes.io/job-tracking"
_SHOWN: Final = 3
_DISCOVERY: Final = "NamespaceDeletionDiscoveryFailure"
# Only says that something is still there.
_CONTENT: Final = "NamespaceContentRemaining"


def of_object(
    kind: str, long_name: str, manifest: Manifest, *, node: NodeState, now: datetime, users: Sequence[str] = ()
) -> str:
    """Return what holds an object that was deleted, in a line.

    Args:
        kind: Its kind, as in ``Pod``.
        long_name: Its kind as kubectl takes it, as in ``deployments.apps``.
        manifest: The object; of others than pods the metadata are enough.
        node: The state of its node; of pods only.
        now: The time, with its zone.
        users: The names of the pods that use it, as far as known.
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
        return f"{what} {_finalizers(long_name, manifest, finalizers, late, users)}"
    return f"{what} is being deleted"


def of_namespace(namespace: Manifest) -> Iterator[str]:
    """Yield what keeps a namespace that is being deleted, a line each; nothing of one that stays."""
    if not walk.get(namespace, "metadata", "deletionTimestamp"):
        return
    name = walk.get(namespace, "metadata", "name")
    conditions: list[Manifest] = walk.mappings(namespace, "status", "conditions")
    held = [entry for entry in conditions if entry.get("status") == "True" and entry.get("type") != _CONTENT]
    if not held:
        yield f"namespace {name} is being deleted too"
    for entry in held:
        remedy = ": kubectl get apiservices shows which API does not answer" if entry.get("type") == _DISCOVERY else ""
        said = " ".join(str(entry.get("message") or entry.get("reason") or entry.get("type")).split())
        yield f"namespace {name} is being deleted too; {said}{remedy}"


def is_protected(manifest: Manifest) -> bool:
    """Return whether an object has a finalizer that Kubernetes removes once nothing uses the object."""
    return any(str(entry).endswith(_PROTECTION) for entry in walk.sequence(manifest, "metadata", "finalizers"))


def _finalizers(long_name: str, manifest: Manifest, finalizers: list[str], late: int, users: Sequence[str]) -> str:
    listed = f"waits for its finalizer {', '.join(finalizers)}"
    protecting = [name for name in finalizers if name.endswith(_PROTECTION)]
    others = set(finalizers) - set(protecting)
    if not others or (others <= _OWN and late < _PATIENCE_SECONDS):
        named = f" (pod {', '.join(users[:_SHOWN])}{' and others' if len(users) > _SHOWN else ''})" if users else ""
        return f"{listed}, which goes with what uses it{named}"
    left = json.dumps({"metadata": {"finalizers": protecting or None}}, separators=(",", ":"))
    how = f"{_kubectl('patch', long_name, manifest)} --type=merge -p {shlex.quote(left)}"
    return f"{listed}; if nobody removes {'that' if not protecting else ', '.join(sorted(others))} any more: {how}"


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
