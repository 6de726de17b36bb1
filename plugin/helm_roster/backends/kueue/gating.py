"""Whether Kueue looks at the pods of a namespace, and at which others by itself: asked of its webhooks by dry runs.

Its configuration can often not be read, and what it does can: a pod that is tried comes back with its gate, or without.
Pods that say who suspends them are gated wherever its webhook is asked, and then left alone where its
managedJobsNamespaceSelector does not select the namespace; others are gated only where it does (v0.17.0
pkg/controller/jobs/pod/pod_webhook.go). With manageJobsWithoutQueueName, or a LocalQueue called default, it takes over
Jobs and workloads that never asked for it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Final

from helm_roster.backend_base import Ask, Finding
from helm_roster.backends.kueue import kinds
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Group
from helm_roster.model.plan import Plan, groups_of, pod_template

_GATE: Final = f"{kinds.PREFIX}admission"
_UNANSWERED: Final = "failed calling webhook"

# How the backend marks a workload.
Stamp = Callable[[Manifest, Group, Plan], bool]


def findings(plan: Plan, ask: Ask, stamp: Stamp) -> Iterator[Finding]:
    """Yield why Kueue would not hold the pods that are to ask it, or would hold them for ever."""
    marked = {group.name: _marked(plan, group, stamp) for group in groups_of(plan)}
    pods = [workload for workload in marked.values() if kinds.MANAGED in _labels(pod_template(workload))]
    if pods:
        yield from _looked_at(_pod(pods[0]), plan.operation.namespace, ask)
    yield from captures(plan, ask, stamp)


def captures(plan: Plan, ask: Ask, stamp: Stamp) -> Iterator[Finding]:
    """Yield what Kueue would make of workloads that it is not, or not so, asked to admit."""
    for group in groups_of(plan):
        given = _marked(plan, group, stamp)
        made = ask.stored(given, plan.operation.namespace)
        if made is None:  # nor would it tell of the others; where webhooks are down, each question takes seconds
            return
        yield from _captured(plan, group, given, made)


def _marked(plan: Plan, group: Group, stamp: Stamp) -> Manifest:
    workload = copy.deepcopy(plan.workloads[group.name])
    stamp(workload, group, plan)
    return workload


def _looked_at(pod: Manifest, namespace: str, ask: Ask) -> Iterator[Finding]:
    alone = copy.deepcopy(pod)
    alone["metadata"]["annotations"].pop(kinds.PARENT, None)
    made = ask.stored(alone, namespace)
    if made is None:
        said = ask.refusal(alone, namespace)
        if _UNANSWERED in said:
            yield _stops(f"no pod can be made now, for want of an answer (Kueue's, if it is down): {said}")
        else:
            yield Finding(
                state="unknown", message=f'not checked: whether Kueue manages pods of namespace "{namespace}"'
            )
    elif not _is_gated(made):
        yield _stops(_unmanaged(namespace, gated=_is_gated(ask.stored(pod, namespace) or {})))


def _unmanaged(namespace: str, *, gated: bool) -> str:
    if gated:
        return (
            f'Kueue does not manage namespace "{namespace}" (its managedJobsNamespaceSelector): it would hold the '
            "pods, and never let them go: have the namespace added, or choose another with -n"
        )
    return (
        f'Kueue does not look at pods of namespace "{namespace}": its webhooks leave the namespace out, or its '
        "integration pod is off; the pods would run without asking for quota: have it added, or choose another with -n"
    )


def _captured(plan: Plan, group: Group, given: Manifest, made: Manifest) -> Iterator[Finding]:
    asked, name = plan.operation.admission_of(group.name), f'group "{group.name}"'
    if kinds.QUEUE in _labels(given):
        if not walk.get(made, "spec", "suspend"):
            yield _stops(
                f"{name}: Kueue does not suspend its Job, so its integration batch/job is off: it would not wait"
            )
        return
    if not _is_taken(given, made):
        return
    queue = _labels(made).get(kinds.QUEUE)
    if queue is None and group.workload.kind != "Job":
        queue = _labels(pod_template(made)).get(kinds.QUEUE)
    if asked and group.workload.kind != "Job" and queue == asked.queue:
        return
    kind, at = group.workload.kind, plan.operation.at(f"groups.{group.name}.admission")
    if asked:
        where = f"through LocalQueue {queue}" if queue else "without a queue, and so never"
        yield _stops(
            f"{name}: Kueue takes over its {kind} by itself and would admit it {where}, not as this operation asks "
            f"(manageJobsWithoutQueueName, or a LocalQueue called default in the namespace): choose another with -n"
        )
    elif queue:
        message = (
            f"{name}: Kueue admits its {kind} by itself through LocalQueue {queue}, though nothing here asks for it"
        )
        yield Finding(state="warns", message=message)
    else:
        yield _stops(
            f"{name}: Kueue manages its {kind} though it names no queue (manageJobsWithoutQueueName), and would never "
            f"start it: set {at}.queue, with scheduling.admission.backend kueue, or choose another namespace with -n"
        )


def _is_taken(given: Manifest, made: Manifest) -> bool:
    """Return whether Kueue's webhooks changed a workload so that it decides on it."""
    if walk.get(made, "spec", "suspend") and not walk.get(given, "spec", "suspend"):
        return True
    parents = [_annotations(pod_template(one)).get(kinds.PARENT) for one in (given, made)]
    return parents[0] != parents[1]


def _pod(workload: Manifest) -> Manifest:
    """Return a pod of a workload, without what is yet to come: its service account, and volumes of its own."""
    template = copy.deepcopy(pod_template(workload))
    spec = {
        key: value for key, value in template["spec"].items() if key not in {"serviceAccountName", "serviceAccount"}
    }
    claims = [
        str(walk.get(claim, "metadata", "name")) for claim in walk.sequence(workload, "spec", "volumeClaimTemplates")
    ]
    if claims:
        spec["volumes"] = [*(spec.get("volumes") or ()), *({"name": name, "emptyDir": {}} for name in claims)]
    name = str(walk.get(workload, "metadata", "name"))
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**template["metadata"], "name": name}, "spec": spec}


def _is_gated(pod: Manifest) -> bool:
    return any(gate.get("name") == _GATE for gate in walk.sequence(pod, "spec", "schedulingGates"))


def _labels(node: Manifest) -> dict[str, str]:
    return dict(walk.mapping(node, "metadata", "labels"))


def _annotations(node: Manifest) -> dict[str, str]:
    return dict(walk.mapping(node, "metadata", "annotations"))


def _stops(message: str) -> Finding:
    return Finding(state="stops", message=message)
