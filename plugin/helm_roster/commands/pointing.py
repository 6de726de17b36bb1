"""What our command line knows beyond the chart's refusals: where the value stands, and which file is meant.

The chart sees neither files nor the library of presets, so each of its lines gets this at its end.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from helm_roster import assets, errors
from helm_roster.commands.value_files import Given
from helm_roster.manifests import walk
from helm_roster.model.wording import agreed, few
from helm_roster.model.written import Path as Steps
from helm_roster.model.written import Source, Written, dotted
from helm_roster.presets import library

_PLACE: Final = re.compile(r"([^\s:]+)(?::| \()")
_NO_PRESET: Final = re.compile(r'there is no preset "([^"]+)"')
_COME_FROM: Final = re.compile(r"; presets come from files given with -f before your own.*")
_KNOWN: Final = re.compile(r"; known: ([^;]+)")
_SHOWN: Final = 5
_GROUP: Final = 2  # How many steps lead to a group.
_NO_LEVEL: Final = re.compile(r'there is no level of scheduling\.topology\.levels called "([^"]+)"')
_NO_FILE: Final = re.compile(r"open (.+): no such file or directory")
_INDEX: Final = re.compile(r"\[(\d+)\]")


def pointed(text: str, given: Given) -> str:
    """Return the chart's or Helm's refusal with what is known of its place; several lines stay as they are."""
    if "\n" in text:
        return text
    if missing := _NO_FILE.fullmatch(text):
        return f"{text}{_of_library(missing[1])}"
    return f"{_with_file(text)}{_with_level(text)}{_where(text, given)}{_lost(text, given)}"


def _where(text: str, given: Given) -> str:
    place = _PLACE.match(text)
    source = _source(place[1], given) if place else None
    if source is None:
        return _below(place[1].split("."), given) if place else ""
    return f" (see {source})" if str(source) not in text else ""


def _below(parts: Sequence[str], given: Given) -> str:
    """Return, of a field that the group does not write itself, where the highest layer below it does, and which one."""
    written = _written(given)
    if written is None or len(parts) <= _GROUP or parts[0] != "groups":
        return ""
    own, inherited = (walk.get(written.values, *layer, library.PRESETS) for layer in (parts[:_GROUP], ["defaults"]))
    listed = [own] if own == [] else [own, inherited]  # An empty list leaves out those of defaults.
    presets = [str(name) for names in listed if isinstance(names, list) for name in reversed(names)]
    layers: list[Steps] = [*((library.PRESETS, name) for name in presets), ("defaults",)]
    field = parts[_GROUP:]
    for layer, wanted in itertools.product(layers, [field, field[:-1]] if len(field) > _GROUP else [field]):
        if written.source(*layer) and (path := _path(wanted, written, layer)):
            return f" (see {written.source(*path)}, {dotted(layer)})"
    return ""


def _lost(text: str, given: Given) -> str:
    """Return, of a refusal about presets, which list of them another file has taken the place of."""
    written = _written(given) if "preset" in text else None
    told = [
        f"{dotted(lost.path)}: {lost.new} replaces the whole list of {lost.old}"
        for lost in (written.replaced if written else ())
        if lost.path[-1] == library.PRESETS
    ]
    return f" ({'; '.join(told)})" if told else ""


def _written(given: Given) -> Written | None:
    """Return the values with their sources; None where files cannot be read."""
    try:
        return given.written
    except errors.BadInputError:
        return None


def _source(place: str, given: Given) -> Source | None:
    """Return where the value at a path that the chart names was written, or None; also where files cannot be read."""
    written = _written(given)
    if written is None:
        return None
    path = _path(place.split("."), written)
    return written.source(*path) if len(path) > 1 else None


def _path(parts: Sequence[str], written: Written, above: Steps = ()) -> Steps:
    """Return the path of dotted ``parts``, whose keys may hold dots too; empty where nothing is there."""
    for end in range(1, len(parts) + 1):
        name, *indexes = _INDEX.sub(r" \1", ".".join(parts[:end])).split(" ")
        below = (*above, name, *map(int, indexes))
        if written.source(*below) is not None:
            if end == len(parts):
                return below
            if found := _path(parts[end:], written, below):
                return found
    return ()


def _with_file(text: str) -> str:
    """Return the refusal of an unknown preset with the library's file that has it, or one of a name like it."""
    unknown = _NO_PRESET.search(text)
    if not unknown:
        return text
    given = _names(_KNOWN.search(text))
    text = _KNOWN.sub(_shortened, text)
    known = [one for one in _library() if one.is_preset]
    told = _COME_FROM.sub("", text)
    for one in known:
        if one.name == unknown[1]:
            told = text[: unknown.end()]
            return f"{told} in the files that are given; it is in {one.file.path}: give that with -f before your own"
    near = [] if "did you mean" in text else library.near_to(unknown[1], known)[:1]
    for one in known:
        if one.name in near:
            place = "" if one.name in given else f" It is in {one.file.path}: give that with -f before your own"
            return f'{told}; did you mean "{one.name}"?{place}'
    return text


def _with_level(text: str) -> str:
    """Return which files of the library name the level of a topology that is not known."""
    unknown = _NO_LEVEL.search(text)
    known = {one.file.path.stem for one in _library() if unknown[1] in one.file.levels} if unknown else set()
    if not known:
        return ""
    first = min(known, key=lambda name: (not name.startswith("topology-"), name))
    return (
        f"; of the library {', '.join(sorted(known))} {agreed(len(known), 'name')} it: give the one of your platform "
        f'with -f, as in -f "$(helm roster presets path {first})"'
    )


def _shortened(known: re.Match[str]) -> str:
    """Return the names of a file with many presets in a few: the nearest is told apart."""
    names = _names(known)
    return f"; known: {few(names, _SHOWN if len(names) > 2 * _SHOWN else len(names))}"


def _names(known: re.Match[str] | None) -> list[str]:
    return known[1].split(", ") if known else []


def _of_library(path: str) -> str:
    names = {file.path.name: file.path for file in (one.file for one in _library())}
    found = names.get(Path(path).name)
    return f"; the library of presets has one of that name: -f {found}" if found else ""


def _library() -> list[library.Definition]:
    """Return what the library defines; nothing where it cannot be read, since another error is about to be told."""
    try:
        return list(library.definitions(library.read(assets.presets())))
    except errors.BadInputError:
        return []
