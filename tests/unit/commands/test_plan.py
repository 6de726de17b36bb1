"""The warnings of a plan; its numbers are tested with the totals, its output with the command line."""

from __future__ import annotations

from helm_roster.commands import plan as command

from tests.unit.builders import group, plan


def test_a_preset_that_is_left_out_is_told() -> None:
    (warning,) = command.warnings(plan({"web": group(1, skippedPresets=["h200"])}, backend="default"))
    assert warning == 'group "web" asks for no accelerators, so it leaves out preset "h200" of defaults'


def test_a_requirement_that_cannot_be_met_is_told() -> None:
    groups = {"router": group(1, router=True, requires=["decode"]), "decode": group(0)}
    (warning,) = command.warnings(plan(groups, backend="default"))
    assert warning == 'group "router" cannot become ready: it requires "decode", which has no replicas'


def test_an_ordinary_plan_warns_of_nothing() -> None:
    assert command.warnings(plan({"web": group(1)}, backend="default")) == []
