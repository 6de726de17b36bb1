"""The wheel alone, in an empty environment: it brings the chart and both plugin manifests, and can plan.

The environment is the one that the plugin makes for itself when Helm installs it from git, so it is made once.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
from pathlib import Path

import pytest

from tests.conftest import client
from tests.support import plugins, wheels
from tests.support.roster import CHART, EXAMPLES, PRESETS, given
from tests.support.runner import Runner, isolated

SERVING = EXAMPLES / "01-sglang-disaggregated" / "values.yaml"
GANG = EXAMPLES / "02-gang-training" / "values.yaml"

pytestmark = pytest.mark.timeout(600)  # pip makes and installs the package, and then its next version


@dataclasses.dataclass(frozen=True)
class Installed:
    """The plugin as Helm installed it: from where, what it said, and the environment that it made."""

    helm: Runner
    source: Path
    said: str

    @property
    def environment(self) -> Path:
        """The plugin's own environment."""
        (found,) = Path(self.helm.env["HELM_DATA_HOME"]).glob("plugins/*/.venv")
        return found


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The plugin from git, where no helm-roster is on PATH: pip makes the wheel, and finds what it depends on."""
    folder = tmp_path_factory.mktemp("from-git")
    pip = {"PIP_NO_COMPILE": "1", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels.pack(folder / "wheels"))}
    helm = plugins.beside_another(client("helm-4.3"), isolated(folder, **pip))
    source = plugins.repository(folder / "source")
    return Installed(helm, source, plugins.install(helm, f"file://{source}"))


@pytest.fixture(scope="module")
def scripts(installed: Installed) -> Path:
    """The folder of scripts of an environment that holds the wheel and what it depends on, nothing else."""
    return installed.environment / "bin"


@pytest.fixture(scope="module")
def names(installed: Installed) -> set[str]:
    """What the wheel brought."""
    (package,) = installed.environment.glob("lib/python*/site-packages/helm_roster")
    return {str(path.relative_to(package)) for path in package.rglob("*")}


@pytest.mark.parametrize("data", ["report/page.html.j2", "patches/fields.json"])
def test_the_wheel_holds_what_its_modules_read(names: set[str], data: str) -> None:
    assert data in names


def test_the_wheel_holds_the_chart_and_the_plugins(names: set[str]) -> None:
    found = {name.partition("assets_data/")[2] for name in names}
    wanted = {"charts/replica-operation/Chart.yaml", "cli/plugin.yaml", "helm4/postrender/plugin.yaml"}
    assert wanted | {f"presets/{path.name}" for path in PRESETS.glob("*.yaml")} <= found
    assert "charts/replica-operation/charts/replica-group/Chart.yaml" in found
    assert not any("/ci/" in name for name in found)


def test_an_empty_environment_plans_with_the_wheel_alone(scripts: Path, helm: Runner, tmp_path: Path) -> None:
    roster = Runner(scripts / "helm-roster", helm.env)
    done = subprocess.run(
        [str(roster.program), "plan", *given(SERVING), "-o", "json"],
        cwd=tmp_path, env=dict(roster.env), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["totals"]["pods"] == 13
    path = roster("presets", "path", "roster/http").stdout.strip()
    assert Path(path).is_relative_to(scripts.parent)
    assert Path(path).read_text() == (PRESETS / "http.yaml").read_text()


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


def test_from_git_the_plugin_makes_its_own_environment_and_renews_it(installed: Installed) -> None:
    helm, source = installed.helm, installed.source
    assert installed.said.startswith("making a virtual environment for helm-roster in ")
    assert helm("roster", "--version").stdout.endswith(f"version {plugins.VERSION}\n")
    plugins.release(source, "plugin.yaml", "pyproject.toml", "plugin/helm_roster/__init__.py")
    helm("plugin", "update", "roster", timeout=600)
    assert plugins.versions(helm) == {"other": "0.1.0", "roster": plugins.NEXT}
    assert helm("roster", "--version").stdout.endswith(f"version {plugins.NEXT}\n")
    helm("plugin", "uninstall", "roster")
    assert plugins.versions(helm) == {"other": "0.1.0"}
