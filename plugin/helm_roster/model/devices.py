"""What pods hold of devices: accelerators that a preset selected, and what they claim (Dynamic Resource Allocation)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from helm_roster.frozen import Frozen


class Accelerator(Frozen):
    """What a preset selected: a resource, or a class of devices that pods claim, and the model, for people.

    ``per_node`` is how many one node offers, 0 where nobody says.
    """

    model: str
    resource: str = ""
    device_class: str = ""
    per_node: int = 0


class Leader(Frozen):
    """What the first pod of each replica has instead, where it differs from the others'."""

    accelerators: int = 0
    accelerator: Accelerator | None = None
    fills_node: bool = False


class Claim(Frozen):
    """What pods that name a template, or one claim that is ``shared`` by all of them, get: devices by their class.

    ``accelerators`` of them are those that the group counts; others may be of the same class.
    """

    devices: Mapping[str, int]
    accelerators: int = 0
    shared: bool = False


def read_accelerator(entry: dict[str, Any]) -> Accelerator:
    """Read what the chart says that a preset selected."""
    resource, device_class = str(entry.get("resource") or ""), str(entry.get("deviceClass") or "")
    model = str(entry.get("model") or resource or device_class)
    return Accelerator(
        resource=resource,
        device_class=device_class,
        model=model,
        per_node=int(entry.get("perNode") or 0),
    )


def read_leader(entry: dict[str, Any]) -> Leader:
    """Read what the chart says of leaders."""
    accelerator = entry.get("accelerator")
    return Leader(
        accelerators=int(entry.get("accelerators") or 0),
        accelerator=read_accelerator(accelerator) if accelerator else None,
        fills_node=entry.get("fillsNode") is True,
    )


def read_claim(entry: dict[str, Any]) -> Claim:
    """Read what the chart says of the claims of one object."""
    devices = {str(name): int(number) for name, number in (entry.get("devices") or {}).items()}
    return Claim(devices=devices, accelerators=int(entry.get("accelerators") or 0), shared=entry.get("shared") is True)
