"""Holds rendered objects against the strict schema of Kubernetes, all of one kind at once, since its reading costs."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import kubernetes_validate

BUILT_IN = {
    *(
        "ConfigMap",
        "Deployment",
        "HorizontalPodAutoscaler",
        "Job",
        "NetworkPolicy",
        "PersistentVolumeClaim",
        "PodDisruptionBudget",
        "Role",
        "RoleBinding",
    ),
    *("Service", "ServiceAccount", "StatefulSet"),
}


def check(objects: list[dict[str, Any]]) -> None:
    """Fail on an object of a built-in kind that the API server would not take; there must be one at least."""
    known = sorted((entry for entry in objects if entry["kind"] in BUILT_IN), key=lambda entry: str(entry["kind"]))
    assert known
    for (version, kind), entries in groupby(known, key=lambda entry: (entry["apiVersion"], entry["kind"])):
        batch = {"apiVersion": version, "kind": f"{kind}List", "items": list(entries)}
        kubernetes_validate.validate(batch, "1.37", strict=True)
