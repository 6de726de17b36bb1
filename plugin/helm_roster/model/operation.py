"""The resolved operation: what the chart composed, as typed, frozen values.

The chart is the only composer. It prints its result once, as the carrier that the post-renderer consumes or as
a ``ResolvedOperation`` for ``plan``; this module only reads that. Nothing here repeats a merge or knows a scheduler.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final, Literal

from helm_roster import constants, errors
from helm_roster.frozen import Frozen
from helm_roster.manifests import door
from helm_roster.model import devices, nearest
from helm_roster.model.devices import Accelerator, Claim, Leader

# Shared by all that have nothing to say, and never changed.
_NOTHING: Final[Mapping[str, Any]] = {}
# A gang that may be below its minimum for ever.
NEVER: Final = -1
_NEWER = (
    "this operation was rendered by a newer chart (schema {found}, this tool reads {known}); "
    "upgrade helm-roster, or pass --chart with the version that fits"
)


class ObjectRef(Frozen):
    """Names one object in the release's namespace."""

    api_version: str
    kind: str
    name: str

    def __str__(self) -> str:  # noqa: D105  (kind and name, as kubectl says them)
        return f"{self.kind} {self.name}"


class Autoscaling(Frozen):
    """Who sets a group's replicas, and between which bounds; ``maximum`` is None where nobody names one.

    ``idle`` is whether it goes to none below its minimum.
    """

    owner: str
    minimum: int
    maximum: int | None = None
    idle: bool = False


class Group(Frozen):
    """One named replica group.

    ``accelerators`` counts per pod, but for that of a ``leader``; each pod may take a whole node (``fills_node``), and
    ``companions`` are the devices that come along; under ``autoscaling``, ``replicas`` is its minimum;
    ``services`` are its Services' names by their use; ``admission`` is what is other than for the operation
    (``Operation.admission_of``); ``serves`` are the groups of a router; ``reads`` tells what the chart put into the
    group's pods of which others; ``coordinated`` are those that are rolled out together, here or behind this router;
    for those in ``waits_for`` an init container of its pods waits; ``claims`` are what its pods claim beside their
    accelerators, by the names in the values.
    """

    name: str
    workload: ObjectRef
    replicas: int
    pods_per_replica: int = 1
    accelerators: int = 0
    accelerator: Accelerator | None = None
    fills_node: bool = False
    companions: tuple[str, ...] = ()
    router: bool = False
    requires: tuple[str, ...] = ()
    lifecycle: str = "primary"
    autoscaling: Autoscaling | None = None
    presets: tuple[str, ...] = ()
    skipped_presets: tuple[str, ...] = ()
    leader: Leader | None = None
    services: Mapping[str, str] = _NOTHING
    admission: Mapping[str, Any] = _NOTHING
    serves: tuple[str, ...] = ()
    reads: Mapping[str, tuple[str, ...]] = _NOTHING
    coordinated: tuple[str, ...] = ()
    waits_for: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()

    @property
    def pods(self) -> int:
        """Return how many pods the group has when it is whole."""
        return self.replicas * self.pods_per_replica

    @property
    def most_pods(self) -> int:
        """Return how many pods the group may come to have: the autoscaler's maximum where one is named."""
        bounds = self.autoscaling
        most = self.replicas if bounds is None or bounds.maximum is None else bounds.maximum
        return most * self.pods_per_replica

    def accelerator_of(self, part: str) -> Accelerator | None:
        """Return what a preset selected for the pods of a template (``plan.Part``)."""
        return self.leader.accelerator if self.leader and part == "leader" else self.accelerator

    def fills_node_of(self, part: str) -> bool:
        """Return whether each pod of a template (``plan.Part``) takes a whole node."""
        return self.leader.fills_node if self.leader and part == "leader" else self.fills_node


class Admission(Frozen):
    """How pods ask for quota: ``max_run_time`` is the seconds after which what was admitted is stopped."""

    queue: str
    priority_class: str = ""
    max_run_time: int | None = None


class Locality(Frozen):
    """That pods are placed within one level of the cluster's topology: all of them, or each ``segment`` of so many.

    ``label``, ``tier`` and ``topology`` say by what nodes of the level are known; what is absent is None.
    """

    within: str
    required: bool = True
    segment: int | None = None
    label: str | None = None
    tier: int | str | None = None
    topology: str | None = None


class Member(Frozen):
    """A group's part in a gang. ``minimum`` counts pods; an elastic member may run with fewer than all."""

    group: str
    minimum: int
    elastic: bool = False
    order: int = 0
    locality: Locality | None = None


class Gang(Frozen):
    """Groups that start together or not at all; members come in placement order (``order``, then name).

    ``staleness_grace_period`` is the seconds that the gang may be below its minimum before all of it is evicted;
    ``NEVER``; or None where the values leave it to the backend, as an empty ``preemption`` does.
    """

    name: str
    members: tuple[Member, ...]
    locality: Locality | None = None
    min_resources: bool = False
    staleness_grace_period: int | None = None
    preemption: Literal["", "pod", "gang"] = ""

    @property
    def fixed(self) -> tuple[Member, ...]:
        """Return the members that need all of their pods."""
        return tuple(member for member in self.members if not member.elastic)

    @property
    def elastic(self) -> tuple[Member, ...]:
        """Return the members that may run with fewer pods than replicas."""
        return tuple(member for member in self.members if member.elastic)


class Patch(Frozen):
    """A change of a group's rendered objects, as the user wrote it: ``body`` is a list of operations or a merge.

    ``kind`` is ``pod``, ``workload``, or the kind of one of the group's objects; ``use`` says which of its Services.
    """

    group: str
    name: str
    form: Literal["json", "merge"]
    body: Any
    kind: str = "pod"
    use: str = ""

    @property
    def target(self) -> str:
        """Return the target as the values say it: ``pod``, ``ConfigMap``, ``Service/ready``."""
        return f"{self.kind}/{self.use}" if self.use else self.kind

    def __str__(self) -> str:  # noqa: D105  (where it stands in the values)
        return f"patches.{self.group}.{self.name}"


class Operation(Frozen):
    """A whole operation, as the chart resolved it; ``wrapped`` where another chart depends on that one.

    ``claims`` are by the names of the objects that the chart made for them.
    """

    name: str
    kind: str
    release: str
    namespace: str
    groups: Mapping[str, Group]
    run: str = ""
    chart_version: str = ""
    wrapped: bool = False
    placement: Mapping[str, Any] = _NOTHING
    admission: Mapping[str, Any] = _NOTHING
    gangs: tuple[Gang, ...] = ()
    patches: tuple[Patch, ...] = ()
    claims: Mapping[str, Claim] = _NOTHING

    def at(self, path: str) -> str:
        """Return where the chart's value of that path stands in the values of the release."""
        return f"{constants.CHART}.{path}" if self.wrapped else path

    @property
    def placement_backend(self) -> str:
        """Return the name of the placement backend; ``default`` where the values name none."""
        return str(self.placement.get("backend") or "default")

    @property
    def admission_backend(self) -> str:
        """Return the name of the admission backend; ``none`` where the values name none."""
        return str(self.admission.get("backend") or "none")

    @property
    def asks_for_quota(self) -> bool:
        """Return whether somebody admits the operation, before it is placed."""
        return self.admission_backend != "none"

    def admission_of(self, group: str) -> Admission | None:
        """Return how the group's pods ask for quota; None where they run without asking."""
        said = {**self.admission, **self.groups[group].admission}
        if str(said.get("backend") or "none") == "none":
            return None
        most = said.get("maxRunTime")
        return Admission(
            queue=str(said.get("queue") or ""),
            priority_class=str(said.get("priorityClass") or ""),
            max_run_time=None if most is None else int(most),
        )

    def gang_of(self, group: str) -> tuple[Gang, Member] | None:
        """Return the gang that the group belongs to, with its part in it."""
        return self._memberships.get(group)

    @property
    def rendered(self) -> set[str]:
        """Return the groups whose workloads the renderer has to read: members of gangs, and those with patches."""
        return {*self._memberships, *(patch.group for patch in self.patches)}

    @cached_property
    def _memberships(self) -> dict[str, tuple[Gang, Member]]:
        return {member.group: (gang, member) for gang in reversed(self.gangs) for member in gang.members}


def read(spec: object) -> Operation:
    """Read ``spec`` of a carrier or of a ResolvedOperation.

    Raises:
        BadInputError: The schema is newer than this tool knows, or a field is missing or of the wrong shape.
    """
    plain = door.to_plain(spec)
    found = plain.get("schema") if isinstance(plain, dict) else None
    if isinstance(found, int) and found > constants.CARRIER_SCHEMA:
        raise errors.BadInputError(_NEWER.format(found=found, known=constants.CARRIER_SCHEMA))
    if found != constants.CARRIER_SCHEMA or not isinstance(plain, dict):
        known = constants.CARRIER_SCHEMA
        msg = f"the carrier's spec.schema is {found!r}, not {known}: use the chart that comes with this tool"
        raise errors.BadInputError(msg)
    try:
        return _operation(plain)
    except (KeyError, TypeError, AttributeError, ValueError) as cause:
        msg = f"the carrier cannot be read ({cause!r}): use the chart that comes with this tool"
        raise errors.BadInputError(msg) from cause


def _operation(spec: dict[str, Any]) -> Operation:
    scheduling = spec.get("scheduling") or {}
    return Operation(
        name=str(spec["operation"]["name"]),
        kind=str(spec["operation"]["kind"]),
        run=str(spec["operation"].get("run") or ""),
        release=str(spec["release"]["name"]),
        namespace=str(spec["release"]["namespace"]),
        chart_version=str(spec["chart"]["version"]),
        wrapped=spec.get("wrapped") is True,
        groups={name: _group(name, entry) for name, entry in spec["groups"].items()},
        placement=scheduling.get("placement") or {},
        admission=scheduling.get("admission") or {},
        gangs=tuple(_gang(name, entry) for name, entry in sorted((scheduling.get("gangs") or {}).items())),
        patches=tuple(_patches(spec.get("patches") or {}, spec["groups"])),
        claims={str(name): devices.read_claim(entry) for name, entry in (spec.get("claims") or {}).items()},
    )


def _group(name: str, entry: dict[str, Any]) -> Group:
    workload = entry["workload"]
    accelerator = entry.get("accelerator")
    autoscaling = entry.get("autoscaling")
    return Group(
        name=name,
        workload=ObjectRef(api_version=workload["apiVersion"], kind=workload["kind"], name=str(workload["name"])),
        replicas=int(entry["replicas"]),
        pods_per_replica=int(entry.get("podsPerReplica", 1)),
        accelerators=int(entry.get("accelerators") or 0),
        accelerator=devices.read_accelerator(accelerator) if accelerator else None,
        fills_node=entry.get("fillsNode") is True,
        companions=tuple(str(device) for device in entry.get("devices") or ()),
        router=bool(entry.get("router")),
        requires=tuple(str(required) for required in entry.get("requires") or ()),
        lifecycle=str(entry.get("lifecycle") or "primary"),
        autoscaling=_autoscaling(autoscaling) if autoscaling else None,
        presets=tuple(str(preset) for preset in entry.get("presets") or ()),
        skipped_presets=tuple(str(preset) for preset in entry.get("skippedPresets") or ()),
        leader=devices.read_leader(entry["leader"]) if entry.get("leader") is not None else None,
        services={str(use): str(service) for use, service in (entry.get("services") or {}).items()},
        admission=entry.get("admission") or _NOTHING,
        serves=tuple(entry.get("serves") or ()),
        reads={str(to): tuple(forms) for to, forms in (entry.get("reads") or {}).items()},
        coordinated=tuple(entry.get("coordinated") or ()),
        waits_for=tuple(entry.get("waitsFor") or ()),
        claims=tuple(entry.get("claims") or ()),
    )


def _autoscaling(entry: dict[str, Any]) -> Autoscaling:
    most = entry.get("max")
    return Autoscaling(
        owner=str(entry["owner"]),
        minimum=int(entry["min"]),
        maximum=None if most is None else int(most),
        idle="idle" in entry,
    )


def _gang(name: str, entry: dict[str, Any]) -> Gang:
    members = [
        Member(
            group=str(group),
            minimum=int(member["min"]),
            elastic=bool(member.get("elastic")),
            order=int(member.get("order") or 0),
            locality=_locality(member.get("locality")),
        )
        for group, member in entry["members"].items()
    ]
    period = entry.get("stalenessGracePeriod")
    return Gang(
        name=name,
        members=tuple(sorted(members, key=lambda member: (member.order, member.group))),
        locality=_locality(entry.get("locality")),
        min_resources=bool(entry.get("minResources")),
        staleness_grace_period=None if period is None else int(period),
        preemption=_preemption(entry.get("preemption") or ""),
    )


def _locality(entry: dict[str, Any] | None) -> Locality | None:
    if entry is None:
        return None
    segment, tier = entry.get("segment"), entry.get("tier")
    return Locality(
        within=str(entry["within"]),
        required=entry.get("required") is not False,
        segment=None if segment is None else int(segment),
        label=entry.get("label"),
        tier=tier if tier is None or isinstance(tier, str) else int(tier),
        topology=entry.get("topology"),
    )


def _preemption(word: str) -> Literal["", "pod", "gang"]:
    """Read who is taken; another word is of another chart."""
    match word:
        case "" | "pod" | "gang":
            return word
    msg = f"preemption {word!r}"
    raise ValueError(msg)


def _patches(entries: Mapping[str, Mapping[str, Any]], groups: Mapping[str, Any]) -> Iterator[Patch]:
    """Yield the patches by group, and in a group in the order of their names, in which they are applied."""
    for group, named in sorted(entries.items()):
        if group not in groups:
            hint = nearest.hint(group, groups, 'did you mean "{}"? ')
            msg = f'patches.{group}: there is no group "{group}"; {hint}known: {", ".join(sorted(groups))}'
            raise errors.BadInputError(msg)
        for name, entry in sorted(named.items()):
            form: Literal["json", "merge"] = "merge" if "merge" in entry else "json"
            kind, _, use = str(entry.get("target") or "pod").partition("/")
            yield Patch(group=group, name=name, form=form, body=entry[form], kind=kind, use=use)
