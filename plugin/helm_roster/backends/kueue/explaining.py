"""What Kueue says of groups that are there, and what it does not say though pods are gated.

A Workload whose pods all go is collected with them, and what evicted it is lost with its conditions: then its events
tell. Kueue says nothing of pods for which it makes no Workload.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from helm_roster import constants
from helm_roster.backend_base import SETTLED, ApiKind, Ask, Decision, State
from helm_roster.backends.kueue import kinds, workloads
from helm_roster.backends.kueue.queues import Queues
from helm_roster.backends.kueue.workloads import Part, Workloads, joined
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.model.wording import agreed, counted
from helm_roster.policy import events, grouping, pods

_EVENT: Final = ApiKind(api_version="v1", kind="Event", plural="events")
_ABOUT: Final = f"involvedObject.kind={kinds.WORKLOAD.kind}"
_EVICTED: Final = "EvictedDueTo"
_PREEMPTED: Final = "EvictedDueToPreempted"
# An evicted group is made anew within a second or two; times of events are whole seconds.
_SHORTLY: Final = timedelta(seconds=30)
# A controller that runs makes a Workload within a second of the last pod, and says something of it at once.
_SILENCE: Final = timedelta(seconds=30)
_PAUSES: Final = "its Job has no pods: after an eviction its controller makes them after a pause, of 10 minutes at most"
# Of pods that are another group than Kueue has counted, or that two parts of it want to admit.
_OVER: Final = "its Workload is over, so its pods are never admitted: mend what it tells, and delete the Workload"
_UNDECIDED: Final = "Kueue has not decided on it yet"
# Which of the pods of a group tells how the group stands, where they differ.
_GRAVEST: Final[tuple[State, ...]] = ("deactivated", "inadmissible", "preempted", "evicted", "waiting")


def explain(live: Live, ask: Ask) -> Iterator[Decision]:
    """Yield how the quota of each group stands that is admitted and not over."""
    found = list(workloads.parts(live))
    if not found:
        return
    known = ask.here(kinds.WORKLOAD, live.namespace)
    seen = _Seen(live, ask, Workloads(known or ()))
    for group, part in found:
        if known is not None:
            yield seen.decision(group, part)
        elif workloads.held(group, part):
            message = f"what Kueue says of it is not known: {_unreadable(ask)}"
            yield Decision(gang=group.gang, group=group.name, stage="quota", state="waiting", message=message)


def _unreadable(ask: Ask) -> str:
    if ask.serves(kinds.WORKLOAD) is False:
        return f"the cluster serves no {kinds.WORKLOAD.kind} ({kinds.WORKLOAD.api_version}) any more"
    return f"you may not list {kinds.WORKLOAD.plural}.{kinds.WORKLOAD.api_version.partition('/')[0]}"


def _is_managed(group: LiveGroup) -> bool:
    """Return whether Kueue decides on a Job itself: of one in a gang it is to decide on the pods."""
    if walk.get(group.workload, "metadata", "annotations", constants.SUSPENDED_ANNOTATION):
        return False
    is_queued = bool(walk.get(group.workload, "metadata", "labels", kinds.QUEUE))
    return walk.get(group.workload, "kind") == "Job" and (is_queued or group.is_halted)


class _Seen:
    """An operation, and what of Kueue's is around it."""

    def __init__(self, live: Live, ask: Ask, known: Workloads) -> None:
        self._live, self._ask, self._known = live, ask, known
        self._queues = Queues(ask, live.namespace)

    def decision(self, group: LiveGroup, part: Part) -> Decision:
        """Return how the quota of a group stands."""
        state, message = self._by_pods(group, part) if part.way == "pods" else self._as_one(group, part)
        return Decision(gang=group.gang, group=group.name, stage="quota", state=state, message=message)

    def _as_one(self, group: LiveGroup, part: Part) -> tuple[State, str]:
        workload = self._known.whole(group, part)
        if part.way == "gang" and (workloads.gated(group) or group.is_halted) and (taken := self._taken_over(part)):
            return "inadmissible", taken
        if workload is None:
            # Whoever evicted it is told by events until the next one is there; then they are, too.
            past = self._past(part.name, None)
            return (past[0] if past else "waiting"), joined(past[1] if past else "", self._silence(group, part))
        state, words = self._told(workload, part)
        if state == "finished" and workloads.gated(group):
            return "inadmissible", joined(words, _OVER)
        if state == "admitted":
            nodes = self._nodes(group, part, workload)
            return state, joined(words, self._held(group), nodes, self._lowered(part, workload))
        past = self._past(part.name, workload) if state in {"waiting", "inadmissible"} and part.name else None
        return (past[0], joined(past[1], words)) if past else (state, words)

    def _told(self, workload: Manifest, part: Part) -> tuple[State, str]:
        """Return how a Workload stands, with what its queue adds to Kueue's words."""
        state, words = workloads.state(workload)
        if state in SETTLED:
            return state, words
        if state == "deactivated":
            return state, joined(words, "helm roster resume has it admitted again")
        queue = str(walk.get(workload, "spec", "queueName", default=part.queue))
        closed = self._queues.closed(queue)
        if closed:
            state = "inadmissible" if state == "waiting" else state
            return state, joined(words, closed)
        never = self._queues.never(queue, workload)
        usage = "" if never else self._queues.usage(queue, workload)
        return state, joined(never, words or self._unanswered(workload), usage)

    def _taken_over(self, part: Part) -> str:
        """Return that Kueue manages Jobs of a gang by itself: it never lets their pods through as those of a group."""
        jobs = [group for group, other in workloads.parts(self._live) if other.name == part.name and _is_managed(group)]
        if not jobs:
            return ""
        queues = {str(walk.get(group.workload, "metadata", "labels", kinds.QUEUE, default="")) for group in jobs} - {""}
        by = f"LocalQueue {', '.join(sorted(queues))} is in the namespace" if queues else "manageJobsWithoutQueueName"
        return (
            f"Kueue manages the Jobs of {', '.join(group.name for group in jobs)} by itself ({by}), and so never lets "
            "in their pods as a gang: cancel it, and choose another namespace with -n"
        )

    def _unanswered(self, workload: Manifest) -> str:
        age = _age(workload, self._ask.now())
        if age <= _SILENCE:
            return _UNDECIDED
        name = walk.get(workload, "metadata", "name")
        return f"Kueue has said nothing of Workload {name} for {int(age.total_seconds())} s: ask whether it runs"

    def _by_pods(self, group: LiveGroup, part: Part) -> tuple[State, str]:
        found = self._known.of_pods(group)
        silent = [pod for pod, workload in found if workload is None and workloads.is_gated(pod)]
        made = [(workloads.state(workload)[0], workload) for _, workload in found if workload is not None]
        if not made and not silent and grouping.wanted(group):
            return "waiting", _UNDECIDED
        counts = Counter(state for state, _ in made)
        if not silent and set(counts) <= SETTLED:
            last: Manifest = made[-1][1] if made else {}
            return "admitted", joined(self._held(group), self._nodes(group, part, last), self._lowered(part, last))
        gravest: State = next((state for state in _GRAVEST if counts[state]), "waiting")
        one = next((workload for state, workload in made if state == gravest), None)
        gravest, words = self._told(one, part) if one else (gravest, self._silence(group, part))
        admitted = sum(counts[state] for state in SETTLED)
        beside = f"{admitted} of {counted(len(made) + len(silent), 'pod')} {'are' if admitted > 1 else 'is'} admitted"
        return gravest, joined(words, beside if admitted else "")

    def _past(self, name: str, workload: Manifest | None) -> tuple[State, str] | None:
        """Return what evicted the Workload that had this one's name before, where that was just before it."""
        if not name:
            return None
        found = self._ask.here(_EVENT, self._live.namespace, fields=f"{_ABOUT},involvedObject.name={name}") or ()
        since = _made(workload) if workload else self._ask.now()
        told = [
            entry
            for entry in found
            if str(entry.get("reason")).startswith(_EVICTED)
            and walk.get(entry, "involvedObject", "uid") != walk.get(workload, "metadata", "uid")
            and since is not None
            and _is_near(events.time(entry), since)
        ]
        last = max(told, key=events.time, default=None)
        if last is None:
            return None
        words = " ".join(str(last.get("message") or "").split())
        return ("preempted" if last.get("reason") == _PREEMPTED else "evicted"), words

    def _silence(self, group: LiveGroup, part: Part) -> str:
        """Return why Kueue makes no Workload though there was time."""
        waiting = workloads.held(group, part)
        if unknown := self._unknown_class(waiting):
            return unknown
        if part.way == "gang" and not waiting and walk.get(group.workload, "kind") == "Job":
            return _PAUSES
        longest = max((_age(one, self._ask.now()) for one in waiting), default=timedelta())
        if longest <= _SILENCE:
            return _UNDECIDED
        if part.way == "gang" and (why := self._incomplete(part)):
            return why
        integration = "batch/job" if part.way == "job" else "pod"
        return (
            f"Kueue has made no Workload for it for {int(longest.total_seconds())} s: it does not run, its integration "
            f'"{integration}" is off, or it does not manage namespace "{self._live.namespace}" '
            "(managedJobsNamespaceSelector)"
        )

    def _unknown_class(self, waiting: list[Manifest]) -> str:
        """Return that a class is not there, without which Kueue makes no Workload and says nothing."""
        labels = (walk.get(one, "metadata", "labels", kinds.PRIORITY) for one in waiting)
        for name in {str(label) for label in labels if label}:
            if self._ask.all_of(kinds.PRIORITY_CLASS, name) == []:
                return f'there is no WorkloadPriorityClass "{name}": make it, or name another in the values'
        return ""

    def _incomplete(self, part: Part) -> str:
        """Return that a group of pods has another number of pods than they say, for which nothing is ever made."""
        members = [group for group, other in workloads.parts(self._live) if other.name == part.name]
        mine = [
            pod for group in members for pod in group.pods
            if pods.is_active(pod) and walk.get(pod, *kinds.MEMBERSHIP) == part.name
        ]  # fmt: skip
        totals = {str(walk.get(pod, "metadata", "annotations", kinds.TOTAL, default="")) for pod in mine}
        if len(totals) > 1:
            return f"its pods do not agree on how many they are ({', '.join(sorted(totals))}): upgrade with --recreate"
        if totals == {str(len(mine))}:
            return ""
        counts = ", ".join(f"{sum(map(pods.is_active, group.pods))} of {group.name}" for group in members)
        return f"Kueue waits for all {next(iter(totals), '')} pods of the gang, and there are {len(mine)} ({counts})"

    def _held(self, group: LiveGroup) -> str:
        """Return that pods wait for Kueue though they are admitted."""
        held = [pod for pod in workloads.gated(group) if _age(pod, self._ask.now()) > _SILENCE]
        return f"{counted(len(held), 'pod')} {agreed(len(held), 'keep')} a gate: ask whether Kueue runs" if held else ""

    def _nodes(self, group: LiveGroup, part: Part, workload: Manifest) -> str:
        """Return which nodes pods look for that find no place, since their quota is of those."""
        looks = not workloads.gated(group) and (grouping.words(group) or grouping.silence(group, self._ask.now()))
        return self._queues.nodes(group.name if part.way == "gang" else kinds.POD_SET, workload) if looks else ""

    def _lowered(self, part: Part, workload: Manifest) -> str:
        lowered = self._queues.lowered(part.queue, workload)
        if not lowered:
            return ""
        if part.way == "pods":
            return f"{lowered}; nobody is evicted, and a pod that replaces one of these waits"
        return f"{lowered}; nobody is evicted, and all pods wait if they are ever evicted or restarted together"


def _made(manifest: Manifest) -> datetime | None:
    created = walk.get(manifest, "metadata", "creationTimestamp")
    return datetime.fromisoformat(str(created)) if created else None


def _age(manifest: Manifest, now: datetime) -> timedelta:
    made = _made(manifest)
    return now - made if made else timedelta()


def _is_near(told: str, since: datetime) -> bool:
    return bool(told) and abs(datetime.fromisoformat(told) - since) <= _SHORTLY
