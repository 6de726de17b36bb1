"""How an operation's Workloads are kept out and let in again: by ``spec.active``.

A Workload that is deactivated loses all of its pods, and one that only pods own is collected with them: Kueue would
make another one, active, for the pods that come after (3 of 4 times, measured on 0.17.0). So while it is kept out the
StatefulSets and Jobs of its pods own it too. A list is replaced by a merge patch, and Kueue adds owners to it: the
patches name the version that they were made for.

Jobs of a gang are suspended themselves before: their controller counts pods that Kueue deletes as failures, and after
these it pauses, for ten minutes at most, before it makes new ones (Kubernetes 1.37).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from helm_roster import constants, errors
from helm_roster.backend_base import Ask, Unit
from helm_roster.backends.kueue import kinds, workloads
from helm_roster.backends.kueue.workloads import Part, Workloads
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.policy import pods

_API_VERSIONS: Final[Mapping[str, str]] = {"StatefulSet": "apps/v1", "Job": "batch/v1", "Deployment": "apps/v1"}


def units(live: Live, ask: Ask) -> list[Unit]:
    """Return what of an operation is let in as one.

    Raises:
        RefusedError: Workloads may not be read.
    """
    known = _known(live, ask)
    by_name: dict[tuple[str, str], list[tuple[LiveGroup, Part]]] = {}
    for group, part in workloads.parts(live):
        by_name.setdefault((part.way, part.name or group.name), []).append((group, part))
    return [_unit(known, members) for members in by_name.values()]


def outdated(live: Live, ask: Ask) -> list[Unit]:
    """Return the Workloads by which the operation was kept out before its gangs were changed."""
    known = _known(live, ask)
    current = {pods.name(entry) for group, part in workloads.parts(live) if (entry := known.whole(group, part))}
    makers = {str(walk.get(group.workload, "metadata", "uid")) for group in live.groups.values() if group.workload}
    return [
        Unit(groups=(), kind=kinds.WORKLOAD, name=pods.name(entry), is_on=False, off={}, on={})
        for entry in known.all
        if walk.get(entry, "metadata", "annotations", constants.SUSPENDED_ANNOTATION)
        and pods.name(entry) not in current
        and makers & {str(owner.get("uid")) for owner in _owners(entry)}
    ]


def _known(live: Live, ask: Ask) -> Workloads:
    found = ask.here(kinds.WORKLOAD, live.namespace)
    if found is None:
        raise errors.RefusedError(_unreadable(live.namespace, ask))
    return Workloads(found)


def _unreadable(namespace: str, ask: Ask) -> str:
    kind, group = kinds.WORKLOAD, kinds.WORKLOAD.api_version.partition("/")[0]
    if ask.serves(kind) is False:
        return f"the cluster serves no {kind.kind} ({kind.api_version}): ask who runs it for Kueue"
    what = f"{kind.plural}.{group}"
    return f'you may not list {what} in namespace "{namespace}": ask for a Role with its verbs list and patch'


def _unit(known: Workloads, members: list[tuple[LiveGroup, Part]]) -> Unit:
    groups, (first, part) = [group for group, _ in members], members[0]
    names = tuple(group.name for group in groups)
    jobs = tuple(group.name for group in groups if part.way == "gang" and walk.get(group.workload, "kind") == "Job")
    if part.way == "pods":
        return Unit(groups=names, off={}, on={})
    found = known.whole(first, part)
    if found is None:
        return Unit(groups=names, kind=kinds.WORKLOAD, jobs=jobs, off={}, on={})
    makers, there = ([*_makers(groups)], [*_pods(groups)]) if part.way == "gang" else ([], [])
    # Without an owner nobody would ever collect it.
    owners = [*_without(_owners(found), makers), *there] if there else _owners(found)
    return Unit(
        groups=names,
        kind=kinds.WORKLOAD,
        name=pods.name(found),
        is_on=walk.get(found, "spec", "active", default=True) is not False,
        jobs=jobs,
        off=_patch(found, [*_owners(found), *makers], active=False),
        on=_patch(found, owners, active=True),
    )


def _patch(workload: Manifest, owners: Iterable[Manifest], *, active: bool) -> Manifest:
    by_uid = {str(owner.get("uid")): owner for owner in owners}
    return {
        "metadata": {
            "resourceVersion": walk.get(workload, "metadata", "resourceVersion"),
            "annotations": {constants.SUSPENDED_ANNOTATION: None if active else "true"},
            "ownerReferences": list(by_uid.values()),
        },
        "spec": {"active": active},
    }


def _owners(workload: Manifest) -> list[Manifest]:
    return list(walk.mappings(workload, "metadata", "ownerReferences"))


def _without(owners: Iterable[Manifest], others: Iterable[Manifest]) -> list[Manifest]:
    uids = {other["uid"] for other in others}
    return [owner for owner in owners if owner.get("uid") not in uids]


def _makers(groups: Iterable[LiveGroup]) -> Iterator[Manifest]:
    for group in groups:
        kind = str(walk.get(group.workload, "kind"))
        yield _reference(_API_VERSIONS[kind], kind, group.workload or {})


def _pods(groups: Iterable[LiveGroup]) -> Iterator[Manifest]:
    for group in groups:
        yield from (_reference("v1", "Pod", pod) for pod in group.pods if pods.is_active(pod))


def _reference(api_version: str, kind: str, manifest: Manifest) -> Manifest:
    name, uid = (walk.get(manifest, "metadata", key) for key in ("name", "uid"))
    return {"apiVersion": api_version, "kind": kind, "name": name, "uid": uid}
