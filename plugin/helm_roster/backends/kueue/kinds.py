"""Kueue's kinds and marks, and the names that more than one part of the backend needs."""

from __future__ import annotations

from typing import Final

from helm_roster.backend_base import ApiKind
from helm_roster.model.plan import TemplatePath

_VERSION: Final = "kueue.x-k8s.io/v1beta2"
LOCAL_QUEUE: Final = ApiKind(api_version=_VERSION, kind="LocalQueue", plural="localqueues")
CLUSTER_QUEUE: Final = ApiKind(api_version=_VERSION, kind="ClusterQueue", plural="clusterqueues")
RESOURCE_FLAVOR: Final = ApiKind(api_version=_VERSION, kind="ResourceFlavor", plural="resourceflavors")
TOPOLOGY: Final = ApiKind(api_version=_VERSION, kind="Topology", plural="topologies")
COHORT: Final = ApiKind(api_version=_VERSION, kind="Cohort", plural="cohorts")
WORKLOAD: Final = ApiKind(api_version=_VERSION, kind="Workload", plural="workloads")
PRIORITY_CLASS: Final = ApiKind(api_version=_VERSION, kind="WorkloadPriorityClass", plural="workloadpriorityclasses")

# Whose other versions of the kinds are.
VERSIONS: Final = {f"kueue.x-k8s.io/{version}": "Kueue before 0.17" for version in ("v1alpha1", "v1beta1")}

# What every label and annotation of Kueue begins with.
PREFIX: Final = "kueue.x-k8s.io/"
QUEUE: Final = f"{PREFIX}queue-name"
PRIORITY: Final = f"{PREFIX}priority-class"
MAX_RUN_TIME: Final = f"{PREFIX}max-exec-time-seconds"
# Without it Kueue leaves a pod alone that names who suspends it.
MANAGED: Final = f"{PREFIX}managed"
GROUP: Final = f"{PREFIX}pod-group-name"
TOTAL: Final = f"{PREFIX}pod-group-total-count"
ROLE: Final = f"{PREFIX}role-hash"
# The one pod set of what is a Workload by itself, a Job or a pod.
POD_SET: Final = "main"
# A group that never ends by itself.
SERVING: Final = f"{PREFIX}pod-group-serving"
# Whoever it names, pods that have it get no finalizer, and so go at once.
PARENT: Final = f"{PREFIX}pod-suspending-parent"
REQUIRED_TOPOLOGY: Final = f"{PREFIX}podset-required-topology"

# Where a pod names the group, which is also the name of its Workload.
MEMBERSHIP: Final[TemplatePath] = ("metadata", "labels", GROUP)
