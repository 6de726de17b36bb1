"""What a scaling tells people and programs."""

from __future__ import annotations

from typing import Any

from helm_roster.policy import scaling
from helm_roster.policy.scaling import Step
from helm_roster.report import scaling_report

from tests.unit.builders import group, plan

VALUES = {"groups": {"web": {"replicas": 3}}}


def steps(count: int, **more: Any) -> tuple[Step, ...]:
    return scaling.decide({"web": count}, plan({"web": group(2, kind="Deployment", **more)}), {}).steps


def lines(found: tuple[Step, ...], values: dict[str, Any], *, applied: bool) -> list[str]:
    document = scaling_report.document("op", "team", found, values, applied=applied)
    return list(scaling_report.lines(document, found))


def test_it_shows_the_counts_and_the_values_to_keep() -> None:
    told = lines(steps(3), VALUES, applied=True)
    assert told[0] == "web: 2 → 3 replicas"
    assert "keep this in your values" in told[1]
    assert told[2] == "groups:\n  web:\n    replicas: 3"


def test_a_dry_run_says_that_nothing_is_applied() -> None:
    assert lines(steps(3), VALUES, applied=False)[1:3] == ["nothing is applied", "the values would say then:"]


def test_a_count_that_is_so_already_keeps_nothing() -> None:
    assert lines(steps(2), VALUES, applied=False) == ["web: 2 replicas already", "nothing is applied"]


def test_an_autoscaler_may_change_it_again() -> None:
    found = steps(3, autoscaling={"owner": "hpa", "min": 1, "max": 4})
    assert lines(found, {}, applied=True) == ["web: 2 → 3 replicas; its autoscaler (hpa) may change it again"]
