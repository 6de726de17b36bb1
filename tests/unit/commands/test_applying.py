"""Values from stdin, which Helm reads twice."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from helm_roster.commands import applying


@pytest.mark.parametrize("args", [["-f", "-"], ["--values=-"], ["-f-"]])
def test_values_from_stdin_are_put_into_a_file(args: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("a: 1\n"))
    with applying.seekable_values(["--wait", *args]) as changed:
        assert Path(changed[2]).read_text() == "a: 1\n"
        assert [changed[0], changed[1]] == ["--wait", args[0][:2] if args[0] != "--values=-" else "--values"]
    assert not Path(changed[2]).exists()


def test_other_values_stay_where_they_are() -> None:
    with applying.seekable_values(["-f", "v.yaml", "--set", "a=-"]) as changed:
        assert changed == ["-f", "v.yaml", "--set", "a=-"]
