"""Replicas that span pods, as the cluster shows them; pure. Of every other kind a pod is a replica."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from helm_roster import constants
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import pods


def size(workload: Manifest | None) -> int:
    """Return of how many pods a replica is."""
    return int(walk.get(workload, "spec", "leaderWorkerTemplate", "size", default=1))


def pods_wanted(workload: Manifest | None, otherwise: int = 1) -> int:
    """Return how many pods a workload asks for by its replicas; ``otherwise`` are those of one that says none."""
    return int(walk.get(workload, "spec", "replicas", default=otherwise)) * size(workload)


def ready(workload: Manifest | None, active: Sequence[Manifest]) -> int:
    """Return how many replicas are ready: those of which all pods are."""
    each, found = size(workload), [pod for pod in active if pods.is_ready(pod)]
    if each == 1:
        return len(found)
    counts = Counter(walk.get(pod, "metadata", "labels", constants.LWS_INDEX_LABEL) for pod in found)
    return sum(count >= each for index, count in counts.items() if index is not None)
