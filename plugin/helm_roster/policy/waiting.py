"""When a wait ends: what it waits for is so, cannot become so any more, or the operation is gone; pure.

| ``--for`` | it is so when |
|---|---|
| ready | a service can be used (the rules are those of ``status``); of a job all pods run or have ended well |
| placed | every pod that was asked for has a node, or has ended well |
| complete | the Jobs of all primary groups are complete; of a job only |
| deleted | nothing of the operation and no record of Helm's is left, but for what is kept by rule (see below) |

For ``deleted`` it looks over every kind that the cluster serves, by the operation's labels, and for the claims of pods:
of StatefulSets those that go with them, and those without labels (ephemeral volumes, devices) of every pod that was
seen. Who begins to wait when such a pod is gone already waits for all but claims of its own without labels.

Only pods of the newest pod template count, unless the workload leaves others as they are (``OnDelete``, a partition); a
rollout that somebody paused is waited for. While Helm works on the release, only ``deleted`` may be so already.

What does not heal by itself ends the wait with exit code 4, once it has been there without a break for:

| what | seconds |
|---|---|
| a failed Job, a rollout past its deadline, a failed revision of Helm's (unless only its waiting for pods ended) | 0 |
| an image whose name is none, that the registry says is not there, or that may not be pulled | 0 |
| a container that is down and was restarted ``--restarts`` times; in a Job its ``backoffLimit`` decides instead | 0 |
| a workload or grouping object is gone, a gang cannot be placed, a router requires a group without replicas | 5 |
| a secret, config map, key of one, or claim is missing; a container or pods cannot be created | 30 |
| an image cannot be pulled for another reason; any other trouble that ``status`` calls a problem | 120 |
| replicas that span pods are made anew again and again, since a pod of them fails each time | 120 |

A volume that cannot be mounted is known by warnings only, which outlive it: it was there until the newest warning.

Groups that what is waited for does not need are left out. Of a group of which one ready pod is enough (behind a
router), one pod in trouble ends nothing while others may still become ready. Quota, nodes and probes are waited for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from helm_roster.constants import RESTARTS, Goal
from helm_roster.model.live import Live
from helm_roster.policy import events, health, pods, rollouts
from helm_roster.policy.health import GroupHealth, Health
from helm_roster.policy.pods import Problem

State = Literal["waiting", "reached", "failed", "cancelled", "absent"]

_OBJECTS: Final = 5.0
_CONFIG: Final = 30.0
_OTHER: Final = 120.0

_NAMELESS: Final = frozenset({"InvalidImageName", "ErrImageNeverPull"})
_PULL: Final = frozenset({"ErrImagePull", "ImagePullBackOff"})
_CREATE: Final = frozenset({"CreateContainerConfigError", "CreateContainerError", "RunContainerError"})
# What registries and container runtimes say of an image that no retry makes appear; its own name says nothing.
_NO_IMAGE: Final = re.compile(r"not found|manifest unknown|does not exist|denied|unauthorized|forbidden", re.IGNORECASE)
_IMAGE_NAME: Final = re.compile(r'"[^"]*"|\S*/\S*')
# kubelet (FailedMount) and scheduler, of what a pod refers to.
_NO_OBJECT: Final = re.compile(r'(secret|configmap|persistentvolumeclaim) "[^"]*" not found|non-existent \w+ key')
_MOUNT: Final = "FailedMount"
# Helm's own waiting for what it applied ended, so all objects are there. An error of a hook or of an apply ends with
# the same words and begins with others (helm pkg/action/upgrade.go, pkg/kube/statuswait.go).
_ONLY_WAITED: Final = re.compile(
    r'(\w+ "[^"]*" failed: )?((resource \S+ not ready\.|client rate limiter Wait|Get ").*)?'
    "(context deadline exceeded|timed out waiting)"
)
_AGAIN: Final = "a pod fails again and again, and its replica is made anew each time; status tells which"
# A record that outlives its release (helm uninstall --keep-history).
_KEPT: Final = "uninstalled"
_ENDING: Final = frozenset({"uninstalling", _KEPT})
_PENDING: Final = "pending-"


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One look at an operation.

    ``helm`` is Helm's word for its newest revision (empty where Helm has no record), ``failure`` why that failed;
    ``notes`` and ``quota`` as for ``health.assess``; ``broken`` says, by group, why its gang cannot go on.
    """

    live: Live
    helm: str = ""
    failure: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    broken: Mapping[str, str] = field(default_factory=dict)
    quota: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What does not heal: ``problem`` where it is one of pods or a workload, else ``text``. ``grace`` is in seconds.

    ``told`` is when the cluster warned of it last, where that is all there is; empty of what is there to see.
    """

    group: str = ""
    text: str = ""
    problem: Problem | None = None
    grace: float = 0.0
    told: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """Return what tells it from other faults, look after look."""
        found = self.problem
        if found is None:
            return self.group, self.text
        return self.group, found.container, "image" if found.reason in _PULL else found.reason


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How things are: ``faults`` are those that ended the wait, ``health`` that of the newest pods; None where gone.

    ``old`` counts, by group, the running pods of an older template, which are left out of ``health``.
    """

    state: State
    health: Health | None = None
    faults: tuple[Fault, ...] = ()
    old: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class _Spell:
    """A fault without a break: seen first at ``began``, and known to be there until ``until``, by what was ``told``."""

    began: float
    until: float
    told: str

    @property
    def lasts(self) -> float:
        return self.until - self.began

    def again(self, fault: Fault, now: float) -> _Spell:
        return self if fault.told and fault.told == self.told else replace(self, until=now, told=fault.told)


@dataclass(kw_only=True)
class Waiting:
    """One wait. It remembers since when each fault is there, and whether the operation was seen."""

    goal: Goal
    restarts: int = RESTARTS
    met: bool = False
    _spells: dict[tuple[str, ...], _Spell] = field(default_factory=dict)

    def judge(self, seen: Seen | None, now: float) -> Outcome:
        """Return how things are at ``now``, in seconds of any steady clock; ``seen`` is None where nothing is there."""
        if seen is None or (seen.helm == _KEPT and not seen.live.groups and not seen.live.grouping):
            return Outcome(state=self._gone())
        if self.goal == "deleted":
            return Outcome(state="waiting", health=health.assess(seen.live))
        self.met = True
        newest = rollouts.newest(seen.live)
        found = health.assess(newest, notes=seen.notes, broken=[*seen.broken.values()], quota=seen.quota)
        if seen.helm in _ENDING or _is_leaving(seen.live, found):
            return Outcome(state="cancelled", health=found)
        over = self._over([*_faults(seen, found, self.goal, self.restarts)], now)
        reached = not seen.helm.startswith(_PENDING) and is_so(found, self.goal)
        state: State = "failed" if over else "reached" if reached else "waiting"
        return Outcome(state=state, health=found, faults=tuple(over), old=_left_out(seen.live, newest))

    def _gone(self) -> State:
        if self.goal == "deleted":
            return "reached"
        return "cancelled" if self.met else "absent"

    def _over(self, faults: list[Fault], now: float) -> list[Fault]:
        """Return the faults whose time is over; those that are not there any more are forgotten."""
        begun = {fault.key: _Spell(began=now, until=now, told=fault.told) for fault in faults}
        self._spells = {fault.key: (begun | self._spells)[fault.key].again(fault, now) for fault in faults}
        return [fault for fault in faults if self._spells[fault.key].lasts >= fault.grace]


def _left_out(live: Live, newest: Live) -> dict[str, int]:
    counts = {
        name: sum(map(pods.is_active, group.pods)) - sum(map(pods.is_active, newest.groups[name].pods))
        for name, group in live.groups.items()
    }
    return {name: count for name, count in counts.items() if count}


def is_so(found: Health, goal: Goal) -> bool:
    """Return whether what is waited for is so."""
    if goal == "ready":
        return found.ready
    if goal == "complete":
        return found.verdict == "Complete"
    needed = _needed(found, goal)
    return goal == "placed" and bool(needed) and all(_is_enough(found, group, goal) for group in needed)


def lacking(found: Health, goal: Goal) -> list[GroupHealth]:
    """Return the groups on which it hangs that what is waited for is not so yet."""
    return [group for group in _needed(found, goal) if not _is_enough(found, group, goal)]


def _needed(found: Health, goal: Goal) -> list[GroupHealth]:
    """Return the groups without which it is not so."""
    staying = [group for group in found.groups if not group.leaving]
    primary = [group for group in staying if group.lifecycle == "primary"]
    if goal == "complete":
        return primary
    if goal != "ready" or found.kind == "job":
        return staying
    if not _routers(found):
        return primary
    names = {name for router in _routers(found) for name in (router.name, *router.requires)}
    return [group for group in staying if group.name in names]


def _routers(found: Health) -> list[GroupHealth]:
    return [group for group in found.groups if group.router and not group.leaving]


def _one_is_enough(found: Health, goal: Goal) -> bool:
    return goal == "ready" and found.kind != "job" and bool(_routers(found))


def _is_enough(found: Health, group: GroupHealth, goal: Goal) -> bool:
    if goal == "complete":
        return group.ended == "Complete"
    if goal == "placed":
        is_absent = group.missing or group.suspended
        return not is_absent and (group.ended == "Complete" or group.placed + group.succeeded >= group.desired)
    return group.ready_replicas > 0 if _one_is_enough(found, goal) else group.whole


def _is_leaving(live: Live, found: Health) -> bool:
    """Return whether all that is left is on its way out; grouping objects alone may also be the first of an install."""
    objects = [*live.grouping, *(group.workload or {} for group in live.groups.values())]
    members = [pod for group in live.groups.values() for pod in group.pods]
    return found.verdict == "Terminating" and any(map(pods.is_terminating, [*objects, *members]))


def _faults(seen: Seen, found: Health, goal: Goal, restarts: int) -> Iterator[Fault]:
    if seen.helm == "failed" and not _ONLY_WAITED.match(seen.failure):
        yield Fault(text=f"Helm's newest revision failed: {seen.failure or 'helm history tells why'}")
    if found.verdict == "NotFound" and not seen.helm.startswith(_PENDING):
        yield Fault(text="its objects are gone: upgrade to make them again", grace=_OBJECTS)
    wanted = lacking(found, goal)
    for group in wanted:
        if not seen.helm.startswith(_PENDING):
            yield from _of_objects(group, seen, found, goal)
        yield from _of_pods(group, found, goal, restarts)


def _of_objects(group: GroupHealth, seen: Seen, found: Health, goal: Goal) -> Iterator[Fault]:
    """Yield what may also be seen while an operation is made or deleted, object by object."""
    if group.missing:
        yield Fault(group=group.name, text="its workload object is gone; upgrade to make it again", grace=_OBJECTS)
    if group.name in seen.broken:
        yield Fault(group=group.name, text=seen.broken[group.name], grace=_OBJECTS)
    live = seen.live.groups.get(group.name)
    is_held = group.missing or group.suspended or (live and live.autoscaler)
    if _one_is_enough(found, goal) and not group.desired and not is_held:
        yield Fault(group=group.name, text=health.REQUIRED_AT_NONE, grace=_OBJECTS)


def _of_pods(group: GroupHealth, found: Health, goal: Goal, restarts: int) -> Iterator[Fault]:
    whole = not _one_is_enough(found, goal)
    for problem in group.problems:
        if problem.recovered or (goal == "placed" and problem.container):
            continue
        grace = _grace(problem, group, restarts)
        if grace is not None and (whole or not problem.pods or len(_in_trouble(group)) >= group.pods):
            yield Fault(group=group.name, problem=problem, grace=grace)
    again = [event.last for event in group.events if event.reason == events.RECREATED]
    if again and goal != "placed":
        yield Fault(group=group.name, text=_AGAIN, grace=_OTHER, told=max(again))
    for text, held, told in _missing_objects(group, goal):
        if whole or held >= group.pods:
            yield Fault(group=group.name, text=text, grace=_CONFIG, told=told)


def _in_trouble(group: GroupHealth) -> set[str]:
    """Return the pods that have a problem, or had one and are not ready again."""
    return {pod for problem in group.problems for pod in problem.pods}


def _grace(problem: Problem, group: GroupHealth, restarts: int) -> float | None:
    """Return for how many seconds a problem is borne with; None for ever."""
    if not problem.pods:
        return _CONFIG if problem.reason == events.FAILED_CREATE else 0.0
    if problem.reason in _NAMELESS:
        return 0.0
    if problem.reason in _PULL:
        return 0.0 if _NO_IMAGE.search(_IMAGE_NAME.sub("", problem.message)) else _OTHER
    if problem.reason in _CREATE:
        return _CONFIG
    if problem.exit_code is None:
        return _OTHER
    return 0.0 if group.kind != "Job" and problem.restarts >= restarts else None


def _missing_objects(group: GroupHealth, goal: Goal) -> Iterator[tuple[str, int, str]]:
    """Yield, in the words of who noticed it, what pods refer to and is not there, how many of them do, and ``told``."""
    for hold in group.holds:
        if hold.stage == "placement" and _NO_OBJECT.search(hold.message):
            yield hold.message, len(hold.pods), ""
    for event in group.events if goal != "placed" else ():
        if event.reason == _MOUNT and _NO_OBJECT.search(event.message):
            yield event.message, len(event.objects), event.last
