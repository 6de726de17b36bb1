"""What the queues of an operation say: that they are closed, what they have to give, and what of it is in use; pure.

Only a ClusterQueue and its flavors tell what there is to give, and who may not read them is told less.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from helm_roster.backend_base import Ask
from helm_roster.backends.kueue import kinds, quota
from helm_roster.manifests import quantities, walk
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import pods, quotas, totals

Amounts = Mapping[str, Fraction]
# Given what is in use of a resource, what is asked for, and what there is at most.
_Rule = Callable[[Fraction, Fraction, Fraction], bool]


class Queues:
    """The LocalQueues of a namespace, with what is behind them."""

    def __init__(self, ask: Ask, namespace: str) -> None:
        self._ask, self._namespace = ask, namespace

    def closed(self, queue: str) -> str:
        """Return why a queue lets nothing in, and what lets it; empty where it is open, or not known."""
        local, cluster = quota.local_queue(self._namespace, queue, self._ask), self._behind(queue)
        if local is None and self._ask.here(kinds.LOCAL_QUEUE, self._namespace) is not None:
            return f'make LocalQueue "{queue}" in namespace "{self._namespace}", or name another queue in the values'
        of_cluster = f"{kinds.CLUSTER_QUEUE.kind} {walk.get(local, 'spec', 'clusterQueue')}"
        for what, manifest in ((f"{kinds.LOCAL_QUEUE.kind} {queue}", local), (of_cluster, cluster)):
            policy = walk.get(manifest, "spec", "stopPolicy", default="None")
            if policy != "None":
                return f"{what} has stopPolicy {policy}: pods are admitted when that is None"
        said = quota.inactive(cluster) or quota.inactive(local)
        return f"{of_cluster}: {said}" if said else ""

    def never(self, queue: str, workload: Manifest) -> str:
        """Return why a queue can never let a Workload in, whatever else runs; empty where it can, or is not known."""
        cluster = self._behind(queue)
        why = quota.never(quota.parts_of(workload), cluster, self._ask) if cluster else []
        return f"it never fits into ClusterQueue {pods.name(cluster or {})}: {'; '.join(why)}" if why else ""

    def usage(self, queue: str, workload: Manifest) -> str:
        """Return what is in use of what a Workload finds too little of; it may be seconds old."""
        told = self._told(queue, workload, lambda used, asked, most: used + asked > most)
        return f"{told} in use" if told else ""

    def lowered(self, queue: str, workload: Manifest) -> str:
        """Return that more is in use than there is, which evicts nobody; empty where there is enough."""
        told = self._told(queue, workload, lambda used, _, most: used > most)
        return f"the quota was lowered: {told} in use" if told else ""

    def nodes(self, name: str, workload: Manifest) -> str:
        """Return which nodes the pods of a podSet are led to by the flavors that they got; empty where to any."""
        sets = walk.mappings(workload, "status", "admission", "podSetAssignments")
        got = {str(flavor) for entry in sets if entry.get("name") == name
               for flavor in walk.mapping(entry, "flavors").values()}  # fmt: skip
        known = {pods.name(one): walk.mapping(one, "spec", "nodeLabels")
                 for one in self._ask.all_of(kinds.RESOURCE_FLAVOR) or ()}  # fmt: skip
        told = [f"{flavor}, of nodes with {', '.join(f'{key}={value}' for key, value in known[flavor].items())}"
                for flavor in sorted(got) if known.get(flavor)]  # fmt: skip
        return f"its quota is of flavor {'; '.join(told)}" if told else ""

    def _told(self, queue: str, workload: Manifest, applies: _Rule) -> str:
        """Return how much is in use of the resources of a Workload to which a rule applies."""
        cluster = self._behind(queue)
        if cluster is None:
            return ""
        used, asked = _used(cluster), _asked(workload)
        short = [
            f"{_written(resource, used.get(resource, Fraction()))} of {quotas.amount(resource, most)}"
            for resource, most in self._most(cluster).items()
            if asked.get(resource) and applies(used.get(resource, Fraction()), asked[resource], most)
        ]
        return f"ClusterQueue {pods.name(cluster)} has {', '.join(short)}" if short else ""

    def _behind(self, queue: str) -> Manifest | None:
        return quota.cluster_queue(self._namespace, queue, self._ask)

    def _most(self, cluster: Manifest) -> Amounts:
        found: dict[str, Fraction] = {}
        for flavors in quota.sets(cluster, self._ask) or ():
            for flavor in flavors:
                for resource, most in flavor.most.items():
                    found[resource] = found.get(resource, Fraction()) + most
        return found


def _used(cluster: Manifest) -> Amounts:
    """Return what is reserved, by resource."""
    found: dict[str, Fraction] = {}
    for flavor in walk.mappings(cluster, "status", "flavorsReservation"):
        for resource in walk.mappings(flavor, "resources"):
            name = str(resource.get("name"))
            found[name] = found.get(name, Fraction()) + quantities.parse(resource.get("total") or 0)
    return found


def _asked(workload: Manifest) -> Amounts:
    """Return what a Workload asks for, by resource; the number of its pods is one where a queue limits that."""
    found: dict[str, Fraction] = {}
    for part in quota.parts_of(workload):
        for resource, amount in {**totals.pod_requests(part.spec), "pods": Fraction(1)}.items():
            found[resource] = found.get(resource, Fraction()) + amount * part.count
    return found


def _written(resource: str, value: Fraction) -> str:
    return quotas.amount(resource, value).partition(" ")[0]
