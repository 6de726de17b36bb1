"""What is applied onto an object that is being deleted goes with it, and Helm is silent: so it is refused before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from helm_roster import errors
from helm_roster.cluster import leftovers, live, records
from helm_roster.cluster.client import Client
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.wording import few
from helm_roster.policy import pods


def refuse(
    client: Client,
    namespace: str,
    release: str,
    kinds: Collection[tuple[str, str]],
    made: Callable[[], Iterable[Manifest]],
) -> None:
    """Refuse to apply onto objects of the release that are being deleted.

    Args:
        client: The cluster.
        namespace: The release's.
        release: Its name.
        kinds: The API versions and kinds that are applied.
        made: Returns the objects that are applied; asked only where something of these kinds is being deleted.

    Raises:
        RefusedError: There are such objects; what holds them is told.
    """
    wanted = {(_group(api_version), kind) for api_version, kind in kinds}
    resources = [one for one in leftovers.kinds(client) if (_group(one.api_version), one.kind) in wanted]
    found = leftovers.look(client, namespace, live.selectors(release)[0], resources).found
    going = [one for one in found if pods.is_terminating(one.manifest)]
    names = {"{0.kind} {0.name}".format(walk.identity(one)) for one in made()} if going else set()
    held = [one for one in going if one.name in names]
    if held:
        end = "" if records.find(client, namespace, release) else f" (helm roster wait {release} --for deleted)"
        why = few(leftovers.reasons(client, namespace, held))
        msg = (
            f"{few([one.name for one in held])} of {release} {'is' if len(held) == 1 else 'are'} still being deleted, "
            f"and what is applied now would go with it: wait until that is gone{end}; {why}"
        )
        raise errors.RefusedError(msg)


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]
