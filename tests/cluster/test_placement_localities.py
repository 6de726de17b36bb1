"""Locality on the real schedulers: a required rack is never left, a preferred one when it must be."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.cluster.api import Json
from tests.cluster.placing import Placing, has_node
from tests.cluster.placing_adapters import levels

WORKERS = {"worker": {"min": 4}}


def racks_of(op: Placing, name: str = "op") -> Counter[str]:
    """Count the pods that have a node by rack."""
    return Counter(op.rack_of(pod) for pod in op.pods(name=name) if has_node(pod))


def within(required: bool) -> Json:  # noqa: FBT001
    return {"locality": {"within": "rack", "required": required}}


def test_a_required_rack_is_never_left_neither_by_the_minimum_nor_by_extras(op: Placing) -> None:
    topology = op.racks(a=3, b=3)
    op.install({"worker": 4}, WORKERS, gang=within(required=True), topology=topology)
    op.holds(0)
    op.add_to_rack("a")
    op.binds(4)
    assert racks_of(op) == {"a": 4}
    op.plain_upgrade({"worker": 5}, WORKERS, gang=within(required=True), topology=topology)
    op.holds(4)


def test_a_preferred_rack_is_kept_where_it_fits_and_left_where_it_must_be(op: Placing) -> None:
    topology = op.racks(a=4, b=4)
    op.install({"worker": 4}, WORKERS, gang=within(required=False), topology=topology)
    op.binds(4)
    assert len(racks_of(op)) == 1
    op.plain_upgrade({"worker": 6}, WORKERS, gang=within(required=False), topology=topology)
    op.binds(6)
    assert sorted(racks_of(op).values()) == [2, 4]
    op.add_to_rack("a")
    op.add_to_rack("b")
    op.install({"worker": 4}, {"worker": {}}, name="other", gang=within(required=False), topology=topology)
    op.binds(4, name="other")
    assert sorted(racks_of(op, "other").values()) == [1, 3]


def test_spread_members_of_a_gang_have_a_host_each_and_wait_together_for_it(op: Placing) -> None:
    for _ in range(2):
        op.namespace.add_node(gpus=2)
    op.install({"worker": {"replicas": 3, "spread": {"among": "group"}}}, {"worker": {}})
    op.holds(0)
    op.namespace.add_node(gpus=2)
    op.binds(3)
    assert len({pod["spec"]["nodeName"] for pod in op.pods()}) == 3


def test_of_two_members_one_may_be_held_to_a_rack_alone(op: Placing) -> None:
    topology = op.racks(a=3, b=3)
    groups = {"learner": {"replicas": 3, "locality": {"within": "rack"}}, "rollout": 3}
    op.install(groups, {"learner": {}, "rollout": {}}, topology=topology)
    op.binds(6)
    assert len({op.rack_of(pod) for pod in op.pods("learner")}) == 1


@pytest.mark.parametrize("placer", ["volcano", "kai"], indirect=True)
def test_an_install_stops_where_the_cluster_has_no_object_that_tells_of_the_racks(op: Placing) -> None:
    """A scheduler may ignore a rack that it does not know, and place the pods anywhere."""
    op.add_to_rack("a")
    values = op.values({"worker": 1}, {"worker": {}}, gang=within(required=True), topology=levels(op.namespace))
    done = op.roster.attempt("install", "op", "-f", values)
    assert (done.returncode, op.adapter.racks in done.stderr) == (1, True), done.stderr
    assert op.namespace.everything() == []
