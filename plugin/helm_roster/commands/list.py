"""``helm roster list``: the operations in a namespace or in all of them, found by their labels.

As JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "List", "operations": [{"name", "operation", "namespace",
"operationKind", "verdict", "ready", "groups", "pods", "release", "gitops"}]}``. ``name`` is what the other commands
take, the release's; ``operation`` the operation's own. ``verdict`` and ``ready`` are those of ``status``; ``groups``
are names; ``pods`` is ``{desired, ready, succeeded}``. ``release`` is ``{name, state, revision}``, null where Helm has
no record, ``state`` is ``unknown`` where you may not list Helm's records; ``gitops`` names the GitOps object that owns
it, in words, or is null.
"""

from __future__ import annotations

from typing import Any

from helm_roster import constants
from helm_roster.cluster import client, live
from helm_roster.cluster.live import Observed
from helm_roster.commands.observing import Look, explain
from helm_roster.helm import run as helm
from helm_roster.policy import ownership
from helm_roster.report import console, list_table


def run(*, everywhere: bool, output: str) -> None:
    """Print the operations in Helm's namespace, or those in all namespaces; none is no error."""
    namespace = "" if everywhere else helm.namespace()
    document = {
        "apiVersion": constants.API_VERSION,
        "kind": "List",
        "operations": [_entry(found) for found in live.observe_all(client.connect(), namespace)],
    }
    if output != "table":
        console.document(document, output)
    elif document["operations"]:
        console.show(list_table.table(document, with_namespace=everywhere))
    else:
        console.say(f'no operation in namespace "{namespace}"' if namespace else "no operation in any namespace")


def _entry(observed: Observed) -> dict[str, Any]:
    record = observed.record
    health = Look(observed=observed, decisions=explain(observed.live), failure="").health
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
