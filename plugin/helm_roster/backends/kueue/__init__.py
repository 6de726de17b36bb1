"""Kueue: quota before placement. Version 0.17 and newer, kueue.x-k8s.io/v1beta2 only.

A gang is one group of pods, and so one Workload: all of its pods are gated until there is quota for all. Its pods carry
the marks themselves, the StatefulSets and Jobs none: Kueue's own handling of StatefulSets would make each a Workload by
itself. A gang that is one Job, and Jobs outside gangs, are left to Kueue's own handling of Jobs. Any other pod is a
Workload by itself, so such groups scale freely. ``pod-suspending-parent`` keeps Kueue's finalizer away, with which the
pods of a StatefulSet are never made anew (measured on 0.17.0, as all that is kept).

No grouping objects: Workloads are Kueue's own, made once all pods of a group are there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from helm_roster import backend_base
from helm_roster.backend_base import ApiKind, Ask, Decision, Finding, Need, Process, Topic, Unit
from helm_roster.backends.kueue import kinds, refusals, shapes
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live
from helm_roster.model.operation import Gang, Group
from helm_roster.model.plan import Plan, TemplatePath, groups_of, groups_outside, pod_template
from helm_roster.model.wording import counted, few
from helm_roster.policy.gang_specs import Aspect

NAME: Final = "kueue"
GROUPING_KINDS: Final[tuple[ApiKind, ...]] = ()
OWNED: Final[tuple[TemplatePath, ...]] = (
    ("metadata", "labels", f"{kinds.PREFIX}*"),
    ("metadata", "annotations", f"{kinds.PREFIX}*"),
)
MARKS_ALL: Final = True
MEMBERSHIPS: Final[tuple[TemplatePath, ...]] = (kinds.MEMBERSHIP,)
HOLDS: Final[tuple[ApiKind, ...]] = (kinds.WORKLOAD,)
# Both mean nothing to Kueue; whatever else changes, its Workload would have to be another one.
IN_PLACE: Final[frozenset[Aspect]] = frozenset({"order", "preemption"})
BEFORE = backend_base.NOTHING_BEFORE
PREEMPTS_WHERE = backend_base.ALWAYS
# Its lease is called so unless its configuration says otherwise.
PROCESSES: Final[tuple[Process, ...]] = (Process(name="Kueue", leases=("c1f6bfd2.kueue.x-k8s.io",)),)
# Said where a Job's controller or a StatefulSet's would be: it tells Kueue that the pods are not on their own.
_PARENT: Final = "helm-roster"

# What status, suspend and resume do with Workloads.
_VERBS: Final[Mapping[str, tuple[str, ...]]] = {"Workload": ("list", "patch", "delete")}

KEEPS: Final[Mapping[Topic, str]] = {
    "first placement": (
        "no pod is shown to the scheduler until there is quota for all of the gang; it is reserved from then on, also "
        "while the pods wait for room"
    ),
    "death of a member": "the pod is made anew under the quota that the gang has; nobody else gets it",
    "below the minimum": (
        "the quota of missing pods stays reserved; with waitForPodsReady (on by default from Kueue 0.19) a gang whose "
        "pods are not ready in time is evicted as a whole"
    ),
    "rolling update": "pods are replaced one by one under the quota that the gang has",
    "extras and locality": (
        "a gang has one size; groups outside it are admitted pod by pod, and may use up the quota for which it waits"
    ),
    "preemption": (
        "a Workload of higher priority takes the quota of all of the gang, as its ClusterQueue says: all pods are "
        "deleted, made anew, and wait for quota together"
    ),
}
PLACEMENTS: Final[Mapping[str, str]] = {
    "default": (
        "admitted pods are placed one by one; a gang only if it is one group with a required locality, for which Kueue "
        "itself chooses the nodes of all pods when it admits them"
    ),
    "native": "the quota of a gang is reserved as a whole; then kube-scheduler holds its pods until they fit together",
    "volcano": "the quota of a gang is reserved as a whole; then Volcano holds its pods until they fit together",
    "kai": "the quota of a gang is reserved as a whole; then KAI holds its pods until they fit together",
}

check = refusals.check
objects = backend_base.no_objects


def guarantees(plan: Plan) -> list[str]:
    """Say what quota keeps, and what it keeps together with the placement."""
    operation = plan.operation
    told = [f"quota, {line}" for line in backend_base.promises(KEEPS, plan)]
    told += [f"quota, then placement: {PLACEMENTS[operation.placement_backend]}"]
    told += [line for gang in operation.gangs for line in _of_jobs(plan, gang)]
    names = [group.name for group in groups_of(plan) if group.claims and operation.admission_of(group.name)]
    told += [f"quota, claims of {few(names)}: what pods claim of devices is not counted"] if names else []
    return told + _of_groups(plan)


def stamp(workload: Manifest, group: Group, plan: Plan) -> bool:
    """Mark the Job, or the pods, with queue and class; the pods of a gang with their group."""
    admission, found = plan.operation.admission_of(group.name), plan.operation.gang_of(group.name)
    if admission is None:
        return False
    template, gang = pod_template(workload), found[0] if found else None
    topology = shapes.topology(plan, gang) if gang else ""
    annotations = {kinds.REQUIRED_TOPOLOGY: topology} if topology else {}
    labels, by_itself = shapes.labels(group, admission), group.workload.kind == "Job"
    if by_itself and (gang is None or shapes.is_own_job(plan, gang)):
        walk.ensure(workload, "metadata", "labels").update(labels)
    else:
        annotations[kinds.PARENT] = _PARENT
        labels[kinds.MANAGED] = "true"
        if gang:
            labels[kinds.GROUP] = shapes.group_name(plan, gang)
            annotations |= {kinds.TOTAL: str(shapes.total(plan, gang)), kinds.ROLE: group.name}
            annotations |= {} if shapes.jobs(plan, gang) else {kinds.SERVING: "true"}
            if by_itself and not admission.max_run_time:
                shapes.spare(workload)
        walk.ensure(template, "metadata", "labels").update(labels)
    if annotations:
        walk.ensure(template, "metadata", "annotations").update(annotations)
    return True


def needs(plan: Plan) -> list[Need]:
    """Return the kinds that Kueue brings: its topologies only where it is to place a gang itself."""
    asked = [kinds.LOCAL_QUEUE, kinds.CLUSTER_QUEUE, kinds.WORKLOAD]
    if any(shapes.topology(plan, gang) for gang in plan.operation.gangs):
        asked += [kinds.RESOURCE_FLAVOR, kinds.TOPOLOGY]
    return [
        Need(kind=kind, remedy="install Kueue 0.17 or newer", versions=kinds.VERSIONS, verbs=_VERBS.get(kind.kind, ()))
        for kind in asked
    ]


def inspect(plan: Plan, ask: Ask) -> list[Finding]:
    """Look at queues, quota and classes, at what Kueue manages, and at what may keep a gang from its quota."""
    from helm_roster.backends.kueue import crowding, gating, inspecting  # noqa: PLC0415  (no render needs them)

    found = [*inspecting.inspect(plan, ask), *gating.findings(plan, ask, stamp), *crowding.findings(plan, ask)]
    return inspecting.folded(found)


def captures(plan: Plan, ask: Ask) -> list[Finding]:
    """Tell what Kueue would make of workloads that do not ask for it."""
    from helm_roster.backends.kueue import gating  # noqa: PLC0415  (no render needs it)

    return list(gating.captures(plan, ask, stamp)) if ask.serves(kinds.WORKLOAD) else []


def explain(live: Live, ask: Ask) -> list[Decision]:
    """Say how the quota of each group stands."""
    from helm_roster.backends.kueue import explaining  # noqa: PLC0415  (no render needs it)

    return list(explaining.explain(live, ask))


def units(live: Live, ask: Ask) -> list[Unit]:
    """Return the Workloads of an operation, and the groups each pod of which has one of its own."""
    from helm_roster.backends.kueue import suspending  # noqa: PLC0415

    return suspending.units(live, ask)


def outdated(live: Live, ask: Ask) -> list[Unit]:
    """Return the Workloads that were deactivated before the gangs were changed."""
    from helm_roster.backends.kueue import suspending  # noqa: PLC0415

    return suspending.outdated(live, ask)


def lent(plan: Plan, ask: Ask) -> list[Manifest]:
    """Return a LocalQueue of the same name and ClusterQueue, without a namespace; none where it cannot be read."""
    from helm_roster.backends.kueue import quota  # noqa: PLC0415  (no render needs it)

    name, operation = str(plan.operation.admission.get("queue")), plan.operation
    found = quota.local_queue(operation.namespace, name, ask)
    if found is None:
        return []
    spec = {"clusterQueue": walk.get(found, "spec", "clusterQueue")}
    kind = kinds.LOCAL_QUEUE
    return [{"apiVersion": kind.api_version, "kind": kind.kind, "metadata": {"name": name}, "spec": spec}]


def _of_jobs(plan: Plan, gang: Gang) -> list[str]:
    """Return what holds of Jobs that are admitted as one."""
    if not shapes.jobs(plan, gang) or shapes.is_own_job(plan, gang):
        return []
    given = plan.operation.admission.get("maxRunTime")
    evicted = (
        "an eviction ends them as failed, as maxRunTime does"
        if given
        else "an eviction is no failure, and after one they make their pods anew within 10 minutes"
    )
    told = "its Jobs give their quota back as they complete, and one that fails keeps its part until it is cancelled or"
    return [f'quota, gang "{gang.name}": {told} has a new run; {evicted}']


def _of_groups(plan: Plan) -> list[str]:
    """Return how groups outside gangs are admitted, those that are alike together."""
    found: dict[str, list[str]] = {}
    for group in groups_outside(plan):
        found.setdefault(_of_group(plan, group), []).append(f'"{group.name}"')
    return [f"quota, group{'s' * (len(names) > 1)} {few(names)}: {told}" for told, names in found.items()]


def _of_group(plan: Plan, group: Group) -> str:
    """Return how a group outside gangs is admitted."""
    from helm_roster.policy import totals  # noqa: PLC0415  (no render needs it)

    admission = plan.operation.admission_of(group.name)
    if admission is None:
        return "pods run without asking for quota"
    if group.workload.kind == "Job":
        return f"queue {admission.queue} admits each Job as a whole"
    told = f"queue {admission.queue} admits pods one by one"
    if surge := totals.surge_pods(plan, group):
        told += f"; a rolling update asks for quota for {counted(surge, 'pod')} more, and waits for it"
    if admission.max_run_time:
        told += "; maxRunTime ends none of them, being for Jobs"
    return told
