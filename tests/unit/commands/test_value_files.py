"""Values that can be read only once, which Helm reads twice."""

from __future__ import annotations

import io
import os
import sys
import threading
from pathlib import Path

import pytest

from helm_roster.commands import value_files


class Stdin:
    """Standard input with that content."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize("args", [["-f", "-"], ["--values=-"], ["-f-"]])
def test_values_from_stdin_are_put_into_a_file(args: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(b"a: \xff\n"))
    with value_files.seekable(["--wait", *args]) as changed:
        assert Path(changed[2]).read_bytes() == b"a: \xff\n"
        assert [changed[0], changed[1]] == ["--wait", args[0][:2] if args[0] != "--values=-" else "--values"]
    assert not Path(changed[2]).exists()


def test_other_values_stay_where_they_are() -> None:
    with value_files.seekable(["-f", "v.yaml", "--set", "a=-"]) as changed:
        assert changed == ["-f", "v.yaml", "--set", "a=-"]


def test_a_pipe_among_several_files_of_one_flag_is_put_into_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("a: 1\n",))
    writer.start()
    with value_files.seekable(["-f", f"base.yaml,{pipe}"]) as changed:
        base, _, copy = changed[1].partition(",")
        assert (base, Path(copy).read_text()) == ("base.yaml", "a: 1\n")
    writer.join()
