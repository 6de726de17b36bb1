"""What the examples ask for, worked out by hand from their values, against what `plan` says."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from helm_roster.manifests import quantities

from tests.support.roster import EXAMPLES, cli, given
from tests.support.runner import Runner

GI = 2**30


@dataclasses.dataclass(frozen=True)
class Asked:
    """Pods, accelerators by model, cores, GiB of memory and of ephemeral storage, and anything else by its name."""

    pods: int
    accelerators: Mapping[str, int]
    cpu: float = 0
    memory: float = 0
    storage: float = 0
    other: Mapping[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Moments:
    """All of it, what it takes to start, the peak of a rollout, and all with every autoscaler at its maximum.

    A Deployment is rolled out with a quarter of its replicas more, rounded up, but with none where its pods hold
    accelerators; a StatefulSet and a Job never have more.
    """

    totals: Asked
    minimum: Asked
    peak: Asked
    at_most: Asked | None = None


def always(asked: Asked) -> Moments:
    """Return what a Job asks for, which starts whole and has no rollout."""
    return Moments(asked, asked, asked)


ASKED = {
    "01-sglang-disaggregated": Moments(
        # One router of 2 cores and 4 GiB, four prefill and eight decode workers of 8 cores and 64 GiB.
        Asked(1 + 4 + 8, {"NVIDIA H200": 4 + 8}, cpu=2 + 12 * 8, memory=4 + 12 * 64),
        # The router and one of each group that it requires.
        Asked(1 + 1 + 1, {"NVIDIA H200": 2}, cpu=2 + 2 * 8, memory=4 + 2 * 64),
        # A second router.
        Asked(2 + 4 + 8, {"NVIDIA H200": 4 + 8}, cpu=2 * 2 + 12 * 8, memory=2 * 4 + 12 * 64),
    ),
    "02-gang-training": Moments(
        Asked(4, {"NVIDIA H200": 4}, cpu=4 * 8, memory=4 * 64),
        Asked(4, {"NVIDIA H200": 4}, cpu=4 * 8, memory=4 * 64),
        Asked(4, {"NVIDIA H200": 4}, cpu=4 * 8, memory=4 * 64),
    ),
    "03-rl-separated": Moments(
        # Learners and rollouts of 4 cores, scorers of 8; 32 GiB each.
        Asked(4 + 8 + 2, {"NVIDIA H200": 4 + 8}, cpu=12 * 4 + 2 * 8, memory=14 * 32),
        # The gang: all learners, both scorers, two rollouts.
        Asked(4 + 2 + 2, {"NVIDIA H200": 4 + 2}, cpu=6 * 4 + 2 * 8, memory=8 * 32),
        # The scorers, without accelerators, belong to a gang: StatefulSets all.
        Asked(4 + 8 + 2, {"NVIDIA H200": 4 + 8}, cpu=12 * 4 + 2 * 8, memory=14 * 32),
    ),
    "06-patches": Moments(
        # The gateway asks for nothing; each server for what the patch limits.
        Asked(1 + 4, {"NVIDIA H200": 4}, memory=4 * 64, other={"hugepages-2Mi": 4 * 16 * GI}),
        Asked(1 + 1, {"NVIDIA H200": 1}, memory=64, other={"hugepages-2Mi": 16 * GI}),
        # A second gateway.
        Asked(2 + 4, {"NVIDIA H200": 4}, memory=4 * 64, other={"hugepages-2Mi": 4 * 16 * GI}),
    ),
    "08-prefill-decode": Moments(
        # Two prefill and four decode workers of 64 cores and 1 TiB of both; their init containers ask for less.
        Asked(1 + 2 + 4, {"NVIDIA H200": 6 * 8}, cpu=2 + 6 * 64, memory=4 + 6 * 1024, storage=6 * 1024),
        # The gang, both prefill and two decode workers, and the router.
        Asked(1 + 2 + 2, {"NVIDIA H200": 4 * 8}, cpu=2 + 4 * 64, memory=4 + 4 * 1024, storage=4 * 1024),
        # A second router.
        Asked(2 + 2 + 4, {"NVIDIA H200": 6 * 8}, cpu=2 * 2 + 6 * 64, memory=2 * 4 + 6 * 1024, storage=6 * 1024),
    ),
    "09-fine-tune": Moments(
        Asked(4 + 1, {"NVIDIA L40S": 4 * 4}, cpu=4 * 40 + 1, memory=4 * 180 + 4, other={"vpc.amazonaws.com/efa": 4}),
        # The run needs no board.
        Asked(4, {"NVIDIA L40S": 4 * 4}, cpu=4 * 40, memory=4 * 180, other={"vpc.amazonaws.com/efa": 4}),
        # A second board.
        Asked(4 + 2, {"NVIDIA L40S": 4 * 4}, cpu=4 * 40 + 2, memory=4 * 180 + 8, other={"vpc.amazonaws.com/efa": 4}),
    ),
    "10-chat-service": Moments(
        # Two gateways of 2 cores and 4 GiB; engines of 16 cores and 160 GiB, their sidecars 0.2 cores and 0.25 GiB.
        Asked(2 + 4, {"NVIDIA H100": 4 * 2}, cpu=2 * 2 + 4 * 16.2, memory=2 * 4 + 4 * 160.25, storage=4 * 20),
        Asked(1 + 1, {"NVIDIA H100": 2}, cpu=2 + 16.2, memory=4 + 160.25, storage=20),
        # A third gateway: a quarter of the two that its autoscaler keeps at least.
        Asked(3 + 4, {"NVIDIA H100": 4 * 2}, cpu=3 * 2 + 4 * 16.2, memory=3 * 4 + 4 * 160.25, storage=4 * 20),
        # Eight gateways.
        Asked(8 + 4, {"NVIDIA H100": 4 * 2}, cpu=8 * 2 + 4 * 16.2, memory=8 * 4 + 4 * 160.25, storage=4 * 20),
    ),
    "12-rl-in-a-queue": Moments(
        # Four learners and eight rollouts of 4 cores, four scorers of 8; 32 GiB each.
        Asked(4 + 8 + 4, {"NVIDIA H200": 4 + 8}, cpu=12 * 4 + 4 * 8, memory=16 * 32),
        # All learners, two rollouts and one scorer.
        Asked(4 + 2 + 1, {"NVIDIA H200": 4 + 2}, cpu=6 * 4 + 8, memory=7 * 32),
        Asked(4 + 8 + 4, {"NVIDIA H200": 4 + 8}, cpu=12 * 4 + 4 * 8, memory=16 * 32),
    ),
    "13-serving-in-one-rack": Moments(
        # Two gateways of 2 cores and 4 GiB; two prefill and six decode engines of 16 cores and 128 GiB.
        Asked(2 + 2 + 6, {"NVIDIA H200": 8 * 4}, cpu=2 * 2 + 8 * 16, memory=2 * 4 + 8 * 128),
        # The gang, and one gateway: nothing is a router, and the kind is service.
        Asked(1 + 2 + 2, {"NVIDIA H200": 4 * 4}, cpu=2 + 4 * 16, memory=4 + 4 * 128),
        # A third gateway.
        Asked(3 + 2 + 6, {"NVIDIA H200": 8 * 4}, cpu=3 * 2 + 8 * 16, memory=3 * 4 + 8 * 128),
    ),
    "14-coscheduling": Moments(
        Asked(4 + 2 + 1, {"NVIDIA H200": 4 * 8 + 2}, cpu=4 * 32 + 2 * 8 + 1, memory=4 * 256 + 2 * 64 + 2),
        # The gang; the board is auxiliary.
        Asked(4 + 2, {"NVIDIA H200": 4 * 8 + 2}, cpu=4 * 32 + 2 * 8, memory=4 * 256 + 2 * 64),
        # A second board.
        Asked(4 + 2 + 2, {"NVIDIA H200": 4 * 8 + 2}, cpu=4 * 32 + 2 * 8 + 2, memory=4 * 256 + 2 * 64 + 4),
    ),
    "15-rl-with-quota": Moments(
        # Four learners of 8 cores and 64 GiB; two rollouts and six more of 4 and 32.
        Asked(4 + 2 + 6, {"NVIDIA H200": 12}, cpu=4 * 8 + 8 * 4, memory=4 * 64 + 8 * 32),
        # The gang; the others are auxiliary.
        Asked(4 + 2, {"NVIDIA H200": 6}, cpu=4 * 8 + 2 * 4, memory=4 * 64 + 2 * 32),
        # With accelerators a Deployment has no surplus either.
        Asked(4 + 2 + 6, {"NVIDIA H200": 12}, cpu=4 * 8 + 8 * 4, memory=4 * 64 + 8 * 32),
    ),
    "16-sglang-leader-and-workers": Moments(
        # A router of 2 cores and 4 GiB; two replicas of prefill and one of decode, each a leader of 72 cores and a
        # worker of 64, with 512 GiB and eight GPUs each.
        Asked(1 + 3 * 2, {"NVIDIA H800": 3 * 16}, cpu=2 + 3 * (72 + 64), memory=4 + 6 * 512),
        # The router, and one replica of each that it serves.
        Asked(1 + 2 * 2, {"NVIDIA H800": 2 * 16}, cpu=2 + 2 * (72 + 64), memory=4 + 4 * 512),
        # A second router.
        Asked(2 + 3 * 2, {"NVIDIA H800": 3 * 16}, cpu=2 * 2 + 3 * (72 + 64), memory=2 * 4 + 6 * 512),
    ),
    "17-leader-without-accelerators": Moments(
        # Four workers of 4 TPUs, 24 cores and 150 GiB; a leader of 8 cores and 100 GiB, with sidecars of 1 + 2 + 1
        # cores and 4 + 8 + 2 GiB.
        Asked(1 + 4, {"TPU v6e": 4 * 4}, cpu=4 * 24 + 8 + 4, memory=4 * 150 + 100 + 14),
        # No router: its one replica, which has no surplus one either.
        Asked(1 + 4, {"TPU v6e": 4 * 4}, cpu=4 * 24 + 8 + 4, memory=4 * 150 + 100 + 14),
        Asked(1 + 4, {"TPU v6e": 4 * 4}, cpu=4 * 24 + 8 + 4, memory=4 * 150 + 100 + 14),
    ),
    "19-wide-expert-parallelism": Moments(
        # Two phases of one replica of two pods of eight GPUs, 32 cores, 512 GiB and 1 TiB of disk; never a surplus one.
        Asked(4, {"NVIDIA H200": 32}, cpu=4 * 32, memory=4 * 512, storage=4 * 1024),
        # No router: a replica of each.
        Asked(4, {"NVIDIA H200": 32}, cpu=4 * 32, memory=4 * 512, storage=4 * 1024),
        Asked(4, {"NVIDIA H200": 32}, cpu=4 * 32, memory=4 * 512, storage=4 * 1024),
    ),
    "18-two-deployments": Moments(
        # Two routers of 2 cores and 4 GiB, six small workers of 8 and 64, four large of 64 and 512 with eight GPUs.
        Asked(2 + 6 + 4, {"NVIDIA H200": 6 + 4 * 8}, cpu=2 * 2 + 6 * 8 + 4 * 64, memory=2 * 4 + 6 * 64 + 4 * 512),
        # Both routers, and one of each that they serve.
        Asked(2 + 2 + 2, {"NVIDIA H200": 2 + 2 * 8}, cpu=2 * 2 + 2 * 8 + 2 * 64, memory=2 * 4 + 2 * 64 + 2 * 512),
        # A second one of each router.
        Asked(4 + 6 + 4, {"NVIDIA H200": 6 + 4 * 8}, cpu=4 * 2 + 6 * 8 + 4 * 64, memory=4 * 4 + 6 * 64 + 4 * 512),
    ),
    "20-replicas-in-a-gang": Moments(
        # A router, two prefill replicas and one decode replica of two pods.
        Asked(1 + 3 * 2, {"NVIDIA H100": 6 * 8}, cpu=2 + 6 * 64, memory=4 + 6 * 512),
        # All of the gang, and the router.
        Asked(1 + 3 * 2, {"NVIDIA H100": 6 * 8}, cpu=2 + 6 * 64, memory=4 + 6 * 512),
        # A second router.
        Asked(2 + 3 * 2, {"NVIDIA H100": 6 * 8}, cpu=2 * 2 + 6 * 64, memory=2 * 4 + 6 * 512),
    ),
    "21-service-with-a-cache": Moments(
        # Master and router of 2 cores and 4 GiB, three stores of 2 and 16, prefill and decode of 8 and 64.
        Asked(1 + 3 + 1 + 1 + 1, {"NVIDIA H200": 2}, cpu=2 + 3 * 2 + 2 + 2 * 8, memory=4 + 3 * 16 + 4 + 2 * 64),
        # The router, one of each that it serves, and the master, for which prefill waits.
        Asked(4, {"NVIDIA H200": 2}, cpu=2 + 2 * 8 + 2, memory=4 + 2 * 64 + 4),
        # A second master and a second router.
        Asked(2 + 3 + 2 + 1 + 1, {"NVIDIA H200": 2}, cpu=2 * 2 + 3 * 2 + 2 * 2 + 2 * 8, memory=8 + 3 * 16 + 8 + 2 * 64),
    ),
    "22-nvlink-rack": Moments(
        # Nine frontends of 8 cores and 16 GiB; five replicas of two pods and one of eight, of 100 cores and 700 GiB and
        # four GPUs each.
        Asked(9 + 18, {"NVIDIA GB200": 18 * 4}, cpu=9 * 8 + 18 * 100, memory=9 * 16 + 18 * 700),
        # A frontend, and one replica of each that it serves.
        Asked(1 + 2 + 8, {"NVIDIA GB200": 10 * 4}, cpu=8 + 10 * 100, memory=16 + 10 * 700),
        # Three more frontends.
        Asked(12 + 18, {"NVIDIA GB200": 18 * 4}, cpu=12 * 8 + 18 * 100, memory=12 * 16 + 18 * 700),
    ),
    # 64 hosts, each of two processes with two chips, 96 cores and 400 GiB.
    "23-tpu-slice": always(Asked(64, {"Google TPU 7x": 64 * 2 * 2}, cpu=64 * 2 * 96, memory=64 * 2 * 400)),
    "24-pretraining-under-quota": always(
        Asked(128, {"NVIDIA GB300": 128 * 4}, cpu=128 * 120, memory=128 * 800, other={"mrdma.google.com": 128 * 8})
    ),
    "25-gpudirect-tcpxo": always(Asked(2, {"NVIDIA H100": 2 * 8}, cpu=2 * 160, memory=2 * 1200)),
    "26-nics-by-count": Moments(
        # A decode engine of 16 cores with four GPUs and cards, four prefill engines of 8 with one; 256 GiB each.
        Asked(
            5,
            {"AMD Instinct MI300X": 4 + 4},
            cpu=16 + 4 * 8,
            memory=5 * 256,
            other={"nvidia.com/rdma-vf": 4 + 4},
        ),
        # No router: one of each.
        Asked(
            2,
            {"AMD Instinct MI300X": 4 + 1},
            cpu=16 + 8,
            memory=2 * 256,
            other={"nvidia.com/rdma-vf": 4 + 1},
        ),
        # With accelerators a Deployment has no surplus.
        Asked(
            5,
            {"AMD Instinct MI300X": 4 + 4},
            cpu=16 + 4 * 8,
            memory=5 * 256,
            other={"nvidia.com/rdma-vf": 4 + 4},
        ),
    ),
    "27-trainium": Moments(
        # Six pods with 16 chips and 16 cards, 90 cores and 1000 GiB.
        Asked(6, {"AWS Trainium 2": 6 * 16}, cpu=6 * 90, memory=6 * 1000, other={"efa.networking.k8s.aws": 6 * 16}),
        # No router: one of each.
        Asked(2, {"AWS Trainium 2": 2 * 16}, cpu=2 * 90, memory=2 * 1000, other={"efa.networking.k8s.aws": 2 * 16}),
        Asked(6, {"AWS Trainium 2": 6 * 16}, cpu=6 * 90, memory=6 * 1000, other={"efa.networking.k8s.aws": 6 * 16}),
    ),
}


def asked(found: dict[str, Any]) -> Asked:
    """Return the sum that the JSON of a plan says."""
    amounts = {key: quantities.parse(found[key]) for key in ("cpu", "memory", "ephemeralStorage")}
    return Asked(
        found["pods"],
        found["accelerators"],
        cpu=float(amounts["cpu"]),
        memory=float(amounts["memory"] / GI),
        storage=float(amounts["ephemeralStorage"] / GI),
        other={name: int(Fraction(quantities.parse(amount))) for name, amount in found["other"].items()},
    )


def test_every_example_that_renders_is_worked_out_here() -> None:
    assert {path.parent.name for path in EXAMPLES.glob("*/expected.yaml")} == set(ASKED)


@pytest.mark.parametrize("example", ASKED)
def test_a_plan_asks_for_what_was_worked_out_by_hand(helm4: Runner, example: str) -> None:
    plan = json.loads(cli(helm4)("plan", *given(EXAMPLES / example / "values.yaml"), "-o", "json").stdout)
    whole, minimum, peak = (asked(plan[moment]) for moment in ("totals", "minimumToStart", "rolloutPeak"))
    most = asked(plan["atMost"]) if "atMost" in plan else None
    assert Moments(whole, minimum, peak, most) == ASKED[example]
