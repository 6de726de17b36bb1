"""Changes under a running gang, on the real schedulers: each ends, or is refused, or `status` names what holds it."""

from __future__ import annotations

import pytest

from tests.cluster.api import Json, wait_for
from tests.cluster.placing import FOREIGN, GANG, Placing, has_node

NEW = "registry.example/engine:2"


def images(pods: list[Json]) -> list[str]:
    return [str(pod["spec"]["containers"][0]["image"]) for pod in pods if has_node(pod)]


def with_image(replicas: int, image: str = NEW) -> Json:
    return {"replicas": replicas, "container": {"image": image}}


def test_a_rolling_update_ends_on_a_full_cluster(op: Placing) -> None:
    op.namespace.add_nodes(4)
    op.install({"worker": 4}, {"worker": {}})
    op.binds(4)
    done = op.upgrade({"worker": with_image(4)}, {"worker": {}})
    assert done.returncode == 0, done.stderr
    wait_for(lambda: images(op.pods()), 60, "four pods of the new image", until=lambda seen: seen == [NEW] * 4)


def test_where_a_foreign_pod_waits_status_names_what_took_a_place_or_the_rolling_update_ends(op: Placing) -> None:
    op.namespace.add_nodes(4)
    op.install({"worker": 4}, {"worker": {}})
    op.binds(4)
    op.foreign()
    op.upgrade({"worker": with_image(4)}, {"worker": {}})
    told = f"{FOREIGN}-0 on "

    def ends() -> bool:
        return told in str(op.status()["gangs"]) or (not op.adapter.takes and images(op.pods()) == [NEW] * 4)

    wait_for(ends, 60, f"words on {FOREIGN}, or an end")


SET = {"replicas": 3, "workload": "StatefulSet"}
RACK = {"gang": {"locality": {"within": "rack"}}}
CAME = {"groups": {"worker": SET, "scorer": 1}, "members": {"worker": {}, "scorer": {}}}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({"members": None}, {}, id="turned on"),
        pytest.param({"members": None, "groups": {"worker": 3}}, {}, id="turned on over a Deployment"),
        pytest.param({}, {"called": "other"}, id="renamed"),
        pytest.param({}, RACK, id="held to a rack"),
        pytest.param({}, CAME, id="of one more member"),
        pytest.param({}, {"groups": {"worker": SET | {"replicas": 4}}}, id="of another size"),
    ],
)
def test_another_gang_is_refused_for_running_pods_and_placed_anew_with_recreate(
    op: Placing, before: Json, after: Json
) -> None:
    """An ordinary update would wait for ever: the first pod of the new gang would be alone in it."""
    shared = {"groups": {"worker": SET}, "members": {"worker": {}}, "topology": op.racks(a=4)}
    op.install(**shared | before)
    op.binds(3)
    old = op.uids()
    refused = op.upgrade(**shared | after)
    assert (refused.returncode, "--recreate" in refused.stderr) == (1, True), refused.stderr
    assert op.uids() == old
    done = op.upgrade(recreate=True, **shared | after)
    assert done.returncode == 0, done.stderr
    op.binds(4 if "groups" in after else 3)
    assert not set(op.uids().values()) & set(old.values())


@pytest.mark.parametrize("placer", ["volcano", "kai"], indirect=True)
def test_another_scheduler_takes_a_running_gang_with_recreate_only_and_gives_it_back(op: Placing) -> None:
    op.namespace.add_nodes(3)
    groups, members = {"worker": 3}, {"worker": {}}
    natively = {"placement": {"backend": "native", "queue": None}, "gang": dict.fromkeys(op.adapter.gang)}
    op.install(groups, members, **natively)
    op.binds(3)
    for more, scheduler in ({}, op.scheduler.pods), (natively, "default-scheduler"):
        old = op.uids()
        refused = op.upgrade(groups, members, **more)
        assert (refused.returncode, "--recreate" in refused.stderr) == (1, True), refused.stderr
        assert op.uids() == old
        done = op.upgrade(groups, members, recreate=True, **more)
        assert done.returncode == 0, done.stderr
        op.binds(3)
        assert not set(op.uids().values()) & set(old.values())
        assert {pod["spec"]["schedulerName"] for pod in op.pods()} == {scheduler}
        wait_for(lambda: len(gangs_objects(op)), 30, "the other scheduler's object to go", until=lambda left: left == 1)


def test_a_minimum_above_the_pods_that_run_is_raised_in_place_or_with_recreate(op: Placing) -> None:
    """A scheduler that evicts a gang below its minimum would evict the pods that run, unless new ones are quick."""
    op.namespace.add_nodes(5)
    op.install({"worker": 3}, {"worker": {"min": 2}})
    op.binds(3)
    old = op.uids()
    more = {"groups": {"worker": 5}, "members": {"worker": {"min": 4}}}
    done = op.upgrade(**more)
    if op.adapter.evicts:
        assert (done.returncode, "minimum of worker 2 → 4" in done.stderr) == (1, True), done.stderr
        assert op.uids() == old
        done = op.upgrade(recreate=True, **more)
    assert done.returncode == 0, done.stderr
    op.binds(5)
    assert (old.items() <= op.uids().items()) != op.adapter.evicts


def test_a_gang_that_loses_a_member_keeps_its_pods_or_is_placed_anew_with_recreate(op: Placing) -> None:
    op.namespace.add_nodes(4)
    op.install({"learner": 2, "scorer": 2}, {"learner": {}, "scorer": {}})
    op.binds(4)
    old = op.uids("learner")
    done = op.upgrade({"learner": 2}, {"learner": {}})
    assert done.returncode == (0 if op.adapter.loses_members else 1), done.stderr
    if not op.adapter.loses_members:
        done = op.upgrade({"learner": 2}, {"learner": {}}, recreate=True)
        assert done.returncode == 0, done.stderr
    op.binds(2)
    op.binds(2, "learner")
    assert (op.uids("learner") == old) == op.adapter.loses_members


def test_turning_a_gang_off_is_an_ordinary_update_and_its_objects_go(op: Placing) -> None:
    op.namespace.add_nodes(4)
    op.install({"worker": 2, "other": 1}, {"worker": {}, "other": {}})
    op.binds(3)
    before = gangs_objects(op)
    assert before
    done = op.upgrade({"worker": 2, "other": 1})
    assert done.returncode == 0, done.stderr
    wait_for(lambda: gangs_objects(op), 30, "the gang's objects to go", until=lambda left: not left)
    wait_for(lambda: op.status()["verdict"], 60, "readiness", until=lambda seen: seen in {"Ready", "Running"})
    op.binds(3)


def gangs_objects(op: Placing) -> list[str]:
    """Return the names of objects that carry the gang's name."""
    found = (item["metadata"] for item in op.namespace.api.everything(op.namespace.name))
    return [item["name"] for item in found if item.get("labels", {}).get("helm-roster.dev/gang") == GANG]
