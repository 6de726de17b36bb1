"""Finds, in a stream of documents, the carrier and the workload objects of its groups; parses nothing else.

Documents that are not ours stay text, so they come out byte for byte as they went in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from helm_roster import constants, errors
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Operation
from helm_roster.model.plan import TEMPLATE_PATHS
from helm_roster.render import stream


@dataclass(frozen=True, kw_only=True)
class Found:
    """A parsed document with its place in the stream."""

    position: int
    document: stream.Document
    data: Manifest


def find(documents: Sequence[stream.Document], kind: str) -> list[Found]:
    """Return our own documents of ``kind`` (carrier or resolved operation), hooks left out."""
    ours = constants.API_GROUP + "/"
    candidates = _parsed(documents, {kind})
    return [found for found in candidates if str(found.data.get("apiVersion")).startswith(ours)]


def workloads(documents: Sequence[stream.Document], operation: Operation) -> Mapping[str, Found]:
    """Return each group's workload object.

    Raises:
        BadInputError: One is absent from the stream, or a document cannot be read.
    """
    by_ref = {_reference(found.data): found for found in _parsed(documents, set(TEMPLATE_PATHS))}
    found: dict[str, Found] = {}
    for name, group in operation.groups.items():
        reference = (group.workload.kind, group.workload.name)
        if reference not in by_ref:
            msg = (
                f'group "{name}": its {group.workload} is not among the rendered documents; '
                "another step removed or renamed it before this one"
            )
            raise errors.BadInputError(msg)
        found[name] = by_ref[reference]
    return found


def _reference(manifest: Manifest) -> tuple[str, str]:
    return str(manifest.get("kind")), str((manifest.get("metadata") or {}).get("name"))


def _parsed(documents: Iterable[stream.Document], kinds: set[str]) -> Iterator[Found]:
    for position, document in enumerate(documents):
        if document.is_blank or document.sniff_kind() not in {None, *kinds}:
            continue
        data = document.load()
        if isinstance(data, dict) and str(data.get("kind")) in kinds and not walk.is_hook(data):
            yield Found(position=position, document=document, data=data)
