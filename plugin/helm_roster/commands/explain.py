"""``helm roster plan --explain PATH``: for each value of a group the layer, and the file and line that set it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from helm_roster import constants, errors
from helm_roster.commands import rendering, value_files
from helm_roster.commands.rendering import Rendering
from helm_roster.commands.value_files import Given
from helm_roster.helm import values
from helm_roster.manifests import door, walk
from helm_roster.model import nearest
from helm_roster.model.operation import Group
from helm_roster.model.schema import Schema
from helm_roster.model.written import Source, Written
from helm_roster.policy import origins
from helm_roster.policy.origins import CHART, Composed, Origin
from helm_roster.report import console, explanation, page

# Where the values have what a manifest shows elsewhere.
_ALIASES: Final = {
    "container.resources": "resources",
    "container.command": "cmd",
    "container.readinessProbe": "readiness.probe",
    "volumeClaimTemplates": "volumes",
}
# What a manifest shows as one and the values have in two places.
_JOINED: Final = {
    "environment.affinity.nodeAffinity": "environment.requireNodes",
    "environment.affinity.podAntiAffinity": "spread",
}
_LEADER: Final = "leader."
# How many steps come before a group's fields in the layers that may lie under it.
_UNDER: Final = {"defaults": 1, "presets": 2}


def run(release: str, helm_args: Sequence[str], *, chart: Path | str, output: str, asked: str) -> None:
    """Print which layer, file and line set the values at the path ``asked`` (its shape: ``report.explanation``).

    Raises:
        RosterError: As ``rendering.render``; or no layer sets anything there.
    """
    with value_files.opened(helm_args) as given:
        made = document(asked, rendering.render(release, given, chart), given, chart)
    if output == "table":
        console.show(explanation.table(made), *explanation.lines(made))
    elif output == "html":
        console.write(page.of_explanation(made))
    else:
        console.document(made, output)


def document(asked: str, made: Rendering, given: Given, chart: Path | str) -> dict[str, Any]:
    """Return the explanation of the path ``asked``, which begins with a group (its shape: ``report.explanation``).

    Raises:
        BadInputError: There is no such group, or no layer sets anything there.
    """
    name, path = _split(asked, made, Schema.of(chart))
    group = made.plan.operation.groups[name]
    composed = _composed(made.resolved, group)
    written = list(_written(given, chart, wrapped=made.plan.operation.wrapped))
    found = [*origins.origins(composed, path, written), *_joined(composed, path, written)]
    if not found and (alias := _alias(path) or _inherited(composed, path)):
        path, found = alias, origins.origins(composed, alias, written)
    patches = walk.mapping(made.resolved, "patches", name)
    if not found:
        fault = next(origins.deletions(composed, path, written), None) or _misspelt(path, group, Schema.of(chart))
        msg = f"--explain {asked}: {fault or _unset(path, composed, group, patches)}"
        raise errors.BadInputError(msg)
    named = [_named(origin, given.written.unread) for origin in found]
    told = [_placed(_from_root(origin, made), made, name) for origin in named]
    return explanation.document(group, path, sorted(told, key=lambda origin: origin.path), list(patches))


def _split(asked: str, made: Rendering, schema: Schema) -> tuple[str, str]:
    groups = made.plan.operation.groups
    name, _, path = asked.removeprefix("groups.").partition(".")
    if name in groups:
        return name, path
    if schema.node([name]):
        msg = f"--explain {asked}: only what a group gets is explained, {_way_in(asked, made)}"
    else:
        msg = f'--explain {asked}: there is no group "{name}"; known: {", ".join(groups)}{nearest.hint(name, groups)}'
    raise errors.BadInputError(msg)


def _way_in(asked: str, made: Rendering) -> str:
    """Return the path of a group that shows what was asked for at the root of the values."""
    root, *rest = asked.split(".")
    path = ".".join(rest[_UNDER[root] - 1 :] if root in _UNDER else (root, *rest))
    for name, layers in walk.mapping(made.resolved, "layers").items():
        if path and any(walk.is_within(known, path) for known in layers):
            return f'such as "{name}.{path}"'
    return f"by a path that begins with its name: {', '.join(made.plan.operation.groups)}"


def _joined(composed: Composed, path: str, written: Sequence[Written]) -> list[Origin]:
    """Return what a manifest shows at ``path``, or below it, and the values have elsewhere than there."""
    return [
        origin
        for place, other in _JOINED.items()
        if (walk.is_within(path, place) or walk.is_within(place, path)) and not walk.is_within(other, path)
        for origin in origins.origins(composed, other, written)
    ]


def _placed(origin: Origin, made: Rendering, group: str) -> Origin:
    """Return the origin of a volume that a StatefulSet makes itself, a claim for each pod, under its place there."""
    for template in walk.sequence(made.plan.spec(group), "volumeClaimTemplates"):
        name = walk.get(template, "metadata", "name")
        inline = f"volumes.{name}.ephemeral.volumeClaimTemplate."
        if origin.path.startswith(inline):
            return dataclasses.replace(origin, path=f"volumeClaimTemplates.{name}.{origin.path.removeprefix(inline)}")
    return origin


def _composed(resolved: Mapping[str, Any], group: Group) -> Composed:
    layers, told, shape = (
        walk.get(resolved, *path) for path in (("layers", group.name), ("composed", group.name), ("shape",))
    )
    if layers is None or told is None or shape is None:
        msg = "--explain: this chart does not tell which layer its values are from; use the bundled chart"
        raise errors.BadInputError(msg)
    values_of = json.loads(told, object_hook=_without_marks)
    return Composed(
        stack=[f"groups.{group.name}", *(f"presets.{preset}" for preset in group.presets), "defaults"],
        layers={path: str(layer) for path, layer in layers.items()},
        values={"replicas": group.replicas, "accelerators": 0, **values_of},
        shape=json.loads(shape),
    )


def _without_marks(entries: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the chart notes for itself beside the entries of a map."""
    return {key: value for key, value in entries.items() if not key.startswith("@")}


def _written(given: Given, chart: Path | str, *, wrapped: bool) -> Iterator[Written]:
    """Yield the values of our chart as they were written, what wins first."""
    if not wrapped:
        yield from (given.written, _of_chart(chart))
        return
    yield from (known.below(constants.CHART) for known in (given.written, values.of_chart(chart)))
    yield _of_chart(Path(chart) / "charts" / constants.CHART)


def _from_root(origin: Origin, made: Rendering) -> Origin:
    """Return the origin with its key as the values have it, also where another chart wraps ours."""
    return dataclasses.replace(origin, key=origin.key and made.plan.operation.at(origin.key))


def _of_chart(chart: Path | str) -> Written:
    """Return the chart's own values, which lie under all others; nothing for a chart that is no folder here."""
    written = Written()
    text = values.text_of(str(Path(chart) / "values.yaml")) or ""
    for data in door.load_all(text):
        if isinstance(data, door.Mapping):
            written.lay("the chart's values.yaml", data)
    return written


def _alias(path: str) -> str | None:
    found = (new + path.removeprefix(old) for old, new in _ALIASES.items() if f"{path}.".startswith(f"{old}."))
    return next(found, None)


def _inherited(composed: Composed, path: str) -> str | None:
    """Return the path at the group of what the leader of each replica has at ``path`` from there."""
    own = path.removeprefix(_LEADER)
    there = walk.get(composed.values, *path.split("."))
    return None if own == path or there is None else own


def _named(origin: Origin, unread: Sequence[str]) -> Origin:
    """Return the origin with the files that only Helm can read, where no other holds what a layer set."""
    if origin.source or origin.layer == CHART or not unread:
        return origin
    return dataclasses.replace(origin, source=Source(name=f"not read here: {', '.join(unread)}"))


def _unset(path: str, composed: Composed, group: Group, patches: Mapping[str, Any]) -> str:
    """Return that no layer sets a path, with the nearest one that is set, and the patches that name its last step."""
    said = ["no layer sets it, so the chart's rule or Kubernetes' default holds"]
    if setting := [name for name, patch in patches.items() if _names(patch, path.rpartition(".")[2])]:
        said.append(f"patches that name it: {', '.join(setting)}")
    if near := origins.nearest(composed, path):
        said.append(f'the nearest that is set is "{group.name}.{near}"')
    return "; ".join(said)


def _names(patch: object, step: str) -> bool:
    """Return whether a patch names a field: as a key of what it merges, or in the path of an operation."""
    if isinstance(patch, dict):
        pointed = str(patch.get("path", "")).split("/")
        return step in patch or step in pointed or any(_names(value, step) for value in patch.values())
    return isinstance(patch, list) and any(_names(entry, step) for entry in patch)


def _misspelt(path: str, group: Group, schema: Schema) -> str | None:
    """Return what is wrong with a path that the schema does not know; None where it does, or is open there."""
    at = ["groups", group.name]
    for step in path.split("."):
        if schema.is_closed(at) and not schema.node([*at, step]):
            meant = schema.nearest(at, step)
            hint = f'; did you mean "{meant.removeprefix("groups.")}"?' if meant else ""
            return f'there is no field "{step}"{hint}'
        at.append(step)
    return None
