"""What must hold whoever places the gang: installed by real Helm with the post-renderer, decided by a real scheduler.

For kube-scheduler this is in test_native_gangs.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import operations
from tests.cluster.api import stays, wait_for
from tests.cluster.namespaces import Namespace
from tests.cluster.schedulers import Scheduler
from tests.support.runner import Runner

HELD = 2.0
BINDS = 60.0


@pytest.mark.parametrize("placer", ["volcano", "kai"], indirect=True)
def test_a_gang_of_four_is_held_on_three_nodes_runs_on_four_and_leaves_nothing_when_cancelled(
    placer: Scheduler, namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_nodes(3)
    groups = {"worker": operations.group(namespace, 4, gpus=1)}
    values = operations.values(groups, gangs={"step": {"worker": {"min": 4}}}, placer=placer)
    operations.install(roster4, "train", operations.write(tmp_path, values))
    wait_for(namespace.pods, 30, "four pods", until=lambda pods: len(pods) == 4)
    stays(namespace.bound, HELD, "no bound pod", until=lambda count: count == 0)
    namespace.add_node()
    wait_for(namespace.bound, BINDS, "four bound pods", until=lambda count: count == 4)
    roster4("cancel", "train", "--timeout", "60s")
    assert namespace.everything() == []
