"""What simulated containers write: files that kwok serves as their logs, the same one for all pods.

A test writes the file of a container's name anew, so tests of logs do not run beside each other on one control plane.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

# Containers by name; all others write into the file of ``main``. What they wrote before a restart: ``previous``.
CONTAINERS = ("main", "proxy")


def config(folder: Path) -> str:
    """Return what makes kwok serve the files, as one YAML document to follow others; the files are made, empty."""
    for name in (*CONTAINERS, "previous"):
        _file(folder, name).parent.mkdir(exist_ok=True)
        _file(folder, name).touch()
    previous = {"previousLogsFile": str(_file(folder, "previous")), "follow": True}
    named = [
        {"logsFile": str(_file(folder, name)), **previous, **({} if name == "main" else {"containers": [name]})}
        for name in CONTAINERS
    ]
    spec = {"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "ClusterLogs", "metadata": {"name": "all"}}
    return f"---\n{json.dumps({**spec, 'spec': {'logs': named}})}\n"


def write(folder: Path, lines: Iterable[str], *, container: str = "main", more: bool = False) -> None:
    """Let all containers of that name have written these lines; ``more`` adds them to what is there."""
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f000Z")
    with _file(folder, container).open("a" if more else "w") as file:
        file.writelines(f"{stamp} stdout F {line}\n" for line in lines)


def _file(folder: Path, name: str) -> Path:
    return folder / "container-logs" / f"{name}.log"
