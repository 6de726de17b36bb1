"""Renders model groups of presets by the chart: many at once, and one by one where something is wrong with some."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from helm_roster import errors
from helm_roster.commands import advice, options, rendering, value_files
from helm_roster.commands.advice import Complaint
from helm_roster.commands.rendering import Rendering
from helm_roster.commands.value_files import Given
from helm_roster.helm import run
from helm_roster.manifests import door
from helm_roster.model.written import Written
from helm_roster.presets import library, model_group
from helm_roster.presets.library import Definition, PresetFile

_MODEL: Final = "the model group"
# What a file may hold for its presets, and an operation that uses none of it.
_BESIDE: Final = frozenset({"claims", "connections", "files", "scheduling"})
_SMALL: Final = {"groups": {"example": {"container": {"image": model_group.IMAGE}}}}


@dataclass(frozen=True, kw_only=True)
class Tried:
    """What came of presets: those that could be rendered, by name with the group that took it, and what is wrong."""

    made: dict[str, tuple[Rendering, str]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def __or__(self, other: Tried) -> Tried:
        """Return both together."""
        return Tried(made=self.made | other.made, refused=self.refused | other.refused)


@dataclass(frozen=True)
class _Laid(Given):
    """Flags of one file made of several, whose values are known with the lines of those."""

    laid: Written = field(default_factory=Written)

    @property
    def written(self) -> Written:
        """Return the values with their sources."""
        return self.laid


def batches(definitions: Iterable[Definition]) -> list[list[Definition]]:
    """Return the definitions in batches that may each stand in one values file: no name with two contents."""
    made: list[tuple[list[Definition], dict[str, object]]] = []
    for one in definitions:
        named: dict[str, object] = {f"claims.{name}": door.to_plain(claim) for name, claim in one.claims.items()}
        named |= {f"presets.{part.name}": id(part) for part in one.parts}
        for batch, names in made:
            if all(names.get(name, value) == value for name, value in named.items()):
                batch.append(one)
                names.update(named)
                break
        else:
            made.append(([one], named))
    return [batch for batch, _ in made]


def complaints(batch: Sequence[Definition], chart: str) -> list[Complaint]:
    """Return what the chart's schema has against the presets of a batch, all at once."""
    try:
        _render(batch, {}, chart)
    except errors.BadInputError as error:
        cause = error.__cause__
        if isinstance(cause, run.HelmError) and advice.COMPLAINT in cause.stderr:
            return advice.complaints(cause.stderr, _given(batch, ""), chart)
    return []


def beside(file: PresetFile, chart: str) -> list[Complaint]:
    """Return what the chart has against what stands in a file beside its presets."""
    values = {key: door.to_plain(value) for key, value in file.data.items() if key in _BESIDE}
    if not values:
        return []
    laid = Written()
    laid.lay(file.name, file.data)
    with value_files.as_file(json.dumps({**_SMALL, **values}).encode()) as path:
        given = _Laid(["-f", path], [_MODEL], laid)
        try:
            rendering.render(options.NO_RELEASE, given, chart)
        except errors.RosterError as error:
            cause = error.__cause__
            if isinstance(cause, run.HelmError) and advice.COMPLAINT in cause.stderr:
                return advice.complaints(cause.stderr, given, chart)
            return [Complaint(tuple(str(error).partition(": ")[0].split(".")), str(error))]
    return []


def tried(definitions: Sequence[Definition], chart: str) -> Tried:
    """Render a model group of each preset."""
    alone = [one for one in definitions if model_group.is_alone(one.plain)]
    others = [one for one in definitions if not model_group.is_alone(one.plain)]
    parts = [*(_together(batch, chart) for batch in batches(alone)), *(_together([one], chart) for one in others)]
    made = Tried()
    for part in parts:
        made |= part
    return made


def _together(batch: Sequence[Definition], chart: str) -> Tried:
    """Render a batch as one operation; where it fails each half, so that one fault hides no other."""
    operation: dict[str, Any] = {"groups": {}, "presets": {}}
    groups = {one.name: "example" if len(batch) == 1 else f"example-{at}" for at, one in enumerate(batch)}
    for one in batch:
        values = model_group.values([part.name for part in one.parts], one.plain, group=groups[one.name])
        operation["groups"] |= values["groups"]
        operation["presets"] |= values.get("presets", {})
    try:
        rendered = _render(batch, operation, chart)
    except errors.RosterError as error:
        if len(batch) == 1:
            return Tried(refused={batch[0].name: str(error)})
        middle = len(batch) // 2
        return _together(batch[:middle], chart) | _together(batch[middle:], chart)
    return Tried(made={one.name: (rendered, groups[one.name]) for one in batch})


def _render(batch: Sequence[Definition], operation: Mapping[str, Any], chart: str) -> Rendering:
    claims = {name: door.to_plain(claim) for one in batch for name, claim in one.claims.items()}
    presets = {part.name: part.plain for one in batch for part in one.parts} | dict(operation.get("presets", {}))
    values = {"groups": operation.get("groups", {}), "presets": presets, **({"claims": claims} if claims else {})}
    with value_files.as_file(json.dumps(values).encode()) as path:
        return rendering.render(options.NO_RELEASE, _given(batch, path), chart)


def _given(batch: Sequence[Definition], path: str) -> Given:
    laid = Written()
    for one in (part for each in batch for part in each.parts):
        alone = door.Mapping({library.PRESETS: 1, library.CLAIMS: 1})
        alone[library.PRESETS] = _lined({one.name: one.value}, {one.name: one.line})
        laid.lay(one.file.name, alone)
    return _Laid(["-f", path] if path else [], [_MODEL] if path else [], laid)


def _lined(values: Mapping[str, object], lines: dict[str, int]) -> door.Mapping:
    made = door.Mapping(lines)
    made.update(values)
    return made
