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
State = Literal["waiting", "placed", "broken"]


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


class Need(Frozen):
    """Something that the cluster must serve; ``remedy`` says what to do where it is absent.

    ``gates`` are the feature gates without which serving it does not help.
    """

    kind: ApiKind
    remedy: str
    gates: tuple[str, ...] = ()


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

    def serves(self, kind: ApiKind) -> bool | None:
        """Return whether the API server serves the kind; None where there is no cluster to ask."""
        ...

    def stored(self, manifest: Manifest, namespace: str) -> Manifest | None:
        """Return what the API server would make of a new object like ``manifest``; nothing is made (dry run).

        It drops fields of features that are switched off, without a word. None where it does not say, for whatever
        reason.
        """
        ...

    def now(self) -> datetime:
        """Return the time, with its zone."""
        ...


class Decision(Frozen):
    """What the scheduling system says of one group's part in a gang: ``message`` is in its own words.

    ``gang`` is empty for a group outside gangs, of which nothing is said while it is placed. ``was_placed``: its
    objects tell that the gang had all of its places before, whatever it has now.
    """

    gang: str
    group: str
    state: State
    message: str = ""
    was_placed: bool = False

    @property
    def told(self) -> str:
        """Return the message, with the gang that it is about before it."""
        return f'gang "{self.gang}": {self.message}' if self.gang else self.message


class Backend(Protocol):
    """The verbs: four that render, and three about a cluster.

    ``plan`` has the rendered workloads of gang members and of groups with patches; of all groups where ``PLACES_ALL``,
    and for ``guarantees``, ``needs`` and ``inspect``. ``stamp`` is asked about those groups only.

    ``OWNED`` is all that ``stamp`` sets in a pod template, and what else is the scheduler's there; no patch may touch
    it, and what the values set is refused where ``stamp`` would overwrite it. ``PLACES_ALL``: the scheduler is one of
    its own, which then places every pod of the operation: two schedulers over the same nodes would give one place
    twice. ``KEEPS`` answers each topic with a sentence, for people; empty where the backend has no gangs. ``BEFORE``
    are the kinds of objects that must be there before the grouping objects that name them, so that none may be of the
    same release.

    ``PREEMPTS_WHERE`` is the condition under which a gang takes the places of pods of a lower priority, as a clause;
    empty where it always may.

    ``MEMBERSHIP`` is where a pod names its grouping object: pods that would have to name another one cannot be replaced
    one by one. ``IN_PLACE`` is what may change of a gang though its pods run: its grouping objects keep their names,
    and what they say then holds for running pods and for those that are replaced one by one, or needs none to be.
    """

    NAME: str
    GROUPING_KINDS: tuple[ApiKind, ...]
    OWNED: tuple[TemplatePath, ...]
    PLACES_ALL: bool
    KEEPS: Mapping[Topic, str]
    PREEMPTS_WHERE: str
    BEFORE: tuple[ApiKind, ...]
    MEMBERSHIP: TemplatePath
    IN_PLACE: frozenset[Aspect]

    def check(self, plan: Plan) -> list[str]:
        """Return what this backend refuses, one line each: what, why, what to do instead."""
        ...

    def guarantees(self, plan: Plan) -> list[str]:
        """Return what it will and will not keep, one line each, for ``plan``: ``promises``, then what is its own."""
        ...

    def objects(self, plan: Plan) -> list[Manifest]:
        """Return the grouping objects in the order in which they should be created (no labels: ours are added)."""
        ...

    def stamp(self, pod_template: Manifest, group: Group, plan: Plan) -> bool:
        """Mark a pod template as a member, in place; return False when the group needs no mark."""
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


NOTHING_BEFORE: Final[tuple[ApiKind, ...]] = ()
ALWAYS: Final = ""
NO_MEMBERSHIP: Final[TemplatePath] = ()
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


def no_stamp(pod_template: Manifest, group: Group, plan: Plan) -> bool:
    """Leave every pod template as it is."""
    del pod_template, group, plan
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
