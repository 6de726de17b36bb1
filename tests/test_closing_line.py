"""A run of the tests on a machine without Volcano and KAI."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.cluster import projects

ROOT = Path(__file__).parents[1]


def test_without_them_their_tests_are_skipped_also_where_the_cluster_is_required(tmp_path: Path) -> None:
    for path in projects.PROGRAMS["kai"]:
        (tmp_path / "kai" / path).parent.mkdir(exist_ok=True)
        (tmp_path / "kai" / path).touch(0o755)
    env = {"ROSTER_CLUSTER_BIN": str(tmp_path), "ROSTER_CLUSTER_CRDS": str(tmp_path), "ROSTER_REQUIRE_CLUSTER": "1"}
    command = [sys.executable, "-m", "pytest", "tests/cluster/test_schedulers.py", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-k", "gang_of_four and (volcano or kai)"],
        cwd=ROOT, env={**os.environ, **env}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    told, closing = done.stdout.splitlines()[-2:]
    assert told.startswith("tests skipped: 1 for lack of KAI's CRDs, 1 for lack of Volcano's programs (CONTRIBUTING.md")
    assert "2 skipped" in closing
