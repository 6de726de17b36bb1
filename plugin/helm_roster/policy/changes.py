"""What an upgrade does to what runs, and what it must not do; pure, and the same for every scheduling system.

Pods that are moved into a new gang by an ordinary rolling update wait for ever: the first one that is replaced is
alone in its new group (measured on three schedulers, StatefulSets and Deployments alike).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from helm_roster import constants
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.operation import Gang
from helm_roster.model.plan import TEMPLATE_PATHS, Plan
from helm_roster.policy.differences import Difference, find

_WAY_OUT: Final = {
    "Deployment": "helm roster cancel {release}, then install it again",
    "StatefulSet": "helm roster cancel {release}, then install it again",
    "Job": "set operation.run to a new value, and it starts anew beside what ran",
}
_OTHERWISE: Final = "give it another name, or delete the old one first"
_DROPPED: Final = "replicas are dropped, so Kubernetes takes 1 until an autoscaler sets them"
_KEEP: Final = "helm.sh/resource-policy"

Action = Literal["unchanged", "changed", "scaled", "rolls", "recreated", "refused", "new", "removed", "kept"]

# What the API server does not change in place (pkg/apis/{apps,batch,core,rbac}/validation, Kubernetes 1.37); paths.
_IMMUTABLE: Final[Mapping[str, tuple[str, ...]]] = {
    "Deployment": ("spec.selector",),
    "StatefulSet": ("spec.selector", "spec.serviceName", "spec.volumeClaimTemplates", "spec.podManagementPolicy"),
    "Job": (
        *("spec.template", "spec.selector", "spec.completionMode", "spec.podFailurePolicy", "spec.successPolicy"),
        *("spec.backoffLimitPerIndex", "spec.managedBy"),
    ),
    "PersistentVolumeClaim": (
        *("spec.accessModes", "spec.storageClassName", "spec.volumeMode", "spec.selector", "spec.volumeName"),
        *("spec.dataSource", "spec.dataSourceRef"),
    ),
    "RoleBinding": ("roleRef",),
}
_TEMPLATE: Final = "spec.template"
_COUNTS: Final = frozenset({"spec.replicas", "spec.parallelism", "spec.completions"})
# Annotations that say who made an object and change nothing.
_MARKS: Final = frozenset({constants.CHART_VERSION_ANNOTATION, constants.HELM4_FILENAME_ANNOTATION})
_RANK: Final[tuple[Action, ...]] = ("unchanged", "changed", "scaled", "rolls", "recreated", "refused")


@dataclass(frozen=True, kw_only=True)
class Change:
    """What an upgrade does to one object.

    ``rolls``: its pods are replaced; ``recreated``: it goes, and another one takes its place; ``refused``: the API
    server would not take the change; ``kept``: it leaves the release, and Helm's keep rule lets it stand. ``reason``
    says why, where the differences do not.
    """

    kind: str
    name: str
    action: Action
    reason: str = ""
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, kw_only=True)
class GroupChange:
    """What an upgrade does to a group: the gravest of what it does to its objects, those that change first."""

    group: str
    action: Action
    objects: tuple[Change, ...]


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What an upgrade does, by group, and to the objects that belong to none."""

    groups: tuple[GroupChange, ...]
    objects: tuple[Change, ...]


def compare(before: Sequence[Manifest], after: Sequence[Manifest], release: str) -> Changes:
    """Return what changes between the manifests that a release holds and those that it would hold; plain data."""
    old, new = _by_group(before), _by_group(after)
    names = sorted({*old, *new} - {""})
    return Changes(
        groups=tuple(_group(name, old.get(name, []), new.get(name, []), release) for name in names),
        objects=tuple(_objects(old.get("", []), new.get("", []), release)),
    )


def _by_group(manifests: Sequence[Manifest]) -> dict[str, list[Manifest]]:
    found: dict[str, list[Manifest]] = {}
    for manifest in manifests:
        found.setdefault(str(walk.get(manifest, "metadata", "labels", constants.GROUP_LABEL, default="")), []).append(
            manifest
        )
    return found


def _group(name: str, before: list[Manifest], after: list[Manifest], release: str) -> GroupChange:
    objects = tuple(_objects(before, after, release))
    if not before or not after:
        return GroupChange(group=name, action="removed" if before else "new", objects=objects)
    old, new = _workload(before), _workload(after)
    if old and new and walk.identity(old) != walk.identity(new):
        objects = (_recreated(old, new), *(entry for entry in objects if entry.kind not in TEMPLATE_PATHS))
    gravest = max((_RANK.index(_in_place(entry.action)) for entry in objects), default=0)
    return GroupChange(group=name, action=_RANK[gravest], objects=objects)


def _in_place(action: Action) -> Action:
    """Return what an object's change is to its group: an object beside the workload that comes or goes is a change."""
    return action if action in _RANK else "changed"


def _workload(manifests: Sequence[Manifest]) -> Manifest | None:
    return next((manifest for manifest in manifests if manifest.get("kind") in TEMPLATE_PATHS), None)


def _recreated(old: Manifest, new: Manifest) -> Change:
    was, becomes = walk.identity(old), walk.identity(new)
    reason = f"{was.kind} {was.name} goes, {becomes.kind} {becomes.name} comes"
    return Change(kind=becomes.kind, name=becomes.name, action="recreated", reason=reason)


def _objects(before: Sequence[Manifest], after: Sequence[Manifest], release: str) -> list[Change]:
    old = {walk.identity(manifest): manifest for manifest in before}
    new = {walk.identity(manifest): manifest for manifest in after}
    found = [_object(old.get(identity), new.get(identity), release) for identity in {**old, **new}]
    return sorted(found, key=lambda entry: (entry.action == "unchanged", entry.kind not in TEMPLATE_PATHS))


def _object(old: Manifest | None, new: Manifest | None, release: str) -> Change:
    identity = walk.identity(new or old or {})
    differences: tuple[Difference, ...] = ()
    reason = ""
    if old is None:
        action: Action = "new"
    elif new is None:
        action = "kept" if walk.get(old, "metadata", "annotations", _KEEP) == "keep" else "removed"
    else:
        differences = tuple(find(_unmarked(old), _unmarked(new)))
        action, reason = _changed(identity.kind, new, differences, release)
    return Change(kind=identity.kind, name=identity.name, action=action, reason=reason, differences=differences)


def _unmarked(manifest: Manifest) -> Manifest:
    annotations = walk.mapping(manifest, "metadata", "annotations")
    kept = {key: value for key, value in annotations.items() if key not in _MARKS}
    return {**manifest, "metadata": {**walk.mapping(manifest, "metadata"), "annotations": kept or None}}


def _changed(kind: str, new: Manifest, differences: Sequence[Difference], release: str) -> tuple[Action, str]:
    """Return what becomes of an object that stands on both sides, and a word about it."""
    paths = [difference.path for difference in differences]
    fixed = [path for path in _IMMUTABLE.get(kind, ()) if any(_is_within(found, path) for found in paths)]
    if kind == "Job" and not _in_tandem(new, paths):
        fixed.append("spec.completions")
    if fixed:
        way_out = _WAY_OUT.get(kind, _OTHERWISE).format(release=release)
        return "refused", f"the API server does not change {', '.join(fixed)} of a {kind} in place: {way_out}"
    if any(_is_within(path, _TEMPLATE) for path in paths) and kind in TEMPLATE_PATHS:
        waits = walk.get(new, "spec", "updateStrategy", "type") == "OnDelete"
        return "rolls", "each pod when it is deleted (OnDelete)" if waits else ""
    if paths and _COUNTS.issuperset(paths):
        dropped = any(difference.after is None for difference in differences)
        return "scaled", _DROPPED if dropped else ""
    return ("changed" if paths else "unchanged"), ""


def _in_tandem(job: Manifest, paths: Sequence[str]) -> bool:
    """Return whether an Indexed Job keeps as many completions as parallel pods, without which they are fixed."""
    spec = walk.mapping(job, "spec")
    return "spec.completions" not in paths or spec.get("completions") == spec.get("parallelism")


def _is_within(path: str, above: str) -> bool:
    return path == above or path.startswith(above + ".")


def regrouped(live: Live, plan: Plan, made: Sequence[Manifest]) -> list[str]:
    """Return a refusal for each gang whose running pods would have to move into other grouping objects.

    ``made`` are the grouping objects that the backend makes for ``plan``. A group whose workload kind changes is
    not moved but replaced, and one that leaves all gangs rolls as any other.
    """
    return [refusal for gang in plan.operation.gangs if (refusal := _regrouped(live, plan, gang, made))]


def _regrouped(live: Live, plan: Plan, gang: Gang, made: Sequence[Manifest]) -> str | None:
    running = [
        name for name in (member.group for member in gang.members) if _runs_on(live.groups.get(name), plan, name)
    ]
    if not running or _names(live.grouping, gang.name) == _names(made, gang.name):
        return None
    kind = str(plan.workloads[running[0]].get("kind"))
    way_out = _WAY_OUT.get(kind, _WAY_OUT["StatefulSet"]).format(release=plan.operation.release)
    return (
        f'gang "{gang.name}": pods of {", ".join(running)} run in another grouping than these values make (members, '
        "fixed or elastic, order or priority changed), and a rolling update into a new one never ends, since each "
        f"replaced pod waits alone: {way_out}"
    )


def _runs_on(group: LiveGroup | None, plan: Plan, name: str) -> bool:
    """Return whether the group has pods now, under the same kind of workload as the plan's."""
    if group is None or not group.pods or group.workload is None:
        return False
    kind, called = (walk.get(group.workload, *path) for path in (("kind",), ("metadata", "name")))
    return bool((kind, called) == (plan.workloads[name].get("kind"), plan.operation.groups[name].workload.name))


def _names(grouping: Sequence[Manifest], gang: str) -> set[tuple[str, str]]:
    return {
        (str(manifest["kind"]), str(walk.get(manifest, "metadata", "name")))
        for manifest in grouping
        if walk.get(manifest, "metadata", "labels", constants.GANG_LABEL) == gang
    }
