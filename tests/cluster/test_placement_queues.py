"""What holds a gang back beside nodes, on the real schedulers: its queue, its kinds, its scheduler; told by name."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cluster import operations, smoke
from tests.cluster.api import Json, wait_for
from tests.cluster.namespaces import Namespace
from tests.cluster.placing import Placing
from tests.cluster.placing_adapters import ADAPTERS
from tests.support.runner import Runner

WORKERS = {"worker": {}}
# Our command line, a minute later: a scheduler is told to be silent only after half a minute.
LATER = """
import datetime, helm_roster.__main__, helm_roster.cluster.asking as asking
now = asking.Asker.now
asking.Asker.now = lambda self: now(self) + datetime.timedelta(minutes=1)
helm_roster.__main__.main()
"""


def messages(status: Json) -> str:
    """Return all that a status says of gangs."""
    return " ".join(str(decision["message"]) for decision in status["gangs"])


def told(op: Placing, *words: str) -> None:
    """Wait until status tells of what waits in all these words."""
    wait_for(lambda: messages(op.status()), 30, str(words), until=lambda seen: all(word in seen for word in words))


def test_a_queue_that_is_not_there_is_refused_by_name_and_any_where_there_are_none(op: Placing) -> None:
    values = op.values({"worker": 2}, WORKERS, placement={"queue": "nope"})
    done = op.roster.attempt("install", "op", "-f", values)
    (line,) = done.stderr.splitlines()
    assert done.returncode == 1
    assert ('"nope"' in line) if op.scheduler.queue else ("has no queues: remove it" in line)
    assert op.namespace.everything() == []


@pytest.mark.parametrize("placer", ["volcano", "kai"], indirect=True)
def test_a_queue_that_plain_helm_did_not_miss_is_named_and_the_gang_runs_once_it_is_there(op: Placing) -> None:
    op.namespace.add_nodes(2)
    op.install({"worker": 2}, WORKERS, placement={"queue": op.namespace.name})
    told(op, "queue", op.namespace.name)
    assert op.bound() == 0
    op.namespace.create(*op.adapter.queue(op.namespace))
    op.binds(2)


@pytest.mark.parametrize(
    ("placer", "fault"),
    [(name, fault) for name, adapter in ADAPTERS.items() for fault in adapter.bad_queues],
    indirect=["placer"],
)
def test_a_queue_that_places_nothing_is_named_with_what_is_wrong_with_it(op: Placing, fault: str) -> None:
    op.namespace.add_nodes(2)
    op.adapter.bad_queues[fault](op.namespace)
    asked = {"placement": {"queue": op.namespace.name}}
    done = op.roster.attempt("install", "op", "-f", op.values({"worker": 2}, WORKERS, **asked))
    assert (done.returncode, op.namespace.name in done.stderr, fault in done.stderr) == (1, True, True), done.stderr
    op.install({"worker": 2}, WORKERS, **asked)
    told(op, op.namespace.name, fault)
    assert op.bound() == 0


@pytest.mark.parametrize("placer", ["volcano", "kai"], indirect=True)
def test_a_queue_that_can_never_hold_the_gang_stops_it_and_else_places_nothing_of_it(op: Placing) -> None:
    op.namespace.add_nodes(2)
    op.namespace.create(*op.adapter.small_queue(op.namespace, 1))
    values = op.values({"worker": 2}, WORKERS, placement={"queue": op.namespace.name})
    done = op.roster.attempt("install", "op", "-f", values)
    assert (done.returncode, f'"{op.namespace.name}" can never hold gang "step": 2 ' in done.stderr) == (1, True)
    assert op.namespace.everything() == []
    done = op.roster("install", "op", "-f", values, "--skip-checks")
    assert "the cluster is not asked whether it can take this" in done.stderr
    op.holds(0)


def test_doctor_tries_on_request_whether_half_a_gang_is_held_and_leaves_nothing(op: Placing) -> None:
    op.namespace.add_nodes(2)
    values = op.values({"learner": 1, "rollout": 1}, {"learner": {}, "rollout": {}})
    done = op.roster.attempt("doctor", "-f", values, "--smoke-test", "-o", "json")
    (found,) = [check for check in json.loads(done.stdout)["checks"] if check["check"] == "smoke test"]
    assert (found["state"], "half of another held for" in found["found"]) == ("ok", True), found
    assert smoke.namespaces(op.namespace) == []


def test_a_scheduler_that_is_down_is_told_to_be_silent_and_places_the_gang_when_it_is_back(op: Placing) -> None:
    op.namespace.add_nodes(2)
    later = Runner(Path(sys.executable), op.roster.env)
    with op.scheduler.down():
        op.install({"worker": 2}, WORKERS)
        status = json.loads(later("-c", LATER, "status", "op", "-o", "json").stdout)
        assert status["verdict"] == "WaitingForPlacement"
        assert "has said nothing for" in messages(status)
    op.binds(2)


@pytest.mark.parametrize("backend", ["volcano", "kai"])
def test_kinds_that_the_cluster_does_not_serve_are_refused_before_anything_is_applied(
    namespace: Namespace, roster4: Runner, tmp_path: Path, backend: str
) -> None:
    values = operations.values({"worker": operations.group(namespace, 2)}, gangs={"step": WORKERS})
    values["scheduling"]["placement"] = {"backend": backend}
    done = roster4.attempt("install", "op", "-f", operations.write(tmp_path, values))
    assert done.returncode == 1
    assert "PodGroup" in done.stderr
    assert namespace.everything() == []
