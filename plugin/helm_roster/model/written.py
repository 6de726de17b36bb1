"""The values as people wrote them: laid over each other as Helm does it, each with the file and line that set it.

Helm merges maps of several sources key by key and replaces everything else, lists too (pkg/chart/loader
``MergeMaps``). What the chart makes of the result is the chart's business alone.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Final

from helm_roster.manifests import door

Path = tuple[str | int, ...]

_PRESETS: Final = "presets"


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a value was set: in a file (``line`` counts from 1), or by a flag, whose words ``source`` then has."""

    source: str
    line: int | None = None

    def __str__(self) -> str:
        """Return ``file:line``, or the flag."""
        return self.source if self.line is None else f"{self.source}:{self.line}"


class Map(dict[str, object]):
    """A map that knows where each of its keys was set last."""

    __slots__ = ("places",)

    def __init__(self) -> None:
        super().__init__()
        self.places: dict[str, Place] = {}


class Listing(list[object]):
    """A list that knows where each of its entries was set."""

    __slots__ = ("places",)

    def __init__(self) -> None:
        super().__init__()
        self.places: list[Place] = []


@dataclass(frozen=True, kw_only=True)
class Replaced:
    """A list that a later source put in the place of another one, which is lost."""

    path: Path
    old: Place
    new: Place


@dataclass(frozen=True, kw_only=True)
class Doubled:
    """A preset that two files define."""

    name: str
    first: Place
    second: Place


@dataclass
class Written:
    """All values, and what was lost or doubled on the way. ``unread`` names sources that only Helm can read."""

    values: Map = field(default_factory=Map)
    replaced: list[Replaced] = field(default_factory=list)
    doubled: list[Doubled] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def lay(self, source: str, data: dict[str, object]) -> None:
        """Lay a map over what is there: the content of a file (then with lines), or a flag's."""
        if isinstance(data, door.Mapping):
            self._double(source, data)
        self._lay(self.values, data, source, ())

    def assign(self, source: str, path: Path, value: object) -> None:
        """Set one value, as ``--set`` does: a map or list takes the place of what was there."""
        place = Place(source=source)
        node: Map | Listing = self.values
        for step, following in itertools.pairwise(path):
            below = get(node, step)
            if not isinstance(below, Map if isinstance(following, str) else Listing):
                below = Map() if isinstance(following, str) else Listing()
                _put(node, step, below, place)
            node = below
        self._note(path, get(node, path[-1]), value, place)
        _put(node, path[-1], _kept(value, source), place)

    def place(self, *path: str | int) -> Place | None:
        """Return where the value at ``path`` was set, None where nobody did."""
        node: object = self.values
        place = None
        for step in path:
            place = _place_in(node, step)
            if place is None:
                return None
            node = get(node, step)
        return place

    def _double(self, source: str, data: door.Mapping) -> None:
        defined, held = data.get(_PRESETS), self.values.get(_PRESETS)
        if not isinstance(defined, door.Mapping) or not isinstance(held, Map):
            return
        for name, value in defined.items():
            if value is not None and held.get(name) is not None and held.places[name].source != source:
                second = Place(source=source, line=defined.lines[name])
                self.doubled.append(Doubled(name=name, first=held.places[name], second=second))

    def _lay(self, into: Map, data: dict[str, object], source: str, at: Path) -> None:
        for key, value in data.items():
            place = _place(source, data, key)
            held = into.get(key)
            if isinstance(value, dict) and isinstance(held, Map):
                self._lay(held, value, source, (*at, key))
                into.places[key] = place
            else:
                self._note((*at, key), held, value, place)
                _put(into, key, _kept(value, source), place)

    def _note(self, path: Path, held: object, value: object, place: Place) -> None:
        """Note that a list is lost; nothing is where the new one is equal to it."""
        if isinstance(held, Listing) and held and isinstance(value, list) and held != value:
            old = self.place(*path)
            assert old is not None  # noqa: S101  (`held` stands there)
            self.replaced.append(Replaced(path=path, old=old, new=place))


def _place(source: str, data: dict[str, object] | list[object], at: str | int) -> Place:
    match data, at:
        case door.Mapping(), str():
            return Place(source=source, line=data.lines[at])
        case door.Sequence(), int():
            return Place(source=source, line=data.lines[at])
        case _:
            return Place(source=source)


def _kept(value: object, source: str) -> object:
    """Return ``value`` with places in place of lines."""
    if isinstance(value, dict):
        made = Map()
        for key, entry in value.items():
            _put(made, key, _kept(entry, source), _place(source, value, key))
        return made
    if isinstance(value, list):
        listed = Listing()
        for index, entry in enumerate(value):
            _put(listed, index, _kept(entry, source), _place(source, value, index))
        return listed
    return value


def _place_in(node: object, step: str | int) -> Place | None:
    match node, step:
        case Map(), str():
            return node.places.get(step)
        case Listing(), int() if step < len(node):
            return node.places[step]
        case _:
            return None


def get(node: object, *path: str | int) -> object:
    """Return what stands at ``path`` under a map or list; None where nothing does."""
    for step in path:
        match node, step:
            case Map(), str():
                node = node.get(step)
            case Listing(), int() if step < len(node):
                node = node[step]
            case _:
                return None
    return node


def dotted(path: Path) -> str:
    """Return a path as people write it: ``groups.a.volumes[0]``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _put(node: Map | Listing, step: str | int, value: object, place: Place) -> None:
    if isinstance(node, Map):
        node[str(step)] = value
        node.places[str(step)] = place
    elif isinstance(step, int):
        missing = step + 1 - len(node)
        node.extend([None] * missing)
        node.places.extend([place] * missing)
        node[step] = value
        node.places[step] = place
