"""The renderer: documents in, documents out.

Order: read, index, apply patches, read the plan from the patched objects, check, create grouping objects, stamp,
emit. Text without a carrier comes out as it went in; with one, only the carrier, what is patched, the members'
workloads and the new grouping objects differ. The renderer sees no cluster and no values: everything it knows stands
in the stream.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from helm_roster import all_backends, constants, errors
from helm_roster.backend_base import Backend
from helm_roster.frozen import Frozen
from helm_roster.manifests import door, walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model import nearest
from helm_roster.model import operation as operations
from helm_roster.model import plan as plans
from helm_roster.model.operation import Operation
from helm_roster.model.plan import Plan
from helm_roster.policy import gang_specs
from helm_roster.render import index, stamping, stream


class Rendered(Frozen):
    """The stream as it goes on to Helm, and the plan (see ``render``); without a carrier there is no plan."""

    text: str
    plan: Plan | None


def render(text: str, *, whole: bool = False) -> Rendered:
    """Return the stream with everything that the asked-for backends need.

    Reading YAML is what takes time, so the plan has only the workloads of gang members and of groups with patches,
    unless it is to be ``whole``.

    Raises:
        BadInputError: The stream holds two carriers, a newer schema, or something that cannot be read; or a patch
            is wrong.
        RefusedError: A backend is unknown, cannot keep what was asked, or would overwrite what the values set.
    """
    if constants.CARRIER_KIND not in text:
        return Rendered(text=text, plan=None)
    documents = stream.split(text)
    carrier = _only_carrier(documents)
    if carrier is None:
        return Rendered(text=text, plan=None)
    operation = operations.read(carrier.data.get("spec"))
    backend = backend_of(operation)
    everything = whole or backend.MARKS_ALL
    members = index.workloads(documents, operation, operation.groups if everything else operation.rendered)
    patched = _patched(documents, operation, members)
    members = {name: patched.get(found.position, found) for name, found in members.items()}
    plan = plans.make(operation, {name: found.data for name, found in members.items()})
    if refusals := backend.check(plan) + _too_late(documents, backend):
        raise errors.RefusedError("\n".join(refusals))
    replaced = {place: stream.with_data(found.document, found.data) for place, found in patched.items()}
    replaced |= stamping.stamped(plan, backend, members)
    made = [stream.with_data(carrier.document, _labelled(entry, plan, carrier)) for entry in backend.objects(plan)]
    return Rendered(text=_emit(documents, carrier, replaced, made), plan=plan)


def _too_late(documents: Sequence[stream.Document], backend: Backend) -> list[str]:
    """Refuse what would be made after the objects that need it; a hook comes before."""
    return [
        f"{kind.kind} {walk.get(found.data, 'metadata', 'name')} stands in the release of what names it, and "
        "would be made after that: make it before, in a release of its own"
        for kind in backend.BEFORE
        for found in index.of_kind(documents, kind.kind)
        if found.data.get("apiVersion") == kind.api_version
    ]


def read_plan(text: str, operation: Operation) -> Plan:
    """Return the plan of an operation that was resolved apart from the stream ``text``."""
    found = index.workloads(stream.split(text), operation, operation.groups)
    return plans.make(operation, {name: entry.data for name, entry in found.items()})


def backend_of(operation: Operation) -> Backend:
    """Return the placement backend that the operation asks for, together with that of admission where it asks for one.

    Raises:
        RefusedError: This version does not know a backend of that name, or the two were not seen to work together.
    """
    placement, admission = operation.placement_backend, operation.admission_backend
    if admission != all_backends.NO_ADMISSION and admission not in all_backends.ADMISSION:
        _refuse_unknown(operation, "admission", admission)
    if placement not in all_backends.PLACEMENT:
        _refuse_unknown(operation, "placement", placement)
    places = all_backends.PLACEMENT[placement]
    if admission == all_backends.NO_ADMISSION:
        return places
    admits = all_backends.ADMISSION[admission]
    if placement not in admits.PLACEMENTS:
        at = operation.at("scheduling.placement.backend")
        msg = f'{at} is "{placement}", and admission by {admission} is kept with {", ".join(admits.PLACEMENTS)} only'
        raise errors.RefusedError(msg)
    from helm_roster.pairs import Pair  # noqa: PLC0415  (no render without admission needs it)

    return Pair(places, admits)


def _refuse_unknown(operation: Operation, part: str, asked: str) -> None:
    known = {
        "admission": (all_backends.NO_ADMISSION, *all_backends.ADMISSION),
        "placement": tuple(all_backends.PLACEMENT),
    }
    at = operation.at(f"scheduling.{part}.backend")
    meant = nearest.hint(asked.lower(), known[part])
    # Who looks for it in the wrong place is told the right one.
    other = next((name for name, others in known.items() if name != part and asked.lower() in others), "")
    if other:
        meant = f"; {operation.at(f'scheduling.{other}.backend')} knows it;"
    what = f'{at} is "{asked}", which this version does not know'
    msg = f"{what}{meant or ';'} known: {', '.join(known[part])}"
    raise errors.RefusedError(msg)


def _only_carrier(documents: Sequence[stream.Document]) -> index.Found | None:
    carriers = index.find(documents, constants.CARRIER_KIND)
    if len(carriers) > 1:
        lines = ", ".join(str(found.document.line) for found in carriers)
        msg = (
            f"the stream holds {len(carriers)} operations that need the post-renderer (lines {lines}); "
            "install each as a release of its own"
        )
        raise errors.BadInputError(msg)
    return carriers[0] if carriers else None


def _patched(
    documents: Sequence[stream.Document], operation: Operation, members: Mapping[str, index.Found]
) -> Mapping[int, index.Found]:
    """Return what patches change, by place in the stream."""
    if not operation.patches:
        return {}
    from helm_roster.render import patching  # noqa: PLC0415  (what it imports costs every render without patches)

    return patching.apply_all(documents, operation, members)


def _labelled(manifest: Manifest, plan: Plan, carrier: index.Found) -> Manifest:
    """Return a grouping object with our labels, the workloads' namespace, what stands on the carrier, and its gang.

    The chart puts the labels and annotations there that the values want on every object; Helm 4 puts the
    annotation there by which it files each document.
    """
    operation = plan.operation
    metadata = manifest["metadata"]
    given = door.to_plain(carrier.data.get("metadata") or {})
    labels = {constants.INSTANCE_LABEL: operation.release, constants.OPERATION_LABEL: operation.name}
    metadata["labels"] = (given.get("labels") or {}) | labels | (metadata.get("labels") or {})
    if any((workload.get("metadata") or {}).get("namespace") for workload in plan.workloads.values()):
        metadata["namespace"] = operation.namespace
    annotations = {**(given.get("annotations") or {}), **_gang_spec(metadata, plan)}
    if annotations:
        metadata["annotations"] = annotations
    return manifest


def _gang_spec(metadata: Mapping[str, Any], plan: Plan) -> dict[str, str]:
    name = metadata["labels"].get(constants.GANG_LABEL)
    gang = next((gang for gang in plan.operation.gangs if gang.name == name), None)
    return {constants.GANG_SPEC_ANNOTATION: gang_specs.text(gang_specs.of(plan, gang))} if gang else {}


def _emit(
    documents: Sequence[stream.Document],
    carrier: index.Found,
    replaced: Mapping[int, stream.Document],
    made: Sequence[stream.Document],
) -> str:
    """Join the stream anew, with the grouping objects in the carrier's place, each after a separator."""
    if not made and all(entry.is_blank for place, entry in enumerate(documents) if place != carrier.position):
        msg = "nothing but the carrier is in the stream: an operation without objects is never handed on to Helm"
        raise errors.BadInputError(msg)
    parts: list[str] = []
    for position, document in enumerate(documents):
        if position == carrier.position:
            parts += [entry.text if entry.text.startswith("---") else f"---\n{entry.text}" for entry in made]
        else:
            parts.append(replaced.get(position, document).text)
    return "".join(parts)
