"""Finds, in a stream of documents, the carrier and the workload objects of its groups; parses nothing else.

Documents that are not ours stay text, so they come out byte for byte as they went in.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from helm_roster import constants, errors
from helm_roster.frozen import Frozen
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import ObjectRef, Operation
from helm_roster.model.plan import TEMPLATE_PATHS
from helm_roster.render import stream

# A group's label in plain sight; what merely looks like it costs one parse.
_GROUP: Final = re.compile(re.escape(constants.GROUP_LABEL) + r"""["']?\s*:\s*["']?([-a-z0-9]+)""")
_NAME: Final = re.compile(r"""name["']?[ \t]*:\s*["']?([-a-z0-9.]+)""")


class Found(Frozen):
    """A parsed document with its place in the stream."""

    position: int
    document: stream.Document
    data: Manifest


def find(documents: Sequence[stream.Document], kind: str) -> list[Found]:
    """Return our own documents of ``kind`` (carrier or resolved operation), hooks left out."""
    ours = constants.API_GROUP + "/"
    return [found for found in of_kind(documents, kind) if str(found.data.get("apiVersion")).startswith(ours)]


def of_kind(documents: Sequence[stream.Document], kind: str) -> list[Found]:
    """Return all documents of ``kind``, hooks left out."""
    return list(_parsed(((place, entry) for place, entry in enumerate(documents) if kind in entry.text), {kind}))


def workloads(documents: Sequence[stream.Document], operation: Operation, groups: Iterable[str]) -> Mapping[str, Found]:
    """Return the workload object of each of ``groups``.

    Raises:
        BadInputError: One is absent from the stream or stands in it twice, or a document cannot be read.
    """
    wanted = {name: operation.groups[name].workload for name in groups}
    names = {workload.name for workload in wanted.values()}
    plain = [(place, entry) for place, entry in enumerate(documents) if not names.isdisjoint(_NAME.findall(entry.text))]
    by_ref = _by_ref(plain)
    if any(workload not in by_ref for workload in wanted.values()):
        by_ref = _by_ref(enumerate(documents))  # one is written in a way that only parsing reads
    return {name: _only(by_ref.get(workload, ()), name, workload) for name, workload in wanted.items()}


def _by_ref(placed: Iterable[tuple[int, stream.Document]]) -> Mapping[ObjectRef, Sequence[Found]]:
    by_ref: dict[ObjectRef, list[Found]] = defaultdict(list)
    for found in _parsed(placed, set(TEMPLATE_PATHS)):
        api_version, kind, _, name = walk.identity(found.data)
        by_ref[ObjectRef(api_version=api_version, kind=kind, name=name)].append(found)
    return by_ref


def of_groups(
    documents: Sequence[stream.Document],
    operation: Operation,
    groups: AbstractSet[str],
    kinds: AbstractSet[str] | None = None,
) -> Mapping[str, Sequence[Found]]:
    """Return the objects of ``groups`` by group, found by their labels, of ``kinds`` or (None) of any kind."""
    by_group: dict[str, list[Found]] = defaultdict(list)
    placed = ((place, entry) for place, entry in enumerate(documents) if groups & set(_GROUP.findall(entry.text)))
    for found in _parsed(placed, kinds):
        labels = walk.mapping(found.data, "metadata", "labels")
        if labels.get(constants.INSTANCE_LABEL) == operation.release:
            by_group[str(labels.get(constants.GROUP_LABEL))].append(found)
    return by_group


def _only(found: Sequence[Found], group: str, workload: ObjectRef) -> Found:
    if not found:
        fault = "is not among the rendered documents; another step removed or renamed it before this one"
    elif len(found) > 1:
        fault = f"is rendered {len(found)} times (lines {', '.join(str(entry.document.line) for entry in found)})"
    else:
        return found[0]
    msg = f'group "{group}": its {workload} {fault}'
    raise errors.BadInputError(msg)


def _parsed(placed: Iterable[tuple[int, stream.Document]], kinds: AbstractSet[str] | None) -> Iterator[Found]:
    """Yield the documents of ``kinds`` (None: of any) that are no hooks, each with its place."""
    for position, document in placed:
        if document.is_blank or (kinds is not None and document.sniff_kind() not in {None, *kinds}):
            continue
        data = document.load()
        if isinstance(data, dict) and (kinds is None or str(data.get("kind")) in kinds) and not walk.is_hook(data):
            yield Found(position=position, document=document, data=data)
