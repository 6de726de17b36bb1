"""Reads values.yaml as the manual: keys that are commented out count, and each has lines of `# --` above it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from tests.support.roster import CHART

TEXT = (CHART / "values.yaml").read_text()
PROSE = re.compile(r"\s*# -- ")
SAMPLE = re.compile(r"(\s*)# (?!-- )([\w\"/].*)")


def lines() -> list[str]:
    """Return the lines after the head, with samples as if they were no comments."""
    body = TEXT.partition("\n\n")[2].splitlines()
    return [SAMPLE.sub(r"\1\2", line) for line in body]


def uncommented() -> object:
    """Return the values with every sample filled in; an empty map above samples makes way for them."""
    kept = [line for line in lines() if line.strip() and not PROSE.match(line)]
    followed = zip(kept, [*kept[1:], ""], strict=True)
    return yaml.load("\n".join(_opened(line, after) for line, after in followed), yaml.CSafeLoader)


def _opened(line: str, after: str) -> str:
    return line.removesuffix(" {}") if _indent(after) > _indent(line) else line


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def paths(values: object, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path of every key."""
    if isinstance(values, dict):
        for key, value in values.items():
            yield (*at, str(key))
            yield from paths(value, (*at, str(key)))


def unexplained() -> list[str]:
    """Return the lines with a key that have no prose directly above."""
    found = lines()
    pairs = zip(["", *found], found, strict=False)
    return [line for before, line in pairs if line.strip() and not PROSE.match(line) and not PROSE.match(before)]
