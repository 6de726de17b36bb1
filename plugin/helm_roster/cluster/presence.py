"""Whether objects that an operation names are in the cluster."""

from __future__ import annotations

from typing import Final

from helm_roster.cluster.client import ApiError, Client
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.policy.references import Reference

_PLACES: Final = {
    "Secret": "/api/v1/namespaces/{namespace}/secrets",
    "ConfigMap": "/api/v1/namespaces/{namespace}/configmaps",
    "PersistentVolumeClaim": "/api/v1/namespaces/{namespace}/persistentvolumeclaims",
    "ServiceAccount": "/api/v1/namespaces/{namespace}/serviceaccounts",
    "StorageClass": "/apis/storage.k8s.io/v1/storageclasses",
    "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses",
    "RuntimeClass": "/apis/node.k8s.io/v1/runtimeclasses",
    "DeviceClass": "/apis/resource.k8s.io/v1/deviceclasses",
    "ResourceClaim": "/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims",
    "ResourceClaimTemplate": "/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaimtemplates",
}
# Kubernetes takes the old one for the same (component-helpers storage/volume, IsDefaultAnnotation).
_IS_DEFAULT: Final = tuple(f"storageclass.{prefix}kubernetes.io/is-default-class" for prefix in ("", "beta."))


def find(client: Client, reference: Reference) -> bool | None:
    """Return whether it is there; None where this user may not know."""
    place = _PLACES[reference.kind].format(namespace=reference.namespace)
    what = f"look for {reference.kind} {reference.name}"
    try:
        if reference.name:
            return client.read(f"{place}/{reference.name}", what=what) is not None
        known = walk.sequence(client.read(place, what=what), "items")
    except ApiError as error:
        if error.is_refused:
            return None
        raise
    return any(_is_default(storage_class) for storage_class in known)


def _is_default(storage_class: Manifest) -> bool:
    return any(walk.get(storage_class, "metadata", "annotations", key) == "true" for key in _IS_DEFAULT)
