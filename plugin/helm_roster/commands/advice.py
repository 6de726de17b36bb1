"""Helm's complaints about values that do not fit the schema, each with its file and line and the nearest key.

Helm's own words stay, but for patterns, which are told in words. It prints them as a tree, in another order at each
run; here they are a sorted list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from helm_roster import errors
from helm_roster.commands.value_files import Given
from helm_roster.model import patterns
from helm_roster.model.nearest import hint
from helm_roster.model.schema import Schema
from helm_roster.model.written import Source, get
from helm_roster.patches import pointers

COMPLAINT: Final = "values don't meet the specifications of the schema"
_HEAD: Final = "the values do not fit the chart:"
_BRANCH: Final = ": validation failed"
_AT: Final = re.compile(r"at '([^']*)': (.*)")
_UNKNOWN: Final = re.compile(r"additional properties (.+) not allowed")
_PATTERN: Final = re.compile(r"[Dd]oes not match pattern '(.+)'")
_WRONG_TYPE: Final = re.compile(r"got \w+, want (?:null or )?(?:array|object)")
_WANTS_TEXT: Final = re.compile(r"want .*\bstring\b")
_AS_TEXT: Final = ", or use --set-string for text"
_NONE_OF: Final = re.compile(r"value must be one of (.+)")
_QUOTED: Final = re.compile(r"'([^']*)'")
# Helm up to 3.17 uses another library, which writes a path with dots and "(root)" for none.
_OLD: Final = re.compile(r"([^:]+): Additional property (.+) is not allowed")


class Complaint(NamedTuple):
    """One of Helm's complaints: the path that it is about, empty where it is not known, and what to say of it."""

    path: tuple[str, ...]
    text: str


def schema_lines(said: str, given: Given, chart: Path | str) -> list[str]:
    """Return the complaints in ``said``, Helm's error: one alone behind the head, several one a line under it."""
    told = [complaint.text for complaint in complaints(said, given, chart)]
    return [f"{_HEAD} {told[0]}"] if len(told) == 1 else [_HEAD, *(f"  {line}" for line in told)]


def complaints(said: str, given: Given, chart: Path | str) -> list[Complaint]:
    """Return the complaints in ``said``, Helm's error, one by one."""
    schema = Schema.of(chart)
    found = sorted(line.strip().removeprefix("- ") for line in said.splitlines() if line.lstrip().startswith("- "))
    return [
        Complaint(_full(line), f"{_in_words(line, given)}{_advice(line, given, schema)}")
        for line in found
        if not line.endswith(_BRANCH)
    ]


def _full(line: str) -> tuple[str, ...]:
    """Return the path that a complaint is about, to the first key that the schema does not know."""
    path, keys = _place(line)
    return (*(path or ()), *keys[:1])


def _in_words(line: str, given: Given) -> str:
    """Return the complaint with patterns and choices as people read them."""
    path, _ = _place(line)
    choices = _NONE_OF.search(line)
    value = _value(given, path) if path and choices else None
    if choices and isinstance(value, str):
        names = _QUOTED.findall(choices[1])
        line = f'{line[: choices.start()]}"{value}" is none of {", ".join(names)}{hint(value, names)}'
    return _PATTERN.sub(_allowed, line)


def _allowed(unfit: re.Match[str]) -> str:
    words = patterns.in_words(unfit[1])
    return f"does not fit; allowed: {words}" if words else unfit[0]


def _advice(line: str, given: Given, schema: Schema) -> str:
    path, keys = _place(line)
    if path is None:
        return ""
    told = [text for key in keys if (text := _unknown(path, key, given, schema))]
    if not keys and (source := _written(given, path)):
        told = [f"see {source}{_AS_TEXT if source.name.startswith('--set ') and _WANTS_TEXT.search(line) else ''}"]
        told += [text for text in [schema.told(path)] if text and _WRONG_TYPE.search(line)]
    return f"; {'; '.join(told)}" if told else ""


def _place(line: str) -> tuple[tuple[str, ...] | None, list[str]]:
    """Return the path that a complaint is about, and the keys that the schema does not know there."""
    if found := _AT.fullmatch(line):
        unknown = _UNKNOWN.fullmatch(found[2])
        return tuple(pointers.names(found[1])), _QUOTED.findall(unknown[1]) if unknown else []
    if found := _OLD.fullmatch(line):
        return () if found[1] == "(root)" else tuple(found[1].split(".")), [found[2]]
    return None, []


def _unknown(path: tuple[str, ...], key: str, given: Given, schema: Schema) -> str:
    where = _written(given, (*path, key))
    meant, pattern = schema.nearest(path, key), schema.pattern(path)
    hint = (
        f'did you mean "{meant}"?' if meant else f"allowed: {patterns.in_words(pattern) or pattern}" if pattern else ""
    )
    at = f" ({where})" if where else ""
    return f'"{key}"{at}{f": {hint}" if hint else ""}' if at or hint else ""


def _written(given: Given, path: tuple[str, ...]) -> Source | None:
    """Return where ``path`` was written; steps into lists are numbers there. None too where a file cannot be read."""
    try:
        written = given.written
    except errors.BadInputError:
        return None
    return written.source(*path) or written.source(*_counted(path))


def _value(given: Given, path: tuple[str, ...]) -> object:
    """Return what was written at ``path``; None too where a file cannot be read."""
    try:
        values = given.written.values
    except errors.BadInputError:
        return None
    return get(values, *path) or get(values, *_counted(path))


def _counted(path: tuple[str, ...]) -> Iterator[str | int]:
    """Yield the steps of a path with those into lists as numbers."""
    return (int(step) if step.isdecimal() else step for step in path)
