"""The examples on the real control plane: what the README of each promises becomes true there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import operations
from tests.cluster.api import wait_for
from tests.cluster.namespaces import Namespace
from tests.support.roster import EXAMPLES
from tests.support.runner import Runner

# Example -> nodes of one accelerator that it needs, and the verdict on it then.
RUNS = {
    "01-sglang-disaggregated": (12, "Ready"),
    "02-gang-training": (4, "Running"),
    "03-rl-separated": (12, "Ready"),
}


@pytest.mark.parametrize("example", RUNS)
def test_an_example_runs_and_is_cancelled(namespace: Namespace, roster4: Runner, tmp_path: Path, example: str) -> None:
    nodes, verdict = RUNS[example]
    namespace.add_nodes(nodes)
    here = operations.write(tmp_path, {"defaults": {"environment": {"nodeSelector": namespace.node_selector}}})
    roster4("install", "op", "-f", EXAMPLES / example / "values.yaml", "-f", here)
    found = wait_for(
        lambda: operations.status(roster4, "op"), 60, verdict, until=lambda seen: seen["verdict"] == verdict
    )
    assert sum(group["ready"] for group in found["groups"]) == sum(group["desired"] for group in found["groups"])
    roster4("cancel", "op")
    assert namespace.everything() == []
