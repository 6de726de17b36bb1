"""Which gangs an upgrade restarts: their running pods would have to come into them anew, all at once; pure.

Pods that come into a gang by an ordinary rolling update wait for ever: the first one that is replaced is alone in its
new grouping object (measured on three schedulers, StatefulSets and Deployments alike). So a gang that runs is restarted
as a whole, or stays as it is: what may change of it in place, its backend says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from helm_roster import constants
from helm_roster.frozen import Frozen
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Gang, Member
from helm_roster.model.plan import Plan
from helm_roster.policy import changes, gang_specs, pods, rollouts


class Running(NamedTuple):
    """A group that has pods: its workload, the grouping objects that its pods name, and how many have a place.

    Pods that name no grouping object name an empty one.
    """

    workload: Manifest
    names: frozenset[str]
    placed: int = 0


class Restart(Frozen):
    """A gang that has to be restarted.

    ``reasons`` say what changes of it, ``groups`` which members' pods run; ``jobs`` are those that cannot be restarted.
    ``whole``: also pods that name the right grouping object already are of the gang as it was. ``fixed`` are members
    that were elastic. ``raised``: all that restarts it is a minimum above the pods that have a place.
    """

    gang: str
    reasons: tuple[str, ...]
    groups: tuple[str, ...]
    jobs: tuple[str, ...] = ()
    whole: bool = True
    fixed: tuple[str, ...] = ()
    raised: bool = False

    @property
    def what(self) -> str:
        """Return the reasons in words."""
        return "; ".join(self.reasons)


def restarts(
    running: Mapping[str, Running],
    grouping: Sequence[Manifest],
    plan: Plan,
    names: Mapping[str, str],
    in_place: Collection[str] = (),
) -> list[Restart]:
    """Return the gangs of ``plan`` that have to be restarted.

    A group whose workload is called otherwise is not moved but replaced, and so is a Job; one that leaves all gangs
    rolls as any other, unless its quota is the gang's until the last of its old pods is gone (``_leaving``).

    Args:
        running: The groups that have pods.
        grouping: The grouping objects that are there.
        plan: What is asked for.
        names: The grouping object that the pods of ``plan`` name, by group.
        in_place: The aspects of a gang that its backend changes in place.
    """
    there = [entry for entry in grouping if not pods.is_terminating(entry)]
    specs = gang_specs.read([*(one.workload for one in running.values()), *there])
    before = _Before(specs, running, {gang.name for gang in plan.operation.gangs})
    found = (_restart(before, plan, gang, names, in_place) for gang in plan.operation.gangs)
    return [*(restart for restart in found if restart), *_leaving(before, plan, names)]


def refusals(found: Sequence[Restart], plan: Plan, *, recreate: bool) -> list[str]:
    """Return why an upgrade does not restart these gangs; with ``recreate`` only what it cannot."""
    told = (_refusal(restart, plan, recreate=recreate) for restart in found)
    return [refusal for refusal in told if refusal]


def otherwise(restart: Restart) -> str:
    """Return the ways round it: for members at their minimum, which are fixed there; where only a minimum is raised."""
    names = ", ".join(restart.fixed)
    stay = f"; if {names} should stay elastic at its minimum, say elastic: true of it in the gang" if names else ""
    later = "; or raise the replicas alone, and the minimum once as many pods have a place" if restart.raised else ""
    return stay + later


class _Before:
    """What the gangs were: by their specs, and by the marks of the workloads where older objects have no specs.

    ``asked`` are the gangs that are asked for: one of these is no other one's earlier name.
    """

    def __init__(
        self, specs: Mapping[str, Mapping[str, Any]], running: Mapping[str, Running], asked: Collection[str]
    ) -> None:
        self.specs, self.running, self.asked = specs, running, asked
        marks = {name: _mark(one.workload) for name, one in running.items()}
        self.gang_of = {group: gang for gang, spec in specs.items() for group in spec.get("members") or ()}
        self.gang_of = {name: gang for name, gang in marks.items() if gang} | self.gang_of

    def spec(self, gang: str, stays: Sequence[str]) -> Mapping[str, Any]:
        """Return what the gang was, under its name or the one that its groups had; empty where nothing tells."""
        return self.specs.get(gang) or self.specs.get(self._called(stays)) or {}

    def renamed(self, gang: str, stays: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield, with a word that is no aspect, that the groups were in no gang, one of another name, or others."""
        earlier = self._earlier(stays)
        if gang in self.specs or earlier == [gang]:
            return
        if not earlier:
            yield "turned on", "it is turned on"
        elif called := self._called(stays):
            yield "renamed", f"it was called {called}"
        else:
            for other in earlier:
                names = [name for name in stays if self.gang_of.get(name) == other]
                yield "renamed", f"{', '.join(names)} {'comes' if len(names) == 1 else 'come'} from gang {other}"

    def _called(self, stays: Sequence[str]) -> str:
        """Return the one gang that the groups were in, unless it is still asked for; empty where there is none such."""
        earlier = self._earlier(stays)
        return earlier[0] if len(earlier) == 1 and earlier[0] not in self.asked else ""

    def _earlier(self, stays: Sequence[str]) -> list[str]:
        return sorted({self.gang_of[name] for name in stays if name in self.gang_of})


def _mark(workload: Manifest) -> str:
    annotations = walk.mapping(workload, "metadata", "annotations")
    marked = {constants.PLACEMENT_ANNOTATION, constants.ADMISSION_ANNOTATION} & annotations.keys()
    return str(annotations.get(constants.GANG_ANNOTATION) or "") if marked else ""


def _restart(
    before: _Before, plan: Plan, gang: Gang, names: Mapping[str, str], in_place: Collection[str]
) -> Restart | None:
    minima = {member.group: member.minimum for member in gang.members}
    stays = [name for name in minima if name in before.running and _stays(before.running[name].workload, plan, name)]
    moved = [name for name in stays if before.running[name].names != {names[name]}]
    old = before.spec(gang.name, stays)
    told = [*before.renamed(gang.name, stays), *_changes(old, gang_specs.of(plan, gang))]
    enough = all(before.running[name].placed >= minima[name] for name in stays)
    held = {aspect for aspect, _ in told} - {*in_place, *(["minimum raised"] if enough else [])}
    whole = bool(held)
    if not stays or not (moved or whole):
        return None
    return Restart(
        gang=gang.name,
        reasons=tuple(words for _, words in told) or (_moved(plan, moved, known=bool(old)),),
        groups=tuple(stays),
        jobs=tuple(name for name in stays if plan.workloads[name].get("kind") == "Job"),
        whole=whole,
        fixed=tuple(member.group for member in gang.members if _was_elastic(old, member)) if len(minima) > 1 else (),
        raised=held == {"minimum raised"} and not moved,
    )


def _leaving(before: _Before, plan: Plan, names: Mapping[str, str]) -> Iterator[Restart]:
    """Yield the groups that leave all gangs and would ask for quota pod by pod while the gang's pods have theirs."""
    left: dict[str, list[str]] = {}
    for name, one in sorted(before.running.items()):
        group = plan.operation.groups.get(name)
        if group is None or plan.operation.gang_of(name) or not plan.operation.admission_of(name):
            continue
        is_admitted = walk.get(one.workload, "metadata", "annotations", constants.ADMISSION_ANNOTATION)
        gang = before.gang_of.get(name)
        if gang and is_admitted and one.names != {names[name]} and _rolls(one.workload, plan, name):
            left.setdefault(gang, []).append(name)
    for gang, groups in left.items():
        leave = f"{', '.join(groups)} {'leaves' if len(groups) == 1 else 'leave'} it"
        reasons = (f"{leave}, and would wait for quota that old pods of the same hold",)
        yield Restart(gang=gang, reasons=reasons, groups=tuple(groups))


def _moved(plan: Plan, moved: Sequence[str], *, known: bool) -> str:
    """Return that pods would have to name another grouping object; ``known``: by a spec in which nothing differs."""
    told = f"pods of {', '.join(moved)} are not in its group yet"
    if known or not plan.operation.asks_for_quota:
        return told
    return f"{told}: their number, or what quota counts of them, is another one (requests, nodes, queue, …)"


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if old and old.get("backend") != new["backend"]:
        yield "backend", f"backend {old.get('backend')} → {new['backend']}"
    if old and old.get("run") != new.get("run"):
        yield "run", f"run {old.get('run') or 'none'} → {new.get('run') or 'none'}"
    yield from gang_specs.changes(old, new) if old else ()


def _was_elastic(old: Mapping[str, Any], member: Member) -> bool:
    """Return whether a fixed member was an elastic one that has come down to its minimum."""
    was = walk.mapping(old, "members", member.group)
    return not member.elastic and bool(was.get("elastic")) and was.get("min") == member.minimum


def _refusal(restart: Restart, plan: Plan, *, recreate: bool) -> str | None:
    start = f'gang "{restart.gang}": this restarts it ({restart.what})'
    if restart.jobs:
        return f"{start}, and pods of a Job that runs are not made anew: {changes.ways(plan.operation).out('Job')}"
    if not recreate:
        return (
            f"{start}, since a gang is placed as a whole: pass {constants.RECREATE} to have all pods of "
            f"{', '.join(restart.groups)} deleted and placed anew at once{otherwise(restart)}"
        )
    if parted := [name for name in restart.groups if _partition(plan, name)]:
        return f"{start}, and {', '.join(parted)} keeps pods of the old template (rollout.partition): set it to 0"
    return None


def _partition(plan: Plan, group: str) -> int:
    return rollouts.partition(plan.workloads[group])


def _rolls(workload: Manifest, plan: Plan, name: str) -> bool:
    """Return whether the pods of a group are replaced one by one: of another kind, they would all go at once."""
    known, wanted = walk.identity(workload), walk.identity(plan.workloads[name])
    return known.kind == wanted.kind != "Job" and known.name == wanted.name


def _stays(workload: Manifest, plan: Plan, name: str) -> bool:
    """Return whether the group's workload has the kind and the name of the plan's, or goes for one of another kind.

    A gang that is turned on over a Deployment makes a StatefulSet of it. A Job is no run's but its own.
    """
    kind, called = (walk.get(workload, *path) for path in (("kind",), ("metadata", "name")))
    wanted = plan.workloads[name].get("kind")
    if "Job" not in {kind, wanted} and kind != wanted:
        return True
    return bool((kind, called) == (wanted, plan.operation.groups[name].workload.name))
