"""Which nodes of a cluster a preset selects, what they offer, and what keeps its pods away; pure.

A pod spec that the chart made of the preset is looked at, so nothing of the composition is repeated here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

from helm_roster import errors
from helm_roster.manifests import quantities, walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model import wording
from helm_roster.policy import node_choice, totals
from helm_roster.presets import model_group
from helm_roster.presets.devices import ClassFound

# The node controller puts it on cordoned nodes, which are counted apart.
_CORDON_TAINT: Final = "node.kubernetes.io/unschedulable"

# What stands in the way besides taints and lacking resources, in ``Fit.examples``.
CORDONED: Final = "cordoned"
FEWER: Final = "fewer"
_SHOWN: Final = 2


@dataclass(frozen=True, kw_only=True)
class Offer:
    """So many nodes have so many of a resource each."""

    resource: str
    nodes: int
    each: str


@dataclass(frozen=True, kw_only=True)
class Level:
    """A level of a topology: the label by which nodes are in it, how many have it, and how many values it has."""

    level: str
    label: str
    nodes: int
    values: int


@dataclass(frozen=True, kw_only=True)
class Fit:
    """How a preset fits a cluster. ``usable`` are the ``matching`` nodes on which its pods may run, were they free.

    Without ``selects`` any node will do. ``taints`` are those that it does not tolerate, ``lacking`` the resources that
    it wants and nodes have not, each with the number of matching nodes; ``fewer`` have less than ``perNode``. Taints
    keep no pods off where another preset says which accelerators they have (``takes_others``): that one tolerates them.
    Where none is matching, ``unmet`` are the labels and resources that no node has. ``examples`` are names of a few
    nodes by what stands in the way there.
    """

    matching: int
    usable: int
    selects: bool = True
    takes_others: bool = False
    cordoned: int = 0
    offers: tuple[Offer, ...] = ()
    taints: tuple[tuple[str, int], ...] = ()
    lacking: tuple[tuple[str, int], ...] = ()
    fewer: int = 0
    classes: tuple[ClassFound, ...] = ()
    unserved: tuple[str, ...] = ()
    levels: tuple[Level, ...] = ()
    unmet: tuple[str, ...] = ()
    examples: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def fits(self) -> bool:
        """Return whether pods may run somewhere, or each level has nodes."""
        if self.levels:
            return all(level.nodes for level in self.levels)
        return not self.selects or (self.usable > 0 and not self.unserved)


def fit(
    spec: Mapping[str, Any],
    nodes: Sequence[Manifest],
    accelerator: Mapping[str, Any],
    classes: Sequence[ClassFound] = (),
    unserved: Sequence[str] = (),
    *,
    takes_others: bool = False,
) -> Fit:
    """Return how pods of ``spec`` fit the nodes; ``accelerator`` is the preset's, ``classes`` those that it names."""
    wanted = _wanted(spec)
    if not (wanted or classes or node_choice.asked(spec)):
        return Fit(matching=0, usable=0, selects=False)
    chosen = [node for node in nodes if _is_chosen(spec, node, wanted, classes)]
    taints = [_untolerated(spec, node) for node in chosen]
    lacking = [[name for name in wanted if not _has(node, name)] for node in chosen]
    cordoned = [bool(walk.get(node, "spec", "unschedulable")) for node in chosen]
    kept_off = [bool(each) and not takes_others for each in taints]
    hindered = [bool(off or lacks or cordon) for off, lacks, cordon in zip(kept_off, lacking, cordoned, strict=True)]
    usable = [node for node, not_so in zip(chosen, hindered, strict=True) if not not_so and _has_devices(node, classes)]
    resource, per_node = str(accelerator.get("resource")), int(accelerator.get("perNode") or 0)
    few = [0 < _has(node, resource) < per_node for node in chosen]
    in_the_way = [
        [*off, *lacks, *[CORDONED] * cordon, *[FEWER] * fewer]
        for off, lacks, cordon, fewer in zip(taints, lacking, cordoned, few, strict=True)
    ]
    return Fit(
        matching=len(chosen),
        usable=len(usable),
        takes_others=takes_others,
        cordoned=sum(cordoned),
        offers=tuple(_offers(chosen, [*wanted])),
        taints=tuple(Counter(taint for each in taints for taint in each).most_common()),
        lacking=tuple(Counter(name for each in lacking for name in each).most_common()),
        fewer=sum(few),
        classes=tuple(classes),
        unserved=tuple(unserved),
        unmet=() if chosen else (*_unmet(spec, nodes), *_unoffered(wanted, nodes)),
        examples=_examples(chosen, in_the_way),
    )


def _examples(nodes: Sequence[Manifest], in_the_way: Sequence[Iterable[str]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for node, reasons in zip(nodes, in_the_way, strict=True):
        for reason in reasons:
            found[reason] = (*found.get(reason, ()), str(walk.get(node, "metadata", "name")))[:_SHOWN]
    return found


def levels(named: Mapping[str, Any], nodes: Sequence[Manifest]) -> Fit:
    """Return which nodes are in the levels that a file of topology names."""
    found = []
    for level, entry in named.items():
        label = str(entry.get("label")) if isinstance(entry, dict) else str(entry)
        values = [value for node in nodes if (value := walk.mapping(node, "metadata", "labels").get(label)) is not None]
        found.append(Level(level=level, label=label, nodes=len(values), values=len(set(values))))
    most = max((level.nodes for level in found), default=0)
    return Fit(matching=most, usable=most, levels=tuple(found))


def _unmet(spec: Mapping[str, Any], nodes: Sequence[Manifest]) -> Iterator[str]:
    """Yield what is asked of labels that no node has; of several terms, any of which will do, nothing is known."""
    asked = node_choice.asked(spec)
    chosen = asked.get("nodeSelector", {}).items()
    wanted: list[tuple[str, dict[str, Any]]] = [
        (f"{key}={value}", {"matchLabels": {key: value}}) for key, value in chosen
    ]
    terms = asked.get("affinity", ())
    required = walk.mappings(terms[0], "matchExpressions") if len(terms) == 1 else []
    wanted += [(wording.required(expression), {"matchExpressions": [expression]}) for expression in required]
    labels = [walk.mapping(node, "metadata", "labels") for node in nodes]
    yield from (told for told, selector in wanted if not any(node_choice.matches(selector, one) for one in labels))


def _unoffered(wanted: Iterable[str], nodes: Sequence[Manifest]) -> Iterator[str]:
    yield from (name for name in wanted if not any(_has(node, name) for node in nodes))


def _wanted(spec: Mapping[str, Any]) -> dict[str, Fraction]:
    """Return the devices and huge pages that a pod asks for, without those that only stand for a preset's base."""
    asked = totals.pod_requests(spec)
    return {
        name: amount
        for name, amount in asked.items()
        if amount
        and name != model_group.BASE_RESOURCE
        and (quantities.is_extended(name) or name.startswith("hugepages-"))
    }


def _is_chosen(
    spec: Mapping[str, Any], node: Manifest, wanted: Mapping[str, Fraction], classes: Sequence[ClassFound]
) -> bool:
    """Return whether the node is meant: by its labels, or, where those say nothing, by the devices that it has."""
    if node_choice.asked(spec):
        return node_choice.wants(spec, node)
    return all(_has(node, name) for name in wanted) and _has_devices(node, classes)


def _untolerated(spec: Mapping[str, Any], node: Manifest) -> list[str]:
    return [
        f"{taint.get('key')}{f'={value}' if (value := taint.get('value')) else ''}:{taint.get('effect')}"
        for taint in walk.mappings(node, "spec", "taints")
        if taint.get("key") != _CORDON_TAINT and not node_choice.tolerates(spec, taint)
    ]


def _has_devices(node: Manifest, classes: Sequence[ClassFound]) -> bool:
    """Return whether the node has devices of each class, as far as that is known."""
    name = str(walk.get(node, "metadata", "name"))
    return all(one.exists is not False and (one.nodes is None or not one.nodes or name in one.nodes) for one in classes)


def _has(node: Manifest, resource: str) -> Fraction:
    try:
        return quantities.parse(walk.mapping(node, "status", "allocatable").get(resource, 0))
    except errors.BadInputError:
        return Fraction(0)


def _offers(nodes: Sequence[Manifest], resources: Sequence[str]) -> list[Offer]:
    """Return what the nodes have of the resources, those with equal amounts together."""
    found = Counter(
        (name, str(walk.mapping(node, "status", "allocatable").get(name)))
        for name in resources
        for node in nodes
        if _has(node, name)
    )
    return [Offer(resource=name, nodes=count, each=each) for (name, each), count in found.items()]
