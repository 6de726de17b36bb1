"""The wheel alone, in an empty environment: it brings the chart and both plugin manifests, and can plan."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.support.roster import CHART, EXAMPLES, ROOT
from tests.support.runner import Runner

SERVING = EXAMPLES / "01-sglang-disaggregated" / "values.yaml"
GANG = EXAMPLES / "02-gang-training" / "values.yaml"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of scripts of an environment that holds the wheel and what it depends on, nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-compile", str(wheel)], check=True)
    return folder / "bin"


@pytest.mark.parametrize("data", ["report/page.html.j2", "patches/fields.json"])
def test_the_wheel_holds_what_its_modules_read(wheel: Path, data: str) -> None:
    assert f"helm_roster/{data}" in zipfile.ZipFile(wheel).namelist()


def test_the_wheel_holds_the_chart_and_the_plugins(wheel: Path) -> None:
    names = {name.partition("assets_data/")[2] for name in zipfile.ZipFile(wheel).namelist()}
    wanted = {"charts/replica-operation/Chart.yaml", "cli/plugin.yaml", "helm4/postrender/plugin.yaml"}
    assert wanted <= names
    assert "charts/replica-operation/charts/replica-group/Chart.yaml" in names
    assert not any("/ci/" in name for name in names)


def test_an_empty_environment_plans_with_the_wheel_alone(scripts: Path, helm: Runner, tmp_path: Path) -> None:
    roster = Runner(scripts / "helm-roster", helm.env)
    done = subprocess.run(
        [str(roster.program), "plan", "-f", str(SERVING), "-o", "json"],
        cwd=tmp_path, env=dict(roster.env), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["totals"]["pods"] == 13


def test_an_empty_environment_renders_a_gang_through_helm(scripts: Path, helm: Runner) -> None:
    assert "PodGroup" in Runner(scripts / "helm-roster", helm.env)("template", "train", "-f", GANG).stdout


def test_an_empty_environment_sets_up_the_plugin(scripts: Path, helm: Runner) -> None:
    Runner(scripts / "helm-roster", helm.env)("setup")
    assert helm.with_env(PATH="/usr/bin:/bin")("roster", "--version").stdout.startswith("helm-roster, version ")


def test_an_empty_environment_sets_up_the_renderer_of_helm_4(scripts: Path, helm4: Runner) -> None:
    bare = helm4.with_env(PATH="/usr/bin:/bin")
    Runner(scripts / "helm-roster", bare.env)("setup", "--helm4")
    made = bare("template", "train", CHART, "-f", GANG, "--post-renderer", "roster-postrender").stdout
    assert "kind: PodGroup" in made
