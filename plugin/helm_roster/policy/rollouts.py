"""Which pods of a group are of its newest pod template, or of its newest run; pure.

While a rollout goes on, pods of the old template are still there. Whoever waits for what an upgrade asked for must not
take them for it: neither that they are ready, nor that they crash. To whom may not list ReplicaSets the pods of a
Deployment look alike: while it rolls out, none of them counts.
"""

from __future__ import annotations

from typing import Final

from helm_roster import constants
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup

_LABELS: Final = {
    "Deployment": constants.POD_TEMPLATE_LABEL,
    "LeaderWorkerSet": constants.LWS_REVISION_LABEL,
    "StatefulSet": constants.REVISION_LABEL,
}
# Where a kind that keeps pods of its old template says below which ordinal.
_PARTITIONS: Final = {
    "LeaderWorkerSet": ("spec", "rolloutStrategy", "rollingUpdateConfiguration", "partition"),
    "StatefulSet": ("spec", "updateStrategy", "rollingUpdate", "partition"),
}


def newest(live: Live) -> Live:
    """Return the operation without the pods that a rollout is going to replace."""
    return live.replace(groups={name: _newest(group) for name, group in live.groups.items()})


def _newest(group: LiveGroup) -> LiveGroup:
    told = label(group.workload)
    if not told or _stays(group.workload or {}):
        return group
    if not is_observed(group.workload) or (_old(group.workload) and (not group.template or _is_held(group))):
        return group.replace(pods=())
    if not group.template:
        return group
    kept = [pod for pod in group.pods if walk.get(pod, "metadata", "labels", told) == group.template]
    return group.replace(pods=kept)


def of_this_run(group: LiveGroup) -> LiveGroup:
    """Return the group without the pods of Jobs that came before its Job (``operation.run``)."""
    if walk.get(group.workload, "kind") != "Job":
        return group
    uid = walk.get(group.workload, "metadata", "uid")
    return group.replace(pods=[pod for pod in group.pods if _controller(pod) in {None, uid}])


def label(workload: Manifest | None) -> str:
    """Return the label that tells pods of one template from those of another; empty where the kind has none."""
    return _LABELS.get(str(walk.get(workload, "kind")), "")


def is_observed(workload: Manifest | None) -> bool:
    """Return whether the workload's controller has seen what its spec says now; of a Job that is not told."""
    generation = walk.get(workload, "metadata", "generation", default=0)
    observed = walk.get(workload, "status", "observedGeneration", default=0)
    return walk.get(workload, "kind") == "Job" or bool(observed >= generation)


def _controller(pod: Manifest) -> str | None:
    owners: list[Manifest] = walk.sequence(pod, "metadata", "ownerReferences")
    return next((owner.get("uid") for owner in owners if owner.get("controller")), None)


def paused(workload: Manifest | None) -> int:
    """Return how many pods of an old template are there since the rollout is paused (``kubectl rollout pause``)."""
    is_paused = walk.get(workload, "spec", "paused") is True and is_observed(workload)
    return _old(workload) if is_paused else 0


def _is_held(group: LiveGroup) -> bool:
    """Return whether a paused Deployment has no ReplicaSet of its newest template: the hash is that of an older one."""
    return bool(paused(group.workload)) and not walk.get(group.workload, "status", "updatedReplicas", default=0)


def _old(workload: Manifest | None) -> int:
    """Return how many pods of an old template are there, by the counts of the workload's controller."""
    existing, updated = (int(walk.get(workload, "status", key, default=0)) for key in ("replicas", "updatedReplicas"))
    return max(existing - updated, 0)


def _stays(workload: Manifest) -> bool:
    """Return whether pods of an old template are left as they are, as the workload asks for."""
    return walk.get(workload, "spec", "updateStrategy", "type") == "OnDelete" or partition(workload) > 0


def partition(workload: Manifest) -> int:
    """Return below which ordinal pods, or replicas that span pods, keep an old template."""
    path = _PARTITIONS.get(str(workload.get("kind")))
    found = walk.get(workload, *path, default=0) if path else 0
    return found if isinstance(found, int) else 0
