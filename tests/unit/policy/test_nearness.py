"""What is told of affinities between pods."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.policy import warnings

from tests.unit.builders import group, plan

OURS = {"labelSelector": {"matchLabels": {"helm-roster.dev/group": "w"}}, "topologyKey": "zone"}
PASTED = {"labelSelector": {"matchLabels": {"app": "vllm"}}, "topologyKey": "zone"}


def told(*terms: Any, kind: str = "podAffinity", **labels: str) -> list[str]:
    """Return the warnings about a group with these terms, each required and preferred."""
    affinity = {
        "requiredDuringSchedulingIgnoredDuringExecution": list(terms),
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term} for term in terms],
    }
    made = group(1, pod={"affinity": {kind: affinity}})
    done = plan({"w": made}, backend="default")
    done.workloads["w"]["spec"]["template"]["metadata"] = {"labels": labels}
    return warnings.of_plan(done)


@pytest.mark.parametrize("kind", ["podAffinity", "podAntiAffinity"])
def test_an_affinity_without_a_selector_is_told_once(kind: str) -> None:
    (warning,) = told({"topologyKey": "zone"}, kind=kind)
    assert warning.startswith(f'group "w": affinity.{kind} has a term without labelSelector, which selects no pods')


def test_an_affinity_to_pods_of_a_common_label_that_no_group_carries_is_told_once() -> None:
    (warning,) = told(PASTED, OURS)
    assert warning == (
        'group "w": affinity.podAffinity selects app: vllm, which no pod of this operation carries; if these are '
        "meant, select the label helm-roster.dev/group"
    )


@pytest.mark.parametrize("terms", [[OURS], [PASTED, OURS], [{"labelSelector": {}, "topologyKey": "zone"}]])
def test_an_affinity_that_finds_pods_is_not_told(terms: list[Any]) -> None:
    assert told(*terms, app="vllm") == []
