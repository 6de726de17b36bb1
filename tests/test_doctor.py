"""`helm-roster doctor` on this machine alone: no cluster is configured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.roster import CHART, EXAMPLES, HELM4_PLUGINS, cli
from tests.support.runner import Runner

GANG = EXAMPLES / "02-gang-training" / "values.yaml"
LEGACY = {"name": "other", "version": "0.1.0", "usage": "x", "command": "true"}


def plugin(helm: Runner, folder: str, **manifest: object) -> Path:
    """Put a plugin of somebody else's into Helm's own folder of plugins."""
    place = Path(helm.env["HELM_DATA_HOME"]) / "plugins" / folder
    place.mkdir(parents=True)
    (place / "plugin.yaml").write_text(yaml.safe_dump({**LEGACY, **manifest}))
    return place


def alone(helm: Runner, folder: Path) -> Runner:
    """Return a Helm with which no other one is on PATH."""
    return helm.with_env(PATH=f"{folder}:/usr/bin:/bin")


def diagnosed(helm: Runner, *arguments: str | Path) -> dict[str, dict[str, Any]]:
    """Run doctor, which must fail for want of a cluster at least, and return its findings by name."""
    done = cli(helm).attempt("doctor", *arguments, "-o", "json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["kind"], document["healthy"]) == (1, "Doctor", False)
    return {check["check"]: check for check in document["checks"]}


def test_without_a_cluster_the_rest_is_told_and_the_cluster_fails(helm: Runner, tmp_path: Path) -> None:
    found = diagnosed(alone(helm, tmp_path), "-f", GANG)
    states = {name: check["state"] for name, check in found.items() if name != "kubectl"}
    here = dict.fromkeys(["helm", "plugins", "post-renderer", "versions", "values"], "ok")
    assert states == {**here, "cluster": "failed", **dict.fromkeys(["namespace", "kinds", "rights"], "skipped")}
    assert found["cluster"]["found"].startswith("no cluster is configured")


def test_the_table_says_what_to_do(roster4: Runner) -> None:
    done = roster4.attempt("doctor")
    assert done.returncode == 1
    assert "helm-roster setup, if you want to type helm roster" in done.stdout
    assert "\x1b" not in done.stdout


def test_two_plugins_of_one_name_fail(helm: Runner, tmp_path: Path) -> None:
    places = [str(plugin(helm, folder)) for folder in ("one", "two")]
    found = diagnosed(alone(helm, tmp_path))["plugins"]
    assert found["state"] == "failed"
    assert all(place in found["found"] for place in places)


def test_a_plugin_that_stands_in_two_folders_is_warned_of(helm: Runner, tmp_path: Path) -> None:
    first, second = plugin(helm, "one"), tmp_path / "more" / "one"
    second.parent.mkdir()
    second.symlink_to(first)
    listed = {"HELM_PLUGINS": f"{first.parent}:{second.parent}"}
    found = diagnosed(alone(helm, tmp_path).with_env(**listed))["plugins"]
    assert (found["state"], f"is in {first} and again in {second}" in found["found"]) == ("warning", True)


def test_a_plugin_of_helm_4_fails_where_helm_3_reads_its_folder(helm3: Runner, helm4: Runner, tmp_path: Path) -> None:
    place = Path(helm4.env["HELM_DATA_HOME"]) / "plugins" / "renderer"
    place.parent.mkdir(parents=True)
    place.symlink_to(HELM4_PLUGINS / "postrender")
    assert diagnosed(alone(helm4, tmp_path))["plugins"]["state"] == "ok"
    (tmp_path / "helm3").symlink_to(helm3.program)
    for run in (alone(helm4, tmp_path), helm3):
        found = diagnosed(run)["plugins"]
        assert (found["state"], f"remove {place}" in found["found"]) == ("failed", True)


def test_what_helm_itself_says_of_its_plugins_counts(helm3: Runner) -> None:
    plugin(helm3, "one", newerKey="x")
    found = diagnosed(helm3)["plugins"]
    assert (found["state"], "newerKey" in found["found"]) == ("failed", True)


def test_an_old_plugin_of_ours_is_warned_of(helm: Runner, tmp_path: Path) -> None:
    plugin(helm, "roster", name="roster", version="0.0.1")
    found = diagnosed(alone(helm, tmp_path))["plugins"]
    assert (found["state"], found["found"].startswith("roster 0.0.1, but helm-roster is")) == ("warning", True)


def test_another_installations_post_renderer_is_warned_of(helm3: Runner, tmp_path: Path) -> None:
    (tmp_path / "roster-postrender").write_text("#!/bin/sh\n")
    (tmp_path / "roster-postrender").chmod(0o755)
    found = diagnosed(alone(helm3, tmp_path))["post-renderer"]
    assert (found["state"], str(tmp_path) in found["found"]) == ("warning", True)


@pytest.mark.parametrize(
    ("flags", "check", "words"),
    [
        (("-f", GANG, "--set", "groups.worker.replicas=many"), "values", "do not fit the chart"),
        (("--chart", CHART / "charts" / "replica-group"), "versions", "where replica-operation is needed"),
        (("--chart", "/no/such/chart"), "versions", "correct --chart"),
    ],
)
def test_what_cannot_be_used_fails(helm4: Runner, flags: tuple[str | Path, ...], check: str, words: str) -> None:
    found = diagnosed(helm4, *flags)[check]
    assert (found["state"], words in found["found"]) == ("failed", True)


def test_without_a_helm_it_says_so(helm4: Runner) -> None:
    found = diagnosed(helm4.with_env(HELM_BIN="/no/such/helm"))["helm"]
    assert (found["state"], "correct or unset it" in found["found"]) == ("failed", True)
