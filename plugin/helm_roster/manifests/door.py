"""The only door to YAML: text to data and back, with scalars as Kubernetes reads them.

PyYAML reads ``y``, ``08``, ``1:30`` or ``=`` otherwise than Go does, and writes strings that Go takes for numbers.
So nothing is guessed here: a plain scalar stays the text that stood there (``Raw``) and is written again as it
was; quoted scalars are ``str`` and are written in quotes. Numbers are made where they are read, by ``to_plain``.
Mappings become ``dict`` with the keys that Kubernetes sees (a plain ``y`` is the key "true").
Comments, styles and anchors are not kept: a document that need not change should not pass through here.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any, Final, NoReturn

import yaml

from helm_roster import errors
from helm_roster.manifests import scalars

# Deeper than any manifest (CustomResourceDefinitions reach about 60), and well within Python's stack.
_MAX_DEPTH: Final = 200
# go-yaml lets aliases add about as much to a document; what Kubernetes refuses need not be read.
_MAX_COPIED: Final = 400_000
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class Raw(str):
    """A plain (unquoted) scalar, word for word. Equal to the same text as ``str``; never empty and never null."""

    __slots__ = ()


class Mapping(dict[str, object]):
    """A mapping that knows the 1-based line on which each of its keys stands (see ``load_all``)."""

    __slots__ = ("lines",)

    def __init__(self, lines: dict[str, int] | None = None) -> None:
        super().__init__()
        self.lines = dict(lines or {})


class Sequence(list[object]):
    """A list that knows the 1-based line on which each of its entries begins (see ``load_all``)."""

    __slots__ = ("lines",)

    def __init__(self, lines: list[int] | None = None) -> None:
        super().__init__()
        self.lines = list(lines or [])


def load(text: str, *, first_line: int = 1) -> object:
    """Return the data of one document: dict, list, ``Raw``, ``str`` or None (also for no document at all).

    Values with an explicit tag, ``!!int "1"`` for one, become bool, int or float. ``first_line`` is the line of
    the whole stream on which ``text`` begins, for messages.

    Raises:
        BadInputError: The text is no YAML, not UTF-8, holds more than one document, or aliases without bound.
    """
    reader = _Reader(text, first_line)
    documents = reader.documents()
    data = next(documents, None)
    if any(document is not None for document in documents):
        reader.refuse("a second document begins here, where one was expected", reader.start)
    return data


def load_all(text: str) -> list[object]:
    """Return the data of every document, with lines: each dict is a ``Mapping``, each list a ``Sequence``.

    What an alias or ``<<`` brings in keeps the lines of its anchor.

    Raises:
        BadInputError: As ``load``, but for several documents; or a mapping has one key twice.
    """
    return list(_Reader(text, 1, placed=True).documents())


def dump(data: object) -> str:
    """Return ``data`` as one YAML document in block style, without separator, ending in a newline.

    ``Raw`` is written as it was read. ``str`` stands bare where it cannot be misread, else in double quotes, several
    lines as a ``|`` block. Never writes anchors or tags.

    Raises:
        BadInputError: A string holds bytes that are not UTF-8.
    """
    events: list[yaml.Event] = [yaml.StreamStartEvent(), yaml.DocumentStartEvent(explicit=False)]
    _write(data, events)
    events += [yaml.DocumentEndEvent(explicit=False), yaml.StreamEndEvent()]
    try:
        written = yaml.emit(events, Dumper=_Dumper, width=2**31 - 1, allow_unicode=True)
    except UnicodeEncodeError as cause:
        msg = f"{cause.object!r} is not UTF-8 and cannot be written as YAML; replace those bytes"
        raise errors.BadInputError(msg) from cause
    return str(written)


def to_plain(value: object) -> Any:  # noqa: ANN401  (the shape is the document's)
    """Return a copy of ``value`` with every ``Raw`` as the bool, int, float, None or str that Kubernetes reads."""
    if type(value) is Raw:
        return _read(value)
    if isinstance(value, dict):
        return {str(key): to_plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [to_plain(entry) for entry in value]
    return scalars.as_json(value) if isinstance(value, float) else value


@functools.lru_cache(maxsize=10_000)
def _read(plain: str) -> scalars.Scalar:
    """Return what a plain scalar means; manifests say the same few over and over."""
    return scalars.as_json(scalars.resolve(str(plain)))


class _Reader:
    """Builds data out of the parser's events, without PyYAML's resolver and constructors (which guess)."""

    def __init__(self, text: str, first_line: int, *, placed: bool = False) -> None:
        self._text = text
        self._placed = placed
        self._first_line = first_line
        self.start = 0
        self._event: Any = None
        self._anchors: dict[str, object] = {}
        self._keys: dict[str, str] = {}
        self._copied = 0
        self._depth = 0

    def documents(self) -> Iterator[object]:
        try:
            self._parser = _Loader(self._text)
            while not isinstance(self._next(), yaml.StreamEndEvent):
                if isinstance(self._event, yaml.DocumentStartEvent):
                    self.start = self._line()
                    self._anchors, self._copied = {}, 0
                    yield self._value(self._next())
        except yaml.YAMLError as cause:
            self.refuse(_problem(cause), _line_of(cause, self._text), cause)
        except UnicodeEncodeError as cause:
            byte = ord(self._text[cause.start]) & 0xFF
            self.refuse(f"byte 0x{byte:02x} is not UTF-8", self._text.count("\n", 0, cause.start), cause)

    def refuse(self, problem: str, line: int | None = None, cause: Exception | None = None) -> NoReturn:
        """Raise BadInputError for ``problem`` on the 0-based ``line`` of the text, by default where reading is."""
        line = self._line() if line is None else line
        msg = f"line {self._first_line + line}: the YAML cannot be read: {problem}"
        raise errors.BadInputError(msg) from cause

    def _line(self) -> int:
        return int(self._event.start_mark.line)

    def _next(self) -> Any:  # noqa: ANN401  (PyYAML's events carry no common types)
        self._event = self._parser.get_event()
        return self._event

    def _value(self, event: Any) -> object:  # noqa: ANN401
        kind = type(event)
        if kind is yaml.AliasEvent:
            return self._alias(event.anchor)
        if event.anchor is None:
            return self._build(event, kind)
        self._anchors[event.anchor] = self  # Open: an alias to it from inside would never end.
        value = self._build(event, kind)
        self._anchors[event.anchor] = value
        return value

    def _build(self, event: Any, kind: type) -> object:  # noqa: ANN401
        if kind is yaml.ScalarEvent:
            return self._scalar(event)
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            self.refuse(f"it nests deeper than {_MAX_DEPTH} levels")
        built = self._mapping() if kind is yaml.MappingStartEvent else self._sequence()
        self._depth -= 1
        return built

    def _sequence(self) -> list[object]:
        entries: list[object] = Sequence() if self._placed else []
        while type(event := self._next()) is not yaml.SequenceEndEvent:
            if isinstance(entries, Sequence):
                entries.lines.append(self._first_line + self._line())
            entries.append(self._value(event))
        return entries

    def _mapping(self) -> dict[str, object]:
        """Read pairs in order, the last of equal keys wins; merged pairs count where they stand, as in go-yaml v2."""
        entries: dict[str, object] = Mapping() if self._placed else {}
        own: dict[str, int] = {}
        while type(event := self._next()) is not yaml.MappingEndEvent:
            if _is_merge(event):
                self._merge(entries, self._value(self._next()))
            else:
                key = self._key(event)
                if isinstance(entries, Mapping):
                    self._place(key, entries, own)
                entries[key] = self._value(self._next())
        return entries

    def _place(self, key: str, entries: Mapping, own: dict[str, int]) -> None:
        """Note the line of ``key``, and refuse one that is already among the mapping's ``own``, not the merged ones."""
        if key in own:
            self.refuse(f'the key "{key}" stands on line {own[key]} too, which would be lost; keep one')
        own[key] = entries.lines[key] = self._first_line + self._line()

    def _merge(self, entries: dict[str, object], value: object) -> None:
        for merged in reversed(value) if isinstance(value, list) else [value]:
            if not isinstance(merged, dict):
                self.refuse("<< merges a mapping or a list of mappings, nothing else")
            entries.update(merged)
            if isinstance(entries, Mapping) and isinstance(merged, Mapping):
                entries.lines.update(merged.lines)

    def _key(self, event: Any) -> str:  # noqa: ANN401
        value = self._value(event)
        if type(value) is str:
            return value
        if type(value) is not Raw:
            self.refuse("a key is null, a list or a mapping; Kubernetes takes only text as keys")
        if value not in self._keys:
            text = scalars.key_text(value)
            self._keys[value] = value if text == value and scalars.is_text(value) else text
        return self._keys[value]

    def _scalar(self, event: Any) -> object:  # noqa: ANN401
        tag, value = event.tag, event.value
        if tag is None:
            if event.style:
                return value
            return None if value in scalars.NULLS else Raw(value)
        try:
            return scalars.tagged(tag, value)
        except ValueError as cause:
            self.refuse(str(cause), cause=cause)

    def _alias(self, name: str) -> object:
        if name not in self._anchors:
            self.refuse(f"the alias *{name} has no anchor &{name} before it in this document")
        if self._anchors[name] is self:
            self.refuse(f"the alias *{name} stands inside its own anchor")
        return self._copy(self._anchors[name])

    def _copy(self, value: object) -> object:
        """Copy, so that a change in one place is none in the other."""
        self._copied += 1
        if self._copied > _MAX_COPIED:
            self.refuse("its aliases blow it up without bound")
        if isinstance(value, dict):
            entries: dict[str, object] = Mapping(value.lines) if isinstance(value, Mapping) else {}
            entries.update((key, self._copy(entry)) for key, entry in value.items())
            return entries
        if isinstance(value, list):
            listed: list[object] = Sequence(value.lines) if isinstance(value, Sequence) else []
            listed.extend(self._copy(entry) for entry in value)
            return listed
        return value


def _is_merge(event: Any) -> bool:  # noqa: ANN401
    return bool(
        type(event) is yaml.ScalarEvent
        and event.value == "<<"
        and (event.tag == scalars.MERGE_TAG or (event.tag is None and not event.style))
    )


def _problem(cause: yaml.YAMLError) -> str:
    found = getattr(cause, "problem", None) or getattr(cause, "reason", None)
    return str(found or cause).splitlines()[0]


def _line_of(cause: yaml.YAMLError, text: str) -> int:
    if isinstance(cause, yaml.MarkedYAMLError) and cause.problem_mark:
        return int(cause.problem_mark.line)
    position = getattr(cause, "position", None) or 0
    return text.encode(errors="surrogateescape").count(b"\n", 0, position)


_BLOCK_MAP = (yaml.MappingStartEvent(None, None, implicit=True, flow_style=False), yaml.MappingEndEvent())
_BLOCK_LIST = (yaml.SequenceStartEvent(None, None, implicit=True, flow_style=False), yaml.SequenceEndEvent())
_BARE = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
# Several lines that a | block keeps as they are: no leading blank, one newline at most at the end, and none of
# the line breaks that YAML knows besides. The emitter itself turns to quotes for tabs and trailing blanks.
_BLOCK_TEXT = re.compile("[^\\s][^\r\x85\u2028\u2029]*[^\n]\n?")


def _write(value: object, events: list[yaml.Event]) -> None:
    if isinstance(value, str):
        events.append(_text_event(value))
    elif isinstance(value, dict):
        events.append(_BLOCK_MAP[0])
        for key, entry in value.items():
            events.append(_key_event(key))
            _write(entry, events)
        events.append(_BLOCK_MAP[1])
    elif isinstance(value, (list, tuple)):
        events.append(_BLOCK_LIST[0])
        for entry in value:
            _write(entry, events)
        events.append(_BLOCK_LIST[1])
    else:
        events.append(_scalar_event(scalars.literal(value), ""))


def _text_event(value: str) -> yaml.Event:
    if (isinstance(value, Raw) and value and "\n" not in value) or _is_bare(value):
        return _scalar_event(str(value), "")
    several = "\n" in value and _BLOCK_TEXT.fullmatch(value)
    return _scalar_event(str(value), "|" if several else '"')


def _key_event(key: object) -> yaml.Event:
    if not isinstance(key, str):
        msg = f"keys of manifests are text, not {key!r}"
        raise TypeError(msg)
    bare = isinstance(key, Raw) or _is_bare(key)
    return _scalar_event(str(key), "" if bare else '"')


def _is_bare(text: str) -> bool:
    """Return whether text may stand without quotes: no reader takes it for anything but text."""
    return bool(_BARE.fullmatch(text)) and scalars.is_text(text)


def _scalar_event(text: str, style: str) -> yaml.Event:
    """Return the event; with both flags set the emitter may fall back to quotes but never writes a tag."""
    return yaml.ScalarEvent(None, None, (True, True), text, style=style)
