"""Forked runs of our command line, which most tests take, are as runs of the real program."""

from __future__ import annotations

import io
import json
import subprocess
from pathlib import Path

import pytest

from tests.support import fork_parent, forks
from tests.support.roster import EXAMPLES
from tests.support.runner import Done, Runner

VALUES = EXAMPLES / "10-chat-service" / "values.yaml"


def real(roster: Runner) -> Runner:
    """Return the program itself."""
    return Runner(roster.program, roster.env, roster.major)


def parts(done: Done) -> tuple[object, ...]:
    return done.args, done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["plan", "-f", "none.yaml"],
        ["plan", "-f", VALUES, "-o", "json"],
        ["status", "op"],
    ],
    ids=lambda words: " ".join(map(str, words[:2])),
)
def test_they_say_and_end_the_same(roster4: Runner, words: list[str | Path]) -> None:
    assert forks.fits(roster4.program, roster4.env)
    assert parts(roster4.attempt(*words)) == parts(real(roster4).attempt(*words))


def test_they_read_what_they_are_given_though_no_pipe_holds_it(roster4: Runner) -> None:
    text = f"{VALUES.read_text()}\n#{'x' * (1 << 20)}\n"
    assert parts(roster4("plan", "-f", "-", text=text)) == parts(real(roster4)("plan", "-f", "-", text=text))


def test_they_stand_in_the_folder_and_the_environment_of_the_caller(
    roster4: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here.yaml").write_text(VALUES.read_text())
    monkeypatch.chdir(tmp_path)
    done = roster4.with_env(HELM_DEBUG="1")("plan", "-f", "here.yaml", "-o", "json")
    assert json.loads(done.stdout)["kind"] == "Plan"
    assert done.stderr.startswith("+ ")
    assert "+ " not in roster4("plan", "-f", "here.yaml").stderr


def test_nothing_of_an_earlier_run_is_left(roster4: Runner) -> None:
    bare = roster4.with_env(HELM_BIN="/no/such/helm")
    assert roster4.attempt("plan", "-f", VALUES).returncode == 0
    assert "HELM_BIN is '/no/such/helm'" in bare.attempt("plan", "-f", VALUES).stderr


def test_one_that_takes_too_long_is_killed(roster4: Runner, tmp_path: Path) -> None:
    helm = tmp_path / "helm"
    helm.write_text("#!/bin/sh\nexec sleep 60\n")
    helm.chmod(0o755)
    with pytest.raises(subprocess.TimeoutExpired):
        roster4.with_env(HELM_BIN=str(helm)).attempt("plan", "-f", VALUES, timeout=0.5)


def test_a_parent_that_is_gone_is_no_success() -> None:
    with pytest.raises(EOFError):
        fork_parent.number(io.BytesIO())


def test_what_python_reads_as_it_starts_asks_for_the_real_program(roster4: Runner) -> None:
    for name in ("PYTHONUTF8", "LC_ALL", "LANG"):
        assert not forks.fits(roster4.program, {**roster4.env, name: "C"})
    assert not forks.fits(Path("/usr/bin/helm-roster"), roster4.env)
