"""Whether pods that are admitted together could ever be, were all quota free. Pure.

Quota is divided by flavors: kinds of nodes, each with so much of every resource. All pods of one part (a gang's member,
a Job) take one flavor for all resources of a set, and what several parts take of one flavor adds up. What is said here
holds whatever runs at the moment; whether there is room now is another question.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from helm_roster.frozen import Frozen
from helm_roster.manifests import quantities
from helm_roster.model.operation import Gang
from helm_roster.model.plan import Plan
from helm_roster.model.wording import few
from helm_roster.policy import node_choice
from helm_roster.policy.totals import pod_requests

_NO_LABELS: Final[Mapping[str, str]] = {}
# Arrangements that are tried at most before nothing is said: 18 parts with 256 flavors each are beyond trying.
_TRIES: Final = 20_000
# Quota may limit the number of pods too.
_PODS: Final = "pods"
_IN_BYTES: Final = ("memory", "ephemeral-storage", "hugepages-")


class Part(Frozen):
    """Pods that are alike: so many of ``spec``."""

    name: str
    count: int
    spec: Mapping[str, Any]


class Flavor(Frozen):
    """A kind of nodes, and by resource the ``most`` that can ever be used of it, what may be borrowed included."""

    name: str
    most: Mapping[str, Fraction]
    labels: Mapping[str, str] = _NO_LABELS
    taints: Sequence[Mapping[str, Any]] = ()
    tolerations: Sequence[Mapping[str, Any]] = ()


# Flavors in the order in which they are tried, all of the same resources.
FlavorSet = Sequence[Flavor]


def never(parts: Sequence[Part], sets: Sequence[FlavorSet]) -> list[str]:
    """Return why pods of ``parts`` can never be admitted together; nothing where they can, or it is not known.

    The sets have no resource in common. Each line is a clause that begins with what asks: ``learner asks for …``.
    """
    if lacking := uncovered(parts, sets):
        return lacking
    covered = _covered(sets)
    asked = {part.name: _asked(part, covered) for part in parts}
    return [line for flavors in sets for line in _never(parts, asked, flavors)]


def uncovered(parts: Sequence[Part], sets: Sequence[FlavorSet]) -> list[str]:
    """Return which of ``parts`` ask for resources of which there is no quota at all, as clauses."""
    covered = _covered(sets)
    return [line for part in parts if (line := _uncovered(part.name, _asked(part, covered), covered))]


def _covered(sets: Sequence[FlavorSet]) -> set[str]:
    return {resource for flavors in sets for flavor in flavors for resource in flavor.most}


def minimum(plan: Plan, gang: Gang) -> dict[str, Fraction]:
    """Return what the pods of a gang's minimum request together."""
    found: dict[str, Fraction] = {}
    for member in gang.members:
        per_replica = plan.operation.groups[member.group].pods_per_replica
        for part in plan.parts(member.group):
            for resource, each in pod_requests(part.spec).items():
                found[resource] = found.get(resource, Fraction()) + each * member.minimum * part.count / per_replica
    return found


def concerns(part: Part, flavors: FlavorSet) -> bool:
    """Return whether a part asks for any resource of a set of flavors."""
    covered = _covered([flavors])
    return bool(_asked(part, covered).keys() & covered)


def amount(resource: str, value: Fraction) -> str:
    """Return an amount as people write it: ``4 nvidia.com/gpu``, ``64Gi memory``."""
    written = quantities.format_memory if resource.startswith(_IN_BYTES) else quantities.format_cpu
    return f"{written(value)} {resource}"


def may_take(flavor: Flavor, flavors: FlavorSet, spec: Mapping[str, Any]) -> bool:
    """Return whether pods of ``spec`` may take nodes of a flavor, which is one of ``flavors``."""
    return not _unfit(flavor, spec, _keys(flavors))


def _keys(flavors: FlavorSet) -> frozenset[str]:
    """Return the labels by which the flavors of a set differ: no others are looked at."""
    return frozenset(key for flavor in flavors for key in flavor.labels)


def _asked(part: Part, covered: Collection[str]) -> dict[str, Fraction]:
    found = {name: each * part.count for name, each in pod_requests(part.spec).items() if each}
    return found | ({_PODS: Fraction(part.count)} if _PODS in covered else {})


def _uncovered(name: str, asked: Mapping[str, Fraction], covered: Collection[str]) -> str:
    outside = sorted(asked.keys() - set(covered))
    return f"{name} asks for {few(outside)}, of which there is no quota" if outside else ""


def _never(parts: Sequence[Part], asked: Mapping[str, Mapping[str, Fraction]], flavors: FlavorSet) -> list[str]:
    """Return why one set of flavors cannot hold what is asked for of its resources."""
    covered = {resource for flavor in flavors for resource in flavor.most}
    mine = [part for part in parts if asked[part.name].keys() & covered]
    wanted = {part.name: {key: each for key, each in asked[part.name].items() if key in covered} for part in mine}
    options, keys = {}, _keys(flavors)
    told = []
    for part in mine:
        unfit = {flavor.name: _unfit(flavor, part.spec, keys) for flavor in flavors}
        named = [flavor for flavor in flavors if not unfit[flavor.name]]
        options[part.name] = [flavor for flavor in named if not _over(flavor, wanted[part.name])]
        if not options[part.name]:
            small = [(flavor.name, _over(flavor, wanted[part.name])) for flavor in named]
            told.append(f"{part.name} {_alone(small, unfit)}")
    if told or _arrangement([(wanted[part.name], options[part.name]) for part in mine]):
        return told
    return [_together(wanted, flavors)]


def _unfit(flavor: Flavor, spec: Mapping[str, Any], keys: frozenset[str]) -> str:
    """Return why pods may not take nodes of the flavor, as a clause about it; empty where they may."""
    tolerant = {**spec, "tolerations": [*(spec.get("tolerations") or ()), *flavor.tolerations]}
    for taint in flavor.taints:
        if not node_choice.tolerates(tolerant, taint):
            return f"has the taint {taint.get('key')}, which they do not tolerate"
    if not node_choice.selects(spec, flavor.labels, keys):
        return "is of other nodes than they ask for"
    return ""


def _over(flavor: Flavor, wanted: Mapping[str, Fraction]) -> str:
    """Return what of the wanted the flavor could never give; empty where it could give all."""
    over = [
        f"{amount(resource, each)}, of which it has {_number(resource, flavor.most.get(resource, Fraction()))} at most"
        for resource, each in sorted(wanted.items())
        if each > flavor.most.get(resource, Fraction())
    ]
    return " and ".join(over)


def _number(resource: str, value: Fraction) -> str:
    return amount(resource, value).partition(" ")[0]


def _alone(small: Sequence[tuple[str, str]], unfit: Mapping[str, str]) -> str:
    """Say of one part why no flavor takes it."""
    told = [f"flavor {name} would have to give {over}" for name, over in small]
    told += [f"flavor {name} {why}" for name, why in unfit.items() if why]
    return f"can take no flavor: {few(told, by='; ')}" if told else "can take no flavor: there is none"


def _together(wanted: Mapping[str, Mapping[str, Fraction]], flavors: FlavorSet) -> str:
    resources = sorted({resource for each in wanted.values() for resource in each})
    totals = {
        resource: sum((each.get(resource, Fraction()) for each in wanted.values()), Fraction())
        for resource in resources
    }
    limits = {resource: [flavor.most.get(resource, Fraction()) for flavor in flavors] for resource in resources}
    scarce = [resource for resource in resources if totals[resource] > max(limits[resource])] or resources
    told = [
        f"{amount(resource, totals[resource])} together, of which there are at most "
        + few(
            [
                f"{_number(resource, most)} in flavor {flavor.name}"
                for flavor, most in zip(flavors, limits[resource], strict=True)
            ]
        )
        for resource in scarce
    ]
    return f"{few(list(wanted))} ask for {' and '.join(told)}"


def _arrangement(parts: Sequence[tuple[Mapping[str, Fraction], FlavorSet]]) -> bool:
    """Return whether each part can take one of its flavors, so that no flavor gives more than it has."""
    tries = iter(range(_TRIES))

    def place(
        rest: Sequence[tuple[Mapping[str, Fraction], FlavorSet]], used: Mapping[tuple[str, str], Fraction]
    ) -> bool:
        if not rest or next(tries, None) is None:
            return True
        (wanted, options), *others = rest
        return any(place(others, taken) for flavor in options if (taken := _taken(flavor, wanted, used)) is not None)

    return place(parts, {})


def _taken(
    flavor: Flavor, wanted: Mapping[str, Fraction], used: Mapping[tuple[str, str], Fraction]
) -> Mapping[tuple[str, str], Fraction] | None:
    """Return what is used once the flavor gives this too; None where it has not so much."""
    more = {
        (flavor.name, resource): used.get((flavor.name, resource), Fraction()) + each
        for resource, each in wanted.items()
    }
    enough = all(total <= flavor.most.get(resource, Fraction()) for (_, resource), total in more.items())
    return {**used, **more} if enough else None


def beyond(asked: Mapping[str, Fraction], most: Mapping[str, Fraction]) -> str:
    """Return, in words, what is asked for of which a queue without flavors never gives so much; empty where none is."""
    return " and ".join(
        f"{amount(resource, asked[resource])} together, where {_number(resource, limit)} is the most"
        for resource, limit in sorted(most.items())
        if asked.get(resource, Fraction()) > limit
    )
