"""A placement and an admission backend as one, and which two are taken."""

from __future__ import annotations

import copy

import pytest

from helm_roster import all_backends, errors
from helm_roster.backends import kueue, native
from helm_roster.pairs import Pair
from helm_roster.render import pipeline

from tests.unit.builders import gang, group, plan

TEAM = {"backend": "kueue", "queue": "team"}
PAIRS = [
    (placement, admission) for admission, found in all_backends.ADMISSION.items() for placement in found.PLACEMENTS
]
REFUSED = [
    (placement, admission)
    for admission, found in all_backends.ADMISSION.items()
    for placement in all_backends.PLACEMENT
    if placement not in found.PLACEMENTS
]
PAIR = Pair(native, kueue)
ASKED = plan({"a": group(2), "web": group(1)}, {"x": gang(a=(2, False))}, admission=TEAM)


@pytest.mark.parametrize(("placement", "admission"), PAIRS)
def test_two_that_work_together_are_taken_as_one(placement: str, admission: str) -> None:
    asked = plan({"web": group(1)}, backend=placement, admission={"backend": admission, "queue": "team"})
    backend = pipeline.backend_of(asked.operation)
    assert isinstance(backend, Pair)
    assert [one.NAME for one in (backend.placement, backend.admission)] == [placement, admission]


@pytest.mark.parametrize(("placement", "admission"), REFUSED)
def test_two_that_were_not_seen_to_work_together_are_refused(placement: str, admission: str) -> None:
    asked = plan({"web": group(1)}, backend=placement, admission={"backend": admission, "queue": "team"})
    with pytest.raises(errors.RefusedError) as refused:
        pipeline.backend_of(asked.operation)
    kept = ", ".join(all_backends.ADMISSION[admission].PLACEMENTS)
    assert str(refused.value) == (
        f'scheduling.placement.backend is "{placement}", and admission by {admission} is kept with {kept} only'
    )


def test_admission_that_is_not_known_is_refused_with_the_nearest() -> None:
    asked = plan({"web": group(1)}, admission={"backend": "kueu", "queue": "team"})
    with pytest.raises(errors.RefusedError, match=r'scheduling.admission.backend is "kueu", .* did you mean "kueue"'):
        pipeline.backend_of(asked.operation)


def test_both_mark_a_member_which_then_names_what_it_belongs_to_of_each() -> None:
    workload = copy.deepcopy(ASKED.workloads["a"])
    assert PAIR.stamp(workload, ASKED.operation.groups["a"], ASKED)
    template = workload["spec"]["template"]
    assert "schedulingGroup" in template["spec"]
    assert "kueue.x-k8s.io/queue-name" in template["metadata"]["labels"]
    assert list(PAIR.MEMBERSHIPS) == [*native.MEMBERSHIPS, *kueue.MEMBERSHIPS]


def test_what_only_one_of_both_changes_in_place_is_not() -> None:
    assert not native.IN_PLACE <= kueue.IN_PLACE
    assert set(PAIR.IN_PLACE) == native.IN_PLACE & kueue.IN_PLACE


def test_what_both_refuse_is_told_once() -> None:
    one_by_one = {"podManagementPolicy": "OrderedReady"}
    asked = plan({"a": group(2, spec=one_by_one)}, {"x": gang(a=(2, False))}, admission=TEAM)
    assert native.check(asked) == kueue.check(asked) == PAIR.check(asked)


def test_what_either_needs_is_needed_and_admission_speaks_first() -> None:
    assert PAIR.needs(ASKED) == [*native.needs(ASKED), *kueue.needs(ASKED)]
    assert PAIR.guarantees(ASKED) == [*kueue.guarantees(ASKED), *native.guarantees(ASKED)]
