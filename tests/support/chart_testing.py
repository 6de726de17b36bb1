"""chart-testing's `ct`, built from its Go module, on our charts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cluster import binaries
from tests.support.roster import ROOT
from tests.support.runner import Done, Runner

# Its own lines: what it passes on from its children may lose a line when a child ends fast.
LINTED = "Linting chart with values file"
INSTALLED = "Installing chart with values file"


def run(helm: Runner, folder: Path, verb: str, *flags: str | Path, **programs: Path) -> Done:
    """Run `ct` with this Helm; `programs` are others that it starts by name. A failure fails the test.

    It runs on a copy: `ct` has Helm build the dependencies anew, in the chart's folder, where other tests would find
    half of what Helm lays there.
    """
    copy = folder / "checkout"
    shutil.copytree(ROOT / "charts", copy / "charts")
    shutil.copy(ROOT / "ct.yaml", copy)
    (folder / "bin").mkdir()
    for name, program in {"helm": helm.program, **programs}.items():
        (folder / "bin" / name).symlink_to(program)
    path = os.pathsep.join([str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
    command = [binaries.build("ct")["ct"], verb, "--config", "ct.yaml", "--all", *flags]
    done = subprocess.run(
        command, cwd=copy, env={**helm.env, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def settings() -> Path:
    """Return the module's own etc/, which holds the chart schema and the lint rules; skip where Go is absent."""
    if reason := binaries.why_unavailable():
        if os.environ.get("ROSTER_REQUIRE_CLUSTER") == "1":
            pytest.fail(f"chart-testing cannot be built: {reason}")
        pytest.skip(f"chart-testing cannot be built: {reason}")
    command = ["go", "list", "-m", "-f", "{{.Dir}}", "github.com/helm/chart-testing/v3"]
    module = binaries.MODULES / "chart-testing"
    done = subprocess.run(command, cwd=module, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()) / "etc"
