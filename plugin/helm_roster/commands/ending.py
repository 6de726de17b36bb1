"""What meets a running cancellation is told so, and not that there is no release or never was one."""

from __future__ import annotations

from helm_roster import errors
from helm_roster.cluster import client, live, records
from helm_roster.cluster.live import Observed
from helm_roster.helm import run
from helm_roster.policy import ending
from helm_roster.policy.ending import UNINSTALLING


def refuse(release: str) -> None:
    """Refuse to go on from a release that is being cancelled, or of which only what is ending is left.

    Raises:
        RefusedError: So it is.
    """
    cluster, namespace = client.connect(), run.namespace()
    record = records.find(cluster, namespace, release)
    if record is None or record.state == UNINSTALLING:
        refuse_observed(release, live.observe(cluster, namespace, release))


def refuse_observed(release: str, observed: Observed | None) -> None:
    """Do the same where the operation was observed already.

    Raises:
        RefusedError: So it is.
    """
    state = observed.record.state if observed and observed.record else None
    if observed is not None and ending.is_ending(observed.objects, state):
        raise errors.RefusedError(ending.sentence(release, observed.objects))
