"""What an operation asks of a cluster because its pods claim devices (Dynamic Resource Allocation); pure.

An API server that does not serve the kinds drops what pods say of claims without a word, so it is asked for them also
where the values make none of these objects.
"""

from __future__ import annotations

from typing import Final

from helm_roster.model.operation import Group, Operation

API_VERSION: Final = "resource.k8s.io/v1"
KIND: Final = "ResourceClaim"


def kinds(operation: Operation) -> list[tuple[str, str]]:
    """Return the kinds that the API server must serve for the claims of pods."""
    return [(API_VERSION, KIND)] if any(map(claims, operation.groups.values())) else []


def claims(group: Group) -> bool:
    """Return whether pods of a group claim anything."""
    leader = group.leader
    return bool(
        group.claims
        or (group.accelerators and group.accelerator and group.accelerator.device_class)
        or (leader and leader.accelerators and leader.accelerator and leader.accelerator.device_class)
    )
