"""Names of grouping objects; what changes them is tested with the native backend."""

from __future__ import annotations

import pytest

from helm_roster import all_backends
from helm_roster.manifests.walk import Manifest
from helm_roster.model import operation as operations
from helm_roster.model import plan as plans
from helm_roster.policy import names

from tests.unit.builders import around, carrier_spec, gang, group, plan


def name_of(operation: str, gang_name: str) -> str:
    read = operations.read(carrier_spec({"w": group(2)}, {gang_name: gang(w=(2, False))}, name=operation))
    return names.gang_name(read, read.gangs[0])


def test_names_that_join_to_the_same_text_still_differ() -> None:
    assert name_of("a", "b-c") != name_of("a-b", "c")


def test_the_same_values_give_the_same_name() -> None:
    assert name_of("op", "train") == name_of("op", "train")


def test_the_name_begins_with_operation_and_gang() -> None:
    assert name_of("op", "train").startswith("op-train-")


@pytest.mark.parametrize("backend", [name for name, found in all_backends.PLACEMENT.items() if found.MARKS_ALL])
@pytest.mark.parametrize(("kind", "anew"), [("Job", True), ("Deployment", False), ("StatefulSet", False)])
def test_of_the_groups_outside_gangs_only_jobs_have_a_grouping_object_for_each_run(
    backend: str, kind: str, *, anew: bool
) -> None:
    found = []
    for run in ("1", "2"):
        asked = plan({"router": group(2, kind=kind)}, kind="job", run=run, backend=backend)
        template: Manifest = {}
        all_backends.PLACEMENT[backend].stamp(around(template), asked.operation.groups["router"], asked)
        found.append(plans.membership(template, all_backends.PLACEMENT[backend].MEMBERSHIPS))
    assert (found[0] != found[1]) == anew


def test_a_name_for_a_label_keeps_its_hash_and_nothing_odd_before_it() -> None:
    assert names.label("op-step-123456") == "op-step-123456"
    for length in (56, 57):
        found = names.label(f"{'o' * 55}{'-' * (length - 55)}{'p' * 20}-123456")
        assert (len(found) <= 63, found.startswith("o" * 55), found.endswith("o-123456")) == (True, True, True)
