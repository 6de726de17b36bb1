"""Two people at one operation at once: one wins, the other is told in a line, and nothing is lost."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.cluster import operations
from tests.cluster.api import wait_for
from tests.cluster.namespaces import Namespace
from tests.support.runner import Runner


def pending(namespace: Namespace) -> bool:
    """Tell whether an upgrade is under way."""
    records = namespace.items("v1", "Secret", "owner=helm,status=pending-upgrade")
    return bool(records)


@contextlib.contextmanager
def upgrade_that_waits(namespace: Namespace, roster: Runner, *flags: str) -> Iterator[subprocess.Popen[str]]:
    """Start an upgrade that waits for pods without a node, and yield it once Helm is at it."""
    command = [str(roster.program), "upgrade", "op", "--reset-then-reuse-values", "--wait", *flags]
    with subprocess.Popen(
        command, env=dict(roster.env), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            wait_for(lambda: pending(namespace), 60, "the upgrade")
            yield process
        finally:
            process.kill()


def installed(namespace: Namespace, roster: Runner, folder: Path) -> None:
    """Install two groups whose pods have no node yet."""
    groups = {name: operations.group(namespace, 1) for name in ("web", "db")}
    operations.install(roster, "op", operations.write(folder, operations.values(groups)))


def replicas(namespace: Namespace) -> list[int]:
    """Return the replicas of db and web."""
    return [int(one["spec"]["replicas"]) for one in namespace.items("apps/v1", "Deployment")]


def test_of_two_upgrades_at_once_one_wins_and_the_other_loses_nothing(
    namespace: Namespace, roster: Runner, tmp_path: Path
) -> None:
    installed(namespace, roster, tmp_path)
    with upgrade_that_waits(namespace, roster, "--timeout", "2m", "--set", "groups.web.replicas=2") as first:
        second = roster.attempt("upgrade", "op", "--reset-then-reuse-values", "--set", "groups.db.replicas=3")
        third = roster.attempt("scale", "op", "db=3")
        namespace.add_node(gpus=0)
        first.communicate(timeout=120)
    assert (first.returncode, second.returncode, third.returncode) == (0, 4, 1)
    helms, ours = second.stderr.splitlines()[-2:]
    assert "another operation (install/upgrade/rollback) is in progress" in helms
    assert "another Helm works on op or was killed in the midst" in ours
    assert third.stderr.startswith("Error: op is in pending-upgrade: another Helm works on it")
    roster("scale", "op", "db=3")
    assert replicas(namespace) == [3, 2]


def test_a_cancellation_wins_over_an_upgrade_which_is_told_so(
    namespace: Namespace, roster: Runner, tmp_path: Path
) -> None:
    installed(namespace, roster, tmp_path)
    with upgrade_that_waits(namespace, roster, "--timeout", "20s", "--set", "groups.web.replicas=2") as upgrade:
        roster("cancel", "op")
        _, said = upgrade.communicate(timeout=60)
    assert namespace.everything() == []
    assert (upgrade.returncode, said.splitlines()[-1]) == (6, "Error: op was cancelled or uninstalled meanwhile")
