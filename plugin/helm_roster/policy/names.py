"""Names of grouping objects: stable, and unlike whenever the API could not change them in place.

Kubernetes keeps most of a scheduling group immutable (scheduling.k8s.io/v1beta1: everything but minCount), so a
change of it needs a new object; and a new name under running pods restarts the gang. The hash therefore covers
just what is immutable: an image changes no name, and a count only that of what is counted once and for all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from helm_roster.model.operation import Gang, Operation

_HASH_LENGTH: Final = 6
# Of a label's value.
_LONGEST: Final = 63


def gang_name(operation: Operation, gang: Gang, *, fixed: Mapping[str, object] | None = None) -> str:
    """Return the name for the grouping objects of ``gang``: ``<operation>-<gang>[-<run>]-<hash>``.

    The hash covers the operation and gang (so that ``a`` + ``b-c`` and ``a-b`` + ``c`` differ) and ``fixed``: what the
    backend's objects cannot change in place. ``run`` stands in the name itself.
    """
    identity = {"operation": operation.name, "gang": gang.name, "run": operation.run, **(fixed or {})}
    digest = _digest(identity)
    return "-".join(part for part in (operation.name, gang.name, operation.run, digest) if part)


def group_name(operation: Operation, group: str, *, fixed: Mapping[str, object] | None = None) -> str:
    """Return the name for the grouping object of a group outside gangs: ``<operation>-<group>[-<run>]-<hash>``.

    Only Jobs are made anew for a run: any other workload would replace its running pods for the name alone.
    """
    run = operation.run if operation.groups[group].workload.kind == "Job" else ""
    digest = _digest({"operation": operation.name, "group": group, "run": run, **(fixed or {})})
    return "-".join(part for part in (operation.name, group, run, digest) if part)


def label(name: str) -> str:
    """Return a name of these as a label may hold it: of a long one its beginning and its hash."""
    head = name[: _LONGEST - _HASH_LENGTH - 1].rstrip("-.")
    return name if len(name) <= _LONGEST else f"{head}-{name[-_HASH_LENGTH:]}"


def _digest(identity: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:_HASH_LENGTH]
