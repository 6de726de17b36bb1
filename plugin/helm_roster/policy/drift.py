"""What somebody changed of an object behind Helm's back; pure.

Helm applies every object of a release again, also those whose manifest is the same: Helm 3 silently sets back what
was changed by hand, Helm 4 fails on the conflict, or sets it back too when it is forced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import amounts
from helm_roster.policy.differences import Difference, find

REPLICAS: Final = "spec.replicas"
_APART: Final = frozenset({"metadata", "status"})


def differences(live: Manifest, applied: Manifest) -> tuple[Difference, ...]:
    """Return what Helm would change of ``live``, which is ``applied`` then; what stands in metadata is left out.

    Quantities that are one to the API are the same: the webhook of LeaderWorkerSets writes them as texts.
    """
    same = amounts.rule(walk.identity(live).kind)
    return tuple(find(_content(live), _content(applied), same=same))


def manager(live: Manifest, path: str, *, but: str) -> str:
    """Return who set the field at ``path`` last, besides the manager ``but``; empty where nobody is known.

    Read from ``managedFields``, as deep as the path leads through maps.
    """
    entries = [entry for entry in walk.sequence(live, "metadata", "managedFields") if entry.get("manager") != but]
    owners = [entry for entry in entries if _owns(walk.mapping(entry, "fieldsV1"), path.split("."))]
    newest: Manifest = max(owners, key=lambda entry: str(entry.get("time") or ""), default={})
    return str(newest.get("manager") or "")


def is_written_by_others(live: Manifest, manager: str) -> bool:
    """Return whether somebody else than ``manager`` wrote to an object, besides its status."""
    entries = walk.sequence(live, "metadata", "managedFields")
    return any(entry.get("manager") != manager and entry.get("subresource") != "status" for entry in entries)


def _content(manifest: Manifest) -> Manifest:
    return {key: value for key, value in manifest.items() if key not in _APART}


def _owns(fields: Mapping[str, Any], steps: Sequence[str]) -> bool:
    """Return whether a manager's ``fieldsV1`` lead to the field, or at least to the list that it stands in."""
    for depth, step in enumerate(steps):
        below = fields.get(f"f:{step}")
        if below is None:
            return depth > 0 and any(key.startswith("k:") for key in fields)
        fields = below
    return True
