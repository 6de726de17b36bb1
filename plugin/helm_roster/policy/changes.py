"""What an upgrade does to what runs; pure, and the same for every scheduling system.

What the API server refuses to change in place is known for the kinds in this module's table; of kinds that are neither
there nor rendered by the chart it is said that nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from helm_roster import constants, errors
from helm_roster.manifests import quantities, walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Operation
from helm_roster.model.plan import TEMPLATE_PATHS
from helm_roster.policy import amounts, rollouts
from helm_roster.policy.differences import Difference, find

_WAY_OUT: Final = {
    "Deployment": "helm roster cancel {release}, then install it again",
    "LeaderWorkerSet": "helm roster cancel {release}, then install it again",
    "StatefulSet": "helm roster cancel {release}, then install it again",
    "Job": "set {run} to a new value, which ends the Jobs of this run and starts new ones",
}
_OTHERWISE: Final = "give it another name, or delete the old one first"
_DROPPED: Final = "replicas are dropped, so Kubernetes takes 1 until an autoscaler sets them"
_RAISED: Final = "replicas become {count} at once, which an autoscaler has set so far"
_UNKNOWN: Final = "if the API server takes it: of a {kind} this tool does not know what is fixed"

Action = Literal["unchanged", "changed", "scaled", "rolls", "recreated", "refused", "new", "removed", "kept"]

# What the API server does not change in place (pkg/apis/{apps,batch,core,rbac}/validation, Kubernetes 1.37); paths.
IMMUTABLE: Final[Mapping[str, tuple[str, ...]]] = {
    "Deployment": ("spec.selector",),
    "StatefulSet": ("spec.selector", "spec.serviceName", "spec.volumeClaimTemplates", "spec.podManagementPolicy"),
    # By its webhook, and by the StatefulSets that it makes (0.9.0).
    "LeaderWorkerSet": ("spec.leaderWorkerTemplate.subGroupPolicy", "spec.leaderWorkerTemplate.volumeClaimTemplates"),
    "Job": (
        *("spec.template", "spec.selector", "spec.completionMode", "spec.podFailurePolicy", "spec.successPolicy"),
        *("spec.backoffLimitPerIndex", "spec.managedBy"),
    ),
    "PersistentVolumeClaim": (
        *("spec.accessModes", "spec.storageClassName", "spec.volumeMode", "spec.selector", "spec.volumeName"),
        *("spec.dataSource", "spec.dataSourceRef"),
    ),
    "RoleBinding": ("roleRef",),
    "ClusterRoleBinding": ("roleRef",),
    "Secret": ("type",),
}
_DATA: Final = ("data", "stringData", "binaryData", "immutable")
_STORAGE: Final = "spec.resources.requests.storage"
# Kinds that the chart makes, of which the table above says all; so are grouping objects.
_KNOWN: Final = frozenset(
    {
        *(*IMMUTABLE, "Service", "ConfigMap", "HorizontalPodAutoscaler", "PodDisruptionBudget", "ServiceAccount"),
        *("Role", "ClusterRole"),
    }
)
# The labels of what backends make for a gang, or for a group outside gangs.
_GROUPING: Final = frozenset({constants.GANG_LABEL, constants.GROUP_LABEL})
_TEMPLATES: Final = {kind: ".".join(next(iter(paths.values()))[:2]) for kind, paths in TEMPLATE_PATHS.items()}
_REPLICAS: Final = "spec.replicas"
COUNTS: Final = frozenset({_REPLICAS, "spec.parallelism", "spec.completions"})
# Annotations that say who made an object, or what its spec says too, and change nothing.
_MARKS: Final = frozenset(
    {constants.CHART_VERSION_ANNOTATION, constants.HELM4_FILENAME_ANNOTATION, constants.GANG_SPEC_ANNOTATION}
)
_RANK: Final[tuple[Action, ...]] = ("unchanged", "changed", "scaled", "rolls", "recreated", "refused")


class _Object(NamedTuple):
    """What Helm knows an object by: another version of the same API group is the same object."""

    group: str
    kind: str
    namespace: str
    name: str


@dataclass(frozen=True, kw_only=True)
class Change:
    """What an upgrade does to one object.

    ``rolls``: its pods are replaced, all or those that ``reason`` says; ``recreated``: it goes, and another one takes
    its place; ``refused``: the API server would not take the change; ``kept``: it leaves the release, and Helm's keep
    rule lets it stand. ``reason`` says why, where the differences do not.
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

    def by_group(self) -> Iterator[tuple[str, Change]]:
        """Yield each change with its group, which is empty for an object of none."""
        for group in self.groups:
            yield from ((group.group, change) for change in group.objects)
        yield from (("", change) for change in self.objects)


class Ways(NamedTuple):
    """How to have done what cannot be done in place: of a release, with ``operation.run`` at ``run`` in its values."""

    release: str
    run: str = "operation.run"

    def out(self, kind: str, otherwise: str = "") -> str:
        """Return what to do about a workload of that kind; ``otherwise`` for every other kind."""
        return _WAY_OUT.get(kind, otherwise or _WAY_OUT["StatefulSet"]).format(release=self.release, run=self.run)


def ways(operation: Operation) -> Ways:
    """Return the ways out for an operation."""
    return Ways(operation.release, operation.at("operation.run"))


def compare(before: Sequence[Manifest], after: Sequence[Manifest], known: Ways) -> Changes:
    """Return what changes between the manifests that a release holds and those that it would hold; plain data."""
    old, new = _by_group(before), _by_group(after)
    names = sorted({*old, *new} - {""})
    return Changes(
        groups=tuple(_group(name, old.get(name, []), new.get(name, []), known) for name in names),
        objects=tuple(_objects(old.get("", []), new.get("", []), known)),
    )


def refused(found: Changes) -> list[tuple[str, Change]]:
    """Return what the API server would not take, each with its group, which is empty for an object of none."""
    return [(group, change) for group, change in found.by_group() if change.action == "refused"]


def raised(group: GroupChange) -> Iterator[int]:
    """Yield the replicas that a group's workload gets at once from the values, where an autoscaler set them so far."""
    for change in group.objects:
        for difference in change.differences if change.kind in TEMPLATE_PATHS else ():
            if (difference.path, difference.before) == (_REPLICAS, None) and isinstance(difference.after, int):
                yield difference.after


def _by_group(manifests: Sequence[Manifest]) -> dict[str, list[Manifest]]:
    found: dict[str, list[Manifest]] = {}
    for manifest in manifests:
        found.setdefault(str(walk.get(manifest, "metadata", "labels", constants.GROUP_LABEL, default="")), []).append(
            manifest
        )
    return found


def _group(name: str, before: list[Manifest], after: list[Manifest], known: Ways) -> GroupChange:
    objects = tuple(_objects(before, after, known))
    if not before or not after:
        return GroupChange(group=name, action="removed" if before else "new", objects=objects)
    old, new = _workload(before), _workload(after)
    if old and new and _identity(old) != _identity(new):
        objects = (_recreated(old, new, known), *(entry for entry in objects if entry.kind not in TEMPLATE_PATHS))
    gravest = max((_RANK.index(_in_place(entry.action)) for entry in objects), default=0)
    return GroupChange(group=name, action=_RANK[gravest], objects=objects)


def _in_place(action: Action) -> Action:
    """Return what an object's change is to its group: an object beside the workload that comes or goes is a change."""
    return action if action in _RANK else "changed"


def _workload(manifests: Sequence[Manifest]) -> Manifest | None:
    return next((manifest for manifest in manifests if manifest.get("kind") in TEMPLATE_PATHS), None)


def _recreated(old: Manifest, new: Manifest, known: Ways) -> Change:
    was, becomes = walk.identity(old), walk.identity(new)
    if (was.kind, becomes.kind) == ("LeaderWorkerSet", "StatefulSet") and was.name == becomes.name:
        way_out = known.out(becomes.kind)
        reason = f"a StatefulSet {was.name}, which the LeaderWorkerSet made, is in its place (Helm refuses): {way_out}"
        return Change(kind=becomes.kind, name=becomes.name, action="refused", reason=reason)
    reason = f"{was.kind} {was.name} goes, {becomes.kind} {becomes.name} comes"
    return Change(kind=becomes.kind, name=becomes.name, action="recreated", reason=reason)


def _objects(before: Sequence[Manifest], after: Sequence[Manifest], known: Ways) -> list[Change]:
    old = {_identity(manifest): manifest for manifest in before}
    new = {_identity(manifest): manifest for manifest in after}
    found = [_object(old.get(identity), new.get(identity), known) for identity in {**old, **new}]
    return sorted(found, key=lambda entry: (entry.action == "unchanged", entry.kind not in TEMPLATE_PATHS))


def _identity(manifest: Manifest) -> _Object:
    known = walk.identity(manifest)
    group, _, _ = known.api_version.rpartition("/")
    return _Object(group, known.kind, known.namespace, known.name)


def _object(old: Manifest | None, new: Manifest | None, known: Ways) -> Change:
    identity = walk.identity(new or old or {})
    differences: tuple[Difference, ...] = ()
    reason = ""
    if old is None:
        action: Action = "new"
    elif new is None:
        action = "kept" if walk.is_kept(old) else "removed"
    else:
        differences = tuple(find(_unmarked(old), _unmarked(new), same=amounts.rule(identity.kind)))
        action, reason = _changed(old, new, differences, known)
    return Change(kind=identity.kind, name=identity.name, action=action, reason=reason, differences=differences)


def _unmarked(manifest: Manifest) -> Manifest:
    annotations = walk.mapping(manifest, "metadata", "annotations")
    kept = {key: value for key, value in annotations.items() if key not in _MARKS}
    return {**manifest, "metadata": {**walk.mapping(manifest, "metadata"), "annotations": kept or None}}


def _changed(old: Manifest, new: Manifest, differences: Sequence[Difference], known: Ways) -> tuple[Action, str]:
    """Return what becomes of an object that stands on both sides, and a word about it."""
    kind, paths = str(new.get("kind")), [difference.path for difference in differences]
    if fixed := list(_fixed(old, new, paths)):
        way_out = known.out(kind, _OTHERWISE)
        return "refused", f"the API server does not change {', '.join(fixed)} of a {kind} in place: {way_out}"
    if kind in _TEMPLATES and any(walk.is_within(path, _TEMPLATES[kind]) for path in paths):
        return _rolled(old, new)
    if paths and COUNTS.issuperset(paths):
        return "scaled", _scaled(differences)
    if paths and kind not in _KNOWN and not _GROUPING.intersection(walk.mapping(new, "metadata", "labels")):
        return "changed", _UNKNOWN.format(kind=kind)
    return ("changed" if paths else "unchanged"), ""


def _fixed(old: Manifest, new: Manifest, paths: Sequence[str]) -> Iterator[str]:
    """Yield what changes and may not, in words."""
    kind = new.get("kind")
    for path in IMMUTABLE.get(str(kind), ()):
        if any(walk.is_within(found, path) for found in paths):
            yield path
    if kind == "Job" and not _in_tandem(new, paths):
        yield "spec.completions"
    if kind == "Job" and f"metadata.annotations.{constants.ADMISSION_SPEC_ANNOTATION}" in paths:
        yield "how quota is asked for"  # A Job that asks for none would be stopped, and one that asks keeps its queue.
    if kind == "PersistentVolumeClaim" and _storage(new) < _storage(old):
        yield f"{_STORAGE} to less"
    if kind in {"Secret", "ConfigMap"} and walk.get(old, "immutable") is True:
        yield from (f"{path} (immutable)" for path in _DATA if any(walk.is_within(found, path) for found in paths))


def _storage(claim: Manifest) -> float:
    """Return how many bytes a claim asks for; 0 where that cannot be read, which the API server refuses anyway."""
    try:
        return float(quantities.parse(walk.get(claim, *_STORAGE.split("."), default=0)))
    except errors.BadInputError:
        return 0.0


def _rolled(old: Manifest, new: Manifest) -> tuple[Action, str]:
    """Return what another pod template does to the pods that run."""
    before, after = (walk.get(manifest, *_REPLICAS.split(".")) for manifest in (old, new))
    if 0 in {before, after}:
        return "changed" if before == after else "scaled", "no pod is replaced: it has none"
    if new.get("kind") == "Deployment" and walk.get(new, "spec", "paused") is True:
        return "changed", "no pod is replaced while it is paused"
    if walk.get(new, "spec", "updateStrategy", "type") == "OnDelete":
        return "rolls", "each pod when it is deleted (OnDelete)"
    return _in_part(new)


def _in_part(workload: Manifest) -> tuple[Action, str]:
    partition = rollouts.partition(workload)
    whole = "replica" if workload.get("kind") == "LeaderWorkerSet" else "pod"
    if not isinstance(partition, int) or partition < 1:
        return "rolls", ""
    replicas = walk.get(workload, *_REPLICAS.split("."))
    if replicas is not None and partition >= replicas:
        return "changed", f"no pod is replaced until the partition ({partition}) is lowered"
    return "rolls", f"only {whole}s from ordinal {partition} on (partition)"


def _scaled(differences: Sequence[Difference]) -> str:
    """Return a word about replicas that pass from the values to an autoscaler, or back."""
    for difference in differences:
        if difference.after is None:
            return _DROPPED
        if difference.path == _REPLICAS and difference.before is None:
            return _RAISED.format(count=difference.after)
    return ""


def _in_tandem(job: Manifest, paths: Sequence[str]) -> bool:
    """Return whether an Indexed Job keeps as many completions as parallel pods, without which they are fixed."""
    spec = walk.mapping(job, "spec")
    return "spec.completions" not in paths or spec.get("completions") == spec.get("parallelism")
