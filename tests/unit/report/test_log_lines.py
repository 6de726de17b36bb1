"""How lines of logs are printed."""

from __future__ import annotations

import pytest

from helm_roster.policy.logs import Target
from helm_roster.report import log_lines

TARGET = Target(group="decode", pod="rl-decode-3", container="main", uid="u", run=0, state="running")
STAMP = b"2026-11-30T01:02:03.000000004Z"


@pytest.mark.parametrize(
    ("prefix", "timestamps", "line"),
    [
        (True, False, "decode/rl-decode-3 step  1\n"),
        (False, False, "step  1\n"),
        (True, True, f"decode/rl-decode-3 {STAMP.decode()} step  1\n"),
    ],
)
def test_a_line_stands_behind_its_pod_and_its_time(
    prefix: bool,  # noqa: FBT001
    timestamps: bool,  # noqa: FBT001
    line: str,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    printer = log_lines.Printer("table", prefix=prefix, timestamps=timestamps)
    printer.line(TARGET, STAMP, b"step  1")
    printer.flush()
    assert capfdbinary.readouterr().out == line.encode()


def test_bytes_that_are_no_text_stay_as_they_are(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    printer = log_lines.Printer("table", prefix=False, timestamps=False)
    printer.line(TARGET, b"", b"\xff\x00")
    printer.flush()
    assert capfdbinary.readouterr().out == b"\xff\x00\n"


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (STAMP + b"  indented", (STAMP, b" indented")),
        (STAMP + b" ", (STAMP, b"")),
        (b"unable to retrieve container logs", (b"", b"unable to retrieve container logs")),
    ],
)
def test_the_time_is_told_from_the_text(line: bytes, parts: tuple[bytes, bytes]) -> None:
    assert log_lines.split(line) == parts
