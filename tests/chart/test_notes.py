"""What Helm says after an installation; `install --dry-run` prints it, but only Helm 4 can without a cluster."""

from __future__ import annotations

import json

from tests.chart.rendering import GPU, operation
from tests.support.roster import CHART
from tests.support.runner import Runner

VALUES = operation({"decode": {"accelerators": 2, "presets": ["gpu"]}}, presets={"gpu": GPU})


def notes(helm: Runner) -> str:
    flags = ("--dry-run=client", "-f", "-", "--namespace", "team")
    return helm("install", "rl", CHART, *flags, text=json.dumps(VALUES)).stdout.partition("NOTES:")[2]


def test_they_name_the_owner_and_its_groups(helm4: Runner) -> None:
    text = notes(helm4)
    assert "owned by release rl in namespace team" in text
    assert "decode: Deployment/rl-decode, 1 replica, 2 NVIDIA H200 each" in text


def test_they_give_the_next_commands(helm4: Runner) -> None:
    text = notes(helm4)
    assert "helm roster status rl --namespace team" in text
    assert "helm roster cancel rl --namespace team" in text
