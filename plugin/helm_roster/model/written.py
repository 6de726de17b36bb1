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
class Source:
    """Where a value was set: in a file (``line`` counts from 1), or by a flag, whose words ``name`` then has."""

    name: str
    line: int | None = None

    def __str__(self) -> str:
        """Return ``file:line``, or the flag."""
        return self.name if self.line is None else f"{self.name}:{self.line}"


class Map(dict[str, object]):
    """A map that knows where each of its keys was set last."""

    __slots__ = ("sources",)

    def __init__(self) -> None:
        super().__init__()
        self.sources: dict[str, Source] = {}


class Listing(list[object]):
    """A list that knows where each of its entries was set."""

    __slots__ = ("sources",)

    def __init__(self) -> None:
        super().__init__()
        self.sources: list[Source] = []


@dataclass(frozen=True, kw_only=True)
class Replaced:
    """A list or map in the place of another source's, of which one at least is a list, so that the ``old`` is lost.

    ``was`` and ``now`` say which they are: "list" or "map".
    """

    path: Path
    old: Source
    new: Source
    was: str
    now: str


@dataclass(frozen=True, kw_only=True)
class Doubled:
    """A preset that two files define."""

    name: str
    first: Source
    second: Source


@dataclass
class Written:
    """All values, and what was lost or doubled on the way. ``unread`` names sources that only Helm can read."""

    values: Map = field(default_factory=Map)
    replaced: list[Replaced] = field(default_factory=list)
    doubled: list[Doubled] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def lay(self, called: str, data: dict[str, object]) -> None:
        """Lay a map over what is there: the content of a file (then with lines), or a flag's."""
        if isinstance(data, door.Mapping):
            self._double(called, data)
        self._lay(self.values, data, called, ())

    def assign(self, called: str, path: Path, value: object) -> None:
        """Set one value, as ``--set`` does: a map or list takes the place of what was there."""
        source = Source(name=called)
        node: Map | Listing = self.values
        for step, following in itertools.pairwise(path):
            below = get(node, step)
            if not isinstance(below, Map if isinstance(following, str) else Listing):
                below = Map() if isinstance(following, str) else Listing()
                _put(node, step, below, source)
            node = below
        self._note(path, get(node, path[-1]), value, source)
        _put(node, path[-1], _kept(value, called), source)

    def source(self, *path: str | int) -> Source | None:
        """Return where the value at ``path`` was set, None where nobody did."""
        node: object = self.values
        source = None
        for step in path:
            source = _source_in(node, step)
            if source is None:
                return None
            node = get(node, step)
        return source

    def below(self, *path: str) -> Written:
        """Return the values that stand below ``path``, as those of a chart that another one wraps."""
        found = get(self.values, *path)
        return Written(values=found if isinstance(found, Map) else Map(), unread=self.unread)

    def _double(self, called: str, data: door.Mapping) -> None:
        defined, held = data.get(_PRESETS), self.values.get(_PRESETS)
        if not isinstance(defined, door.Mapping) or not isinstance(held, Map):
            return
        for name, value in defined.items():
            if value is not None and held.get(name) is not None and held.sources[name].name != called:
                second = Source(name=called, line=defined.lines[name])
                self.doubled.append(Doubled(name=name, first=held.sources[name], second=second))

    def _lay(self, into: Map, data: dict[str, object], called: str, at: Path) -> None:
        for key, value in data.items():
            source = _source(called, data, key)
            held = into.get(key)
            if isinstance(value, dict) and isinstance(held, Map):
                self._lay(held, value, called, (*at, key))
                into.sources[key] = source
            else:
                self._note((*at, key), held, value, source)
                _put(into, key, _kept(value, called), source)

    def _note(self, path: Path, held: object, value: object, source: Source) -> None:
        """Note what is lost where lists meet lists or maps; nothing is where the new one is equal to the old."""
        was, now = _form(held), _form(value)
        if held and held != value and {was, now} in ({"list"}, {"list", "map"}):
            old = self.source(*path)
            assert old is not None  # noqa: S101  (`held` stands there)
            self.replaced.append(Replaced(path=path, old=old, new=source, was=was, now=now))


def _form(value: object) -> str:
    return "list" if isinstance(value, list) else "map" if isinstance(value, dict) else "scalar"


def _source(called: str, data: dict[str, object] | list[object], at: str | int) -> Source:
    match data, at:
        case door.Mapping(), str():
            return Source(name=called, line=data.lines[at])
        case door.Sequence(), int():
            return Source(name=called, line=data.lines[at])
        case _:
            return Source(name=called)


def _kept(value: object, called: str) -> object:
    """Return ``value`` with sources in place of lines."""
    if isinstance(value, dict):
        made = Map()
        for key, entry in value.items():
            _put(made, key, _kept(entry, called), _source(called, value, key))
        return made
    if isinstance(value, list):
        listed = Listing()
        for index, entry in enumerate(value):
            _put(listed, index, _kept(entry, called), _source(called, value, index))
        return listed
    return value


def _source_in(node: object, step: str | int) -> Source | None:
    match node, step:
        case Map(), str():
            return node.sources.get(step)
        case Listing(), int() if step < len(node):
            return node.sources[step]
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


def _put(node: Map | Listing, step: str | int, value: object, source: Source) -> None:
    if isinstance(node, Map):
        node[str(step)] = value
        node.sources[str(step)] = source
    elif isinstance(step, int):
        missing = step + 1 - len(node)
        node.extend([None] * missing)
        node.sources.extend([source] * missing)
        node[step] = value
        node.sources[step] = source
