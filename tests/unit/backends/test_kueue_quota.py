"""What a ClusterQueue of Kueue can give at most, with what its cohort lends."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from helm_roster.backends.kueue import quota
from helm_roster.manifests.walk import Manifest
from helm_roster.policy.quotas import Part

from tests.unit.asks import Asked

VERSION = "kueue.x-k8s.io/v1beta2"
KINDS = ("ClusterQueue", "ResourceFlavor", "Cohort")
GPU = "nvidia.com/gpu"


def made(kind: str, name: str, **spec: Any) -> Manifest:
    return {"apiVersion": VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}


def groups(gpus: int, **limits: int) -> list[Manifest]:
    resource = {"name": GPU, "nominalQuota": str(gpus), **{key: str(value) for key, value in limits.items()}}
    return [{"coveredResources": [GPU], "flavors": [{"name": "h200", "resources": [resource]}]}]


def queue(name: str, gpus: int, *, cohort: str = "", **limits: int) -> Manifest:
    return made("ClusterQueue", name, cohortName=cohort, resourceGroups=groups(gpus, **limits))


def cohort(name: str, gpus: int = 0, *, parent: str = "", **limits: int) -> Manifest:
    return made("Cohort", name, parentName=parent, resourceGroups=groups(gpus, **limits))


FLAVOR = made("ResourceFlavor", "h200", nodeLabels={"model": "h200"})


@pytest.mark.parametrize(
    ("mine", "others", "most"),
    [
        pytest.param(queue("q", 3), [], 3, id="alone"),
        pytest.param(queue("q", 3), [queue("other", 9, cohort="c")], 3, id="in no cohort"),
        pytest.param(queue("q", 3, cohort="c"), [queue("o", 4, cohort="c")], 7, id="borrows all"),
        pytest.param(queue("q", 3, cohort="c", borrowingLimit=1), [queue("o", 4, cohort="c")], 4, id="borrows some"),
        pytest.param(queue("q", 3, cohort="c"), [queue("o", 4, cohort="c", lendingLimit=1)], 4, id="is lent some"),
        pytest.param(queue("q", 3, cohort="c", lendingLimit=0), [queue("o", 4, cohort="c")], 7, id="lends nothing"),
        pytest.param(queue("q", 3, cohort="c"), [cohort("c", 5)], 8, id="the cohort has quota of its own"),
        pytest.param(
            queue("q", 3, cohort="c"),
            [cohort("c", parent="root"), cohort("root", 2), cohort("d", 7, parent="root", lendingLimit=4)],
            9,
            id="cohorts above one another",
        ),
        pytest.param(
            queue("q", 3, cohort="c"), [cohort("c", 1, parent="root", borrowingLimit=2), cohort("root", 9)], 6,
            id="a cohort that borrows some",
        ),
    ],
)  # fmt: skip
def test_the_most_is_its_own_quota_with_all_that_it_can_borrow(
    mine: Manifest, others: list[Manifest], most: int
) -> None:
    found = quota.sets(mine, Asked(KINDS, mine, FLAVOR, *others))
    assert found is not None
    assert [[(flavor.name, flavor.most, flavor.labels) for flavor in flavors] for flavors in found] == [
        [("h200", {GPU: Fraction(most)}, {"model": "h200"})]
    ]


@pytest.mark.parametrize(
    ("known", "more"),
    [
        pytest.param(["ClusterQueue", "ResourceFlavor"], [], id="cohorts cannot be read"),
        pytest.param(["ClusterQueue", "Cohort"], [], id="flavors cannot be read"),
        pytest.param(KINDS, [cohort("c", parent="d"), cohort("d", parent="c")], id="cohorts in a circle"),
    ],
)
def test_what_cannot_be_known_is_not_guessed(known: list[str], more: list[Manifest]) -> None:
    mine = queue("q", 3, cohort="c")
    assert quota.sets(mine, Asked(known, mine, FLAVOR, *more)) is None
    assert quota.never([Part(name="w", count=9, spec={})], mine, Asked(known, mine, FLAVOR, *more)) == []


def test_a_flavor_that_is_not_there_admits_nothing() -> None:
    mine = queue("q", 3)
    spec = {"containers": [{"resources": {"requests": {GPU: "1"}}}]}
    assert quota.sets(mine, Asked(KINDS, mine)) == [[]]
    assert quota.never([Part(name="w", count=1, spec=spec)], mine, Asked(KINDS, mine)) == [
        "w asks for nvidia.com/gpu, of which there is no quota"
    ]


def test_a_workload_asks_by_pod_set() -> None:
    spec = {"containers": [{"resources": {"requests": {GPU: "2"}}}]}
    pod_sets = [{"name": "learner", "count": 2, "template": {"spec": spec}}]
    mine = queue("q", 3)
    parts = quota.parts_of(made("Workload", "w", podSets=pod_sets))
    assert quota.never(parts, mine, Asked(KINDS, mine, FLAVOR)) == [
        "learner can take no flavor: flavor h200 would have to give 4 nvidia.com/gpu, of which it has 3 at most"
    ]
