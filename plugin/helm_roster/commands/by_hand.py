"""What somebody changed of a release's objects by hand, of which ``plan --against`` warns: an upgrade overwrites it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from helm_roster.cluster import live, trial
from helm_roster.cluster.client import Client
from helm_roster.cluster.trial import Trial
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.wording import few
from helm_roster.policy.changes import Changes

_OVERWRITTEN: Final = "an upgrade overwrites that"
_REFUSED: Final = "Helm refuses to upgrade it, and overwrites that with --force-conflicts"


def warnings(
    cluster: Client,
    namespace: str,
    release: str,
    *,
    held: Sequence[Manifest],
    found: Changes,
    server_side: Callable[[], bool],
) -> Iterator[str]:
    """Yield a line for each object that is not in the cluster as the release holds it.

    Args:
        cluster: The cluster; what may not be read or tried there is not told.
        namespace: The release's.
        release: Its name.
        held: The objects that it holds.
        found: What the upgrade changes of them.
        server_side: Returns whether Helm applies so; asked only where it matters.
    """
    planned = _planned(found)
    kept = [one for one in held if _key(one) in planned]
    asked = trial.suspects(cluster, namespace, live.selectors(release)[0], kept)
    for one in trial.run_if_allowed(cluster, namespace, asked, server_side=server_side()) if asked else ():
        name = " ".join(_key(one.manifest))
        if one.live is None:
            yield f"{name} is gone, which the release holds: an upgrade makes it again"
        elif paths := _overwritten(one, planned[_key(one.manifest)]):
            by = one.manager(paths[0])
            end = _REFUSED if one.conflicts else _OVERWRITTEN
            yield f"{name} was changed {f'by {by}' if by else 'by hand'} ({few(paths)}): {end}"


def _planned(found: Changes) -> dict[tuple[str, str], dict[str, object]]:
    """Return the values that the upgrade gives by path, of each object that it goes on with, by kind and name."""
    return {
        (change.kind, change.name): {difference.path: difference.after for difference in change.differences}
        for _, change in found.by_group()
        if change.action not in {"new", "removed", "kept", "recreated"}
    }


def _overwritten(one: Trial, planned: dict[str, object]) -> list[str]:
    """Return what was changed by hand and is not what the upgrade makes of it, nor left to others by it."""
    return [
        difference.path
        for difference in one.differences
        if difference.path not in planned or planned[difference.path] not in (difference.before, None)
    ]


def _key(manifest: Manifest) -> tuple[str, str]:
    identity = walk.identity(manifest)
    return identity.kind, identity.name
