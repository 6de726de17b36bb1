"""The plan: a resolved operation together with the pod templates that the chart really rendered for it.

Backends and totals read pods from here, after patches, so what they count and refuse is what will be applied.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from helm_roster import errors
from helm_roster.frozen import Frozen
from helm_roster.manifests import door, walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Group, Operation

# Where each workload kind keeps its pod template.
TEMPLATE_PATHS: Mapping[str, tuple[str, ...]] = {
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "Job": ("spec", "template"),
}

# A path inside a pod template; a last step that ends in * stands for every key that begins so.
TemplatePath: TypeAlias = tuple[str, ...]


class Plan(Frozen):
    """An operation and, by group, its workload object as plain data (read only; the stream keeps the text)."""

    operation: Operation
    workloads: Mapping[str, Manifest]

    def pod_spec(self, group: str) -> dict[str, Any]:
        """Return the pod spec that the group's pods will have."""
        spec = pod_template(self.workloads[group]).get("spec")
        return spec if isinstance(spec, dict) else {}

    def spec(self, group: str) -> dict[str, Any]:
        """Return the spec of the group's workload object."""
        spec = self.workloads[group].get("spec")
        return spec if isinstance(spec, dict) else {}


def pod_template(workload: Manifest) -> dict[str, Any]:
    """Return the pod template inside a workload object, to read or to change in place.

    Raises:
        BadInputError: The kind is not one that the chart renders, or it holds no template.
    """
    kind = str(workload.get("kind"))
    node: Any = workload
    for key in TEMPLATE_PATHS.get(kind, ("unknown kind",)):
        node = node.get(key) if isinstance(node, dict) else None
    if not isinstance(node, dict):
        name = (workload.get("metadata") or {}).get("name")
        msg = f"{kind} {name} has no pod template where this tool looks for one: use the chart that comes with it"
        raise errors.BadInputError(msg)
    return node


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
