"""What variants in one file write out alike instead of sharing it."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_roster.presets import shared

from tests.unit.presets.files import definitions

ACCELERATOR = "{model: M, resource: r.com/x, perNode: 8}"


def found(folder: Path, first: str, second: str) -> list[tuple[int, str]]:
    text = f"presets:\n  t/a: {first}\n  t/b: {second}\n"
    return [(one.line, one.message) for one in shared.findings(definitions(folder, x=text))]


def test_what_is_written_twice_is_found_at_the_second_with_the_first(tmp_path: Path) -> None:
    ((line, message),) = found(tmp_path, f"{{accelerator: {ACCELERATOR}}}", f"{{accelerator: {ACCELERATOR}}}")
    assert (line, message.startswith("presets.t/b.accelerator: as presets.t/a has it on line 2; ")) == (3, True)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (f"{{accelerator: &a {ACCELERATOR}}}", "{accelerator: *a}"),
        (f"&p {{accelerator: {ACCELERATOR}}}", "{<<: *p, shm: {size: 1Gi}}"),
        (f"{{accelerator: &a {ACCELERATOR}}}", "{accelerator: {<<: *a}}"),
        ("{environment: {nodeSelector: {a: b}}}", "{environment: {nodeSelector: {a: b}}}"),
        (f"{{accelerator: {ACCELERATOR}}}", f"{{accelerator: {ACCELERATOR.replace('8', '4')}}}"),
        ("{container: {args: [a, b, c]}}", "{container: {args: [a, b, c]}}"),
    ],
    ids=["alias", "a merged preset", "a merged map", "small", "different", "of a program"],
)
def test_what_is_shared_small_or_different_is_not(tmp_path: Path, first: str, second: str) -> None:
    assert found(tmp_path, first, second) == []
