"""KAI's kinds, and the names that more than one part of the backend needs."""

from __future__ import annotations

from typing import Final

from helm_roster.backend_base import ApiKind
from helm_roster.model.plan import TemplatePath

POD_GROUP: Final = ApiKind(api_version="scheduling.run.ai/v2alpha2", kind="PodGroup", plural="podgroups")
QUEUE: Final = ApiKind(api_version="scheduling.run.ai/v2", kind="Queue", plural="queues")
TOPOLOGY: Final = ApiKind(api_version="kai.scheduler/v1alpha1", kind="Topology", plural="topologies")

# KAI's class for what may be preempted; its own are train 50, build 100, inference 125, and from 100 on a gang needs
# quota of its queue, which the default queue has none of.
DEFAULT_CLASS: Final = "train"
# Where a pod names its PodGroup.
GROUP_ANNOTATION: Final = "pod-group-name"
MEMBERSHIP: Final[TemplatePath] = ("metadata", "annotations", GROUP_ANNOTATION)
