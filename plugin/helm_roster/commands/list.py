"""``helm roster list``: the operations in a namespace or in all of them, found by their labels.

As JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "List", "operations": [{"name", "operation", "namespace",
"operationKind", "verdict", "ready", "groups", "pods", "release", "gitops"}], "unseen"}``. ``name`` is what the other
commands take, the release's; ``operation`` the operation's own. ``verdict`` and ``ready`` are those of ``status``;
``groups`` are names; ``pods`` is ``{desired, ready, succeeded}``. ``release`` is ``{name, state, revision}``, null
where Helm has no record, ``state`` is ``unknown`` where you may not list Helm's records; ``gitops`` names the GitOps
object that owns it, in words, or is null. A release of which no object is left has the verdict ``NotFound``; only the
list of one namespace holds such, since who looks for them in all would read the whole records of everybody's releases.
``unseen`` are the kinds that you may not list, as ``"podgroups.scheduling.k8s.io"``: verdicts are told without what
they say of gangs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from helm_roster import constants, errors
from helm_roster.backend_base import Ask
from helm_roster.cluster import asking, client, live, records
from helm_roster.cluster.client import Client
from helm_roster.cluster.live import Observed, Survey
from helm_roster.cluster.records import Record
from helm_roster.commands.observing import Look, explain
from helm_roster.helm import releases
from helm_roster.helm import run as helm
from helm_roster.model.live import Live
from helm_roster.model.wording import few
from helm_roster.policy import ownership
from helm_roster.report import console, list_table

# A record that outlives its release (helm uninstall --keep-history).
_KEPT: Final = "uninstalled"


def run(*, everywhere: bool, output: str) -> None:
    """Print the operations in Helm's namespace, or those in all namespaces; none is no error."""
    namespace = "" if everywhere else helm.namespace()
    cluster = client.connect()
    survey, ask = live.observe_all(cluster, namespace), asking.Asker(cluster)
    bare = () if everywhere else _bare(cluster, survey)
    found = sorted([*survey.observed, *bare], key=lambda one: (one.live.namespace, one.release))
    unseen = [kind.long_name for kind in survey.unseen]
    document = {
        "apiVersion": constants.API_VERSION,
        "kind": "List",
        "operations": [_entry(one, ask, blind=bool(unseen)) for one in found],
        "unseen": unseen,
    }
    if unseen:
        console.say(f"you may not list {few(unseen)}: verdicts leave out what they say of gangs")
    if output != "table":
        console.document(document, output)
    elif document["operations"]:
        console.show(list_table.table(document, with_namespace=everywhere))
    else:
        console.say(f'no operation in namespace "{namespace}"' if namespace else "no operation in any namespace")


def _bare(cluster: Client, survey: Survey) -> Iterator[Observed]:
    """Yield the releases of operations of which Helm's record alone is left; name each record that cannot be read."""
    known = {(one.live.namespace, one.release) for one in survey.observed}
    for namespace, record in survey.records.besides(known):
        if record.state != _KEPT and _is_operation(cluster, namespace, record):
            live = Live(name=record.name, namespace=namespace, groups={})
            yield Observed(live=live, release=record.name, record=record)


def _is_operation(cluster: Client, namespace: str, record: Record) -> bool:
    try:
        return releases.holds_operation(records.manifest(cluster, namespace, record))
    except errors.BadInputError as error:
        console.say(str(error))
        return False


def _entry(observed: Observed, ask: Ask, *, blind: bool) -> dict[str, Any]:
    record = observed.record
    decisions = () if blind else explain(observed, ask)
    health = Look(observed=observed, decisions=decisions, failure="").health
    owner = ownership.find(observed.objects)
    staying = [group for group in health.groups if not group.leaving]
    return {
        "name": observed.release,
        "operation": observed.live.name,
        "namespace": observed.live.namespace,
        "operationKind": health.kind,
        "verdict": health.verdict,
        "ready": health.ready,
        "groups": [group.name for group in health.groups],
        "pods": {
            "desired": sum(group.desired for group in staying),
            "ready": sum(group.ready for group in staying),
            "succeeded": sum(group.succeeded for group in staying),
        },
        "release": {"name": record.name, "state": record.state, "revision": record.revision} if record else None,
        "gitops": owner.name if owner else None,
    }
