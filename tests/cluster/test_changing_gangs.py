"""Gangs that change while their pods run: what `upgrade` refuses, and what `--recreate` does, to the end.

What must hold on all schedulers is in test_placement_updates.py.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from helm_roster import constants

from tests.cluster import operations, rights
from tests.cluster.api import Json, wait_for
from tests.cluster.namespaces import Namespace
from tests.cluster.schedulers import Scheduler
from tests.support.roster import CHART, PlainHelm
from tests.support.runner import Runner

BINDS = 60.0
TOGETHER = {"step": {"learner": {}, "actor": {"min": 1}}}
GROUPS = {"learner": 2, "actor": 2}
RACK = "example.com/rack"
GROUPING = ("PodGroup/", "CompositePodGroup/", "Workload/")


def values(
    namespace: Namespace, groups: dict[str, int], gangs: Json, *, placer: Scheduler | None = None, **more: Any
) -> Json:
    """Return one-accelerator groups in gangs of any backend; outside of gangs they are StatefulSets too.

    ``locality`` of a gang stands beside its members.
    """
    within = {name: dict(members).pop("locality", None) for name, members in gangs.items()}
    gangs = {name: {key: of for key, of in members.items() if key != "locality"} for name, members in gangs.items()}
    made = {name: operations.group(namespace, count, gpus=1) for name, count in groups.items()}
    if more.get("kind") != "job":
        made = {name: {**group, "workload": "StatefulSet"} for name, group in made.items()}
    found = operations.values(made, gangs=gangs, placer=placer, **more)
    for name, locality in within.items():
        if locality:
            found["scheduling"]["gangs"][name]["locality"] = locality
            found["scheduling"]["topology"] = {"levels": {"rack": RACK}}
    return found


def run_first(namespace: Namespace, roster: Runner, folder: Path, before: Json) -> set[str]:
    """Install, wait until a full cluster runs all of it, and return the pods' uids."""
    total = sum(group["replicas"] for group in before["groups"].values())
    namespace.add_nodes(total, labels={RACK: "r1"})
    operations.install(roster, "op", operations.write(folder, before))
    wait_for(namespace.bound, BINDS, "all pods bound", until=lambda seen: seen == total)
    return uids(namespace)


def uids(namespace: Namespace, selector: str = "") -> set[str]:
    return {pod["metadata"]["uid"] for pod in namespace.pods(selector)}


def everything(namespace: Namespace) -> dict[str, str]:
    """Return the version of each workload, pod and grouping object."""
    kinds = {"StatefulSet", "Job", "Pod", *(name.strip("/") for name in GROUPING)}
    found = namespace.api.everything(namespace.name)
    return {
        f"{one['kind']}/{one['metadata']['name']}": json.dumps(one.get("spec"), sort_keys=True)
        for one in found
        if one["kind"] in kinds
    }


def test_a_gang_that_is_turned_on_is_refused_unless_it_is_restarted(
    namespace: Namespace, roster: Runner, tmp_path: Path
) -> None:
    before = values(namespace, {"learner": 3}, {})
    old = run_first(namespace, roster, tmp_path, before)
    held = everything(namespace)
    after = operations.write(tmp_path, values(namespace, {"learner": 3}, {"step": {"learner": {}}}))
    refused = roster.attempt("upgrade", "op", "-f", after)
    (said,) = refused.stderr.splitlines()
    assert refused.returncode == 1
    assert 'gang "step": this restarts it (it is turned on)' in said
    assert "pass --recreate to have all pods of learner deleted" in said
    assert everything(namespace) == held
    done = roster("upgrade", "op", "-f", after, "--recreate", "--timeout", "60s")
    assert "gang step of op is placed anew" in done.stderr
    assert (namespace.bound(), uids(namespace) & old) == (3, set())


@pytest.mark.parametrize(
    ("gangs", "groups", "reason"),
    [
        pytest.param({"step": {"learner": {}}}, GROUPS, "member actor removed", id="a member left"),
        pytest.param(
            {"step": TOGETHER["step"] | {"locality": {"within": "rack"}}},
            GROUPS,
            "locality none → rack (required, label example.com/rack)",
            id="locality",
        ),
        pytest.param(TOGETHER, {"learner": 3, "actor": 1}, "size of learner 2 → 3", id="the size of a fixed member"),
    ],
)
def test_another_gang_is_told_beforehand_and_placed_anew(  # noqa: PLR0917
    namespace: Namespace, roster4: Runner, tmp_path: Path, gangs: Json, groups: dict[str, int], reason: str
) -> None:
    old = run_first(namespace, roster4, tmp_path, values(namespace, GROUPS, TOGETHER))
    namespace.add_nodes(sum(groups.values()) - 4)
    changed = values(namespace, groups, gangs)
    if groups["actor"] == 1:
        changed["scheduling"]["gangs"]["step"]["members"]["actor"]["elastic"] = True
    after = operations.write(tmp_path, changed)
    told = json.loads(roster4("plan", "--against", "op", "-f", after, "-o", "json").stdout)
    (gang,) = told["changes"]["gangs"]
    assert (gang["action"], reason in gang["reasons"], "learner" in gang["groups"]) == ("restarts", True, True)
    roster4("upgrade", "op", "-f", after, "--recreate", "--timeout", "90s")
    total = sum(groups.values())
    wait_for(namespace.bound, BINDS, "all pods bound", until=lambda seen: seen == total)
    learners = uids(namespace, "helm-roster.dev/group=learner")
    assert (len(learners), learners & old) == (groups["learner"], set())


@pytest.mark.parametrize("flags", [(), ("--recreate",)], ids=["", "also with --recreate"])
def test_a_gang_of_jobs_wants_a_new_run(
    namespace: Namespace, roster4: Runner, tmp_path: Path, flags: tuple[str, ...]
) -> None:
    jobs = {"learner": 1, "actor": 1}
    run_first(namespace, roster4, tmp_path, values(namespace, jobs, {"step": {"learner": {}}}, kind="job"))
    after = values(namespace, jobs, {"step": {"learner": {}, "actor": {}}}, kind="job")
    done = roster4.attempt("upgrade", "op", "-f", operations.write(tmp_path, after), *flags)
    (said,) = done.stderr.splitlines()
    assert (done.returncode, "set operation.run to a new value" in said) == (1, True)


def test_a_rolling_update_into_a_gang_is_told_by_status_and_wait_and_cured(
    namespace: Namespace, roster4: Runner, helm4: Runner, tmp_path: Path
) -> None:
    """As after an interruption between Helm and the deletion of the pods, and as plain Helm leaves it."""
    before = values(namespace, {"learner": 3}, {"step": {"learner": {}}})
    old = run_first(namespace, roster4, tmp_path, before)
    after = _renamed(operations.write(tmp_path, before))
    PlainHelm(helm4)("upgrade", "op", CHART, "-f", after)
    wait_for(namespace.bound, BINDS, "one pod that waits alone", until=lambda seen: seen == 2)
    late = roster4.attempt("wait", "op", "--for", "placed", "--timeout", "60s")
    cure = "2 pods would come into it one by one: helm-roster upgrade op with its values and --recreate"
    assert (late.returncode, cure in late.stderr) == (4, True)
    (gang,) = operations.status(roster4, "op")["gangs"]
    assert (gang["state"], "its update never ends" in gang["message"]) == ("broken", True)
    refused = roster4.attempt("upgrade", "op", "-f", after)
    assert (refused.returncode, "pods of learner are not in its group yet" in refused.stderr) == (1, True)
    (tmp_path / "back").mkdir()
    back = roster4.attempt("upgrade", "op", "-f", operations.write(tmp_path / "back", before), "--recreate")
    first = "finish what was begun (helm-roster upgrade op with the values that it has, and --recreate)"
    assert (back.returncode, first in back.stderr) == (1, True)
    roster4("upgrade", "op", "-f", after, "--recreate", "--timeout", "60s")
    assert (namespace.bound(), uids(namespace) & old) == (3, set())


def test_a_restart_that_finds_no_room_says_what_holds_it_and_ends_with_an_interruption(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    run_first(namespace, roster4, tmp_path, values(namespace, {"learner": 2}, {"step": {"learner": {}}}))
    after = operations.write(tmp_path, values(namespace, {"learner": 3}, {"step": {"learner": {}}}))
    command = [str(roster4.program), "upgrade", "op", "-f", str(after), "--recreate"]
    with subprocess.Popen(command, env=dict(roster4.env), text=True, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert any("learner: 0 of 3 ready, 0 placed" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
        assert process.wait(timeout=60) == 130
    assert "helm-roster upgrade op with the same values and --recreate goes on" in said
    late = roster4.attempt("upgrade", "op", "-f", _renamed(after), "--recreate", "--timeout", "3s")
    assert late.returncode == 5
    assert "gang other of op is not placed anew (helm-roster wait op --for placed waits on)" in late.stderr
    assert "Error: learner: 0 of 3 ready, 0 placed; placement: " in late.stderr
    assert re.search(r'Error: gang "other", learner: \w', late.stderr)
    namespace.add_node()
    roster4("wait", "op", "--for", "placed", "--timeout", "60s")


def _renamed(file: Path) -> Path:
    """Rename the gang of a values file."""
    changed = json.loads(file.read_text())
    changed["scheduling"]["gangs"]["other"] = changed["scheduling"]["gangs"].pop("step")
    return operations.write(file.parent, changed)


def test_a_group_that_keeps_old_pods_is_not_restarted(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    old = run_first(namespace, roster4, tmp_path, values(namespace, {"learner": 2}, {}))
    after = values(namespace, {"learner": 2}, {"step": {"learner": {}}})
    after["groups"]["learner"]["rollout"] = {"partition": 1}
    done = roster4.attempt("upgrade", "op", "-f", operations.write(tmp_path, after), "--recreate")
    assert (done.returncode, "(rollout.partition): set it to 0" in done.stderr) == (1, True)
    after["groups"]["learner"]["rollout"] = {"type": "OnDelete"}
    roster4("upgrade", "op", "-f", operations.write(tmp_path, after), "--recreate", "--timeout", "60s")
    assert (namespace.bound(), uids(namespace) & old) == (2, set())


def test_whoever_may_not_delete_pods_restarts_nothing(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    run_first(namespace, roster4, tmp_path, values(namespace, {"learner": 2}, {}))
    after = operations.write(tmp_path, values(namespace, {"learner": 2}, {"step": {"learner": {}}}))
    user = rights.user(namespace, but={"pods"})
    done = roster4.attempt("upgrade", "op", "-f", after, "--recreate", "--kube-as-user", user)
    assert (done.returncode, constants.RECREATE in done.stderr) == (1, True)
    plan = roster4("plan", "--against", "op", "-f", after, "--kube-as-user", user).stdout
    assert "gangs are judged by what op holds" in plan
