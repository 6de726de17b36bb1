"""What it means for a cluster and its scheduler that pods claim devices (Dynamic Resource Allocation); pure.

An API server that does not serve the kinds drops what pods say of claims without a word, so it is asked for them also
where the values make none of these objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from helm_roster.manifests import quantities, walk
from helm_roster.model.operation import Gang, Group, Operation
from helm_roster.model.plan import Plan, groups_of
from helm_roster.model.wording import few
from helm_roster.policy import accelerators as bringing
from helm_roster.policy import totals

API_VERSION: Final = "resource.k8s.io/v1"
KIND: Final = "ResourceClaim"


def kinds(operation: Operation) -> list[tuple[str, str]]:
    """Return the kinds that the API server must serve for the claims of pods."""
    return [(API_VERSION, KIND)] if any(map(_claims, operation.groups.values())) else []


def accelerators(group: Group) -> str:
    """Return the class of which pods of a group claim their accelerators; empty where they claim none."""
    found = ((each.accelerators, each.accelerator) for each in (group, group.leader) if each)
    return next((held.device_class for count, held in found if count and held and held.device_class), "")


def in_gangs(plan: Plan) -> list[str]:
    """Return the members of gangs whose pods claim devices, in the order of their names."""
    members = {member.group for gang in plan.operation.gangs for member in gang.members}
    return [name for name in sorted(members) if any(map(_named, plan.pod_specs(name)))]


def promises(plan: Plan, kept: str) -> list[str]:
    """Return what is kept of the devices that pods of gangs claim, as a line for people; none where they claim none."""
    return [f"claims of {few(names)}: {kept}"] if (names := in_gangs(plan)) else []


def bare(plan: Plan) -> Iterator[tuple[Gang, str]]:
    """Yield the members of gangs that have pods which claim devices and request nothing besides."""
    for gang in plan.operation.gangs:
        for member in gang.members:
            specs = plan.pod_specs(member.group)
            if any(_named(spec) and not any(_requested(spec)) for spec in specs):
                yield gang, member.group


def shared(plan: Plan) -> Iterator[tuple[Gang, str, frozenset[str]]]:
    """Yield the claims that several pods of a gang share, as the values call them, with the classes that are known."""
    for gang in plan.operation.gangs:
        pods: dict[tuple[str, str], int] = {}
        for member in gang.members:
            replicas = plan.operation.groups[member.group].replicas
            for part in plan.parts(member.group):
                for entry in walk.mappings(part.spec, "resourceClaims"):
                    if found := entry.get("resourceClaimName"):
                        named = str(entry.get("name")), str(found)
                        pods[named] = pods.get(named, 0) + part.count * replicas
        for (name, found), count in sorted(pods.items()):
            if count > 1:
                made = plan.operation.claims.get(found)
                yield gang, name, frozenset(made.devices if made else ())


def twofold(plan: Plan) -> Iterator[str]:
    """Yield a line for each group whose pods claim accelerators and ask for others by a resource; a leader's too."""
    for group in groups_of(plan):
        for part in plan.parts(group.name):
            held = part.accelerator.device_class if part.accelerator else ""
            asked = totals.pod_requests(part.spec)
            besides = sorted(name for name in asked if asked[name] and bringing.may_be(name, part.companions))
            if besides and any(claim.accelerators for claim in part.claims.values()):
                yield (
                    f'group "{group.name}": its pods claim accelerators of the class {held}, and ask for '
                    f"{few(besides)} besides, which no count of accelerators knows: keep one of both, or say under "
                    f"groups.{group.name}.devices what only comes along"
                )


def _claims(group: Group) -> bool:
    return bool(group.claims or accelerators(group))


def _named(spec: Mapping[str, Any]) -> bool:
    return bool(walk.sequence(spec, "resourceClaims"))


def _requested(spec: Mapping[str, Any]) -> Iterator[object]:
    """Yield the amounts above zero of all that a pod requests."""
    for one in (spec, *walk.mappings(spec, "initContainers"), *walk.mappings(spec, "containers")):
        for part in ("limits", "requests"):
            yield from (amount for amount in walk.mapping(one, "resources", part).values() if quantities.parse(amount))
