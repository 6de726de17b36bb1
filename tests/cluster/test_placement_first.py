"""First placement on the real schedulers: a gang starts whole or not at all, by member and in any order of names."""

from __future__ import annotations

import os

import pytest

from tests.cluster.placing import Placing
from tests.support.roster import CHART

# What hangs on the order in which objects are created is worth many looks: ROSTER_TIMES=20 pytest -k by_member.
TIMES = int(os.environ.get("ROSTER_TIMES", "1"))
# What a backend refuses that cannot keep two elastic members.
TWO_ELASTIC = 'gang "step": two elastic members ("actor", "learner")'


@pytest.mark.parametrize(("op", "kind"), [("helm3", "service"), ("helm4", "job")], indirect=["op"])
def test_a_gang_of_four_is_held_whole_on_three_nodes_and_runs_on_four(op: Placing, kind: str) -> None:
    """P2, with plain Helm: no pod is bound while one does not fit, all are when it does."""
    op.namespace.add_nodes(3)
    op.install({"worker": 4}, {"worker": {}}, kind=kind)
    op.holds(0)
    op.namespace.add_node()
    op.binds(4)


@pytest.mark.parametrize(("op", "elastic"), [("helm3", "rollout"), ("helm4", "actor")] * TIMES, indirect=["op"])
def test_a_gang_keeps_its_minimum_by_member(op: Placing, elastic: str) -> None:
    """P3: four learners and two of eight others; an elastic group whose name sorts first changes nothing."""
    op.namespace.add_nodes(5)
    op.install({"learner": 4, elastic: 8}, {"learner": {}, elastic: {"min": 2}})
    op.holds(0)
    op.namespace.add_node()
    op.binds(6)
    op.holds(6)
    assert (op.bound("learner"), op.bound(elastic)) == (4, 2)


def test_of_two_elastic_members_each_has_its_minimum_or_the_gang_is_refused(op: Placing) -> None:
    op.namespace.add_nodes(4)
    groups, members = {"learner": 8, "actor": 8}, {"learner": {"min": 2}, "actor": {"min": 2}}
    if op.adapter.two_elastic:
        op.install(groups, members)
        op.binds(4)
        op.holds(4)
        assert (op.bound("learner"), op.bound("actor")) == (2, 2)
    else:
        done = op.plain.attempt("install", "op", CHART, "-f", op.values(groups, members))
        assert (done.returncode, TWO_ELASTIC in done.stderr) == (1, True), done.stderr
        assert op.namespace.everything() == []


def test_two_operations_that_fit_alone_start_one_after_the_other(op: Placing) -> None:
    op.namespace.add_nodes(6)
    for name in "op", "other":
        op.install({"worker": 4}, {"worker": {}}, name=name)
    op.binds(4)
    op.holds(0, name="other")
    op.roster("cancel", "op")
    op.binds(4, name="other")


def test_members_of_a_priority_class_start_as_a_gang(op: Placing) -> None:
    """A scheduler may leave pods whose priority differs from their group's, so grouping objects name the class."""
    op.namespace.add_nodes(3)
    _, high = op.priorities()
    members = {"learner": {}, "actor": {"min": 1}}
    op.install({"learner": 2, "actor": 2}, members, defaults={"environment": {"priorityClassName": high}})
    op.binds(3)
