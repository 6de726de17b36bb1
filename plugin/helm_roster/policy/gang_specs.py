"""What a gang was asked to be, kept on its grouping objects: an upgrade compares with it, whatever the backend.

Grouping objects say it too, each scheduling system in its own way; this says it in the words of the values. Where a
gang has none, since admission alone keeps it together, its workloads carry it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal

from helm_roster import constants
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import LiveGroup
from helm_roster.model.operation import Gang, Locality, Member, Operation
from helm_roster.model.plan import Plan
from helm_roster.policy import gangs

# What may change of a gang and would have to change for all of its running pods at once.
Aspect = Literal[
    "member added", "member removed", "size", "minimum raised", "elasticity", "order", "locality",
    "preferred locality", "priority", "preemption", "admission", "resources", "nodes",
]  # fmt: skip
# Of these only admission knows: who gives the gang its quota, what it counted for each pod, and of which nodes it is.
OF_ADMISSION: Final[frozenset[Aspect]] = frozenset({"admission", "resources", "nodes"})
_NONE: Mapping[str, Any] = {}


def of(plan: Plan, gang: Gang) -> dict[str, Any]:
    """Return the gang as plain data: its backends, members by group, and what all of them share."""
    operation = plan.operation
    spec = {
        "backend": operation.placement_backend,
        "admission": _quota(operation),
        "members": {member.group: _member(member) | _counted(plan, member) for member in gang.members},
        "locality": _place(gang.locality),
        "preemption": gang.preemption,
        "priority": gangs.priority_class(plan, gang),
        "run": operation.run,
    }
    return {key: value for key, value in spec.items() if value}


def text(spec: dict[str, Any]) -> str:
    """Return ``spec`` as it stands in the annotation: the same data gives the same text."""
    return json.dumps(spec, sort_keys=True, separators=(",", ":"))


def read(manifests: Iterable[Manifest]) -> dict[str, dict[str, Any]]:
    """Return what these objects say, by gang; one that says nothing, or not in these words, is left out."""
    found: dict[str, dict[str, Any]] = {}
    for manifest in manifests:
        name = walk.get(manifest, "metadata", "labels", constants.GANG_LABEL)
        name = name or walk.get(manifest, "metadata", "annotations", constants.GANG_ANNOTATION)
        said = walk.get(manifest, "metadata", "annotations", constants.GANG_SPEC_ANNOTATION)
        if name and said and (spec := _parsed(str(said))):
            found[str(name)] = spec
    return found


def minimum(specs: Mapping[str, Mapping[str, Any]], group: LiveGroup, *, otherwise: int) -> int:
    """Return how many pods the gang of ``group`` needs of it; ``otherwise`` where its grouping objects do not tell."""
    return int(walk.get(specs.get(group.gang) or {}, "members", group.name, "min", default=otherwise))


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[Aspect, str]]:
    """Yield what differs between two specs of a gang and may not change for its pods one by one, with words for it.

    A minimum below the replicas may be lowered. In a gang of one, an elastic member is but such a minimum.
    """
    before, after = (spec.get("members") or _NONE for spec in (old, new))
    for name in sorted(after.keys() - before.keys()):
        yield "member added", f"member {name} added"
    for name in sorted(before.keys() - after.keys()):
        yield "member removed", f"member {name} removed"
    stays = sorted(before.keys() & after.keys())
    for name in stays:
        yield from _of_member(name, before[name], after[name], alone=len({*before, *after}) == 1)
    sequences = [sorted(stays, key=lambda name: (spec[name].get("order", 0), name)) for spec in (before, after)]
    if sequences[0] != sequences[1]:
        yield "order", f"order {_arrow(*(', '.join(names) for names in sequences))}"
    if old.get("locality") != new.get("locality"):
        yield _aspect(old, new), f"locality {_arrow(_locality(old), _locality(new))}"
    for aspect in ("priority", "preemption"):
        if old.get(aspect) != new.get(aspect):
            yield aspect, f"{aspect} {_arrow(old.get(aspect), new.get(aspect))}"
    if old.get("admission") != new.get("admission"):
        yield "admission", f"admission {_arrow(_admission(old), _admission(new))}"


def _of_member(
    name: str, old: Mapping[str, Any], new: Mapping[str, Any], *, alone: bool
) -> Iterator[tuple[Aspect, str]]:
    was, elastic = bool(old.get("elastic")), bool(new.get("elastic"))
    minimum = _arrow(old.get("min"), new.get("min"))
    if was != elastic and not alone:
        yield "elasticity", f"{name} becomes {'elastic' if elastic else 'fixed'}"
    elif (was or elastic) and int(old.get("min") or 0) < int(new.get("min") or 0):
        yield "minimum raised", f"minimum of {name} {minimum}"
    elif not (was or elastic) and old.get("min") != new.get("min"):
        yield "size", f"size of {name} {minimum}"
    if old.get("locality") != new.get("locality"):
        yield _aspect(old, new), f"locality of {name} {_arrow(_locality(old), _locality(new))}"
    before, after = old.get("requests"), new.get("requests")
    if before is not None and after is not None and before != after:
        changed = [key for key in sorted({*before, *after}) if before.get(key) != after.get(key)]
        told = ", ".join(f"{key} {_arrow(before.get(key), after.get(key))}" for key in changed)
        yield "resources", f"resources of {name}: {told}, but quota counted the old ones"
    if before is not None and after is not None and old.get("nodes") != new.get("nodes"):
        yield "nodes", f"nodes of {name} {_arrow(_nodes(old), _nodes(new))}, but its quota is of the old ones"


def _admission(spec: Mapping[str, Any]) -> str:
    """Return who admits, and how, in few words."""
    found = spec.get("admission") or _NONE
    return ", ".join([str(value) if key == "backend" else f"{key} {value}" for key, value in sorted(found.items())])


def _nodes(spec: Mapping[str, Any]) -> str:
    """Return which nodes a member asks for, in few words."""
    found = spec.get("nodes") or _NONE
    chosen = [f"{key}={value}" for key, value in sorted(found.get("nodeSelector", _NONE).items())]
    return ", ".join([*chosen, *(["by affinity"] if found.get("affinity") else [])])


def _aspect(old: Mapping[str, Any], new: Mapping[str, Any]) -> Aspect:
    """Return whether a locality changes that holds pods, or one that is only preferred, before and after."""
    found = [spec["locality"] for spec in (old, new) if spec.get("locality")]
    return "locality" if any(one.get("required", True) for one in found) else "preferred locality"


def _locality(spec: Mapping[str, Any]) -> str:
    """Return a locality in few words; where it is read from (node labels, tiers) comes along."""
    found = spec.get("locality") or _NONE
    if not found:
        return ""
    mode = "required" if found.get("required", True) else "preferred"
    rest = [f"{key} {value}" for key, value in sorted(found.items()) if key not in {"within", "required"}]
    return f"{found.get('within')} ({', '.join([mode, *rest])})"


def _arrow(old: object, new: object) -> str:
    return f"{old or 'none'} → {new or 'none'}"


def _member(member: Member) -> dict[str, Any]:
    spec = {
        "min": member.minimum,
        "elastic": member.elastic,
        "order": member.order,
        "locality": _place(member.locality),
    }
    return {key: value for key, value in spec.items() if value}


def _quota(operation: Operation) -> dict[str, Any]:
    said = {key: operation.admission.get(key) for key in ("backend", "queue", "priorityClass")}
    return {key: value for key, value in said.items() if value} if operation.asks_for_quota else {}


def _counted(plan: Plan, member: Member) -> dict[str, Any]:
    """Return what is counted for each pod of a member where quota is asked for it, and of which nodes."""
    if not plan.operation.asks_for_quota:
        return {}
    from helm_roster.policy import node_choice, totals  # noqa: PLC0415  (what they import costs every render)

    nodes = node_choice.asked(plan.pod_specs(member.group)[0])
    return {"requests": totals.quantities_of(plan, {member.group: 1}), **({"nodes": nodes} if nodes else {})}


def _place(locality: Locality | None) -> dict[str, Any]:
    """Return a locality as the values say it, with what nodes of its level are known by."""
    return {key: value for key, value in vars(locality).items() if value is not None} if locality else {}


def _parsed(said: str) -> dict[str, Any]:
    try:
        spec = json.loads(said)
    except ValueError:
        return {}
    return spec if isinstance(spec, dict) else {}
