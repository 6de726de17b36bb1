"""What is read from a carrier."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import errors
from helm_roster.model import operation as operations
from helm_roster.model.operation import Gang, Locality, Member, Patch

from tests.unit.builders import carrier_spec, gang, group

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


def read_gang(entry: dict[str, Any]) -> Gang:
    (found,) = operations.read(carrier_spec({"a": group(4), "b": group(8)}, {"step": entry})).gangs
    return found


def test_a_gang_that_says_nothing_more_than_its_members_leaves_the_rest_to_the_backend() -> None:
    found = read_gang(gang(a=(4, False)))
    assert found == Gang(name="step", members=(Member(group="a", minimum=4),))
    assert (found.locality, found.min_resources, found.staleness_grace_period, found.preemption) == (
        None,
        False,
        None,
        "",
    )


def test_settings_of_a_gang_are_read() -> None:
    found = read_gang(gang(a=(4, False)) | {"minResources": True, "stalenessGracePeriod": 90, "preemption": "gang"})
    assert (found.min_resources, found.staleness_grace_period, found.preemption) == (True, 90, "gang")


def test_a_gang_may_be_below_its_minimum_for_ever() -> None:
    assert read_gang(gang(a=(4, False)) | {"stalenessGracePeriod": -1}).staleness_grace_period == operations.NEVER


@pytest.mark.parametrize("tier", [0, 2, "2", "spine"])
def test_a_locality_keeps_whether_its_tier_is_a_number_or_a_name(tier: object) -> None:
    found = read_gang(gang(a=(4, False)) | {"locality": {"within": "rack", "required": True, "tier": tier}})
    assert found.locality == Locality(within="rack", tier=tier)


def test_each_member_has_a_locality_of_its_own() -> None:
    entry = gang(a=(4, False), b=(8, False))
    entry["members"]["b"]["locality"] = {
        "within": "rack",
        "required": False,
        "segment": 2,
        "label": "example.org/rack",
        "topology": "fabric",
    }
    a, b = read_gang(entry).members
    wanted = Locality(within="rack", required=False, segment=2, label="example.org/rack", topology="fabric")
    assert (a.locality, b.locality) == (None, wanted)


def test_a_preemption_of_another_chart_is_refused() -> None:
    with pytest.raises(errors.BadInputError, match=r"preemption 'node'.*: use the chart that comes with this tool"):
        read_gang(gang(a=(4, False)) | {"preemption": "node"})
