"""The kinds of Kubernetes' own gangs, where pods name theirs, and what serves them."""

from __future__ import annotations

from typing import Final

from helm_roster.backend_base import ApiKind
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.plan import TemplatePath

_BETA, _ALPHA = "scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha3"
POD_GROUP: Final = ApiKind(api_version=_BETA, kind="PodGroup", plural="podgroups")
WORKLOAD: Final = ApiKind(api_version=_BETA, kind="Workload", plural="workloads")
COMPOSITE: Final = ApiKind(api_version=_ALPHA, kind="CompositePodGroup", plural="compositepodgroups")

MEMBERSHIP: Final[TemplatePath] = ("spec", "schedulingGroup", "podGroupName")

TOPOLOGY: Final = "TopologyAwareWorkloadScheduling"
GATES: Final = {
    POD_GROUP: ("GenericWorkload",),
    WORKLOAD: ("GenericWorkload",),
    COMPOSITE: ("GenericWorkload", TOPOLOGY, "CompositePodGroup"),
}


# Whose other versions of the kinds are.
VERSIONS: Final = {
    "scheduling.k8s.io/v1alpha1": "Kubernetes 1.35",
    "scheduling.k8s.io/v1alpha2": "Kubernetes 1.36",
}


def remedy(kind: ApiKind, gates: tuple[str, ...]) -> str:
    """Return what to do where the cluster does not serve the kind."""
    return (
        f"needs Kubernetes 1.37 with the feature gates {', '.join(gates)} on kube-apiserver, kube-scheduler and "
        f"kube-controller-manager, and kube-apiserver --runtime-config={kind.api_version}=true"
    )


def is_constrained(manifest: Manifest) -> bool:
    """Return whether an object asks for a required locality."""
    return bool(walk.get(manifest, "spec", "schedulingConstraints", "topology"))
