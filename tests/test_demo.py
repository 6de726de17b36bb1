"""`make demo` on a machine without Go: it shows what it can, and says what it leaves out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.roster import ROOT
from tests.support.runner import Runner


def test_without_go_it_plans_renders_and_says_what_it_left_out(helm4: Runner, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to("/bin/sh")
    environment = {**helm4.env, "PATH": str(tmp_path / "bin")}
    command = [sys.executable, "-m", "tests.cluster.demo"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert "12 NVIDIA H200" in done.stdout
    assert "Left out, since Go 1.26 or newer is not on PATH" in done.stdout
    assert "kind: PodGroup" in done.stdout
