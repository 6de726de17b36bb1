"""Names of grouping objects: stable, never from counts, unlike whenever the API could not change them in place.

Kubernetes keeps most of a scheduling group immutable (scheduling.k8s.io/v1beta1: everything but minCount), so a
change of it needs a new object; and a new name under running pods restarts the gang. The hash therefore covers
just what is immutable, and a change of size or image keeps every name.
"""

from __future__ import annotations

import hashlib
import json
from typing import Final

from helm_roster.model.operation import Gang, Operation

_HASH_LENGTH: Final = 6


def gang_name(operation: Operation, gang: Gang, *, priority: str = "") -> str:
    """Return the name for the grouping objects of ``gang``: ``<operation>-<gang>[-<run>]-<hash>``.

    The hash covers the operation and gang (so that ``a`` + ``b-c`` and ``a-b`` + ``c`` differ), the members in the
    order in which they are placed, which of several is elastic, and ``priority``. A single member may become elastic
    and back under one name: only its minimum changes, which the API allows. ``run`` stands in the name itself.
    """
    members = [*gang.fixed, *gang.elastic]
    immutable = {
        "operation": operation.name,
        "gang": gang.name,
        "run": operation.run,
        "members": [[member.group, member.elastic and len(members) > 1] for member in members],
        "priority": priority,
    }
    digest = hashlib.sha256(json.dumps(immutable, sort_keys=True).encode()).hexdigest()[:_HASH_LENGTH]
    return "-".join(part for part in (operation.name, gang.name, operation.run, digest) if part)
