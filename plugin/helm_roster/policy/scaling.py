"""Which counts of groups may be changed in place, and what the values say then; pure, the same for every backend.

Scaling changes a count and no promise. So a gang keeps its members' minima, and a member keeps being fixed or elastic:
its pods cannot move into another gang while they run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from helm_roster import constants
from helm_roster.model import nearest
from helm_roster.model.operation import Autoscaling, Gang, Group, Member
from helm_roster.model.plan import TEMPLATE_PATHS, Plan
from helm_roster.model.wording import few
from helm_roster.policy import changes
from helm_roster.policy.changes import Change, Changes
from helm_roster.policy.drift import REPLICAS

# What counts pods in its spec, which is immutable, so that another one comes with another count.
COUNTING: Final = "ComputeDomain"
_IN_PLACE: Final = frozenset({"unchanged", "scaled"})
Path = tuple[str, ...]
# Given a path from the root of the release's values: whether they say something there.
IsWritten = Callable[[Path], bool]


@dataclass(frozen=True, kw_only=True)
class Step:
    """One group's new count: ``before`` in the cluster, ``released`` in the release.

    ``settings`` are the values that say it, by path; none where an autoscaler has the word.
    """

    group: Group
    before: int
    after: int
    released: int
    settings: Mapping[Path, Any] = field(default_factory=dict)

    @property
    def by_autoscaler(self) -> bool:
        """Return whether the count is not in the values, but set beside them."""
        return self.group.autoscaling is not None

    @property
    def is_done(self) -> bool:
        """Return whether the count is in the release and in the cluster already."""
        return self.after == self.before and (self.by_autoscaler or self.after == self.released)


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """What is to be done, in the order in which it was asked, or why not, one line each."""

    steps: tuple[Step, ...] = ()
    refusals: tuple[str, ...] = ()


def sets(settings: Mapping[Path, object]) -> list[str]:
    """Return Helm's flags that give these values."""
    return [word for path, value in settings.items() for word in ("--set", f"{'.'.join(path)}={_said(value)}")]


def upgrade(release: str, flags: Sequence[str] = ()) -> str:
    """Return the whole command that gives a release these flags' values and changes nothing else."""
    return " ".join(("helm roster upgrade", release, "--reset-then-reuse-values", *flags))


def _said(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _nothing(path: Path) -> bool:
    del path
    return False


def decide(
    asked: Mapping[str, int],
    plan: Plan,
    running: Mapping[str, int],
    at: Path = (),
    *,
    is_written: IsWritten = _nothing,
) -> Scaling:
    """Return how the counts in ``asked`` are reached.

    ``plan`` is that of the release as it is, ``running`` the replicas that the groups have in the cluster; where it is
    silent they have what the release says. ``at`` is where the chart's values stand in those of the release; refusals
    name their paths from the root, settings from there. ``is_written`` tells what must change with a count.
    """
    told = (_refusal(plan, at, name, count, is_written=is_written) for name, count in asked.items())
    refusals = [text for text in told if text]
    if refusals:
        return Scaling(refusals=tuple(refusals))
    return Scaling(steps=tuple(_step(plan, name, count, running) for name, count in asked.items()))


def beyond(found: Changes, asked: Collection[str], grouping: Collection[str], dependents: Collection[str] = ()) -> str:
    """Return, in words, what changes besides the replicas of the groups ``asked`` and grouping objects; or nothing.

    ``grouping`` are the kinds of grouping objects; the pods of ``dependents`` may change, and with them the domain that
    counts pods, whose spec is immutable, so that another comes in its place.
    """
    grouped = [
        (group.group, change)
        for group in found.groups
        for change in group.objects
        if not (group.group in dependents and change.kind in TEMPLATE_PATHS and change.action == "rolls")
    ]
    changed = [change for name, change in grouped if not (name in asked and _is_count(change))]
    free = {COUNTING} if dependents else set()
    others = (change for change in found.objects if change.kind not in free)
    changed += [change for change in others if not (change.kind in grouping and change.action == "changed")]
    told = [_told(change) for change in changed if change.action != "unchanged"]
    return few(told)


def _is_count(change: Change) -> bool:
    """Return whether an object changes in its replicas only; one that comes or goes differs in nothing and in all."""
    paths = {difference.path for difference in change.differences}
    return change.kind in TEMPLATE_PATHS and change.action in _IN_PLACE and paths <= {REPLICAS}


def _told(change: Change) -> str:
    paths = [difference.path for difference in change.differences if difference.path != REPLICAS] or [change.action]
    return f"{change.kind} {change.name} ({few(paths)})"


def _refusal(plan: Plan, at: Path, name: str, count: int, *, is_written: IsWritten) -> str | None:
    operation = plan.operation
    if name not in operation.groups:
        hint, known = nearest.hint(name, operation.groups, 'did you mean "{}"? '), ", ".join(sorted(operation.groups))
        return f'there is no group "{name}" in {operation.release}: {hint}known: {known}'
    group = operation.groups[name]
    if group.workload.kind == "Job":
        return _by_run(plan, group, at=at, count=count, is_written=is_written)
    if group.autoscaling:
        return _out_of_bounds(plan, group, group.autoscaling, at=at, count=count)
    if found := operation.gang_of(name):
        return _by_gang(plan, group, *found, at=at, count=count, is_written=is_written)
    return None


def _out_of_bounds(plan: Plan, group: Group, bounds: Autoscaling, *, at: Path, count: int) -> str | None:
    low, high = bounds.minimum, bounds.maximum
    if low <= count and (high is None or count <= high):
        return None
    allowed = f"{low} to {high}" if high is not None else f"{low} or more"
    told = f'group "{group.name}": its autoscaler ({bounds.owner}) keeps {allowed}, and would take {count} back: '
    where = (*at, "groups", group.name)
    if not count and bounds.owner == "hpa":
        path = ".".join(where)
        return f"{told}it never goes to 0, so take {path}.autoscaling out of the values, and set {path}.replicas to 0"
    bound = (*where, "autoscaling", "min" if count < low else "max")
    return f"{told}change the bound first ({upgrade(plan.operation.release, sets({bound: count}))})"


def _by_run(plan: Plan, group: Group, *, at: Path, count: int, is_written: IsWritten) -> str:
    """Refuse another count of a Job, with the whole command but for the name of a new run."""
    found = plan.operation.gang_of(group.name)
    size = _size(group, found, at=at, count=count, is_written=is_written)
    run = {(*at, "operation", "run"): "NEW_RUN"}
    way_out = changes.ways(plan.operation).out(group.workload.kind)
    return (
        f'group "{group.name}" is a Job, whose number of pods belongs to its run: {way_out} '
        f"({upgrade(plan.operation.release, sets(size | run))})"
    )


def _size(
    group: Group, found: tuple[Gang, Member] | None, *, at: Path, count: int, is_written: IsWritten
) -> dict[Path, object]:
    """Return the values that say a count, also as a gang's minimum where they say that one already."""
    size: dict[Path, object] = {(*at, "groups", group.name, "replicas"): count}
    if found and is_written(minimum := (*at, *_at(*found), "min")):
        size[minimum] = count
    return size


def _by_gang(
    plan: Plan, group: Group, gang: Gang, member: Member, *, at: Path, count: int, is_written: IsWritten
) -> str | None:
    release, pods = plan.operation.release, count * group.pods_per_replica
    if not count:
        return f'group "{group.name}": a gang has at least one pod of each member, also "{gang.name}"'
    if not member.elastic and count != group.replicas:
        size = _size(group, (gang, member), at=at, count=count, is_written=is_written)
        return (
            f'group "{group.name}" is a fixed member of gang "{gang.name}", all {group.pods} pods of which start '
            "together or not at all, so its count is the gang's size, which scale leaves alone: "
            f"{_without_restart(plan, at, gang, member)}change the size, for which it restarts "
            f"({upgrade(release, [*sets(size), constants.RECREATE])}; "
            f"helm roster plan --against {release} with the same values tells first what that does)"
        )
    if pods < member.minimum:
        least = _minimum(group, member)
        return (
            f'group "{group.name}": {count} is below the minimum of {least} in gang "{gang.name}", so a pod '
            f"that is lost would never be placed again: lower the minimum first "
            f"({upgrade(release, sets({(*at, *_at(gang, member), 'min'): count}))})"
        )
    return None


def _without_restart(plan: Plan, at: Path, gang: Gang, member: Member) -> str:
    """Return the way to more pods without a restart.

    Where quota is given to the gang as a whole, or a replica spans pods, they are of another group. Else, in a gang of
    one, only its minimum changes, so its grouping object stays the same.
    """
    if plan.operation.groups[member.group].pods_per_replica > 1:
        return f"make a group outside the gang, such as {member.group}-extra, of replicas that come and go, or "
    if plan.operation.asks_for_quota:
        return (
            f"make a group outside the gang, such as {member.group}-extra, of pods that come and go, for which quota "
            "is asked one by one, or "
        )
    if len(gang.members) > 1:
        return ""
    setting = {(*at, *_at(gang, member), "elastic"): True}
    return f"make it elastic first ({upgrade(plan.operation.release, sets(setting))}), or "


def _step(plan: Plan, name: str, count: int, running: Mapping[str, int]) -> Step:
    group = plan.operation.groups[name]
    released = group.replicas
    settings: dict[Path, Any] = {}
    if not group.autoscaling:
        settings[("groups", name, "replicas")] = count
        if found := plan.operation.gang_of(name):
            settings.update(_kept(group, *found, count=count))
    before = running.get(name, released)
    return Step(group=group, before=before, after=count, released=released, settings=settings)


def _kept(group: Group, gang: Gang, member: Member, *, count: int) -> Iterator[tuple[Path, Any]]:
    """Yield what keeps an elastic member as it is.

    At its minimum the chart would take it for a fixed one; and where no minimum is given, it would rise with the count.
    """
    if member.elastic and count * group.pods_per_replica == member.minimum:
        yield (*_at(gang, member), "elastic"), True
    elif member.elastic and group.pods == member.minimum:
        yield (*_at(gang, member), "min"), _minimum(group, member)


def _minimum(group: Group, member: Member) -> int:
    """Return a member's minimum as the values say it: in replicas."""
    return member.minimum // group.pods_per_replica


def _at(gang: Gang, member: Member) -> Path:
    return "scheduling", "gangs", gang.name, "members", member.group
