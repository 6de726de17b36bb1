"""Values of the wrong type at every place of every field: refused in words or passed on, never an error of a template.

The ci files show every field. What the schema refuses is left out here, as Helm then renders nothing. As all
fields with all kinds would take minutes, half of the fields are tried, always the same, each with one of the kinds that
are left, each in its turn.
"""

from __future__ import annotations

import copy
import random
from collections import deque
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from tests.chart import schema
from tests.chart.rendering import Chart, Values
from tests.support.roster import CHART

SAMPLES = sorted(CHART.glob("ci*/*.yaml"))
WRONG = {"text": "a: b #", "number": 7, "texts": ["x"], "maps": [{"x": 1}], "map": {"x": "y"}}
FITS = Draft202012Validator(schema.SCHEMA)
Place = tuple[str | int, ...]


def places(node: Any, at: Place = ()) -> list[Place]:
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    return [found for key, child in children for found in ((*at, key), *places(child, (*at, key)))]


def replaced(values: Values, at: Place, wrong: Any) -> Values:
    changed = node = copy.deepcopy(values)
    for key in at[:-1]:
        node = node[key]
    node[at[-1]] = wrong
    return changed


def field(at: Place) -> Place:
    """Return which field a place is, whatever group or preset has it and whichever entry of a list it is."""
    shared = ("defaults", *at[2:]) if at[0] in {"groups", "presets"} else at
    return tuple("0" if isinstance(key, int) else key for key in shared)


def new_places(sample: Path) -> list[Place]:
    """Return a place of each field of a sample that no sample before it has."""
    found = {}
    for path in reversed(SAMPLES[: SAMPLES.index(sample) + 1]):
        found |= {field(at): (path, at) for at in reversed(places(yaml.load(path.read_text(), yaml.CSafeLoader)))}
    return [at for path, at in found.values() if path == sample]


def trials(values: Values, sample: Path) -> dict[str, Values]:
    """Return the values with something wrong in one place, by the place and the kind of what is there."""
    found, known = {}, new_places(sample)
    chosen = random.Random(0).sample(known, (len(known) + 1) // 2)  # noqa: S311  (always the same)
    for turn, at in enumerate(chosen):
        kinds = deque(WRONG.items())
        kinds.rotate(-turn)
        changed = ((kind, replaced(values, at, wrong)) for kind, wrong in kinds)
        found |= dict([(f"{at} {kind}", tried) for kind, tried in changed if FITS.is_valid(tried)][:1])
    return found


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_no_value_ends_in_an_error_of_a_template(chart4: Chart, sample: Path) -> None:
    tried = trials(yaml.load(sample.read_text(), yaml.CSafeLoader), sample)
    ended = {place: chart4.attempt(changed) for place, changed in tried.items()}
    said = {place: done.stderr for place, done in ended.items() if done.returncode != 0}
    told = {place: text for place, text in said.items() if "execution error at (" not in text or "nil>" in text}
    assert told == {}


def test_every_field_is_known_once() -> None:
    known = [field(at) for sample in SAMPLES for at in new_places(sample)]
    assert len(known) == len(set(known)) > 400
