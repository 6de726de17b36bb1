"""The plan: a resolved operation together with the pod templates that the chart really rendered for it.

Backends and totals read pods from here, after patches, so what they count and refuse is what will be applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeAlias

from helm_roster import errors
from helm_roster.frozen import Frozen
from helm_roster.manifests import door, walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.devices import Accelerator, Claim
from helm_roster.model.operation import Group, Operation

# A path inside a pod template; a last step that ends in * stands for every key that begins so.
TemplatePath: TypeAlias = tuple[str, ...]

LEADER: Final = "leader"
_NOTHING: Final[Mapping[str, Claim]] = {}  # shared, and never changed
_ONE: Final[Mapping[str, TemplatePath]] = {"": ("spec", "template")}
_IN_REPLICAS: Final = ("spec", "leaderWorkerTemplate")
# Where each workload kind keeps its pod templates, by whose they are: of most kinds all pods have one.
TEMPLATE_PATHS: Final[Mapping[str, Mapping[str, TemplatePath]]] = {
    "Deployment": _ONE,
    "StatefulSet": _ONE,
    "Job": _ONE,
    "LeaderWorkerSet": {LEADER: (*_IN_REPLICAS, "leaderTemplate"), "": (*_IN_REPLICAS, "workerTemplate")},
}


class Part(Frozen):
    """Pods of one template: ``count`` of them are in each replica. ``name`` is empty, or says whose they are.

    ``claims`` are what each of them claims, by the name that the pod has for it;
    ``companions`` the resources of devices that come along, in the values' own words (``devices``).
    """

    name: str
    count: int
    spec: dict[str, Any]
    accelerator: Accelerator | None = None
    claims: Mapping[str, Claim] = _NOTHING
    companions: tuple[str, ...] = ()
    fills_node: bool = False


class Plan(Frozen):
    """An operation and, by group, its workload object as plain data (read only; the stream keeps the text)."""

    operation: Operation
    workloads: Mapping[str, Manifest]

    def parts(self, group: str) -> list[Part]:
        """Return the pods of a replica of the group by their template, a leader first; templates without pods not."""
        known = self.operation.groups[group]
        templates = pod_templates(self.workloads[group])
        counts = {name: 1 if name == LEADER else known.pods_per_replica - (LEADER in templates) for name in templates}
        return [
            Part(
                name=name,
                count=counts[name],
                spec=_spec(template),
                accelerator=known.accelerator_of(name),
                claims=self._claims(_spec(template)),
                companions=known.companions,
                fills_node=known.fills_node_of(name),
            )
            for name, template in templates.items()
            if counts[name]
        ]

    def pod_specs(self, group: str) -> list[dict[str, Any]]:
        """Return the pod specs that the group's pods will have: one, or the leader's and the workers'."""
        return [part.spec for part in self.parts(group)]

    def shared_claims(self, group: str) -> set[str]:
        """Return the claims, by the names of their objects, that all pods of the group have together with others."""
        found = {
            str(entry.get("resourceClaimName"))
            for spec in self.pod_specs(group)
            for entry in walk.mappings(spec, "resourceClaims")
        }
        return {name for name in found if name in self.operation.claims}

    def _claims(self, spec: dict[str, Any]) -> dict[str, Claim]:
        """Return what one pod of the spec claims for itself."""
        made = self.operation.claims
        entries = walk.mappings(spec, "resourceClaims")
        named = {str(entry.get("name")): str(entry.get("resourceClaimTemplateName")) for entry in entries}
        return {name: made[template] for name, template in named.items() if template in made}

    def spec(self, group: str) -> dict[str, Any]:
        """Return the spec of the group's workload object."""
        return _spec(self.workloads[group])


def pod_templates(workload: Manifest) -> dict[str, dict[str, Any]]:
    """Return the pod templates inside a workload object by whose they are, to read or to change in place.

    Raises:
        BadInputError: The kind is not one that the chart renders, or it lacks a template.
    """
    kind = str(workload.get("kind"))
    paths = TEMPLATE_PATHS.get(kind, {"": ("unknown kind",)})
    found = {name: walk.get(workload, *path) for name, path in paths.items()}
    if not all(isinstance(template, dict) for template in found.values()):
        name = (workload.get("metadata") or {}).get("name")
        msg = f"{kind} {name} has no pod template where this tool looks for one: use the chart that comes with it"
        raise errors.BadInputError(msg)
    return found


def pod_template(workload: Manifest) -> dict[str, Any]:
    """Return a pod template of a workload object, to read what all of its templates have alike."""
    return next(iter(pod_templates(workload).values()))


def _spec(node: Manifest) -> dict[str, Any]:
    spec = node.get("spec")
    return spec if isinstance(spec, dict) else {}


def membership(node: Manifest, paths: Iterable[TemplatePath]) -> str:
    """Return what a pod or pod template is a member of: the grouping objects that it names; empty where none."""
    named = (walk.get(node, *path) for path in paths)
    return " ".join(str(name) for name in named if name)


def make(operation: Operation, workloads: Mapping[str, Manifest]) -> Plan:
    """Return the plan of ``operation`` over ``workloads`` as they were read from the stream."""
    return Plan(operation=operation, workloads={name: _plain(found) for name, found in workloads.items()})


def _plain(manifest: Manifest) -> Manifest:
    plain = door.to_plain(manifest)
    assert isinstance(plain, dict)  # noqa: S101  (a manifest is a mapping; to_plain keeps shapes)
    return plain


def groups_of(plan: Plan) -> list[Group]:
    """Return the groups in the order of their names."""
    return [plan.operation.groups[name] for name in sorted(plan.operation.groups)]


def groups_outside(plan: Plan) -> list[Group]:
    """Return the groups that are in no gang, in the order of their names."""
    return [group for group in groups_of(plan) if plan.operation.gang_of(group.name) is None]
