"""What brings kinds that a cluster serves only where somebody installed it, and how groups do without; pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from helm_roster.model.wording import few

# By API group: what to install, and the value of a group that asks for none of it.
_BY_API_GROUP: Final[Mapping[str, tuple[str, str]]] = {
    "leaderworkerset.x-k8s.io": (
        "install LeaderWorkerSet 0.9 or newer (https://lws.sigs.k8s.io)",
        "podsPerReplica: 1, without workload: LeaderWorkerSet,",
    ),
    "resource.k8s.io": (
        "run Kubernetes 1.34 or newer, which serves what pods claim",
        "accelerator.resource in place of accelerator.claim, and no claims,",
    ),
    "resource.nvidia.com": (
        "install NVIDIA's DRA driver (https://github.com/NVIDIA/k8s-dra-driver-gpu)",
        "no claims with computeDomain",
    ),
    "keda.sh": ("install KEDA 2 (https://keda.sh)", "autoscaling.owner: hpa"),
}


def remedy(api_version: str, groups: Sequence[str] = ()) -> str:
    """Return what to do for objects of an API version that is not served, which ``groups`` ask for; empty if unknown.

    It follows on "which the cluster does not serve".
    """
    found = _BY_API_GROUP.get(api_version.partition("/")[0])
    if found is None:
        return ""
    install, without = found
    quoted = [f'"{name}"' for name in groups]
    named = f" of group {few(quoted)}" if groups else ""
    return f"{install}, or set {without}{named}"
