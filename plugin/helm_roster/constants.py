"""Names that several parts agree on: our API group, labels and annotations.

The chart writes the same names; ``tests/chart`` holds the two equal.
"""

from __future__ import annotations

from typing import Final, Literal

CHART: Final = "replica-operation"

API_GROUP: Final = "helm-roster.dev"
API_VERSION: Final = f"{API_GROUP}/v1alpha1"
CARRIER_KIND: Final = "PostRendererRequired"
RESOLVED_KIND: Final = "ResolvedOperation"
RESOLVED_CAPABILITY: Final = f"{API_VERSION}/{RESOLVED_KIND}"
CARRIER_SCHEMA: Final = 1

INSTANCE_LABEL: Final = "app.kubernetes.io/instance"
MANAGED_BY_LABEL: Final = "app.kubernetes.io/managed-by"
OPERATION_LABEL: Final = f"{API_GROUP}/operation"
GROUP_LABEL: Final = f"{API_GROUP}/group"
LEADER_LABEL: Final = f"{API_GROUP}/leader"
# On the Jobs that fill a connection, its name; and what ends the name of the init container that waits for it.
FILLS_LABEL: Final = f"{API_GROUP}/fills"
FILLED_ENDING: Final = "-filled"
GANG_LABEL: Final = f"{API_GROUP}/gang"
# On pods that serve, of groups that are rolled out together: of which version of all of them they are.
TOGETHER_LABEL: Final = f"{API_GROUP}/revision"

KIND_ANNOTATION: Final = f"{API_GROUP}/kind"
LIFECYCLE_ANNOTATION: Final = f"{API_GROUP}/lifecycle"
AUTOSCALER_ANNOTATION: Final = f"{API_GROUP}/autoscaler"
GANG_ANNOTATION: Final = f"{API_GROUP}/gang"
GANG_SPEC_ANNOTATION: Final = f"{API_GROUP}/gang-spec"
MODEL_ANNOTATION: Final = f"{API_GROUP}/model"
ACCELERATORS_ANNOTATION: Final = f"{API_GROUP}/accelerators"
REQUIRES_ANNOTATION: Final = f"{API_GROUP}/requires"
ROUTER_ANNOTATION: Final = f"{API_GROUP}/router"
PLACEMENT_ANNOTATION: Final = f"{API_GROUP}/placement"
ADMISSION_ANNOTATION: Final = f"{API_GROUP}/admission"
ADMISSION_SPEC_ANNOTATION: Final = f"{API_GROUP}/admission-spec"
# On workloads whose pods are kept out until they are resumed: "true", or to how many replicas they go back.
SUSPENDED_ANNOTATION: Final = f"{API_GROUP}/suspended"
CHART_VERSION_ANNOTATION: Final = f"{API_GROUP}/chart-version"

# Helm 4 files each document of the stream under this annotation and wants it back (helm pkg/action, 4.0).
HELM4_FILENAME_ANNOTATION: Final = "postrenderer.helm.sh/postrender-filename"
# How the controllers of Deployments and StatefulSets label the pods of one template.
POD_TEMPLATE_LABEL: Final = "pod-template-hash"
REVISION_LABEL: Final = "controller-revision-hash"
# How the controller of LeaderWorkerSets labels what it makes of one, pods of one template, and pods of one replica.
LWS_NAME_LABEL: Final = "leaderworkerset.sigs.k8s.io/name"
LWS_REVISION_LABEL: Final = "leaderworkerset.sigs.k8s.io/template-revision-hash"
LWS_INDEX_LABEL: Final = "leaderworkerset.sigs.k8s.io/group-index"
HOOK_ANNOTATION: Final = "helm.sh/hook"
KEEP_ANNOTATION: Final = "helm.sh/resource-policy"

# What one may wait for, and how many restarts of a container a wait bears unless it is told.
Goal = Literal["ready", "placed", "complete", "deleted"]
RESTARTS: Final = 5

# The option that restarts gangs, named by what refuses or is stuck without it.
RECREATE: Final = "--recreate"
# The option by which scale replaces pods of those who read the count, named by what refuses without it.
WITH_DEPENDENTS: Final = "--with-dependents"
# The option that applies what the cluster was not asked about, named by what refuses since it was.
SKIP_CHECKS: Final = "--skip-checks"
