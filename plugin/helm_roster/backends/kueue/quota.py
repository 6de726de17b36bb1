"""What a ClusterQueue can give at most, were nothing admitted: its own quota, and what its cohort can lend it.

As Kueue computes it (v0.17.0 pkg/cache/scheduler/resource_node.go, potentialAvailable). Kueue says the same of what has
no room now and of what can never have it, so plans and status ask here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from helm_roster import errors
from helm_roster.backend_base import Ask
from helm_roster.backends.kueue.kinds import CLUSTER_QUEUE, COHORT, LOCAL_QUEUE, RESOURCE_FLAVOR
from helm_roster.frozen import Frozen
from helm_roster.manifests import quantities, walk
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import pods, quotas
from helm_roster.policy.quotas import Flavor, FlavorSet, Part

# A flavor and a resource of it.
_Quota = tuple[str, str]


def never(parts: Sequence[Part], queue: Manifest, ask: Ask) -> list[str]:
    """Return why a ClusterQueue can never admit ``parts`` together; nothing where it can, or that is not known."""
    found = sets(queue, ask)
    return quotas.never(parts, found) if found else []


def parts_of(workload: Manifest) -> list[Part]:
    """Return what a Workload asks for, by pod set."""
    return [
        Part(
            name=str(entry.get("name")),
            count=int(entry.get("count") or 1),
            spec=walk.mapping(entry, "template", "spec"),
        )
        for entry in walk.sequence(workload, "spec", "podSets")
    ]


def local_queue(namespace: str, name: str, ask: Ask) -> Manifest | None:
    """Return a LocalQueue; None where it is not there or may not be read."""
    found = ask.here(LOCAL_QUEUE, namespace) or ()
    return next((entry for entry in found if _name(entry) == name), None)


def cluster_queue(namespace: str, name: str, ask: Ask) -> Manifest | None:
    """Return the ClusterQueue behind a LocalQueue; None where either is not there or may not be read."""
    behind = walk.get(local_queue(namespace, name, ask), "spec", "clusterQueue", default="")
    return next(iter(ask.all_of(CLUSTER_QUEUE, str(behind)) or ()), None) if behind else None


def inactive(queue: Manifest | None) -> str:
    """Return Kueue's words on a queue that admits nothing; empty where it does, or that is not known.

    Of one that is being deleted, which takes until nothing holds its quota, Kueue has none (measured on 0.17.0).
    """
    if pods.is_terminating(queue or {}):
        return "it is being deleted, and goes once nothing holds its quota: name another queue, or have it made anew"
    conditions = walk.mappings(queue, "status", "conditions")
    said: Manifest = next((entry for entry in conditions if entry.get("type") == "Active"), {})
    return str(said.get("message") or said.get("reason")) if said.get("status") == "False" else ""


def sets(queue: Manifest, ask: Ask) -> list[FlavorSet] | None:
    """Return the flavors of a ClusterQueue, each with what it can give at most; None where that is not known.

    A flavor that is not there is left out: nothing is admitted by it.
    """
    flavors, tree = ask.all_of(RESOURCE_FLAVOR), _tree(queue, ask)
    if flavors is None or tree is None:
        return None
    known = {_name(entry): walk.mapping(entry, "spec") for entry in flavors}
    return [
        [
            _flavor(str(entry["name"]), known[str(entry["name"])], entry, tree)
            for entry in walk.sequence(group, "flavors")
            if str(entry["name"]) in known
        ]
        for group in walk.sequence(queue, "spec", "resourceGroups")
    ]


def _flavor(name: str, spec: Mapping[str, Any], entry: Mapping[str, Any], tree: _Tree) -> Flavor:
    resources = [str(resource["name"]) for resource in walk.sequence(entry, "resources")]
    return Flavor(
        name=name,
        most={resource: tree.potential(tree.start, (name, resource)) for resource in resources},
        labels=walk.mapping(spec, "nodeLabels"),
        taints=walk.sequence(spec, "nodeTaints"),
        tolerations=walk.sequence(spec, "tolerations"),
    )


class _Limits(Frozen):
    """Quota of one resource of a flavor in one node of the tree; None where borrowing or lending is not limited."""

    nominal: Fraction = Fraction()
    borrowing: Fraction | None = None
    lending: Fraction | None = None


_NOTHING: Final = _Limits()


class _Node(Frozen):
    """A ClusterQueue or a cohort; ``parent`` is empty at the root."""

    parent: str
    quotas: Mapping[_Quota, _Limits]


class _Tree:
    """A ClusterQueue, called ``start``, and the cohorts above it with all that are below these."""

    def __init__(self, start: str, nodes: Mapping[str, _Node]) -> None:
        self.start, self._nodes = start, nodes

    def potential(self, name: str, of: _Quota) -> Fraction:
        """Return what a node can use at most."""
        node, subtree = self._nodes[name], self._subtree(name, of)
        if not node.parent:
            return subtree
        most = self._kept(name, of) + self.potential(node.parent, of)
        limit = node.quotas.get(of, _NOTHING).borrowing
        return most if limit is None else min(most, subtree + limit)

    def _subtree(self, name: str, of: _Quota) -> Fraction:
        below = [child for child, node in self._nodes.items() if node.parent == name]
        lent = (self._subtree(child, of) - self._kept(child, of) for child in below)
        return self._nodes[name].quotas.get(of, _NOTHING).nominal + sum(lent, Fraction())

    def _kept(self, name: str, of: _Quota) -> Fraction:
        """Return what a node never lends."""
        limit = self._nodes[name].quotas.get(of, _NOTHING).lending
        return Fraction() if limit is None else max(Fraction(), self._subtree(name, of) - limit)


def _tree(queue: Manifest, ask: Ask) -> _Tree | None:
    """Return the queue with all that it may borrow from; None where that cannot be read."""
    start = f"queue {_name(queue)}"
    try:
        mine = _Node(parent=_cohort(queue), quotas=_quotas(queue))
        if not mine.parent:
            return _Tree(start, {start: mine})
        queues, cohorts = ask.all_of(CLUSTER_QUEUE), ask.all_of(COHORT)
        if queues is None or cohorts is None:
            return None
        nodes = {f"queue {_name(entry)}": _Node(parent=_cohort(entry), quotas=_quotas(entry)) for entry in queues}
        nodes |= {f"cohort {_name(entry)}": _Node(parent=_parent(entry), quotas=_quotas(entry)) for entry in cohorts}
    except errors.BadInputError:
        return None
    # A cohort that is only named is one too.
    nodes |= {node.parent: _Node(parent="", quotas={}) for node in nodes.values() if node.parent not in {"", *nodes}}
    return _Tree(start, nodes) if _ends(start, nodes) else None


def _ends(start: str, nodes: Mapping[str, _Node]) -> bool:
    """Return whether the cohorts above a queue come to an end; Kueue admits nothing where they go in a circle."""
    seen: set[str] = set()
    while start and start not in seen:
        seen.add(start)
        start = nodes[start].parent
    return not start


def _cohort(queue: Manifest) -> str:
    name = walk.get(queue, "spec", "cohortName", default="")
    return f"cohort {name}" if name else ""


def _parent(cohort: Manifest) -> str:
    name = walk.get(cohort, "spec", "parentName", default="")
    return f"cohort {name}" if name else ""


def _quotas(manifest: Manifest) -> dict[_Quota, _Limits]:
    return {
        (str(flavor["name"]), str(resource["name"])): _Limits(
            nominal=_amount(resource, "nominalQuota") or Fraction(),
            borrowing=_amount(resource, "borrowingLimit"),
            lending=_amount(resource, "lendingLimit"),
        )
        for group in walk.sequence(manifest, "spec", "resourceGroups")
        for flavor in walk.sequence(group, "flavors")
        for resource in walk.sequence(flavor, "resources")
    }


def _amount(resource: Mapping[str, Any], field: str) -> Fraction | None:
    found = resource.get(field)
    return None if found is None else quantities.parse(found)


def _name(manifest: Manifest) -> str:
    return str(walk.get(manifest, "metadata", "name"))
