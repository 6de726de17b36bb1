"""What a scheduling backend is: a name, the kinds it makes, what it owns and keeps, and its verbs; with the defaults.

A backend is one module in ``backends/`` that satisfies ``Backend``. It keeps its labels, annotations and kinds
to itself: nothing outside ``backends/`` names a scheduler. Adding one touches four files: the module, its test,
its entry in ``all_backends``, one example; CONTRIBUTING.md says what follows from these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, Protocol, get_args

from helm_roster.frozen import Frozen
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live
from helm_roster.model.operation import Gang, Group
from helm_roster.model.plan import Plan, TemplatePath
from helm_roster.policy.gang_specs import Aspect

# What people ask of every scheduling system, in the order in which plan and docs answer it.
Topic = Literal[
    "first placement",
    "death of a member",
    "below the minimum",
    "rolling update",
    "extras and locality",
    "preemption",
]
TOPICS: Final[tuple[Topic, ...]] = get_args(Topic)

# Of a group in a gang; broken is what waiting does not cure.
_Placement = Literal["waiting", "placed", "broken"]
# Of a group's quota, beside waiting; inadmissible is what waits for somebody to open or mend a queue.
_Quota = Literal["inadmissible", "admitted", "evicted", "preempted", "deactivated", "finished"]
State = Literal[_Placement, _Quota]
# What needs nothing more of who decides.
SETTLED: Final[frozenset[State]] = frozenset({"placed", "admitted", "finished"})


class ApiKind(Frozen):
    """A kind of object that a scheduling system makes or reads: enough to list it. ``plural`` is the REST resource."""

    api_version: str
    kind: str
    plural: str


# What several ask of every cluster.
NODE: Final = ApiKind(api_version="v1", kind="Node", plural="nodes")
PRIORITY_CLASS: Final = ApiKind(api_version="scheduling.k8s.io/v1", kind="PriorityClass", plural="priorityclasses")
DEFINITION: Final = ApiKind(
    api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition", plural="customresourcedefinitions"
)
LEASE: Final = ApiKind(api_version="coordination.k8s.io/v1", kind="Lease", plural="leases")
NAMESPACE: Final = ApiKind(api_version="v1", kind="Namespace", plural="namespaces")

_NO_VERSIONS: Final[Mapping[str, str]] = {}


class Need(Frozen):
    """Something that the cluster must serve; ``remedy`` says what to do where it is absent.

    ``gates`` are the feature gates without which serving it does not help. ``versions`` tell, by other API versions of
    the kind, whose they are: of a project that is too old or too new. ``verbs`` are what our commands do with objects
    of the kind beside making them.
    """

    kind: ApiKind
    remedy: str
    gates: tuple[str, ...] = ()
    versions: Mapping[str, str] = _NO_VERSIONS
    verbs: tuple[str, ...] = ()


class Process(Frozen):
    """A program without which pods wait: ``leases`` show by their names that it runs, in whatever namespace they are.

    ``scheduler`` is the schedulerName of the pods on which it decides; empty where it decides on others.
    """

    name: str
    leases: tuple[str, ...] = ()
    scheduler: str = ""


class Finding(Frozen):
    """What the cluster says of a plan before it is applied: a reason not to, a warning, or what cannot be known."""

    state: Literal["stops", "warns", "unknown"]
    message: str


class Ask(Protocol):
    """A look into the cluster; what was read once is kept, so that a backend may ask again."""

    def all_of(self, kind: ApiKind, name: str = "") -> Sequence[Manifest] | None:
        """Return the objects of a kind in all namespaces, with ``name`` those that are called so.

        None where the kind is not served, may not be listed, or there is no cluster to ask.
        """
        ...

    def here(self, kind: ApiKind, namespace: str, *, fields: str = "") -> Sequence[Manifest] | None:
        """Return the objects of a kind in one namespace, with ``fields`` those that such a selector matches.

        None where the kind is not served, may not be listed, or there is no cluster to ask.
        """
        ...

    def serves(self, kind: ApiKind) -> bool | None:
        """Return whether the API server serves the kind; None where there is no cluster to ask."""
        ...

    def stored(self, manifest: Manifest, namespace: str) -> Manifest | None:
        """Return what the API server would make of a new object like ``manifest``; nothing is made (dry run).

        It drops fields of features that are switched off, without a word. None where it does not say, for whatever
        reason.
        """
        ...

    def refusal(self, manifest: Manifest, namespace: str) -> str:
        """Return with which words the API server would refuse a new object like ``manifest`` (dry run).

        Empty where it would take it, where you may not make such objects, or where there is no cluster to ask.
        """
        ...

    def now(self) -> datetime:
        """Return the time, with its zone."""
        ...


class Decision(Frozen):
    """What the scheduling system says of one group's part in a gang: ``message`` is in its own words.

    ``stage`` is what it decides on: whether pods may use quota, or where they are placed.

    ``gang`` is empty for a group outside gangs, of whose places nothing is said while it has them. ``was_placed``: its
    objects tell that the gang had all of its places before, whatever it has now.
    """

    gang: str
    group: str
    state: State
    message: str = ""
    stage: Literal["quota", "placement"] = "placement"
    was_placed: bool = False

    @property
    def told(self) -> str:
        """Return the message, with the gang that it is about before it."""
        return f'gang "{self.gang}": {self.message}' if self.gang else self.message


class Unit(Frozen):
    """What admission lets in or keeps out as one: the pods of ``groups``.

    ``name`` is that of the object of ``kind`` that stands for it, empty while it is not there; ``kind`` is None where
    each pod has an object of its own, which goes with it, so that only a pod that is not there is kept out. ``off`` and
    ``on`` are the merge patches of the object that keep the pods out and let them in; ``is_on`` tells which holds.
    ``jobs`` are the groups whose Jobs count pods that others delete as failed, and pause before they make new ones:
    these are suspended first, and the object is told once their pods are gone, if it is there still.
    """

    groups: tuple[str, ...]
    kind: ApiKind | None = None
    name: str = ""
    is_on: bool = True
    jobs: tuple[str, ...] = ()
    off: Manifest
    on: Manifest


class Backend(Protocol):
    """The verbs: four that render, and three about a cluster.

    ``plan`` has the rendered workloads of gang members and of groups with patches; of all groups where ``MARKS_ALL``,
    and for ``guarantees``, ``needs`` and ``inspect``. ``stamp`` is asked about those groups only.

    ``OWNED`` is all that ``stamp`` sets in a pod template, and what else is the scheduler's there; no patch may touch
    it, and what the values set is refused where ``stamp`` would overwrite it. ``MARKS_ALL``: every group is marked, not
    only members of gangs. A scheduler of its own places every pod of the operation, since two over the same nodes would
    give one place twice; admission counts every pod. ``KEEPS`` answers each topic with a sentence, for people; empty
    where the backend has no gangs. ``BEFORE`` are the kinds of objects that must be there before the grouping objects
    that name them, so that none may be of the same release.

    ``PREEMPTS_WHERE`` is the condition under which a gang takes the places of pods of a lower priority, as a clause;
    empty where it always may.

    ``MEMBERSHIPS`` are where a pod names its grouping object (``plan.membership``): pods that would have to name
    another one cannot be replaced one by one. ``IN_PLACE`` is what may change of a gang though its pods run: its
    grouping objects keep their names, and what they say then holds for running pods and for those that are replaced one
    by one, or needs none to be. ``PROCESSES`` are the programs that must run for it.
    """

    NAME: str
    GROUPING_KINDS: tuple[ApiKind, ...]
    OWNED: tuple[TemplatePath, ...]
    MARKS_ALL: bool
    KEEPS: Mapping[Topic, str]
    PREEMPTS_WHERE: str
    BEFORE: tuple[ApiKind, ...]
    MEMBERSHIPS: tuple[TemplatePath, ...]
    IN_PLACE: frozenset[Aspect]
    PROCESSES: tuple[Process, ...]

    def check(self, plan: Plan) -> list[str]:
        """Return what this backend refuses, one line each: what, why, what to do instead."""
        ...

    def guarantees(self, plan: Plan) -> list[str]:
        """Return what it will and will not keep, one line each, for ``plan``: ``promises``, then what is its own."""
        ...

    def objects(self, plan: Plan) -> list[Manifest]:
        """Return the grouping objects in the order in which they should be created (no labels: ours are added)."""
        ...

    def stamp(self, workload: Manifest, group: Group, plan: Plan) -> bool:
        """Mark a workload's pod template as a member's, in place; return False when the group needs no mark."""
        ...

    def needs(self, plan: Plan) -> list[Need]:
        """Return what the cluster must serve for this plan."""
        ...

    def inspect(self, plan: Plan, ask: Ask) -> list[Finding]:
        """Return what only the cluster can tell of ``plan`` beyond served kinds: queues, topologies, configuration."""
        ...

    def explain(self, live: Live, ask: Ask) -> list[Decision]:
        """Return what the scheduler says now, one decision a gang member."""
        ...


class Admission(Backend, Protocol):
    """A backend that decides whether pods may use quota, and leaves it to a placement backend where they run.

    ``PLACEMENTS`` are the placement backends that it was seen to work with: for each a sentence on what both keep
    together. All others are refused. ``HOLDS`` are the kinds of its own objects by which pods hold quota: it deletes
    them once what owns them is gone.
    """

    PLACEMENTS: Mapping[str, str]
    HOLDS: tuple[ApiKind, ...]

    def captures(self, plan: Plan, ask: Ask) -> list[Finding]:
        """Return what it would do of itself with workloads of ``plan`` that do not ask for it, where it is there."""
        ...

    def lent(self, plan: Plan, ask: Ask) -> list[Manifest]:
        """Return the objects by which pods of another namespace ask for quota where those of ``plan`` do."""
        ...

    def units(self, live: Live, ask: Ask) -> list[Unit]:
        """Return what of an operation is let in as one, for ``suspend`` and ``resume``; nothing of what is over.

        Raises:
            RefusedError: That may not be read.
        """
        ...

    def outdated(self, live: Live, ask: Ask) -> list[Unit]:
        """Return what an operation was kept out by before its pods were changed, and stands for none of them now."""
        ...


NOTHING_BEFORE: Final[tuple[ApiKind, ...]] = ()
ALWAYS: Final = ""
NO_MEMBERSHIPS: Final[tuple[TemplatePath, ...]] = ()
NOTHING_IN_PLACE: Final[frozenset[Aspect]] = frozenset()


def promises(keeps: Mapping[Topic, str], plan: Plan) -> list[str]:
    """Return what ``keeps`` says on the topics that matter for the gangs of ``plan``, each line with its topic first.

    What all gangs share is said once; only the minima, which follow the first placement, are said by gang.
    """
    gangs = plan.operation.gangs
    members = [member for gang in gangs for member in gang.members]
    spread = any(gang.locality for gang in gangs) or any(member.locality or member.elastic for member in members)
    without = {
        "rolling update": all(plan.workloads[member.group].get("kind") == "Job" for member in members),
        "extras and locality": not spread,
    }
    said = [topic for topic in TOPICS if topic in keeps and members and not without.get(topic)]
    floors = "; ".join(f"{gang.name}: {_floor(gang)}" for gang in gangs)
    return [f"{topic}: {keeps[topic]}{f' ({floors})' if topic == TOPICS[0] else ''}" for topic in said]


def _floor(gang: Gang) -> str:
    return ", ".join(f"{member.minimum} {member.group}" for member in gang.members)


def no_refusals(plan: Plan) -> list[str]:
    """Refuse nothing."""
    del plan
    return []


def no_objects(plan: Plan) -> list[Manifest]:
    """Make no grouping objects."""
    del plan
    return []


def no_stamp(workload: Manifest, group: Group, plan: Plan) -> bool:
    """Leave every workload as it is."""
    del workload, group, plan
    return False


def no_needs(plan: Plan) -> list[Need]:
    """Need nothing of the cluster."""
    del plan
    return []


def no_findings(plan: Plan, ask: Ask) -> list[Finding]:
    """Ask nothing of the cluster."""
    del plan, ask
    return []


def no_decisions(live: Live, ask: Ask) -> list[Decision]:
    """Know nothing beyond what pods themselves say."""
    del live, ask
    return []
