"""The kinds of Volcano, and what stands in them."""

from __future__ import annotations

from typing import Final

from helm_roster.backend_base import ApiKind
from helm_roster.model.plan import TemplatePath

POD_GROUP: Final = ApiKind(api_version="scheduling.volcano.sh/v1beta1", kind="PodGroup", plural="podgroups")
QUEUE: Final = ApiKind(api_version="scheduling.volcano.sh/v1beta1", kind="Queue", plural="queues")
HYPER_NODE: Final = ApiKind(api_version="topology.volcano.sh/v1alpha1", kind="HyperNode", plural="hypernodes")

DEFAULT_QUEUE: Final = "default"
OPEN: Final = "Open"
# Of a pod: its PodGroup in the same namespace; the only key that the scheduler reads.
GROUP_NAME: Final = "scheduling.k8s.io/group-name"
MEMBERSHIP: Final[TemplatePath] = ("metadata", "annotations", GROUP_NAME)
