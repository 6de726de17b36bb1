"""Renders an operation as ``install`` would, without a cluster: ``helm template``, then the renderer in this process.

So a refusal comes as one line of ours, before Helm is asked to apply anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helm_roster import constants, errors
from helm_roster.commands import advice, nulls, pointing
from helm_roster.commands.value_files import Given
from helm_roster.helm import flags, run, values
from helm_roster.manifests import door, walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model import operation as operations
from helm_roster.model.plan import Plan
from helm_roster.render import index, pipeline, stream

_PREFIX = re.compile(r"^Error: (?:INSTALLATION FAILED: |UPGRADE FAILED: )?")
_WHERE = re.compile(r"^execution error at \([^)]*\): ")


@dataclass(frozen=True, kw_only=True)
class Rendering:
    """What the values make: the plan, the manifests as Helm would apply them, and what the chart says of itself.

    ``resolved`` is the spec of its ``ResolvedOperation``: the carrier's fields, ``wrapped`` where another chart depends
    on this one, and, by group, ``layers`` (paths, parts joined by dots, to the layer that set the value there last),
    ``composed`` (the group's values as JSON, lists that merge by key as maps), and ``idle`` (paths in `unset` that
    delete nothing, to the layer that has them); ``shape``, as JSON, says for each path how layers merge there (the
    chart's ``_shape.tpl``).
    """

    plan: Plan
    text: str
    resolved: Mapping[str, Any]


def render(release: str, given: Given, chart: Path | str) -> Rendering:
    """Render ``chart`` with Helm's own flags for values, and run the renderer over it.

    Raises:
        BadInputError: The values or the chart are wrong, in Helm's or the chart's own words.
        RefusedError: A backend cannot keep what was asked.
    """
    nulls.refuse_wrapped(chart)
    asked = ["template", release, str(chart), *flags.for_template(given.args)]
    try:
        printed = run.capture([*asked, "--api-versions", constants.RESOLVED_CAPABILITY])
    except run.HelmError as error:
        raise errors.BadInputError(reason(error.stderr, given, chart)) from error
    resolved, rest = _take_resolved(printed, chart)
    done = pipeline.render(rest, whole=True)
    plan = done.plan or pipeline.read_plan(rest, operations.read(resolved))
    return Rendering(plan=plan, text=done.text, resolved=resolved)


def objects(text: str, *, hooks: bool = False) -> list[Manifest]:
    """Return the manifests of a stream as plain data, without hooks unless these are asked for too."""
    loaded = (door.to_plain(document.load()) for document in stream.split(text) if not document.is_blank)
    return [manifest for manifest in loaded if isinstance(manifest, dict) and (hooks or not walk.is_hook(manifest))]


def kinds(text: str, *, hooks: bool = False) -> list[tuple[str, str]]:
    """Return the API versions and kinds of a stream, those of lists' items too; only what hides them is parsed.

    Hooks are left out unless they are asked for: Helm makes their objects only once it runs them.
    """
    split = stream.split(text)
    found = (kind for document in split if not document.is_blank for kind in _kinds_of(document, hooks=hooks))
    return list(dict.fromkeys(kind for kind in found if all(kind)))


def groups_with(text: str, kind: str) -> list[str]:
    """Return the groups that have an object of a kind in a stream; nothing else is parsed."""
    found = (one.data for one in index.of_kind(stream.split(text), kind))
    names = (walk.get(one, "metadata", "labels", constants.GROUP_LABEL) for one in found)
    return sorted({str(name) for name in names if name})


def claims(text: str) -> list[Manifest]:
    """Return the PersistentVolumeClaims of a stream; nothing else is parsed."""
    return [found.data for found in index.of_kind(stream.split(text), "PersistentVolumeClaim")]


def fills(text: str) -> dict[str, dict[str, Any]]:
    """Return the pods of the Jobs of a stream that fill connections, by connection."""
    if constants.FILLS_LABEL not in text:
        return {}
    jobs = [found.data for found in index.of_kind(stream.split(text), "Job")]
    labelled = ((walk.get(job, "metadata", "labels", constants.FILLS_LABEL), job) for job in jobs)
    return {str(name): walk.mapping(door.to_plain(job), "spec", "template", "spec") for name, job in labelled if name}


def reason(stderr: str, given: Given, chart: Path | str) -> str:
    """Return Helm's error without what only matters to authors of charts: one line, or a sorted list of lines."""
    lines = [line for line in stderr.strip().splitlines() if not line.startswith(("WARNING", "level=", "Use --debug"))]
    text = "\n".join(line for line in lines if line.strip())
    text = _WHERE.sub("", _PREFIX.sub("", text))
    for name, path in zip(given.names, values.files(given.args), strict=True):
        text = text.replace(path, name)
    if text.startswith(advice.COMPLAINT):
        return "\n".join(advice.schema_lines(text, given, chart))
    return pointing.pointed(text, given) or "helm template failed without a word; run it yourself with --debug"


def _kinds_of(document: stream.Document, *, hooks: bool) -> list[tuple[str, str]]:
    api_version, kind = document.sniff_api_version(), document.sniff_kind()
    if api_version and kind and not kind.endswith("List") and (hooks or constants.HOOK_ANNOTATION not in document.text):
        return [(api_version, kind)]
    data = door.to_plain(document.load())
    if not isinstance(data, dict) or (walk.is_hook(data) and not hooks):
        return []
    return [(str(one.get("apiVersion") or ""), str(one.get("kind") or "")) for one in walk.flat(data)]


def _take_resolved(text: str, chart: Path | str) -> tuple[Mapping[str, Any], str]:
    """Return the resolved operation's spec, and the stream without it."""
    documents = stream.split(text)
    found = index.find(documents, constants.RESOLVED_KIND)
    if len(found) != 1:
        msg = (
            f"{chart} prints {len(found)} operations where there should be one: "
            "helm roster works with the chart replica-operation, installed as a release of its own"
        )
        raise errors.BadInputError(msg)
    rest = "".join(document.text for place, document in enumerate(documents) if place != found[0].position)
    return walk.mapping(found[0].data, "spec"), rest
