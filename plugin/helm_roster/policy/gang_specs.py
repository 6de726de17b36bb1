"""What a gang was asked to be, kept on its grouping objects: an upgrade compares with it, whatever the backend.

Grouping objects say it too, each scheduling system in its own way; this says it in the words of the values.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from helm_roster import constants
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Gang, Member
from helm_roster.model.plan import Plan
from helm_roster.policy import gangs


def of(plan: Plan, gang: Gang) -> dict[str, Any]:
    """Return the gang as plain data: its backend, members by group, and what all of them share."""
    operation = plan.operation
    spec = {
        "backend": operation.placement_backend,
        "members": {member.group: _member(member) for member in gang.members},
        "priority": gangs.priority_class(plan, gang),
        "run": operation.run,
    }
    return {key: value for key, value in spec.items() if value}


def text(spec: dict[str, Any]) -> str:
    """Return ``spec`` as it stands in the annotation: the same data gives the same text."""
    return json.dumps(spec, sort_keys=True, separators=(",", ":"))


def read(grouping: Iterable[Manifest]) -> dict[str, dict[str, Any]]:
    """Return what the grouping objects say, by gang; one that says nothing, or not in these words, is left out."""
    found: dict[str, dict[str, Any]] = {}
    for manifest in grouping:
        name = walk.get(manifest, "metadata", "labels", constants.GANG_LABEL)
        said = walk.get(manifest, "metadata", "annotations", constants.GANG_SPEC_ANNOTATION)
        if name and said and (spec := _parsed(str(said))):
            found[str(name)] = spec
    return found


def _member(member: Member) -> dict[str, Any]:
    spec = {"min": member.minimum, "elastic": member.elastic, "order": member.order}
    return {key: value for key, value in spec.items() if value}


def _parsed(said: str) -> dict[str, Any]:
    try:
        spec = json.loads(said)
    except ValueError:
        return {}
    return spec if isinstance(spec, dict) else {}
