"""What is the cancelled operation's, and what was made anew under its name."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.cluster.belonging import Belongings
from helm_roster.cluster.client import OWN_WORKLOADS, PODS, SERVICES, Resource
from helm_roster.cluster.leftovers import Leftover

DEPLOYMENTS, _, JOBS = OWN_WORKLOADS
REPLICA_SETS = Resource(api_version="apps/v1", kind="ReplicaSet", plural="replicasets")
ENDPOINTS = Resource(api_version="v1", kind="Endpoints", plural="endpoints")


def one(resource: Resource, uid: str, *, owner: str = "", name: str = "op-web", **metadata: Any) -> Leftover:
    owners = {"ownerReferences": [{"uid": owner, "controller": True}]} if owner else {}
    return Leftover(resource=resource, manifest={"metadata": {"name": name, "uid": uid, **owners, **metadata}})


OLD = one(DEPLOYMENTS, "d1")
OLD_SET = one(REPLICA_SETS, "r1", owner="d1")
OLD_POD = one(PODS, "p1", owner="r1")
NEW = [one(DEPLOYMENTS, "d2"), one(REPLICA_SETS, "r2", owner="d2"), one(PODS, "p2", owner="r2")]


def sort(first: list[Leftover], then: list[Leftover]) -> tuple[list[str], list[str], list[str]]:
    """Return the uids that are ours, ending, and others'."""
    belongings = Belongings()
    belongings.begin(first)
    shares = belongings.sort(then)
    ours, ending, others = ([one.uid for one in share] for share in (shares.ours, shares.ending, shares.others))
    return ours, ending, others


def test_what_was_there_first_and_what_it_owns_through_others_is_ours() -> None:
    assert sort([OLD], [OLD_POD, OLD_SET, OLD]) == (["p1", "r1", "d1"], [], [])


def test_what_an_owner_made_that_was_seen_once_stays_ours() -> None:
    belongings = Belongings()
    belongings.begin([OLD])
    belongings.sort([OLD, OLD_SET])
    assert belongings.sort([OLD_POD]).ours == [OLD_POD]


def test_what_is_installed_again_is_others_with_all_that_it_owns() -> None:
    assert sort([OLD, OLD_SET, OLD_POD], [OLD_POD, *NEW]) == (["p1"], [], ["d2", "r2", "p2"])


def test_a_look_over_some_kinds_takes_no_new_pod_for_ours() -> None:
    assert sort([OLD, OLD_SET, OLD_POD], [OLD_POD, NEW[-1]]) == (["p1"], ["p2"], [])


def test_a_pod_whose_owner_was_never_seen_ends_by_itself() -> None:
    assert sort([OLD], [one(PODS, "p3", owner="gone")]) == ([], ["p3"], [])


def test_a_pod_that_a_new_owner_took_over_is_the_new_owners() -> None:
    assert sort([OLD_POD], [*NEW, one(PODS, "p1", owner="r2")]) == ([], [], ["d2", "r2", "p2", "p1"])


def test_a_newer_object_that_is_being_deleted_already_ends() -> None:
    leaving = one(SERVICES, "s", deletionTimestamp="2026-01-01T00:00:00Z")
    assert sort([OLD], [leaving]) == ([], ["s"], [])


@pytest.mark.parametrize(
    ("hook", "ours"),
    [("pre-delete", True), ("pre-upgrade, post-delete", True), ("pre-install", False)],
)
def test_a_hook_that_only_an_uninstall_makes_is_ours(hook: str, ours: bool) -> None:  # noqa: FBT001
    job = one(JOBS, "j", annotations={"helm.sh/hook": hook})
    assert sort([OLD], [job]) == ((["j"], [], []) if ours else ([], [], ["j"]))


@pytest.mark.parametrize(
    ("service", "share"),
    [(one(SERVICES, "s1"), 0), (one(SERVICES, "s2"), 2)],
    ids=["of the old Service", "of the new Service"],
)
@pytest.mark.parametrize("uid", ["e1", "e2"])
def test_endpoints_follow_their_service(service: Leftover, share: int, uid: str) -> None:
    found = sort([one(SERVICES, "s1"), one(ENDPOINTS, "e1")], [service, one(ENDPOINTS, uid)])
    assert uid in found[share]


def test_new_endpoints_without_a_service_end_by_themselves() -> None:
    assert sort([OLD], [one(ENDPOINTS, "e2")]) == ([], ["e2"], [])
