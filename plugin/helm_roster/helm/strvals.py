r"""Reads what stands behind ``--set`` and its kin, as far as one must know which values it sets.

The grammar is Helm's (pkg/strvals: parser.go, literal_parser.go): ``a.b[0].c=v,d={x,y}``, with ``\`` before a
character that would end a part. No Python library reads it, so it is read by hand here, and held equal with Helm by a
test. Helm reads the flags itself; what it would refuse is read somehow here, or not at all. A wrong reading can only
misname the source of a value, never change one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from helm_roster.model.written import Path

SET: Final = "--set"
JSON: Final = "--set-json"
LITERAL: Final = "--set-literal"
_NULL: Final = "null"
_INDEX: Final = re.compile(r"\+?0*([0-9]{1,5})", re.ASCII)
_MOST_INDEX: Final = 65536  # Helm's MaxIndex


class Assignment(NamedTuple):
    """One value that a flag sets. Scalars are text here, whatever type Helm gives them."""

    path: Path
    value: object


def parse(flag: str, text: str) -> Iterator[Assignment]:
    """Yield the assignments in the argument of ``flag`` (``--set``, ``--set-json``, …), in their order."""
    if flag == JSON and text.strip().startswith("{"):
        yield from _whole(text)
        return
    reader = _Reader(text, literal=flag == LITERAL)
    while not reader.ended:
        path = reader.path()
        if path is None:
            return
        value = _value(reader, flag)
        if "" not in path:  # Helm sets nothing under an empty key
            yield Assignment(path, value)


def _whole(text: str) -> Iterator[Assignment]:
    """Yield what an object sets, which Helm 4 takes for a values file on the command line."""
    try:
        found = json.loads(text)
    except ValueError:
        return
    yield Assignment((), found)


def _value(reader: _Reader, flag: str) -> object:
    if flag == LITERAL:
        return reader.rest()
    if flag == JSON:
        return reader.json()
    found = reader.listed()
    if found is None:
        return _scalar(reader.until(","), flag)
    return [_scalar(entry, flag) for entry in found]


def _scalar(text: str, flag: str) -> str | None:
    return None if flag == SET and text.lower() == _NULL else text


class _Reader:
    """Walks over the text; a character behind a backslash stands for itself, except in literal mode."""

    def __init__(self, text: str, *, literal: bool) -> None:
        self._text = text
        self._at = 0
        self._escapes = not literal
        self._key_ends = "=[." if literal else "=[.,"
        self._stopped_by = ""

    @property
    def ended(self) -> bool:
        return self._at >= len(self._text)

    def until(self, ends: str) -> str:
        """Return the text up to one of ``ends``, which is passed over, or up to the end."""
        found = []
        self._stopped_by = ""
        while not self.ended:
            char = self._text[self._at]
            self._at += 1
            if char in ends:
                self._stopped_by = char
                break
            if char == "\\" and self._escapes:
                char = self._text[self._at : self._at + 1]
                self._at += 1
            found.append(char)
        return "".join(found)

    def path(self) -> Path | None:
        """Return the path up to its ``=``; None where the text is none that Helm would take."""
        steps: list[str | int] = []
        while True:
            steps.append(self.until(self._key_ends))
            while self._stopped_by == "[":
                index = self._index()
                if index is None or self.until(self._key_ends):
                    return None
                steps.append(index)
            if self._stopped_by != ".":
                return tuple(steps) if self._stopped_by == "=" else None

    def _index(self) -> int | None:
        """Return the index up to its ``]``; None where Helm would take none such."""
        found = _INDEX.fullmatch(self.until("]"))
        return int(found[1]) if found and int(found[1]) <= _MOST_INDEX else None

    def listed(self) -> list[str] | None:
        """Return the entries of ``{a,b}``; None where no list begins here."""
        if not self._text.startswith("{", self._at):
            return None
        self._at += 1
        entries: list[str] = []
        while True:
            entries.append(self.until(",}"))
            if self._stopped_by != ",":
                break
        if self._text.startswith(",", self._at):
            self._at += 1
        return entries

    def json(self) -> object:
        """Return the JSON value that begins here, and pass over the comma behind it."""
        self._blanks()
        if self.ended or self._text[self._at] == ",":
            self._at += 1
            return None
        try:
            value, self._at = json.JSONDecoder().raw_decode(self._text, self._at)
        except ValueError:
            return self.rest()
        self._blanks()
        if self._text.startswith(",", self._at):
            self._at += 1
        return value

    def rest(self) -> str:
        """Return all that is left."""
        found, self._at = self._text[self._at :], len(self._text)
        return found

    def _blanks(self) -> None:
        while not self.ended and self._text[self._at].isspace():
            self._at += 1
