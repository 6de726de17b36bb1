"""Finds what each patch means in the stream and has it changed; imported only by a render that has patches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from helm_roster import all_backends, errors
from helm_roster.constants import GROUP_LABEL
from helm_roster.manifests import door, walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Operation, Patch
from helm_roster.model.plan import LEADER, TemplatePath
from helm_roster.patches import apply, pods, pointers, undoing
from helm_roster.render import index, stream
from helm_roster.render.index import Found

# The targets that stand in the group's workload; all others are kinds.
_IN_WORKLOAD: Final = frozenset({"pod", LEADER, "workload"})


def apply_all(
    documents: Sequence[stream.Document], operation: Operation, members: Mapping[str, Found]
) -> Mapping[int, Found]:
    """Return what the operation's patches change, by place in the stream, as plain data.

    ``members`` are the groups' workloads. Only objects of a patch's own group are ever touched.

    Raises:
        BadInputError: A target is not there or not one object, or a patch is wrong (``patches.apply``).
    """
    others = _others(documents, operation)
    before: dict[int, Found] = {}
    after: dict[int, Found] = {}
    done: dict[int, list[tuple[Patch, Manifest]]] = {}
    owned = all_backends.owned(operation.placement_backend, operation.admission_backend)
    for patch in operation.patches:
        found = members[patch.group] if patch.kind in _IN_WORKLOAD else _target(patch, others, documents, operation)
        place = found.position
        if place not in before:
            before[place] = after[place] = found.replace(data=door.to_plain(found.data))
        after[place] = found.replace(data=apply.apply(patch, after[place].data, owned))
        done.setdefault(place, []).append((patch, after[place].data))
    for place, changes in done.items():
        _check_needed(before[place].data, changes, owned)
    for group in sorted({patch.group for patch in operation.patches}):
        _check(group, members[group], after, documents, operation)
    return {place: found for place, found in after.items() if found.data is not before[place].data}


def _check_needed(first: Manifest, changes: Sequence[tuple[Patch, Manifest]], owned: Sequence[TemplatePath]) -> None:
    """Refuse a patch that only takes back earlier ones. ``changes`` are all of one object, with what each made.

    Raises:
        BadInputError: As said.
    """
    states = [first, *(data for _, data in changes)]
    if found := undoing.find(states, lambda place, data: apply.apply(changes[place][0], data, owned)):
        patch = changes[found.change][0]
        earlier = ", ".join(changes[place][0].name for place in found.undone)
        roots = map(pointers.text, apply.roots(patch, first).values())
        root = next((root for root in roots if found.at.startswith(root)), "")
        msg = (
            f"{patch}: {patch.form} ({found.at.removeprefix(root)}): it only takes back what earlier patches of the "
            f"group did ({earlier}): take that out, and this with it, or null what another values file brings"
        )
        raise errors.BadInputError(msg)


def _check(
    group: str,
    written: Found,
    after: Mapping[int, Found],
    documents: Sequence[stream.Document],
    operation: Operation,
) -> None:
    """Refuse a group's pods that do not fit together, or no longer its Services. ``written`` is the unpatched workload.

    Raises:
        BadInputError: As said; all patches of the group are named, since one may bring what another asks for.
    """
    before = door.to_plain(written.data)
    workload = after[written.position].data if written.position in after else before
    fault = next(pods.faults(workload), None) or next(_misled(group, workload, after), None)
    if fault is None and (lost := pods.lost_ports(before, workload)):
        entries = index.of_groups(documents, operation, {group}, {"Service"}).get(group, ())
        fault = _left_behind(lost, [after.get(entry.position, entry) for entry in entries])
    if fault:
        names = ", ".join(patch.name for patch in operation.patches if patch.group == group)
        msg = f"patches.{group} ({names}): {fault}"
        raise errors.BadInputError(msg)


def _misled(group: str, workload: Manifest, after: Mapping[int, Found]) -> Iterator[str]:
    """Yield, in words, that patched Services send to a port that the pods do not have by that name."""
    for found in after.values():
        if found.data["kind"] == "Service" and walk.get(found.data, "metadata", "labels", GROUP_LABEL) == group:
            fault = pods.unknown_port(found.data, workload)
            if fault:
                yield fault


def _left_behind(lost: AbstractSet[pods.Port], services: Sequence[Found]) -> str | None:
    """Return, in words, that Services send to a port that the pods have no more."""
    for service in services:
        for entry in walk.sequence(door.to_plain(service.data), "spec", "ports"):
            if (target := pods.port(entry, "targetPort")) in lost:
                return (
                    f"port {target[0]} of the pods is gone, and {walk.identity(service.data)} would still send to it; "
                    "ports are values: set container.ports of the group instead"
                )
    return None


def _others(documents: Sequence[stream.Document], operation: Operation) -> Mapping[str, Sequence[Found]]:
    """Return the objects that patches name by kind, by group."""
    named = [patch for patch in operation.patches if patch.kind not in _IN_WORKLOAD]
    kinds = {patch.kind for patch in named}
    return index.of_groups(documents, operation, {patch.group for patch in named}, kinds) if named else {}


def _target(
    patch: Patch,
    others: Mapping[str, Sequence[Found]],
    documents: Sequence[stream.Document],
    operation: Operation,
) -> Found:
    name = operation.groups[patch.group].services.get(patch.use) if patch.kind == "Service" else None
    found = [
        entry
        for entry in others.get(patch.group, ())
        if entry.data["kind"] == patch.kind and (not patch.use or walk.identity(entry.data).name == name)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        fault = f'target {patch.target} means {len(found)} objects of group "{patch.group}"; say which'
    else:
        fault = f'group "{patch.group}" has no {patch.target}; it has'
        found = [*index.of_groups(documents, operation, {patch.group}).get(patch.group, ())]
    msg = f"{patch}: {fault}: {', '.join(_targets(found, operation, patch.group))}"
    raise errors.BadInputError(msg)


def _targets(found: Iterable[Found], operation: Operation, group: str) -> list[str]:
    """Return how the objects may be named as targets."""
    uses = {name: use for use, name in operation.groups[group].services.items()}
    shown = []
    for entry in found:
        _, kind, _, name = walk.identity(entry.data)
        use = f"/{uses[name]}" if kind == "Service" and name in uses else ""
        shown.append(f"{kind}{use} ({name})")
    return sorted(shown)
