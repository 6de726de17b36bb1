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


@contextlib.contextmanager
def cancel_that_waits(namespace: Namespace, roster: Runner) -> Iterator[subprocess.Popen[str]]:
    """Start a cancellation that somebody's finalizer on a pod holds, and yield it once Helm's record is gone."""
    pod = namespace.path("v1", "Pod", namespace.pods()[0]["metadata"]["name"])
    namespace.api.patch(pod, {"metadata": {"finalizers": ["example.org/hold"]}})
    command = [str(roster.program), "cancel", "op"]
    with subprocess.Popen(command, env=dict(roster.env), stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_for(lambda: ends(namespace), 60, "the end of the record and of a pod")
            yield process
        finally:
            namespace.api.patch(pod, {"metadata": {"finalizers": None}})
            process.kill()


def ends(namespace: Namespace) -> bool:
    """Tell whether Helm's record is gone and pods are on their way out."""
    going = ["deletionTimestamp" in pod["metadata"] for pod in namespace.pods()]
    return any(going) and not namespace.items("v1", "Secret", "owner=helm")


def test_what_meets_a_running_cancellation_is_told_so_and_an_installation_wins(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    installed(namespace, roster4, tmp_path)
    wait_for(lambda: len(namespace.pods()) == 2, 30, "both pods")
    values = ("-f", tmp_path / "values.yaml")
    asked = (("upgrade", "op", *values), ("upgrade", "op", "--reset-then-reuse-values"), ("scale", "op", "web=2"),
             ("plan", "--against", "op", *values))  # fmt: skip
    with cancel_that_waits(namespace, roster4) as cancel:
        met = [roster4.attempt(*words) for words in asked]
        roster4("install", "op", *values)
        _, said = cancel.communicate(timeout=60)
    told = "Error: op is being cancelled or uninstalled: wait until it is gone (helm-roster wait op --for deleted), "
    assert {(one.returncode, one.stderr) for one in met} == {(1, f"{told}then install it\n")}
    assert (cancel.returncode, "op was installed again meanwhile" in said) == (4, True)
    assert replicas(namespace) == [1, 1]
