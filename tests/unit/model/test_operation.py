"""What is read from a carrier."""

from __future__ import annotations

import pytest

from helm_roster import errors
from helm_roster.model import operation as operations
from helm_roster.model.operation import Patch

from tests.unit.builders import carrier_spec, group

SPEC = carrier_spec({"a": group(), "b": group()})


def test_patches_come_by_group_and_then_by_name_whatever_their_order() -> None:
    merge, ops = {"merge": {"spec": {}}}, {"json": [], "target": "Service/ready"}
    found = operations.read(SPEC | {"patches": {"b": {"2": merge, "10": ops}, "a": {"x": merge}}}).patches
    assert list(map(str, found)) == ["patches.a.x", "patches.b.10", "patches.b.2"]
    assert found[1] == Patch(group="b", name="10", form="json", body=[], kind="Service", use="ready")
    assert found[1].target == "Service/ready"


def test_a_patch_is_of_the_pod_unless_it_says_otherwise() -> None:
    (found,) = operations.read(SPEC | {"patches": {"a": {"x": {"merge": {}}}}}).patches
    assert (found.kind, found.use, found.target) == ("pod", "", "pod")


def test_a_patch_of_an_unknown_group_is_refused_with_the_groups_that_are_known() -> None:
    with pytest.raises(errors.BadInputError, match=r'patches.c: there is no group "c"; known: a, b'):
        operations.read(SPEC | {"patches": {"c": {"x": {"merge": {}}}}})


def test_a_patch_of_a_misspelt_group_is_told_the_nearest() -> None:
    wanted = carrier_spec({"decode": group(), "prefill": group()}) | {"patches": {"decoed": {"x": {"merge": {}}}}}
    with pytest.raises(
        errors.BadInputError, match=r'no group "decoed"; did you mean "decode"\? known: decode, prefill'
    ):
        operations.read(wanted)
