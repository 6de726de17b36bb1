"""Whether an operation that Helm has no running release of is on its way out; pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from helm_roster.manifests.walk import Manifest
from helm_roster.model.plan import TEMPLATE_PATHS
from helm_roster.policy import pods

# Helm's word for a release whose objects it is deleting.
UNINSTALLING: Final = "uninstalling"


def is_ending(objects: Sequence[Manifest], state: str | None) -> bool:
    """Return whether these objects of an operation end; ``state`` is Helm's word for its release, None without one.

    A cancellation takes the record and the workloads first. Where a workload stays, pods that end belong to a rollout
    of an operation that was applied without Helm.
    """
    if state is not None:
        return state == UNINSTALLING
    staying = [one for one in objects if not pods.is_terminating(one)]
    return len(staying) < len(objects) and not any(one.get("kind") in TEMPLATE_PATHS for one in staying)


def sentence(release: str, objects: Sequence[Manifest]) -> str:
    """Return what to tell whom an ending operation is in the way: a Helm that was killed lets nothing end any more."""
    if not any(pods.is_terminating(one) for one in objects):
        return (
            f"{release} is in {UNINSTALLING}, and nothing of it is being deleted now: another Helm works on it, or was "
            f"killed in the midst: helm roster cancel {release} ends it, then install it"
        )
    return (
        f"{release} is being cancelled or uninstalled: wait until it is gone "
        f"(helm roster wait {release} --for deleted), then install it"
    )
