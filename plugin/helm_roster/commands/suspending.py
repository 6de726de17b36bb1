"""How an operation is kept out of its queue and let in again, a look at a time; for suspend, resume and upgrade.

What admission lets in as one has an object that is told so; Jobs that would suffer by that are suspended before. Where
each pod has one of its own, the group is scaled to no replicas, and its workload remembers how many there were. Each
step can be done again: whoever is interrupted says the same command once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from helm_roster import all_backends, constants, errors
from helm_roster.backend_base import SETTLED, ApiKind, Unit
from helm_roster.cluster import asking, capabilities, live
from helm_roster.cluster.capabilities import ResourceAttributes
from helm_roster.cluster.client import OWN_MANAGER, WORKLOADS, ApiError, Client, Resource
from helm_roster.commands.observing import Look
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.wording import agreed, counted, few
from helm_roster.policy import grouping, pods

_KINDS: Final = {resource.kind: resource for resource in WORKLOADS}
_CONFLICT: Final = 409
# Whoever else changes an object does so a few times a second at most.
_TRIES: Final = 5


class Suspension:
    """The suspension or resumption of one operation, as a look found it."""

    def __init__(self, client: Client, found: Live) -> None:
        self._client, self._live = client, found
        self._ask = asking.Asker(client)
        workloads = [group.workload for group in found.groups.values()]
        self._backends = [all_backends.ADMISSION[name] for name in live.admissions(workloads)]
        # Gangs first: single pods that are let in before could take their quota.
        self.units = sorted(self._units(), key=lambda unit: unit.kind is None)

    @property
    def groups(self) -> list[LiveGroup]:
        """Return the groups that are admitted, in order."""
        named = {name for unit in self.units for name in unit.groups}
        return [group for name, group in sorted(self._live.groups.items()) if name in named]

    @property
    def besides(self) -> list[str]:
        """Return the groups that nothing admits: they stay as they are."""
        named = {group.name for group in self.groups}
        others = [group for name, group in sorted(self._live.groups.items()) if name not in named and group.workload]
        return [group.name for group in others if not grouping.has_ended(group)]

    @property
    def is_under_way(self) -> bool:
        """Return whether something is suspended, by whoever, or what was is not forgotten."""
        told = any(unit.name and not unit.is_on for unit in self.units)
        return told or is_marked(group.workload for group in self.groups) or bool(self._outdated())

    @property
    def is_over(self) -> bool:
        """Return whether all is suspended, and nothing is left to do."""
        scaled = all(not grouping.wanted(group) for unit in self.units if not unit.kind for group in self._of(unit))
        return scaled and all(mark_of(group.workload) for group in self.groups) and not self.runs_on()

    def group(self, name: str) -> LiveGroup:
        """Return one group."""
        return self._live.groups[name]

    def refuse_forbidden(self, *, restarts: bool = False) -> None:
        """Refuse where a part of it may not be done, before any is; ``restarts`` where gangs get other names after it.

        Raises:
            RefusedError: So it is.
        """
        denied = capabilities.denied(self._client, self._live.namespace, self._wanted(restarts=restarts))
        if denied:
            msg = f"you may not {few(denied)}, so nothing is changed: ask for a Role with these verbs"
            raise errors.RefusedError(msg)

    def suspend(self) -> list[str]:
        """Keep out what is let in; return, in words, what could not be told yet, for the next look."""
        left = []
        for unit in self.units:
            for group in self._of(unit):
                if unit.kind:
                    self._mark(group, "true")
                else:
                    self._to_none(group)
            if unit.jobs:
                left += self._halt(unit)
            elif unit.kind and not self._tell(unit, on=False):
                left.append(_untold(unit))
        return left

    def resume(self) -> list[str]:
        """Let in what is kept out, and forget what stands for nothing any more; return as ``suspend``."""
        left = []
        for unit in self.units:
            if unit.name and not self._tell(unit, on=True):
                left.append(_untold(unit))
                continue
            for name in unit.jobs:
                self._set_halt(self._live.groups[name], on=False)
            left += [
                f"{group.name}: its mark is not taken off yet" for group in self._of(unit) if not self._back(group)
            ]
        self.forget()
        return left

    def forget(self) -> None:
        """Delete what kept out a gang that has another name by now."""
        for unit in self._outdated():
            if unit.kind:
                self._client.delete(_resource(unit.kind), self._live.namespace, unit.name)

    def runs_on(self) -> list[str]:
        """Return, in words, what is not kept out yet."""
        return [text for unit in self.units for text in self._lets_in(unit)]

    def _lets_in(self, unit: Unit) -> Iterator[str]:
        for group in self._of(unit):
            left = [pod for pod in group.pods if not _is_out(pod)]
            ending = [pod for pod in left if pods.is_terminating(pod)]
            if len(left) > len(ending):
                count = len(left) - len(ending)
                yield f"{group.name}: {counted(count, 'pod')} {agreed(count, 'run')} on"
            elif ending:
                yield f"{group.name}: {counted(len(ending), 'pod')} {agreed(len(ending), 'end')}"
            if group.name in unit.jobs and not group.is_halted:
                yield f"{group.name}: its Job is not suspended yet"
        if unit.kind and unit.is_on and (unit.name or not unit.jobs):
            yield _untold(unit)

    def _units(self) -> list[Unit]:
        return [unit for backend in self._backends for unit in backend.units(self._live, self._ask)]

    def _outdated(self) -> list[Unit]:
        return [unit for backend in self._backends for unit in backend.outdated(self._live, self._ask)]

    def _of(self, unit: Unit) -> list[LiveGroup]:
        return [self._live.groups[name] for name in unit.groups]

    def _halt(self, unit: Unit) -> list[str]:
        """Suspend the Jobs of a unit, and then keep its object out, if it is not gone with their pods; return as above.

        Whoever is told before would delete the pods, and their Jobs count them as failed.
        """
        jobs = [self._live.groups[name] for name in unit.jobs]
        for group in jobs:
            self._set_halt(group, on=True)
        if running := [group.name for group in jobs if any(map(pods.is_active, group.pods))]:
            return [f"{few(running)}: pods of its Job are there yet"]
        return [] if not unit.name or self._tell(unit, on=False) else [_untold(unit)]

    def _set_halt(self, group: LiveGroup, *, on: bool) -> None:
        if group.is_halted != on:
            identity = walk.identity(group.workload or {})
            self._change(_KINDS[identity.kind], identity.name, {"spec": {"suspend": on}})

    def _tell(self, unit: Unit, *, on: bool) -> bool:
        """Have the object of a unit let it in or keep it out; return whether it does.

        Its patches are for one version of it: where somebody changed it meanwhile, it is read anew.
        """
        for _ in range(_TRIES):
            if unit.kind is None or not unit.name:
                return False
            if unit.is_on == on or self._change(_resource(unit.kind), unit.name, unit.on if on else unit.off):
                return True
            self._ask = asking.Asker(self._client)
            unit = next((one for one in self._units() if one.groups == unit.groups), unit)
        return False

    def _change(self, resource: Resource, name: str, patch: Manifest) -> bool:
        """Change an object; return whether it was still as the patch supposes."""
        try:
            return self._client.change(resource, self._live.namespace, name, patch) is not None
        except ApiError as error:
            if error.status != _CONFLICT:
                raise
            return False

    def _to_none(self, group: LiveGroup) -> None:
        """Scale a group to no replicas; its workload remembers first how many there were.

        A count of 0 is nobody's: a Scale leaves it out, and so no manager of fields is noted for it.
        """
        replicas = grouping.wanted(group)
        if replicas:
            self._mark(group, str(replicas))
            self._scale(group, 0)

    def _back(self, group: LiveGroup) -> bool:
        """Give a group its replicas again, and leave no trace on its workload; return whether that is done.

        Whoever set a field last owns it, and Helm 4 would not change replicas that are ours: so we give them up.
        """
        before = mark_of(group.workload)
        if not before:
            return True
        if before.isdigit() and not grouping.wanted(group):
            self._scale(group, int(before))
        return any(self._unmark(group) for _ in range(_TRIES))

    def _unmark(self, group: LiveGroup) -> bool:
        """Take our mark and our fields off a group's workload; return whether nobody changed it at the same time."""
        identity = walk.identity(group.workload or {})
        resource = _KINDS[identity.kind]
        found = self._client.get(resource, self._live.namespace, identity.name)
        metadata = {
            "resourceVersion": walk.get(found, "metadata", "resourceVersion"),
            "annotations": {constants.SUSPENDED_ANNOTATION: None},
            "managedFields": [
                entry
                for entry in walk.mappings(found, "metadata", "managedFields")
                if entry.get("manager") != OWN_MANAGER
            ],
        }
        return found is None or self._change(resource, identity.name, {"metadata": metadata})

    def _scale(self, group: LiveGroup, count: int) -> None:
        identity = walk.identity(group.workload or {})
        self._client.set_replicas(_KINDS[identity.kind], self._live.namespace, identity.name, count)

    def _mark(self, group: LiveGroup, value: str) -> None:
        """Say on a group's workload that it is suspended."""
        if mark_of(group.workload) == value:
            return
        identity = walk.identity(group.workload or {})
        body = {"metadata": {"annotations": {constants.SUSPENDED_ANNOTATION: value}}}
        self._client.change(_KINDS[identity.kind], self._live.namespace, identity.name, body)

    def _wanted(self, *, restarts: bool) -> dict[ResourceAttributes, Sequence[str]]:
        wanted: dict[ResourceAttributes, Sequence[str]] = {}
        verbs = ("patch", "delete") if restarts or self._outdated() else ("patch",)
        for unit in self.units:
            if unit.kind:
                wanted[_attributes(_resource(unit.kind))] = verbs
            for group in self._of(unit):
                resource = _KINDS[str(walk.get(group.workload, "kind"))]
                wanted[_attributes(resource)] = ("get", "patch")
                if unit.kind is None:
                    wanted[_attributes(resource, "/scale")] = ("patch",)
        return wanted


def mark_of(workload: Manifest | None) -> str:
    """Return what a workload says of its suspension; empty where it says nothing."""
    return str(walk.get(workload, "metadata", "annotations", constants.SUSPENDED_ANNOTATION, default=""))


def is_marked(workloads: Iterable[Manifest | None]) -> bool:
    """Return whether one of the workloads says that it is suspended."""
    return any(map(mark_of, workloads))


def is_let_in(seen: Look, names: Iterable[str]) -> dict[str, str]:
    """Return, by group, what those of these names wait for that are not let in yet."""
    said = {one.group: one for one in seen.decisions if one.stage == "quota"}
    health = {group.name: group for group in seen.health.groups}
    waits: dict[str, str] = {}
    for name in names:
        decision, group = said.get(name), health[name]
        lacks = group.kind != "Job" and group.pods + group.succeeded < group.desired
        if lacks or (decision and decision.state not in SETTLED):
            waits[name] = (decision.message if decision else "") or "its pods are not there yet"
        elif mark_of(seen.observed.live.groups[name].workload):
            waits[name] = "its workload still says that it is suspended"
    return waits


def _is_out(pod: Manifest) -> bool:
    """Return whether a pod has ended, or is kept from every scheduler."""
    is_gated = bool(walk.sequence(pod, "spec", "schedulingGates")) and not pods.is_placed(pod)
    return is_gated or pods.phase(pod) in {"Succeeded", "Failed"}


def _untold(unit: Unit) -> str:
    """Return, in words, that the object of a unit is not there yet, or lets in what it is to keep out, or the like."""
    kind, names = unit.kind.kind if unit.kind else "", ", ".join(unit.groups)
    if not unit.name:
        return f"{names}: there is no {kind} yet that could be told to keep it out"
    return f"{names}: its {kind} is not told yet"


def _resource(kind: ApiKind) -> Resource:
    return Resource(api_version=kind.api_version, kind=kind.kind, plural=kind.plural)


def _attributes(resource: Resource, part: str = "") -> ResourceAttributes:
    group = resource.api_version.rpartition("/")[0]
    return ResourceAttributes(group=group, plural=f"{resource.plural}{part}", namespaced=True)
