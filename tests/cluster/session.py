"""Which clusters run: a small file for each, with the pids, so that another program can end them.

A test session's cluster is ended by the session. If that was killed, the next session finds the file, sees that
its owner is gone, and ends what was left.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.cluster import processes
from tests.cluster.binaries import cache_root
from tests.cluster.processes import Record


def folder() -> Path:
    """Return where the files are kept."""
    return cache_root() / "run"


def write(name: str, records: list[Record], *, owned: bool) -> Path:
    """Record a running cluster; `owned`: it must not outlive this process."""
    path = folder() / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    pid = os.getpid()
    owner = Record("owner", pid, processes.born(pid) or "", "") if owned else None
    path.write_text(json.dumps({"owner": owner, "records": records}, indent=2) + "\n")
    return path


def read(name: str) -> list[Record]:
    """Return the records of a cluster; none if no such file is there."""
    path = folder() / f"{name}.json"
    return [Record(*item) for item in json.loads(path.read_text())["records"]] if path.exists() else []


def forget(name: str) -> None:
    """Remove the file of a cluster that was ended."""
    (folder() / f"{name}.json").unlink(missing_ok=True)


def end_orphans() -> None:
    """End the processes of clusters whose owner is gone, each by its pid."""
    for path in folder().glob("*.json"):
        content = json.loads(path.read_text())
        if content["owner"] and not processes.alive(Record(*content["owner"])):
            processes.stop([Record(*item) for item in reversed(content["records"])])
            path.unlink(missing_ok=True)
