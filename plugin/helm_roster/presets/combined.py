"""Presets that one group takes together: those joined by +, and fabrics beside the accelerators that are named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from helm_roster.presets import library, model_group
from helm_roster.presets.library import Definition

_AND: Final = "+"


def asked(names: Sequence[str], known: Sequence[Definition]) -> list[Definition]:
    """Return what is asked for by ``names``: a preset, or several joined by +.

    One that comes along with accelerators and does not say which is taken beside each of those that do.

    Raises:
        BadInputError: There is no preset of a name.
    """
    found = [_found(name, known) for name in dict.fromkeys(names)]
    with_accelerators = [one for one in found if one.plain.get("accelerator")]
    made = []
    for one in found:
        others = with_accelerators if model_group.takes_others(one.plain) else []
        made += [_together([*other.parts, *one.parts]) for other in others] or [one]
    return made


def _found(name: str, known: Sequence[Definition]) -> Definition:
    return _together([library.find(part, known) for part in name.split(_AND)])


def _together(parts: Sequence[Definition]) -> Definition:
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    name = _AND.join(part.name for part in parts)
    return Definition(name=name, file=first.file, line=first.line, together=tuple(parts))
