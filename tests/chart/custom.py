"""What the chart writes for kinds of other projects, to their own definitions.

They are of LeaderWorkerSet 0.9, KEDA 2.21 and NVIDIA's DRA driver.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

Manifest = dict[str, Any]


def closed(required: list[str], **fields: Any) -> Manifest:
    """Return the schema of a map of these fields and no others."""
    return {"type": "object", "additionalProperties": False, "required": required, "properties": fields}


def _object(version: str, kind: str, **spec: Any) -> Manifest:
    return closed(
        ["apiVersion", "kind", "metadata", "spec"],
        apiVersion={"const": version},
        kind={"const": kind},
        metadata={"type": "object"},
        spec=closed(**spec),
    )


COUNT = {"type": "integer", "minimum": 0, "maximum": 2147483647}
PODS = {"anyOf": [COUNT, {"type": "string", "pattern": "^[0-9]+%$"}]}
TEMPLATE = closed(["metadata", "spec"], metadata={"type": "object"}, spec={"type": "object"})
TRIGGER = closed(
    ["type", "metadata"],
    type={"type": "string", "minLength": 1},
    name={"type": "string"},
    metadata={"type": "object", "additionalProperties": {"type": "string"}},
    authenticationRef=closed(["name"], name={"type": "string"}, kind={"type": "string"}),
    metricType={"enum": ["Value", "AverageValue", "Utilization"]},
    useCachedMetrics={"type": "boolean"},
)
DEFINITIONS = {
    "LeaderWorkerSet": _object(
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        required=["leaderWorkerTemplate"],
        replicas=COUNT,
        leaderWorkerTemplate=closed(
            ["size", "restartPolicy", "leaderTemplate", "workerTemplate"],
            size={**COUNT, "minimum": 1},
            restartPolicy={"enum": ["RecreateGroupOnPodRestart", "None"]},
            leaderTemplate=TEMPLATE,
            workerTemplate=TEMPLATE,
        ),
        rolloutStrategy=closed(
            ["type", "rollingUpdateConfiguration"],
            type={"const": "RollingUpdate"},
            rollingUpdateConfiguration=closed([], partition=COUNT, maxUnavailable=PODS, maxSurge=PODS),
        ),
    ),
    "ScaledObject": _object(
        "keda.sh/v1alpha1",
        "ScaledObject",
        required=["scaleTargetRef", "triggers"],
        scaleTargetRef=closed(
            ["name"], apiVersion={"type": "string"}, kind={"type": "string"}, name={"type": "string"}
        ),
        minReplicaCount=COUNT,
        maxReplicaCount={**COUNT, "minimum": 1},
        idleReplicaCount=COUNT,
        cooldownPeriod=COUNT,
        pollingInterval={**COUNT, "minimum": 1},
        advanced=closed([], horizontalPodAutoscalerConfig=closed([], behavior={"type": "object"})),
        triggers={"type": "array", "minItems": 1, "items": TRIGGER},
    ),
    "ComputeDomain": _object(
        "resource.nvidia.com/v1beta1",
        "ComputeDomain",
        required=["channel", "numNodes"],
        numNodes=COUNT,
        channel=closed(
            ["resourceClaimTemplate"],
            resourceClaimTemplate=closed(["name"], name={"type": "string", "minLength": 1}),
            allocationMode={"enum": ["Single", "All"]},
        ),
    ),
}


def parts(entry: Manifest) -> Iterator[Manifest]:
    """Yield what Kubernetes itself defines of an object: all of it, or, of another project's, its pod templates."""
    if entry["kind"] not in DEFINITIONS:
        yield entry
        return
    Draft202012Validator(DEFINITIONS[entry["kind"]]).validate(entry)
    for role in ("leaderTemplate", "workerTemplate"):
        if template := entry["spec"].get("leaderWorkerTemplate", {}).get(role):
            yield {"apiVersion": "v1", "kind": "PodTemplate", "metadata": {"name": role}, "template": template}
