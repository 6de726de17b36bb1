"""What a cluster has to offer to pods: its nodes, and what drivers publish of devices for claims."""

from __future__ import annotations

from typing import Final

from helm_roster.cluster import client as clients
from helm_roster.cluster.client import Client, Resource
from helm_roster.manifests.walk import Manifest

_DRA: Final = "resource.k8s.io/v1"
_CLASSES: Final = Resource(api_version=_DRA, kind="DeviceClass", plural="deviceclasses")
_SLICES: Final = Resource(api_version=_DRA, kind="ResourceSlice", plural="resourceslices")


def nodes(client: Client) -> list[Manifest]:
    """Return all nodes.

    Raises:
        ApiError: You may not list them.
    """
    return client.select(clients.NODES, "")


def device_classes(client: Client) -> list[Manifest] | None:
    """Return the device classes; None where you may not list them."""
    return client.select_if_allowed(_CLASSES, "")


def resource_slices(client: Client) -> list[Manifest] | None:
    """Return what drivers publish of devices; None where you may not list it."""
    return client.select_if_allowed(_SLICES, "")
