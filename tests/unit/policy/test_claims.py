"""The volume claims that a plan makes, and which outlive it."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.policy import claims
from helm_roster.policy.claims import Claim

from tests.unit.builders import group, plan

SPEC = {"resources": {"requests": {"storage": "2Gi"}}}
TEMPLATES = [{"metadata": {"name": "own"}, "spec": SPEC}]


def of_group(**entry: Any) -> list[Claim]:
    return claims.of_plan(plan({"w": group(3, **entry)}, backend="default"), [])


@pytest.mark.parametrize(
    ("policy", "kept"), [({}, True), ({"whenScaled": "Delete"}, True), ({"whenDeleted": "Delete"}, False)]
)
def test_a_stateful_sets_claims_are_kept_unless_its_policy_deletes_them(policy: Any, kept: bool) -> None:  # noqa: FBT001
    (found,) = of_group(spec={"volumeClaimTemplates": TEMPLATES, "persistentVolumeClaimRetentionPolicy": policy})
    assert found == Claim(name="own", group="w", count=3, size="2Gi", kept=kept)


def test_an_ephemeral_claim_goes_with_its_pod() -> None:
    volumes = [{"name": "tmp", "ephemeral": {"volumeClaimTemplate": {"spec": SPEC}}}, {"name": "x", "emptyDir": {}}]
    pod = {"containers": [{"name": "main"}], "volumes": volumes}
    assert of_group(pod=pod) == [Claim(name="tmp", group="w", count=3, size="2Gi", kept=False)]


@pytest.mark.parametrize(("annotations", "kept"), [({"helm.sh/resource-policy": "keep"}, True), ({}, False)])
def test_a_claim_of_the_operation_is_kept_by_helms_rule(annotations: dict[str, str], kept: bool) -> None:  # noqa: FBT001
    claim = {"metadata": {"name": "op-data", "annotations": annotations}, "spec": SPEC}
    assert claims.of_plan(plan({"w": group(1)}, backend="default"), [claim]) == [
        Claim(name="op-data", size="2Gi", kept=kept)
    ]
