"""The options that commands share."""

from __future__ import annotations

import click
import pytest

from helm_roster.commands import options


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90.0), ("5m", 300.0), ("1h30m", 5400.0), ("5m0s", 300.0), ("500ms", 0.5), ("1.5m", 90.0)],
)
def test_a_duration_is_read_as_helm_writes_it(text: str, seconds: float) -> None:
    assert options.Duration().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "5", "m", "5 m", "-5m", "5d"])
def test_anything_else_is_no_duration(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write 90s, 5m or 1h30m"):
        options.Duration().convert(text, None, None)
