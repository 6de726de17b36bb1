"""Finds, in a stream of documents, the carrier and the workload objects of its groups; parses nothing else.

Documents that are not ours stay text, so they come out byte for byte as they went in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from helm_roster import constants, errors
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import ObjectRef, Operation
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
        BadInputError: One is absent from the stream or stands in it twice, or a document cannot be read.
    """
    by_ref: dict[ObjectRef, list[Found]] = defaultdict(list)
    for found in _parsed(documents, set(TEMPLATE_PATHS)):
        by_ref[_reference(found.data)].append(found)
    return {name: _only(by_ref[group.workload], name, group.workload) for name, group in operation.groups.items()}


def _only(found: Sequence[Found], group: str, workload: ObjectRef) -> Found:
    if not found:
        fault = "is not among the rendered documents; another step removed or renamed it before this one"
    elif len(found) > 1:
        fault = f"is rendered {len(found)} times (lines {', '.join(str(entry.document.line) for entry in found)})"
    else:
        return found[0]
    msg = f'group "{group}": its {workload} {fault}'
    raise errors.BadInputError(msg)


def _reference(manifest: Manifest) -> ObjectRef:
    name = str((manifest.get("metadata") or {}).get("name"))
    return ObjectRef(api_version=str(manifest.get("apiVersion")), kind=str(manifest.get("kind")), name=name)


def _parsed(documents: Iterable[stream.Document], kinds: set[str]) -> Iterator[Found]:
    for position, document in enumerate(documents):
        if document.is_blank or document.sniff_kind() not in {None, *kinds}:
            continue
        data = document.load()
        if isinstance(data, dict) and str(data.get("kind")) in kinds and not walk.is_hook(data):
            yield Found(position=position, document=document, data=data)
