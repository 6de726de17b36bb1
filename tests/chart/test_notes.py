"""What Helm says after an installation; `install --dry-run` prints it, but only Helm 4 can without a cluster."""

from __future__ import annotations

import json
from typing import Any

from tests.chart.rendering import GPU, operation
from tests.support.roster import CHART
from tests.support.runner import Runner

VALUES = operation({"decode": {"accelerators": 2, "presets": ["gpu"]}}, presets={"gpu": GPU})


PATCHED = VALUES | {"patches": {"decode": {"x": {"merge": {"spec": {"hostPID": True}}}}}}
RENDERER = "helm upgrade rl CHART --namespace team -f values.yaml --post-renderer roster-postrender"


def notes(helm: Runner, values: dict[str, Any] = VALUES) -> str:
    """Return the notes of an installation that is not made."""
    flags = ("--dry-run=client", "-f", "-", "--namespace", "team")
    return helm("install", "rl", CHART, *flags, text=json.dumps(values)).stdout.partition("NOTES:")[2]


def test_they_name_the_owner_and_its_groups(helm4: Runner) -> None:
    text = notes(helm4)
    assert "owned by release rl in namespace team" in text
    assert "decode: Deployment/rl-decode, 1 replica, 2 NVIDIA H200 each" in text


def test_they_tell_pods_of_replicas_that_span_several(helm4: Runner) -> None:
    group = {"replicas": 2, "podsPerReplica": 4, "presets": ["gpu"], "accelerators": 8}
    text = notes(helm4, operation({"decode": group}, presets={"gpu": GPU}))
    assert "decode: LeaderWorkerSet/rl-decode, 2 replicas of 4 pods, 8 NVIDIA H200 a pod" in text


def test_they_count_what_an_autoscaled_group_begins_with(helm4: Runner) -> None:
    bounds = {"owner": "hpa", "min": 2, "max": 9, "cpu": 50}
    group = {"replicas": 4, "autoscaling": bounds, "resources": {"requests": {"cpu": 1}}}
    assert "decode: Deployment/rl-decode, 2 replicas" in notes(helm4, operation({"decode": group}))


def test_they_give_the_next_commands(helm4: Runner) -> None:
    text = notes(helm4)
    assert "helm roster status rl --namespace team" in text
    assert "helm roster upgrade rl --namespace team -f values.yaml" in text
    assert "helm roster cancel rl --namespace team" in text
    assert "Without the plugin, write helm-roster for helm roster below.\n" in text


def test_the_line_of_plain_helm_has_the_renderer_where_it_is_needed(helm4: Runner) -> None:
    assert RENDERER in notes(helm4, PATCHED)
    assert "--post-renderer" not in notes(helm4)
