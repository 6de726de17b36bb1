"""What is wrong with a file of presets: one line each, with where and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from helm_roster.presets.library import Definition, PresetFile

Rule = Literal["file", "head", "name", "twice", "count", "map", "form", "shared", "schema", "composition"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that is wrong: where, by which rule, and in words. ``preset`` is empty where it is about the file."""

    file: str
    line: int
    rule: Rule
    message: str
    preset: str = ""

    def __str__(self) -> str:
        """Return the line for people."""
        return f"{self.file}:{self.line}: {self.message}"


def of_file(file: PresetFile, rule: Rule, message: str, line: int = 1) -> Finding:
    """Return a finding about a file."""
    return Finding(file=file.name, line=line, rule=rule, message=message)


def of_preset(definition: Definition, rule: Rule, message: str, line: int | None = None) -> Finding:
    """Return a finding about a preset, on its first line where no other is told."""
    at = definition.line if line is None else line
    return Finding(file=definition.file.name, line=at, rule=rule, message=message, preset=definition.name)
