"""Reads an operation out of the cluster by its labels, with or without a Helm release (GitOps has none)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

from helm_roster import all_backends, constants, errors
from helm_roster.cluster import records
from helm_roster.cluster.client import (
    CLAIMS,
    EVENTS,
    JOBS,
    OWN_WORKLOADS,
    PODS,
    REPLICA_SETS,
    SERVICES,
    SPANNING,
    STATEFUL_SETS,
    WORKLOADS,
    Client,
    Resource,
)
from helm_roster.cluster.records import Record, Records
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model import plan as plans
from helm_roster.model.live import Live, LiveGroup
from helm_roster.policy import events, filled, pods, replicas

_KIND_OF: Final = {resource.kind: resource for resource in (*WORKLOADS, PODS, SERVICES, REPLICA_SETS)}
# The kinds whose controllers tell by events alone that they cannot make pods.
_TELL_BY_EVENTS: Final = frozenset({"StatefulSet", "Job", "LeaderWorkerSet"})
_ROLLOUT: Final = "deployment.kubernetes.io/revision"


@dataclass(frozen=True, kw_only=True)
class Observed:
    """What was read: the operation, Helm's record, by group why pods could not be created, and the objects as read."""

    live: Live
    release: str
    record: Record | None
    notes: dict[str, str] = field(default_factory=dict)
    objects: Sequence[Manifest] = ()


def selectors(name: str) -> tuple[str, str]:
    """Return the label selectors for an operation by its release's name, and by its own name."""
    by_release = f"{constants.INSTANCE_LABEL}={name},{constants.OPERATION_LABEL}"
    return by_release, f"{constants.OPERATION_LABEL}={name}"


def observe(client: Client, namespace: str, name: str) -> Observed | None:
    """Return the operation that is called ``name``, or whose release is; None when nothing of it is there.

    Raises:
        RefusedError: Several releases hold an operation of that name.
    """
    for selector in selectors(name):
        found = _read(client, namespace, selector)
        if found:
            release = only_release(found, name)
            claims = _unbound(client, namespace, found)
            told = [*_warnings(client, namespace, found), *(_binding_failures(client, namespace) if claims else ())]
            live = _sort(found, name, namespace, told, claims)
            record = records.find(client, namespace, release)
            return Observed(live=live, release=release, record=record, notes=_notes(live), objects=found)
    record = records.find(client, namespace, name)
    if record is None or not record.is_readable:
        return None
    return Observed(live=Live(name=name, namespace=namespace, groups={}), release=name, record=record)


@dataclass(frozen=True, kw_only=True)
class Survey:
    """Every operation of a namespace or of all, Helm's records there, and the grouping kinds that we may not list."""

    observed: Sequence[Observed]
    records: Records
    unseen: Sequence[Resource]


def observe_all(client: Client, namespace: str) -> Survey:
    """Return every operation that left a workload, a pod, a Service or a grouping object, by namespace and name.

    An empty ``namespace`` means all of them.
    """
    by_release: dict[tuple[str, str], list[Manifest]] = defaultdict(list)
    unseen: list[Resource] = []
    for manifest in _read(client, namespace, constants.OPERATION_LABEL, unseen):
        where = str(walk.get(manifest, "metadata", "namespace", default=namespace))
        by_release[where, _label(manifest, constants.INSTANCE_LABEL)].append(manifest)
    told = _warnings(client, namespace)
    known = records.every(client, namespace)
    observed = []
    for (where, release), found in sorted(by_release.items(), key=itemgetter(0)):
        live = _sort(found, release, where, told)
        record = known.of(where, release)
        one = Observed(live=live, release=release or live.name, record=record, notes=_notes(live), objects=found)
        observed.append(one)
    return Survey(observed=observed, records=known, unseen=unseen)


def workloads(client: Client, namespace: str, selector: str) -> list[Manifest]:
    """Return the workload objects that the selector matches."""
    return list(_workloads(client, namespace, selector))


def _workloads(client: Client, namespace: str, selector: str, *, metadata_only: bool = False) -> Iterator[Manifest]:
    for resource in OWN_WORKLOADS:
        yield from client.select(resource, namespace, labels=selector, metadata_only=metadata_only)
    spanning = client.select_if_allowed(SPANNING, namespace, labels=selector, metadata_only=metadata_only)
    yield from spanning or ()


def of_kind(client: Client, namespace: str, kind: tuple[str, str], selector: str) -> Mapping[str, Manifest] | None:
    """Return the metadata of the objects of a kind (API version, kind) that the selector matches, by name.

    None where the kind is not served or may not be listed.
    """
    resource = client.find(*kind)
    found = client.select_if_allowed(resource, namespace, labels=selector, metadata_only=True) if resource else None
    return None if found is None else {walk.identity(one).name: one for one in found}


def names(client: Client, namespace: str) -> list[str]:
    """Return the releases of all operations in the namespace."""
    found = _workloads(client, namespace, constants.OPERATION_LABEL, metadata_only=True)
    return sorted({_label(manifest, constants.INSTANCE_LABEL) for manifest in found} - {""})


def present(client: Client, namespace: str, objects: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return those of the objects, each by kind and name, that are there, and those that we may not look for."""
    served = client.resources()
    return {(kind, name) for kind, name in objects if _is_present(client, namespace, kind, name, served)}


def only_release(found: Iterable[Manifest], name: str) -> str:
    """Return the release that all the objects belong to.

    Raises:
        RefusedError: They belong to several.
    """
    releases = sorted({_label(manifest, constants.INSTANCE_LABEL) for manifest in found} - {""})
    if len(releases) > 1:
        msg = f'several releases hold an operation "{name}": name one of them ({", ".join(releases)})'
        raise errors.RefusedError(msg)
    return releases[0] if releases else name


def grouping_resources(backends: Iterable[str] = all_backends.PLACEMENT) -> list[Resource]:
    """Return every kind of grouping object that the backends of these names make."""
    kinds = {kind for name in backends for kind in all_backends.PLACEMENT[name].GROUPING_KINDS}
    return sorted(Resource(api_version=kind.api_version, kind=kind.kind, plural=kind.plural) for kind in kinds)


def placements(workloads: Iterable[Manifest | None]) -> list[str]:
    """Return the names of the placement backends for which the workloads are marked."""
    marks = _marks(workloads, constants.PLACEMENT_ANNOTATION)
    return [name for name in all_backends.PLACEMENT if name in marks]


def admissions(workloads: Iterable[Manifest | None]) -> list[str]:
    """Return the names of the admission backends for which the workloads are marked."""
    marks = _marks(workloads, constants.ADMISSION_ANNOTATION)
    return [name for name in all_backends.ADMISSION if name in marks]


def _marks(workloads: Iterable[Manifest | None], annotation: str) -> set[object]:
    return {walk.get(workload, "metadata", "annotations", annotation) for workload in workloads}


def _is_present(client: Client, namespace: str, kind: str, name: str, served: Iterable[Resource]) -> bool:
    resources = [resource for resource in served if resource.kind == kind and "list" in resource.verbs]
    pages = (
        client.select_if_allowed(resource, namespace, fields=f"metadata.name={name}", metadata_only=True)
        for resource in resources
    )
    return any(page is None or page for page in pages)


def _read(client: Client, namespace: str, selector: str, unseen: list[Resource] | None = None) -> list[Manifest]:
    """Return all that the selector matches of what tells how an operation is.

    The grouping kinds of the operations' own backends must be readable, unless ``unseen`` takes those that are not.
    """
    found = workloads(client, namespace, selector)
    grouping = grouping_resources(placements(found))
    needed = [PODS, SERVICES, *(grouping if unseen is None else ())]
    useful = [REPLICA_SETS, *(resource for resource in grouping_resources() if resource not in needed)]
    found += [manifest for resource in needed for manifest in client.select(resource, namespace, labels=selector)]
    found += _spanning(client, namespace, selector, found)
    for resource in useful:
        page = client.select_if_allowed(resource, namespace, labels=selector)
        found += page or ()
        if page is None and unseen is not None and resource in grouping:
            unseen.append(resource)
    return found


def _spanning(client: Client, namespace: str, selector: str, found: Sequence[Manifest]) -> list[Manifest]:
    """Return what makes the pods of replicas that span pods, with the labels of the group's workload.

    Raises:
        ApiError: There are such pods, and their workload may not be listed.
    """
    sets = {walk.identity(one)[2:]: one for one in found if one["kind"] == SPANNING.kind}
    if not sets:
        if any(_label(one, constants.LWS_NAME_LABEL) for one in found):
            client.select(SPANNING, namespace, labels=selector, metadata_only=True)  # which says why there is none
        return []
    made = []
    for one in client.select(STATEFUL_SETS, namespace, labels=constants.LWS_NAME_LABEL):
        identity = walk.identity(one)
        if of := sets.get((identity.namespace, _label(one, constants.LWS_NAME_LABEL))):
            walk.ensure(one, "metadata", "labels").update(walk.mapping(of, "metadata", "labels"))
            made.append(one)
    return made


def _is_made(manifest: Manifest) -> bool:
    """Return whether it is what a controller made of a LeaderWorkerSet."""
    return manifest["kind"] == STATEFUL_SETS.kind and bool(_label(manifest, constants.LWS_NAME_LABEL))


def _warnings(client: Client, namespace: str, found: Iterable[Manifest] = ()) -> list[Manifest]:
    """Return the events that explain the rest; none to whom may not list them."""
    told = client.select_if_allowed(EVENTS, namespace, fields="type=Warning") or []
    if any(one["kind"] == SPANNING.kind for one in found):
        again = f"type=Normal,reason={events.RECREATED}"
        told += client.select_if_allowed(EVENTS, namespace, fields=again) or []
    return told


def _unbound(client: Client, namespace: str, found: Iterable[Manifest]) -> list[Manifest]:
    """Return the claims without a volume that pods without a node mount; none to whom may not list claims."""
    waiting = [pods.named_claims(one) for one in found if one["kind"] == PODS.kind and not pods.is_placed(one)]
    if not any(waiting):
        return []
    named = set().union(*waiting)
    claims = client.select_if_allowed(CLAIMS, namespace) or ()
    return [one for one in claims if pods.name(one) in named and pods.phase(one) != "Bound"]


def _binding_failures(client: Client, namespace: str) -> list[Manifest]:
    fields = f"type=Normal,reason={events.FAILED_BINDING}"
    return client.select_if_allowed(EVENTS, namespace, fields=fields) or []


def _sort(
    found: list[Manifest],
    name: str,
    namespace: str,
    warnings: Iterable[Manifest] = (),
    claims: Iterable[Manifest] = (),
) -> Live:
    """Sort by group what was found; events about ``claims`` are also about the pods that wait for those."""
    told: dict[str, list[Manifest]] = defaultdict(list)
    for event in warnings:
        told[str(walk.get(event, "involvedObject", "uid"))].append(event)
    about = {pods.name(claim): told[str(walk.get(claim, "metadata", "uid"))] for claim in claims}
    for pod in found:
        if pod["kind"] == PODS.kind and not pods.is_placed(pod):
            for mounted in sorted(pods.named_claims(pod) & about.keys()):
                told[str(walk.get(pod, "metadata", "uid"))] += about[mounted]
    by_group: dict[str, list[Manifest]] = defaultdict(list)
    fills: dict[str, list[Manifest]] = defaultdict(list)
    grouping: list[Manifest] = []
    for manifest in found:
        if manifest["kind"] not in _KIND_OF:
            grouping.append(manifest)
        elif group := _label(manifest, constants.GROUP_LABEL):
            by_group[group].append(manifest)
        elif (connection := _label(manifest, constants.FILLS_LABEL)) and manifest["kind"] == JOBS.kind:
            fills[connection].append(manifest)
    groups = {group: _group(group, entries, told, fills) for group, entries in by_group.items()}
    operations = {_label(manifest, constants.OPERATION_LABEL) for manifest in found} - {""}
    named = operations.pop() if len(operations) == 1 else name
    return Live(name=named, namespace=namespace, groups=groups, grouping=grouping)


def _group(
    name: str, entries: list[Manifest], told: Mapping[str, list[Manifest]], fills: Mapping[str, list[Manifest]]
) -> LiveGroup:
    workloads = {resource.kind for resource in WORKLOADS}
    workload = _newest([entry for entry in entries if entry["kind"] in workloads and not _is_made(entry)])
    made = {walk.identity(entry).name: entry for entry in entries if _is_made(entry)}
    uids = dict.fromkeys(str(walk.get(entry, "metadata", "uid")) for entry in entries)
    return LiveGroup(
        name=name,
        workload=workload,
        pods=[entry for entry in entries if entry["kind"] == PODS.kind],
        template=_template(workload, [entry for entry in entries if entry["kind"] == REPLICA_SETS.kind], made),
        makers=[str(walk.get(entry, "metadata", "uid")) for entry in made.values()],
        fills=_fills(workload, fills),
        events=list({id(event): event for uid in uids for event in told.get(uid, ())}.values()),
    )


def _fills(workload: Manifest | None, fills: Mapping[str, list[Manifest]]) -> dict[str, Manifest]:
    """Return the newest Job of each connection for which the workload's pods wait."""
    if workload is None or not fills:
        return {}
    specs = [walk.mapping(template, "spec") for template in plans.pod_templates(workload).values()]
    return {
        connection: job
        for connection, jobs in sorted(fills.items())
        if filled.waits(specs, connection) and (job := _newest(jobs))
    }


def _template(workload: Manifest | None, replica_sets: list[Manifest], made: Mapping[str, Manifest]) -> str:
    """Return the hash of the newest pod template, as the controllers label its pods.

    That of a LeaderWorkerSet stands on the StatefulSet of its leaders, which is called as it is.
    """
    if walk.get(workload, "kind") == SPANNING.kind:
        leaders = made.get(str(walk.get(workload, "metadata", "name")), {})
        return _label(leaders, constants.LWS_REVISION_LABEL)
    if walk.get(workload, "kind") == STATEFUL_SETS.kind:
        return str(walk.get(workload, "status", "updateRevision", default=""))
    uid = walk.get(workload, "metadata", "uid")
    owned = [
        entry
        for entry in replica_sets
        if uid in {owner.get("uid") for owner in walk.sequence(entry, "metadata", "ownerReferences")}
    ]
    newest = max(owned, key=_rollout, default={})
    return _label(newest, constants.POD_TEMPLATE_LABEL)


def _rollout(replica_set: Manifest) -> int:
    return int(walk.get(replica_set, "metadata", "annotations", _ROLLOUT, default=0))


def _newest(workloads: list[Manifest]) -> Manifest | None:
    """Return the workload that counts: of several runs the newest, one that stays before one that is deleted."""

    def age(manifest: Manifest) -> tuple[bool, str]:
        return not pods.is_terminating(manifest), str(walk.get(manifest, "metadata", "creationTimestamp", default=""))

    return max(workloads, key=age, default=None)


def _notes(live: Live) -> dict[str, str]:
    """Return why controllers failed to create pods; a Deployment says so itself, in a condition."""
    found = {}
    for group in live.groups.values():
        kind = walk.get(group.workload, "kind")
        active = sum(map(pods.is_active, group.pods))
        if kind in _TELL_BY_EVENTS and active < replicas.pods_wanted(group.workload, active + 1):
            found[group.name] = _last_failure(group)
    return {name: message for name, message in found.items() if message}


def _last_failure(group: LiveGroup) -> str:
    uid = walk.get(group.workload, "metadata", "uid")
    failures = [
        event
        for event in group.events
        if event.get("reason") == events.FAILED_CREATE
        and walk.get(event, "involvedObject", "uid") in {uid, *group.makers}
    ]
    return str(max(failures, key=events.time, default={}).get("message") or "")


def _label(manifest: Manifest, key: str) -> str:
    return str(walk.get(manifest, "metadata", "labels", key, default=""))
