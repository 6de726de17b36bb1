"""What a smoke test of `doctor` makes."""

from __future__ import annotations

from tests.cluster.namespaces import Namespace


def namespaces(namespace: Namespace) -> list[str]:
    """Return the namespaces that smoke tests made on the same cluster and did not delete yet."""
    found = namespace.api.items("/api/v1/namespaces", labelSelector="helm-roster.dev/smoke-test")
    return [str(item["metadata"]["name"]) for item in found]
