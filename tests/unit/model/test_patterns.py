"""The schema's patterns in words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from helm_roster.model import patterns

from tests.support.roster import CHART

SCHEMA = json.loads((CHART / "values.schema.json").read_text())


def used(node: Any) -> Iterator[str]:
    """Yield the patterns of values and of keys, but for keys of maps that are open."""
    if isinstance(node, dict):
        yield from (node[key] for key in ("pattern",) if isinstance(node.get(key), str))
        names = node.get("patternProperties", {}) if node.get("additionalProperties") is False else {}
        yield from (key for key in names if key != "^x-")
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from used(child)


@pytest.mark.parametrize("pattern", sorted(set(used(SCHEMA))))
def test_every_pattern_of_the_schema_has_words(pattern: str) -> None:
    assert patterns.in_words(pattern)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (
            "^[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$",
            "at most 15 lower-case letters, digits and dashes, no dash at the ends",
        ),
        ("^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "lower-case letters, digits and dashes, no dash at the ends"),
        ("^x+$", None),
    ],
)
def test_a_name_is_told_with_its_length(pattern: str, words: str | None) -> None:
    assert patterns.in_words(pattern) == words
