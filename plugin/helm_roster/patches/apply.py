"""Applies one patch to one manifest and refuses what it must not do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from helm_roster import errors
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Patch
from helm_roster.model.plan import TEMPLATE_PATHS, TemplatePath
from helm_roster.patches import fields, json_ops, merge, pointers, protected


def apply(patch: Patch, manifest: Manifest, owned: Sequence[TemplatePath]) -> Manifest:
    """Return ``manifest`` (plain data) with ``patch`` applied; ``manifest`` itself stays.

    ``owned`` are the paths in a pod template that scheduling backends set.

    Raises:
        BadInputError: The patch is wrong, fits nothing, changes nothing, or changes what is protected.
    """
    try:
        return _applied(patch, manifest, owned)
    except errors.BadInputError as cause:
        msg = f"{patch}: {cause}"
        raise errors.BadInputError(msg) from cause


def _applied(patch: Patch, manifest: Manifest, owned: Sequence[TemplatePath]) -> Manifest:
    root = TEMPLATE_PATHS[str(manifest["kind"])] if patch.kind == "pod" else ()
    found = pointers.at(manifest, root)
    changed = merge.apply(found, patch.body) if patch.form == "merge" else json_ops.apply(found, patch.body)
    if not isinstance(changed, dict):
        msg = f"it makes the target {pointers.shown(changed)}, which is no mapping"
        raise errors.BadInputError(msg)
    if patch.kind == "pod" and walk.get(changed, "spec", "template") is not None:
        msg = "the paths of target pod begin at the pod template: leave out spec.template, or set target: workload"
        raise errors.BadInputError(msg)
    if pointers.same(found, changed):  # it holds tests alone
        return manifest
    whole = _with(manifest, root, changed)
    protected.check(manifest, whole, owned, patch.body)
    fields.check(manifest, whole)
    return whole


def _with(data: Manifest, path: Sequence[str], value: dict[str, Any]) -> Manifest:
    """Return ``data`` with ``value`` at ``path``, sharing all the rest."""
    if not path:
        return value
    first, *rest = path
    return {**data, first: _with(data[first], rest, value)}
