"""What scale makes sure of before Helm, with a program that stands in for it; on a cluster in tests/cluster."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helm_roster import errors
from helm_roster.cluster.trial import Trial
from helm_roster.commands import rendering, scale_checks
from helm_roster.commands.against import Running
from helm_roster.commands.rendering import Rendering
from helm_roster.helm.releases import Chart
from helm_roster.policy.differences import Difference

from tests.unit import builders


@pytest.fixture
def history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file that holds what Helm knows of every release."""
    program, known = tmp_path / "helm", tmp_path / "history.json"
    program.write_text(f"#!/bin/sh\ncase $1 in version) echo v4.3.1 ;; history) cat {known} ;; esac\n")
    program.chmod(0o755)
    monkeypatch.setenv("HELM_BIN", str(program))
    return known


def revisions(*statuses: str) -> str:
    return json.dumps([{"revision": count, "status": status} for count, status in enumerate(statuses, 1)])


@pytest.mark.parametrize("newer", [("superseded", "deployed"), ("deployed", "failed"), ("deployed", "pending-upgrade")])
def test_an_upgrade_since_the_first_look_is_noticed_also_one_that_fails(history: Path, newer: tuple[str, ...]) -> None:
    history.write_text(revisions("deployed"))
    scale_checks.refuse_unsettled("op")
    scale_checks.refuse_moved("op")
    history.write_text(revisions(*newer))
    with pytest.raises(errors.OperationFailedError, match="op was upgraded meanwhile"):
        scale_checks.refuse_moved("op")


@pytest.mark.parametrize(
    ("statuses", "told"),
    [
        (("deployed", "failed"), "revision 2 of op failed, and what it changed so far would be set back to revision 1"),
        (("deployed", "pending-upgrade"), "op is in pending-upgrade: another Helm works on it"),
    ],
)
def test_a_release_that_is_unsettled_is_refused(history: Path, statuses: tuple[str, ...], told: str) -> None:
    history.write_text(revisions(*statuses))
    with pytest.raises(errors.RefusedError, match=told):
        scale_checks.refuse_unsettled("op")


def scaled(name: str, labels: dict[str, str]) -> Trial:
    """Return a Deployment that was scaled from 1 to 3 by hand."""
    metadata = {"name": name, "labels": labels}
    one, three = ({"kind": "Deployment", "metadata": metadata, "spec": {"replicas": count}} for count in (1, 3))
    return Trial(manifest=one, live=three, differences=(Difference(path="spec.replicas", before=3, after=1),))


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ({"helm-roster.dev/group": "db"}, "name it too, db=3 keeps them and db=1 takes them back"),
        ({}, "Deployment x has 3 replicas and the release 1 (set by hand), which Helm would set back: say 3 in extraO"),
    ],
    ids=["group", "extra object"],
)
def test_another_count_by_hand_is_refused_with_a_way_that_works(labels: dict[str, str], told: str) -> None:
    (refusal,) = scale_checks._set_back([scaled("x", labels)], (), "op", {})
    assert told in refusal


def test_what_becomes_surprising_by_a_count_is_told_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    router = builders.group(1, router=True, requires=["decode"], skippedPresets=["h200"])
    before, after = (
        builders.plan({"router": router, "decode": builders.group(count)}, backend="default") for count in (1, 0)
    )
    scale_checks.warn(before, after)
    told = capsys.readouterr().err
    assert told == 'warning: group "router" cannot become ready: it requires "decode", which has no replicas\n'


@pytest.mark.parametrize(
    ("name", "reference", "way"),
    [
        (
            "replica-operation",
            "",
            "use helm-roster 1.2.0, which bundles it, or pass --chart with its package (replica-",
        ),
        ("mine", "", "pass --chart with mine 1.2.0, from where you keep it"),
        ("mine", "repo/mine", "pass --chart repo/mine --version 1.2.0"),
        ("mine", "oci://host:5000/a/mine:2.0.0", "pass --chart oci://host:5000/a/mine --version 1.2.0"),
        ("mine", "oci://host/mine@sha256:0a", "pass --chart oci://host/mine --version 1.2.0"),
    ],
    ids=["bundled", "folder", "repository", "tag", "digest"],
)
def test_the_way_to_the_chart_that_runs_is_one_that_can_be_gone(name: str, reference: str, way: str) -> None:
    assert scale_checks._way_to(Chart(name, "1.2.0"), reference).startswith(way)


def rendered(image: str) -> Rendering:
    """Return an operation of one Deployment."""
    text = f"{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: x}}, spec: {{template: {{image: {image}}}}}}}\n"
    return Rendering(plan=builders.plan({"a": builders.group(1)}), text=text, resolved={})


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ("b", r"upgrade first \(helm roster upgrade op --reset-then-reuse-values\)$"),
        ("a", "helm roster upgrade op --reset-then-reuse-values --set groups.a.replicas=2 does it, and helm roster"),
    ],
    ids=["already", "by the count"],
)
def test_what_changes_more_than_counts_is_refused_with_the_whole_command(runs: str, told: str) -> None:
    held = Running(1, rendering.objects(rendered(runs).text))
    made = rendered("c") if runs == "a" else rendered("a")
    with pytest.raises(errors.RefusedError, match=told):
        scale_checks.refuse_more(held, rendered("a"), made, ["a"], ["--set", "groups.a.replicas=2"])
