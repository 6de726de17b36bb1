"""The part of doctor that asks the cluster: whether it serves what the values need, and what we may do there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from helm_roster.backend_base import Need
from helm_roster.cluster import capabilities, presence, records
from helm_roster.cluster.capabilities import ResourceAttributes
from helm_roster.cluster.client import OWN_WORKLOADS, SPANNING, Client
from helm_roster.commands import rendering
from helm_roster.commands.rendering import Rendering
from helm_roster.policy import bringers, device_claims, diagnosis, references
from helm_roster.policy.diagnosis import Finding
from helm_roster.render import pipeline

# By API group and kind.
_Verbs: TypeAlias = Mapping[str, Mapping[str, Sequence[str]]]
# What Helm and we do with the objects of an operation, with Helm's records, and with what only pods tell.
_APPLIED: Final = ("get", "list", "create", "patch", "delete")
_RECORDS: Final = ("get", "list", "create", "update", "delete")
# By group: what is only looked at, and what scaling an autoscaled group takes.
_BESIDES: Final[_Verbs] = {
    "": {"pods": ("list",), "pods/log": ("get",), "events": ("list",), "persistentvolumeclaims": ("list",)},
    "apps": {"replicasets": ("list",), "deployments/scale": ("patch",), "statefulsets/scale": ("patch",)},
}
# The same of replicas that span pods, and what a restart of their gang deletes.
_OF_SPANNING: Final[_Verbs] = {
    "leaderworkerset.x-k8s.io": {"leaderworkersets/scale": ("patch",)},
    "apps": {"statefulsets": ("list", "delete")},
}
_EVERY_OPERATION: Final = (("v1", "Service"), *((kind.api_version, kind.kind) for kind in OWN_WORKLOADS))


def namespace(client: Client, name: str) -> Finding:
    """Look for the namespace."""
    there = capabilities.has_namespace(client, name)
    if there is None:
        return Finding(check="namespace", state="skipped", found=f'you may not ask whether "{name}" is there')
    if not there:
        remedy = "choose another with -n, or pass --create-namespace to install"
        return Finding(check="namespace", state="warning", found=f'"{name}" is not there', remedy=remedy)
    return Finding(check="namespace", state="ok", found=f'"{name}"')


def kinds(client: Client, made: Rendering | None) -> Finding:
    """Look for the kinds of what the values make and need, or of what every operation is made of."""
    needed = {(need.kind.api_version, need.kind.kind): need for need in _needs(made)}
    claimed = device_claims.kinds(made.plan.operation) if made else ()
    asked = {**dict.fromkeys([*_kinds(made), *claimed]), **needed}
    absent = {
        capabilities.missing(client, api_version, kind, need.versions if need else {}): need.remedy
        if need
        else bringers.remedy(api_version, rendering.groups_with(made.text, kind) if made else ())
        for (api_version, kind), need in asked.items()
        if kind not in capabilities.served(client, api_version)
    }
    return diagnosis.kinds(absent, len(asked))


def rights(client: Client, made: Rendering | None, name: str) -> Finding:
    """Look at what we may do with these kinds, and with what every command reads."""
    served = (capabilities.served(client, api_version).get(kind) for api_version, kind in _kinds(made))
    wanted = dict(_wanted([kind for kind in served if kind]))
    for need in _needs(made):
        kind = capabilities.served(client, need.kind.api_version).get(need.kind.kind)
        if kind and need.verbs:
            wanted[kind] = tuple(dict.fromkeys([*wanted.get(kind, ()), *need.verbs]))
    return diagnosis.rights(capabilities.denied(client, name, wanted), name)


def gates(client: Client, made: Rendering) -> Finding:
    """Look at the feature gates that the values need."""
    wanted = [gate for need in _needs(made) for gate in need.gates]
    return diagnosis.gates(wanted, capabilities.gates(client) if wanted else {})


def records_outside() -> list[Finding]:
    """Say where Helm's records are outside of the cluster."""
    outside = records.driver_outside()
    return [diagnosis.driver(outside)] if outside else []


def named(client: Client, made: Rendering, name: str) -> list[Finding]:
    """Look for what the values' objects name and do not bring along."""
    found = references.of(rendering.objects(made.text, hooks=True), name)
    return diagnosis.references([(one, presence.find(client, one)) for one in found])


def _kinds(made: Rendering | None) -> list[tuple[str, str]]:
    return rendering.kinds(made.text, hooks=True) if made else list(_EVERY_OPERATION)


def _needs(made: Rendering | None) -> Sequence[Need]:
    return pipeline.backend_of(made.plan.operation).needs(made.plan) if made else ()


def _wanted(kinds: Sequence[ResourceAttributes]) -> Mapping[ResourceAttributes, Sequence[str]]:
    wanted: dict[ResourceAttributes, Sequence[str]] = dict.fromkeys(kinds, _APPLIED)
    if not records.driver_outside():
        ours = ResourceAttributes(group="", plural=records.storage().plural, namespaced=True)
        wanted[ours] = tuple(dict.fromkeys([*_RECORDS, *wanted.get(ours, ())]))
    spanning = any(kind.plural == SPANNING.plural for kind in kinds)
    for part in (_BESIDES, *([_OF_SPANNING] if spanning else [])):
        for group, of in part.items():
            for plural, verbs in of.items():
                wanted.setdefault(ResourceAttributes(group=group, plural=plural, namespaced=True), verbs)
    return wanted
