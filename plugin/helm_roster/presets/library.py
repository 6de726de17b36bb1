"""The files of presets: those that come with the tool and those that a person gives, and what each defines.

A file without presets is known by its own name, so that one which only names levels of a topology is found too.
"""

from __future__ import annotations

import difflib
import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from helm_roster import errors
from helm_roster.helm import values
from helm_roster.manifests import door, walk
from helm_roster.presets import heads

PRESETS: Final = "presets"
CLAIMS: Final = "claims"
_NEAR: Final = 3
_ALIKE: Final = 20
_CUTOFF: Final = 0.6


@dataclass(frozen=True, kw_only=True)
class PresetFile:
    """One file: its ``path``, how people know it (``name``), its head and its values with lines."""

    path: Path
    name: str
    head: heads.Head
    data: door.Mapping
    is_ours: bool = False

    @property
    def levels(self) -> dict[str, Any]:
        """Return the levels of a topology that it names."""
        return walk.mapping(door.to_plain(self.data), "scheduling", "topology", "levels")


@dataclass(frozen=True, kw_only=True)
class Definition:
    """One preset of a file, or, under the file's own name, a file without any (then ``line`` is 1).

    Several that one group takes are ``together``, in order; then it is the file of the first.
    """

    name: str
    file: PresetFile
    line: int = 1
    value: door.Mapping = field(default_factory=door.Mapping)
    is_preset: bool = True
    together: tuple[Definition, ...] = ()

    @property
    def where(self) -> str:
        """Return ``file:line``."""
        return f"{self.file.name}:{self.line}"

    @property
    def parts(self) -> tuple[Definition, ...]:
        """Return the presets that are together, or this one."""
        return self.together or (self,)

    @property
    def plain(self) -> dict[str, Any]:
        """Return the preset's fields as plain data; of several what each says, maps as one."""
        made: dict[str, Any] = door.to_plain(self.value)
        for part in self.together:
            made = _laid(made, part.plain)
        return made

    @property
    def claims(self) -> dict[str, Any]:
        """Return the claims of its files that it uses, by name, with their lines."""
        if self.together:
            return {name: claim for part in self.together for name, claim in part.claims.items()}
        used, known = self.value.get(CLAIMS), self.file.data.get(CLAIMS)
        names = [str(name) for name in used] if isinstance(used, dict | list) else []
        return {name: known[name] for name in names if isinstance(known, dict) and name in known}

    @property
    def plain_claims(self) -> dict[str, Any]:
        """Return these claims as plain data."""
        made: dict[str, Any] = door.to_plain(self.claims)
        return made


def read(folder: Path, given: Sequence[str] = ()) -> list[PresetFile]:
    """Return the files of ``folder`` and those that are ``given``; one that is given and of the folder counts once.

    Raises:
        BadInputError: A file is not there, or is no map of values, or its presets are none by name.
    """
    ours = [open_file(str(path), is_ours=True) for path in sorted(folder.glob("*.yaml"))]
    known = {file.path for file in ours}
    theirs = dict.fromkeys(path for path in given if _real(path) not in known)
    return [*ours, *(_with_presets(open_file(path)) for path in theirs)]


def _with_presets(file: PresetFile) -> PresetFile:
    """Return a file whose presets, if any, are maps by name."""
    found = file.data.get(PRESETS)
    wrong = None
    if isinstance(found, door.Mapping):
        entries = ((name, door.to_plain(value)) for name, value in found.items())
        name = next((name for name, value in entries if not name or not isinstance(value, dict | None)), None)
        if name is not None:
            wrong = f'{file.name}:{found.lines[name]}: preset "{name}" {"is no map" if name else "has no name"}'
    elif door.to_plain(found) is not None:
        wrong = f"{file.name}:{file.data.lines[PRESETS]}: presets are no map by name"
    if wrong:
        msg = f"{wrong}; helm roster presets lint tells what belongs there"
        raise errors.BadInputError(msg)
    return file


def open_file(path: str, *, is_ours: bool = False) -> PresetFile:
    """Read one file.

    Raises:
        BadInputError: It is not there, or is no map of values.
    """
    name = _named(path)
    text = values.text_of(path)
    if text is None:
        msg = f"{name}: there is no such file that can be read; name a values file with presets"
        raise errors.BadInputError(msg)
    data = values.data_of(name, text)
    if not isinstance(data, door.Mapping):
        msg = f"{name}: a file of presets is a map with the key presets, and this is none"
        raise errors.BadInputError(msg)
    return PresetFile(path=_real(path), name=name, head=heads.read(text), data=data, is_ours=is_ours)


def definitions(files: Iterable[PresetFile]) -> Iterator[Definition]:
    """Yield what the files define; what is no map is none."""
    for file in files:
        found = file.data.get(PRESETS)
        if isinstance(found, door.Mapping) and found:
            for name, value in found.items():
                if isinstance(value, door.Mapping):
                    yield Definition(name=name, file=file, line=found.lines[name], value=value)
        elif file.levels:
            yield Definition(name=file.path.stem, file=file, is_preset=False)


def find(name: str, known: Sequence[Definition]) -> Definition:
    """Return the definition of that name; of several the first.

    Raises:
        BadInputError: There is none; the nearest are named.
    """
    for definition in known:
        if definition.name == name:
            return definition
    near = ", ".join(f'"{one}"' for one in near_to(name, known))
    meant = f" (did you mean {near}?)" if near else ""
    msg = (
        f'there is no preset "{name}"{meant}; helm roster presets list shows those of the library, '
        "and with -f those of your own files"
    )
    raise errors.BadInputError(msg)


def _laid(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    both = {
        key: _laid(below[key], above[key])
        for key in below
        if isinstance(below[key], dict) and isinstance(above.get(key), dict)
    }
    return {**below, **above, **both}


def near_to(name: str, known: Sequence[Definition]) -> list[str]:
    """Return the names that ``name`` may stand for: by its last part, first those that hold it; never another model."""
    word = _last(name).lower()
    by_last: dict[str, list[str]] = {}
    for definition in known:
        by_last.setdefault(_last(definition.name), []).append(definition.name)
    models = {model for last in by_last for model in _models(last)}
    of_model = [last for last in by_last if all(_is_of(model, last, models) for model in _models(word))]
    is_known = bool(models & _models(word))
    alike = difflib.get_close_matches(word, of_model, n=_ALIKE, cutoff=0 if is_known else _CUTOFF)
    close = max(alike, key=lambda last: _alike_at_first(word, last), default=None)
    same = [one for last in sorted(by_last, key=len) if len(word) > 1 and word in last for one in by_last[last]]
    return list(dict.fromkeys([*same, *(by_last[close] if close else [])]))[:_NEAR]


def _models(word: str) -> set[str]:
    """Return what in a name tells models and sizes apart, as gb200 and b200."""
    return {part for part in word.split("-") if any(sign.isdigit() for sign in part)}


def _is_of(model: str, last: str, known: set[str]) -> bool:
    """Return whether a preset may be of the model that was asked for: that one, or one like a model that nobody has."""
    own = _models(last)
    return model in own if model in known else any(model[0] == one[0] for one in own)


def _alike_at_first(one: str, other: str) -> int:
    """Return with how many equal letters both begin."""
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _real(path: str) -> Path:
    """Return where a path leads; links that go round in a circle stay as they are."""
    return Path(os.path.realpath(path))


def _named(path: str) -> str:
    """Return a file's name, from the current folder on where it lies below that."""
    here, full = Path.cwd(), Path(os.path.abspath(path))  # noqa: PTH100  (a link keeps its name)
    return str(full.relative_to(here)) if full.is_relative_to(here) else path
