"""Gangs that run, on the real schedulers: extras come and go, pods die, and nodes are lost."""

from __future__ import annotations

from tests.cluster.api import wait_for
from tests.cluster.placing import Placing

# Schedulers look again at once when a node comes, kube-scheduler at times only after seconds.
LOOKS = 3.0
# More than the grace period of these gangs, and less than the minute that a scheduler gives of itself.
GRACE = 30.0
MEMBERS = {"learner": {}, "rollout": {"min": 2}}


def test_extras_join_one_by_one_and_leave_without_harm(op: Placing) -> None:
    """P1 for gangs; below its minimum no member is scaled."""
    op.namespace.add_nodes(4)
    op.install({"learner": 2, "rollout": 4}, MEMBERS)
    op.binds(4)
    op.holds(4)
    told = {(entry["group"], bool(entry["message"])) for entry in op.status()["placement"]["messages"]}
    assert told == {("rollout", True)}, "the scheduler's words on extras are not told"
    with op.untouched("learner"):
        before = op.uids("rollout")
        op.namespace.add_node()
        op.binds(3, "rollout")
        op.holds(5)
        op.namespace.add_nodes(2)
        op.roster("scale", "op", "rollout=5")
        op.binds(5, "rollout")
        assert before.items() <= op.uids("rollout").items()
        op.roster("scale", "op", "rollout=2")
        wait_for(lambda: len(op.pods("rollout")), 30, "two rollouts", until=lambda seen: seen == 2)
        with op.untouched("rollout"):
            for asked in "rollout=1", "learner=1":
                done = op.roster.attempt("scale", "op", asked)
                assert (done.returncode, 'gang "step"' in done.stderr) == (1, True), done.stderr
            op.holds(4)


def test_a_member_that_dies_is_replaced_alone_where_there_is_room(op: Placing) -> None:
    op.namespace.add_nodes(6)
    op.install({"learner": 4, "rollout": 4}, MEMBERS)
    op.binds(6)
    before = op.uids()
    op.delete("op-learner-1")
    op.binds(4, "learner")
    after = op.uids()
    assert set(after.items()) - set(before.items()) == {("op-learner-1", after["op-learner-1"])}
    assert after["op-learner-1"] != before["op-learner-1"]


def test_below_the_minimum_survivors_run_on_or_the_whole_gang_waits_as_the_backend_says(op: Placing) -> None:
    """Two of four nodes are lost: what stays is the backend's line; with room for all, not before, all run."""
    nodes = op.namespace.add_nodes(4)
    op.install({"worker": 4}, {"worker": {}})
    op.binds(4)
    for node in nodes[:2]:
        op.namespace.remove_node(node)
    before = op.uids()
    lost = [pod["metadata"]["name"] for pod in op.pods() if pod["spec"]["nodeName"] in nodes[:2]]
    for pod in lost:
        op.delete(pod)
    survivors = {name: uid for name, uid in before.items() if name not in lost}
    kept = {} if op.adapter.evicts else survivors
    op.binds(len(kept), within=GRACE)
    op.namespace.add_node()
    op.holds(len(kept), seconds=LOOKS)
    assert op.uids() == kept
    op.namespace.add_node()
    op.binds(4)
    assert op.adapter.evicts != (survivors.items() <= op.uids().items())


def test_a_flat_gang_grows_beyond_its_minimum_without_a_new_grouping_object(op: Placing) -> None:
    """Its only member becomes elastic by that; a group object of another name would hold the new pods for ever."""
    op.namespace.add_nodes(4)
    members = {"worker": {"min": 2}}
    op.install({"worker": 2}, members)
    op.binds(2)
    before = op.template("worker")
    with op.untouched("worker", grows=True):
        done = op.upgrade({"worker": 4}, members)
        assert done.returncode == 0, done.stderr
        op.binds(4)
    assert op.template("worker") == before, "its pods are replaced"
