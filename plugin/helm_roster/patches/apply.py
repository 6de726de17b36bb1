"""Applies one patch to one manifest and refuses what it must not do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from helm_roster import errors
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Patch
from helm_roster.model.plan import LEADER, TEMPLATE_PATHS, TemplatePath
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
    whole = manifest
    for part, root in roots(patch, manifest).items():
        try:
            whole = _at(patch, whole, root)
        except errors.BadInputError as cause:
            if len(roots(patch, manifest)) == 1:
                raise
            whose = f"of the {part}s" if part else "of the workers"
            msg = f"in the pod template {whose}: {cause} (target leader changes that of the leaders alone)"
            raise errors.BadInputError(msg) from cause
    if whole is not manifest:
        protected.check(manifest, whole, owned, patch.body)
        fields.check(manifest, whole)
    return whole


def roots(patch: Patch, manifest: Manifest) -> Mapping[str, TemplatePath]:
    """Return where the paths of a patch begin, by whose pod template it is; one place, the top, for other targets.

    Raises:
        BadInputError: The workload has no leaders.
    """
    if patch.kind not in {"pod", LEADER}:
        return {"": ()}
    paths = TEMPLATE_PATHS[str(manifest["kind"])]
    if patch.kind == LEADER and LEADER not in paths:
        msg = f"target leader is the first pod of replicas that span pods, and a {manifest['kind']} has none: use pod"
        raise errors.BadInputError(msg)
    return {LEADER: paths[LEADER]} if patch.kind == LEADER else paths


def _at(patch: Patch, manifest: Manifest, root: TemplatePath) -> Manifest:
    found = pointers.at(manifest, root)
    changed = merge.apply(found, patch.body) if patch.form == "merge" else json_ops.apply(found, patch.body)
    if not isinstance(changed, dict):
        msg = f"it makes the target {pointers.shown(changed)}, which is no mapping"
        raise errors.BadInputError(msg)
    if root and walk.get(changed, "spec", "template") is not None:
        begin = f"the paths of target {patch.kind} begin at the pod template"
        msg = f"{begin}: leave out spec.template, or set target: workload"
        raise errors.BadInputError(msg)
    if pointers.same(found, changed):  # it holds tests alone
        return manifest
    return _with(manifest, root, changed)


def _with(data: Manifest, path: Sequence[str], value: dict[str, Any]) -> Manifest:
    """Return ``data`` with ``value`` at ``path``, sharing all the rest."""
    if not path:
        return value
    first, *rest = path
    return {**data, first: _with(data[first], rest, value)}
