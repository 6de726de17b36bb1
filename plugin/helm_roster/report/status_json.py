"""A status as JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "Status", …}``.

| key | value |
|---|---|
| ``name``, ``namespace``, ``operationKind`` | the operation's; ``operationKind`` is ``service``, ``job``, … |
| ``release`` | ``{name, state, revision, reason}`` in Helm's words, or null where Helm has no record (GitOps) |
| ``reason`` in it | why the revision failed, on one line; empty where it did not |
| ``verdict`` | one word, see the verdicts below |
| ``ready`` | a service: it can be used; a job: all of its pods run or have ended well |
| ``quota``, ``placement``, ``readiness`` | ``{state, pods, messages}``: three decisions; ``waiting`` or ``clear`` |
| ``messages`` in them | ``[{group, message, pods}]``: who waits, and what the deciding component says |
| ``gangs`` | ``[{name, group, stage, state, message}]``: what is decided on each member; ``name`` may be empty |
| ``stage`` in them | ``quota`` (who admits) or ``placement`` (who schedules) |
| ``state`` of a placement | ``waiting``, ``placed`` (its minimum has places) or ``broken`` (waiting does not help) |
| ``state`` of quota | ``waiting``, ``inadmissible``, ``admitted``, ``evicted``, ``preempted``, … (see below) |
| ``gone`` | what Helm applied besides workloads and is not there any more: ``["Service x", …]`` |
| ``groups`` | ``[{name, workload, object, …}]``: the workload's kind and name; counts in pods; the rest see below |

A quota is ``inadmissible`` until somebody opens or mends its queue; ``preempted``, ``evicted`` or ``deactivated`` where
it was taken, and ``finished`` where it is not needed any more.

A group's ``problems`` are ``[{reason, container, ended, exitCode, message, recovered, restarts, pods}]``, folded by
cause; ``ended`` is how a container that is not restarted yet ended last (``OOMKilled``), ``exitCode`` may be null,
``restarts`` is how often it was started again, of several pods the most. A group whose replicas span pods has
``podsPerReplica`` and ``readyReplicas``, of which all pods are ready. ``suspended``: ``helm roster suspend`` keeps
it out. Its ``events`` are ``[{reason, message, count,
objects, last}]``: warnings about what is not ready, and why claims for which pods wait have no volume, folded by cause;
``objects`` as ``"Pod x"``, ``last`` a time in RFC 3339. ``status --watch`` prints a document at each change: JSON one a
line, YAML with ``---`` between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from helm_roster import constants
from helm_roster.backend_base import Decision
from helm_roster.cluster.live import Observed
from helm_roster.policy.events import Event
from helm_roster.policy.health import GroupHealth, Health
from helm_roster.policy.pods import Problem

STAGES: Final = ("quota", "placement", "readiness")


def document(
    observed: Observed,
    health: Health,
    decisions: Sequence[Decision],
    *,
    failure: str = "",
    gone: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the whole status, ready for ``json.dumps``; ``failure`` is why Helm's newest revision failed."""
    record = observed.record
    said = {"name": record.name, "state": record.state, "revision": record.revision} if record else None
    release = said and {**said, "reason": failure}
    return {
        "apiVersion": constants.API_VERSION,
        "kind": "Status",
        "name": observed.live.name,
        "namespace": observed.live.namespace,
        "operationKind": health.kind,
        "release": release,
        "verdict": health.verdict,
        "ready": health.ready,
        **{stage: _stage(health, stage) for stage in STAGES},
        "gangs": [_decision(found) for found in decisions],
        "gone": [*gone],
        "groups": [group_of(group) for group in health.groups],
    }


def _decision(found: Decision) -> dict[str, str]:
    told = {"name": found.gang, "group": found.group, "stage": found.stage}
    return {**told, "state": found.state, "message": found.message}


def _stage(health: Health, stage: str) -> dict[str, Any]:
    held = [
        {"group": group.name, "message": hold.message, "pods": list(hold.pods)} for group, hold in health.held(stage)
    ]
    return {
        "state": "waiting" if held else "clear",
        "pods": sum(len(entry["pods"]) for entry in held),
        "messages": held,
    }


def group_of(group: GroupHealth) -> dict[str, Any]:
    """Return a group as it stands in a status."""
    return {
        "name": group.name,
        "workload": group.kind,
        "object": group.workload,
        "lifecycle": group.lifecycle,
        "gang": group.gang,
        "router": group.router,
        "requires": list(group.requires),
        "desired": group.desired,
        "pods": group.pods,
        "placed": group.placed,
        "ready": group.ready,
        **_spanning(group),
        "succeeded": group.succeeded,
        "terminating": group.terminating,
        "restarts": group.restarts,
        "missing": group.missing,
        "suspended": group.suspended,
        "ended": group.ended,
        "problems": [problem_of(problem) for problem in group.problems],
        "events": [_event(event) for event in group.events],
    }


def _spanning(group: GroupHealth) -> dict[str, int]:
    if group.pods_per_replica == 1:
        return {}
    return {"podsPerReplica": group.pods_per_replica, "readyReplicas": group.ready_replicas}


def _event(event: Event) -> dict[str, Any]:
    return {
        "reason": event.reason,
        "message": event.message,
        "count": event.count,
        "objects": list(event.objects),
        "last": event.last,
    }


def problem_of(problem: Problem) -> dict[str, Any]:
    """Return a problem as it stands in a status."""
    return {
        "reason": problem.reason,
        "container": problem.container,
        "ended": problem.ended,
        "exitCode": problem.exit_code,
        "message": problem.message,
        "recovered": problem.recovered,
        "restarts": problem.restarts,
        "pods": list(problem.pods),
    }
