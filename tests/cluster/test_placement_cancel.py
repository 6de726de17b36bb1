"""P5 for gangs on the real schedulers: cancel gives everything back, and what comes right after it is not lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cluster import fates
from tests.cluster.api import wait_for
from tests.cluster.placing import Placing

SLOW_END = 4
GROUPS = {"learner": 2, "actor": 2}
MEMBERS = {"learner": {}, "actor": {"min": 1}}


def pending(op: Placing) -> None:
    op.namespace.add_nodes(2)
    op.install(GROUPS, MEMBERS)
    op.holds(0)


def running_with_extras_pending(op: Placing) -> None:
    op.namespace.add_nodes(3)
    op.install(GROUPS, MEMBERS)
    op.binds(3)


def half_bound(op: Placing) -> None:
    """The scheduler has decided on all pods of a minimum, and for one of them the API server refuses it."""
    op.namespace.refuse_binding("op-actor-1")
    op.namespace.add_nodes(4)
    op.install(GROUPS, {"learner": {}, "actor": {}})
    op.binds(3)


def below_its_minimum(op: Placing) -> None:
    running_with_extras_pending(op)
    op.namespace.remove_node(op.pods("learner")[0]["spec"]["nodeName"])
    op.delete("op-learner-0")


def long_terminating(op: Placing) -> None:
    slow = {"replicas": 2, "fate": fates.annotate(terminating_seconds=SLOW_END)}
    op.namespace.add_nodes(4)
    op.install({"learner": slow, "actor": slow}, MEMBERS)
    op.binds(4)
    op.namespace.delete("v1", "Pod", "op-learner-0")


STATES = (pending, half_bound, running_with_extras_pending, below_its_minimum, long_terminating)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__.replace("_", "-"))
def test_nothing_is_left_and_an_install_right_after_it_works(op: Placing, state: Callable[[Placing], None]) -> None:
    state(op)
    op.roster("cancel", "op")
    op.namespace.is_left_with()
    op.namespace.add_nodes(3)
    op.roster("install", "op", "-f", op.values(GROUPS, MEMBERS))
    wait_for(op.bound, 60, "the gang's minimum bound", until=lambda seen: seen >= 3)


@pytest.mark.parametrize("placer", ["volcano", "kai"], indirect=True)
def test_an_install_works_while_pods_of_the_same_name_are_being_deleted(op: Placing) -> None:
    """After a bare `helm uninstall`. Native groups outlive it, and stop the install: test_native_cancel.py."""
    long_terminating(op)
    op.plain.helm("uninstall", "op")
    op.roster("install", "op", "-f", op.values(GROUPS, MEMBERS))
    wait_for(op.bound, 60, "the second gang bound", until=lambda seen: seen >= 3)
