"""Whether pods could ever be admitted together, by flavors of nodes with so much of each resource."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from helm_roster.policy import quotas
from helm_roster.policy.quotas import Flavor, Part

GPU = "nvidia.com/gpu"
TAINT = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
TOLERATION = {"key": "gpu", "operator": "Exists"}


def part(name: str, count: int, spec: dict[str, Any] | None = None, **requests: str) -> Part:
    asked = {GPU if resource == "gpu" else resource: amount for resource, amount in requests.items()}
    return Part(name=name, count=count, spec={"containers": [{"resources": {"requests": asked}}], **(spec or {})})


def flavor(name: str = "h200", *, more: dict[str, Any] | None = None, **most: int) -> Flavor:
    found = {GPU if resource == "gpu" else resource: Fraction(amount) for resource, amount in most.items()}
    return Flavor(name=name, most=found, **(more or {}))


FOUR = [part("learner", 4, gpu="1")]
BOTH = [*FOUR, part("rollout", 2, gpu="1")]
SELECTING = {"nodeSelector": {"model": "h200", "zone": "a"}}
AFFINE = {
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "model", "operator": "In", "values": ["h200"]}]}]
            }
        }
    }
}
H200, A100 = {"labels": {"model": "h200"}}, {"labels": {"model": "a100"}}


@pytest.mark.parametrize(
    ("parts", "flavors"),
    [
        pytest.param(FOUR, [flavor(gpu=4)], id="all of it"),
        pytest.param(BOTH, [flavor(gpu=4), flavor("a100", gpu=2)], id="a flavor each"),
        pytest.param(BOTH, [flavor(gpu=5), flavor("a100", gpu=4)], id="only if the first part takes the second flavor"),
        pytest.param(FOUR, [flavor("a100", gpu=1), flavor(gpu=9)], id="the second flavor"),
        pytest.param([part("w", 4, SELECTING, gpu="1")], [flavor(gpu=4, more=H200)], id="labels that no flavor has"),
        pytest.param([part("w", 4, AFFINE, gpu="1")], [flavor(gpu=4, more=H200)], id="node affinity"),
        pytest.param(
            [part("w", 1, {"tolerations": [TOLERATION]}, gpu="1")], [flavor(gpu=1, more={"taints": [TAINT]})],
            id="taint",
        ),
        pytest.param(
            [part("w", 1, gpu="1")], [flavor(gpu=1, more={"taints": [TAINT], "tolerations": [TOLERATION]})],
            id="taint that the flavor lets them tolerate",
        ),
        pytest.param([part("web", 9)], [flavor(gpu=1)], id="nothing is asked for"),
        pytest.param([part("web", 9, cpu="0")], [flavor(gpu=1)], id="zero of what has no quota"),
        pytest.param([part("web", 2)], [flavor(pods=2)], id="the number of pods"),
    ],
)  # fmt: skip
def test_what_could_be_admitted_is_not_spoken_of(parts: list[Part], flavors: list[Flavor]) -> None:
    assert quotas.never(parts, [flavors]) == []


@pytest.mark.parametrize(
    ("parts", "flavors", "told"),
    [
        pytest.param(
            FOUR, [flavor(gpu=3)],
            "learner can take no flavor: flavor h200 would have to give 4 nvidia.com/gpu, of which it has 3 at most",
            id="one part",
        ),
        pytest.param(
            BOTH, [flavor(gpu=5)],
            "learner, rollout ask for 6 nvidia.com/gpu together, of which there are at most 5 in flavor h200",
            id="together",
        ),
        pytest.param(
            [part("learner", 4, gpu="1"), part("rollout", 4, gpu="1")], [flavor(gpu=7), flavor("a100", gpu=3)],
            "learner, rollout ask for 8 nvidia.com/gpu together, of which there are at most 7 in flavor h200, 3 in "
            "flavor a100",
            id="no way to share out",
        ),
        pytest.param(
            [part("web", 2, cpu="500m")], [flavor(gpu=1)], "web asks for cpu, of which there is no quota", id="no quota"
        ),
        pytest.param(
            [part("web", 2, memory="1Gi")], [flavor(memory=2**30)],
            "web can take no flavor: flavor h200 would have to give 2Gi memory, of which it has 1Gi at most",
            id="memory",
        ),
        pytest.param(
            [part("w", 1, SELECTING, gpu="1")], [flavor("a100", gpu=4, more=A100)],
            "w can take no flavor: flavor a100 is of other nodes than they ask for",
            id="other nodes",
        ),
        pytest.param(
            [part("w", 1, AFFINE, gpu="1")], [flavor("a100", gpu=4, more=A100), flavor(gpu=0, more=H200)],
            "w can take no flavor: flavor h200 would have to give 1 nvidia.com/gpu, of which it has 0 at most; flavor "
            "a100 is of other nodes than they ask for",
            id="the right nodes have too little",
        ),
        pytest.param(
            [part("w", 1, gpu="1")], [flavor(gpu=4, more={"taints": [TAINT]})],
            "w can take no flavor: flavor h200 has the taint gpu, which they do not tolerate",
            id="taint",
        ),
        pytest.param(
            [part("web", 3)], [flavor(pods=2)],
            "web can take no flavor: flavor h200 would have to give 3 pods, of which it has 2 at most",
            id="the number of pods",
        ),
    ],
)  # fmt: skip
def test_what_never_can_is_told_with_the_reason(parts: list[Part], flavors: list[Flavor], told: str) -> None:
    assert quotas.never(parts, [flavors]) == [told]


def test_each_set_of_resources_is_shared_out_for_itself() -> None:
    worker = [part("w", 2, gpu="1", cpu="4")]
    assert quotas.never(worker, [[flavor(gpu=2)], [flavor("cpus", cpu=8)]]) == []
    told = quotas.never(worker, [[flavor(gpu=2)], [flavor("cpus", cpu=7)]])
    assert told == ["w can take no flavor: flavor cpus would have to give 8 cpu, of which it has 7 at most"]


@pytest.mark.parametrize(("resource", "concerned"), [("gpu", True), ("cpu", False), ("pods", True)])
def test_only_sets_of_what_is_asked_for_concern_a_part(resource: str, *, concerned: bool) -> None:
    assert quotas.concerns(part("w", 2, gpu="1"), [flavor(**{resource: 2})]) is concerned


def test_more_arrangements_than_can_be_tried_are_taken_for_possible() -> None:
    parts = [part(f"p{place}", 2, gpu="1") for place in range(12)]
    assert quotas.never(parts, [[flavor(f"f{place}", gpu=3) for place in range(11)]]) == []


def test_a_queue_without_flavors_is_held_against_its_own_limits() -> None:
    found = quotas.beyond({GPU: Fraction(4), "cpu": Fraction(1)}, {GPU: Fraction(3), "cpu": Fraction(1)})
    assert found == "4 nvidia.com/gpu together, where 3 is the most"
