"""The comment at the head of a file of presets: what they select, for whom, what they need, where it is from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

SECTIONS: Final = ("For", "Needs", "Source")
_HEAD: Final = re.compile(r"(?:#.*(?:\n|$))*")
_SECTION: Final = re.compile(r"(\w+): ?(.*)")


@dataclass(frozen=True)
class Head:
    """The comment as it stands (``text``), its first words (``about``) and its sections by their names."""

    text: str
    about: str
    sections: dict[str, str]

    @property
    def missing(self) -> list[str]:
        """Return the sections that it should have and has not, or has empty."""
        return [name for name in SECTIONS if not self.sections.get(name)]


def read(text: str) -> Head:
    """Return the head of a file's text; it ends with the first line that is no comment."""
    found = _HEAD.match(text)
    comment = found[0] if found else ""
    parts: dict[str, list[str]] = {"": []}
    name = ""
    for line in (line.removeprefix("#").strip() for line in comment.splitlines()):
        begun = _SECTION.fullmatch(line)
        if begun and begun[1] in SECTIONS:
            name = begun[1]
            parts[name] = [begun[2]]
        else:
            parts[name].append(line)
    said = {name: " ".join(filter(None, lines)) for name, lines in parts.items()}
    return Head(text=comment, about=said.pop(""), sections=said)
