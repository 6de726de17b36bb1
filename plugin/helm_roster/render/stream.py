"""A stream of manifests as text: split into documents that joined give the very same text.

A document begins at any line that starts with ``---``, as Helm, kyaml and the API machinery split (a ``---`` in a
block scalar is indented). Nothing is parsed here, and bytes that are no UTF-8 pass through untouched.
"""

from __future__ import annotations

import itertools
import re
import sys
from typing import NamedTuple

from helm_roster.manifests import door

_SEPARATOR = re.compile(r"^\ufeff?---", re.MULTILINE)
# A comment ends at every line break that YAML knows, not only at those by which this module counts lines.
_COMMENT = r"#[^\r\n\x85\u2028\u2029]*"
_SPACE_LINE = rf"[ \t]*(?:\r?\n|{_COMMENT}\r?(?:\n|\Z))"
# What may stand before the data: the separator, when no content follows on its line, then blank lines, comments
# and directives (%YAML).
_HEAD = re.compile(rf"(?:\ufeff?---[ \t]*(?:{_COMMENT})?\r?(?:\n|\Z))?(?:{_SPACE_LINE}|%[^\n]*\n)*")
_REST_IS_BLANK = re.compile(rf"(?:{_SPACE_LINE}|\.\.\.(?!#)(?:{_SPACE_LINE}|[ \t\r]*\Z))*[ \t]*\Z")
# These look at a document with a line break put before it: patterns that begin with one are searched fast.
_KIND = re.compile(r"\nkind:[ \t]+([A-Za-z][A-Za-z0-9]*)(?:[ \t]+#[^\n]*|[ \t]*\r?)(?=\n|\Z)")
_ANY_KIND = re.compile(r"""\n(?:---[ \t]*)?["']?kind["']?[ \t]*:""")
_API_VERSION = re.compile(r"\napiVersion:[ \t]+([a-z][a-z0-9./-]*)(?:[ \t]+#[^\n]*|[ \t]*\r?)(?=\n|\Z)")
_ANY_API_VERSION = re.compile(r"""\n(?:---[ \t]*)?["']?apiVersion["']?[ \t]*:""")
_CONTINUED = re.compile(r"\n\s*[ \t]\S")
# Where a look at lines may deceive: a flow collection, alias, tag or complex key at the left edge, and line breaks
# that only YAML knows.
_UNSURE = re.compile(r"\n(?:---[ \t]*)?[{}\[\]?&!*\"'<|>]")
_ODD_BREAK = re.compile(r"\r(?!\n)|[\x85\u2028\u2029]")


class Document(NamedTuple):
    """One document: its text from the separator up to the next one, and the 1-based line where it begins."""

    text: str
    line: int

    @property
    def head(self) -> str:
        """Return separator and leading comments, each with its line break; "" where the data begins at once."""
        found = _HEAD.match(self.text)
        return found.group() if found else ""

    @property
    def body(self) -> str:
        """Return everything but the separator's ``---``; its first line is still ``line``."""
        return _SEPARATOR.sub("", self.text, count=1) if _SEPARATOR.match(self.text) else self.text

    @property
    def is_blank(self) -> bool:
        """Return whether there are only separators, comments and blank lines."""
        return bool(_REST_IS_BLANK.match(self.text, len(self.head)))

    def sniff_kind(self) -> str | None:
        """Return the kind that stands in plain sight, or None when only parsing can tell."""
        return self._sniff(_KIND, _ANY_KIND)

    def sniff_api_version(self) -> str | None:
        """Return the API version that stands in plain sight, or None when only parsing can tell."""
        return self._sniff(_API_VERSION, _ANY_API_VERSION)

    def _sniff(self, pattern: re.Pattern[str], wide: re.Pattern[str]) -> str | None:
        text = "\n" + self.text
        found = pattern.search(text)
        if found is None or _CONTINUED.match(text, found.end()):
            return None
        plain = len(wide.findall(text)) == 1 and not _UNSURE.search(text)
        odd = ("\r" in text or not text.isascii()) and _ODD_BREAK.search(text)
        return found.group(1) if plain and not odd else None

    def load(self) -> object:
        """Return the document's data.

        Raises:
            BadInputError: It cannot be read; the line of the stream is named.
        """
        return door.load(self.body, first_line=self.line)


def split(text: str) -> list[Document]:
    """Return the documents of ``text``; their texts joined are ``text``, byte for byte."""
    starts = [found.start() for found in _SEPARATOR.finditer(text)]
    if text and (not starts or starts[0]):
        starts.insert(0, 0)
    documents, line = [], 1
    for start, end in itertools.pairwise([*starts, len(text)]):
        documents.append(Document(text[start:end], line))
        line += text.count("\n", start, end)
    return documents


def with_data(document: Document, data: object) -> Document:
    """Return the document with ``data`` in place of its own, under the same separator and leading comments."""
    head = document.head
    if not head.lstrip("\ufeff").startswith("---") and _SEPARATOR.match(document.text):
        head = "---\n"
    if head and not head.endswith("\n"):
        head += "\n"
    return Document(head + door.dump(data), document.line)


def decode(data: bytes) -> str:
    """Return bytes as text that ``encode`` turns back into the same bytes, whatever they are."""
    return data.decode("utf-8", errors="surrogateescape")


def encode(text: str) -> bytes:
    """Return the bytes of ``text``, as ``decode`` read them."""
    return text.encode("utf-8", errors="surrogateescape")


def read_stdin() -> str:
    """Return all of stdin, without any change of line ends."""
    return decode(sys.stdin.buffer.read())


def write_stdout(text: str) -> None:
    """Write ``text`` to stdout, without any change of line ends."""
    sys.stdout.buffer.write(encode(text))
    sys.stdout.buffer.flush()
