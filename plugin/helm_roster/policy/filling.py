"""What the Jobs that fill the connections of a group mean for its pods, which wait for them; pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import LiveGroup
from helm_roster.policy import filled, pods
from helm_roster.policy.pods import Hold, Problem

_FAILED: Final = (
    'Job {job}, which fills connection "{connection}", failed: {message}; its pods tell why (kubectl logs job/{job}); '
    "mend that, then kubectl delete job/{job}, then upgrade"
)


def problems(group: LiveGroup) -> Iterator[Problem]:
    """Yield the Jobs that failed for good while pods wait for them: nothing starts them again."""
    for connection, job in group.fills.items():
        failed = _condition(job, "Failed")
        if failed and _waiting(group, connection):
            message = str(failed.get("message") or failed.get("reason") or "")
            text = _FAILED.format(job=pods.name(job), connection=connection, message=message)
            yield Problem(reason="FillFailed", container=filled.container(connection), message=text)


def holds(group: LiveGroup) -> Iterator[Hold]:
    """Yield the Jobs that have not ended, with the pods that wait for them."""
    for connection, job in group.fills.items():
        waiting = _waiting(group, connection)
        if waiting and not _condition(job, "Failed") and not _condition(job, "Complete"):
            message = f'Job {pods.name(job)} has not filled connection "{connection}" yet'
            yield Hold(stage="readiness", message=message, pods=tuple(map(pods.name, waiting)))


def _waiting(group: LiveGroup, connection: str) -> list[Manifest]:
    """Return the pods in which the init container of the connection has not ended well."""
    name = filled.container(connection)
    return [pod for pod in group.pods if pods.is_active(pod) and not pods.is_ready(pod) and not _is_over(pod, name)]


def _is_over(pod: Manifest, container: str) -> bool:
    states: list[Manifest] = walk.mappings(pod, "status", "initContainerStatuses")
    return any(
        state.get("name") == container and walk.get(state, "state", "terminated", "exitCode") == 0 for state in states
    )


def _condition(job: Manifest, kind: str) -> Manifest | None:
    conditions: list[Manifest] = walk.mappings(job, "status", "conditions")
    return next((one for one in conditions if one.get("type") == kind and one.get("status") == "True"), None)
