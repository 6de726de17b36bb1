"""What is known of an object that is still there."""

from __future__ import annotations

import pytest

from helm_roster.cluster import leftovers
from helm_roster.cluster.client import CLAIMS, PODS
from helm_roster.cluster.leftovers import Leftover
from helm_roster.manifests.walk import Manifest


def leftover(manifest: Manifest) -> Leftover:
    return Leftover(resource=PODS, manifest=manifest)


def test_an_object_that_helm_keeps_is_kept() -> None:
    assert leftover({"metadata": {"annotations": {"helm.sh/resource-policy": "keep"}}}).is_kept
    assert not leftover({"metadata": {}}).is_kept


@pytest.mark.parametrize(
    ("claim", "size"),
    [
        ({"spec": {"resources": {"requests": {"storage": "1Gi"}}}, "status": {"capacity": {"storage": "2Gi"}}}, "2Gi"),
        ({"spec": {"resources": {"requests": {"storage": "1Gi"}}}}, "1Gi"),
        ({}, "of unknown size"),
    ],
)
def test_a_claim_is_as_large_as_its_volume(claim: Manifest, size: str) -> None:
    assert leftovers.size(Leftover(resource=CLAIMS, manifest=claim)) == size
