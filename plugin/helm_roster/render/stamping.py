"""Has the backend mark the pod templates; what stands in one already is never overwritten, but refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from helm_roster import all_backends, constants, errors
from helm_roster.backend_base import Backend
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model import plan as plans
from helm_roster.model.operation import Operation
from helm_roster.model.plan import Plan, TemplatePath
from helm_roster.policy import gang_specs
from helm_roster.render import index, stream


def stamped(plan: Plan, backend: Backend, members: Mapping[str, index.Found]) -> dict[int, stream.Document]:
    """Return the changed documents by their position; groups that need no mark stay out.

    Raises:
        RefusedError: A pod template holds another value where the backend sets one.
    """
    changed: dict[int, stream.Document] = {}
    refusals: list[str] = []
    for name, found in sorted(members.items()):
        templates = plans.pod_templates(found.data).values()
        held = [(template, dict(_held(template, backend.OWNED))) for template in templates]
        marked = [
            (mark, one.NAME)
            for mark, one in _marks(plan.operation)
            if one.stamp(found.data, plan.operation.groups[name], plan)
        ]
        if marked:
            refusals += dict.fromkeys(line for template, was in held for line in _overwritten(name, was, template))
            annotations = walk.ensure(found.data, "metadata", "annotations")
            annotations |= dict(marked) | _how_admitted(plan, name, found.data) | _gang_spec(plan, backend, name)
            changed[found.position] = stream.with_data(found.document, found.data)
    if refusals:
        raise errors.RefusedError("\n".join(refusals))
    return changed


def _how_admitted(plan: Plan, name: str, workload: Manifest) -> dict[str, str]:
    """Return what tells of a Job how it is admitted, for upgrades: while it runs, that is fixed."""
    admission = plan.operation.admission_of(name) if workload.get("kind") == "Job" else None
    if admission is None:
        return {}
    said = {"queue": admission.queue, "priorityClass": admission.priority_class, "maxRunTime": admission.max_run_time}
    return {constants.ADMISSION_SPEC_ANNOTATION: gang_specs.text({key: value for key, value in said.items() if value})}


def _gang_spec(plan: Plan, backend: Backend, name: str) -> dict[str, str]:
    """Return what the group's gang is asked to be, for upgrades, where no grouping object tells it."""
    found = plan.operation.gang_of(name)
    if backend.GROUPING_KINDS or found is None:
        return {}
    return {constants.GANG_SPEC_ANNOTATION: gang_specs.text(gang_specs.of(plan, found[0]))}


def _marks(operation: Operation) -> list[tuple[str, Backend]]:
    """Return each backend that marks workloads, by the annotation that names it there."""
    found: list[tuple[str, Backend]] = [
        (constants.PLACEMENT_ANNOTATION, all_backends.PLACEMENT[operation.placement_backend])
    ]
    if operation.asks_for_quota:
        found.append((constants.ADMISSION_ANNOTATION, all_backends.ADMISSION[operation.admission_backend]))
    return found


def _held(template: Manifest, owned: Sequence[TemplatePath]) -> Iterator[tuple[TemplatePath, object]]:
    """Yield what stands in a pod template where a backend may set something; a ``*`` ends a prefix."""
    for *above, last in owned:
        for key, value in walk.mapping(template, *above).items():
            if key == last or (last.endswith("*") and key.startswith(last[:-1])):
                yield (*above, key), value


def _overwritten(group: str, held: Mapping[TemplatePath, object], template: Manifest) -> Iterator[str]:
    for path, value in held.items():
        if (now := walk.get(template, *path)) != value:
            at = f"environment.{path[1]}" if path[0] == "metadata" else ".".join(path[:-1])
            yield f'group "{group}": {at} sets {path[-1]} to {value}, but scheduling decides it ({now}): remove it'
