"""`helm plugin install` of our plugin, its update and its end, with every Helm, beside a plugin of somebody else's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import NEWEST_HELM3, client
from tests.support.plugins import VERSION, beside_another, commit, install, release, repository, versions
from tests.support.roster import ROOT
from tests.support.runner import Runner

HELMS = ("helm-3.19", NEWEST_HELM3, "helm-4.3")
OURS = Path(sys.executable).parent


@pytest.fixture(params=HELMS)
def every_helm(request: pytest.FixtureRequest, client_env: dict[str, str]) -> Runner:
    """Each Helm with a home of its own, in which another plugin is; ours is not on PATH."""
    return beside_another(client(str(request.param)), client_env)


def with_ours(helm: Runner) -> Runner:
    """Return Helm where helm-roster is on PATH."""
    return helm.with_env(PATH=f"{OURS}{os.pathsep}{helm.env['PATH']}")


@pytest.mark.parametrize("folder", [ROOT, ROOT / "plugin"], ids=["checkout", "plugin"])
def test_a_folder_is_installed_and_uninstalled(every_helm: Runner, folder: Path) -> None:
    before = sorted(path.name for path in folder.iterdir())
    helm = with_ours(every_helm)
    install(helm, folder)
    assert versions(helm) == {"other": "0.1.0", "roster": VERSION}
    assert helm("roster", "--version").stdout.endswith(f"version {VERSION}\n")
    helm("plugin", "uninstall", "roster")
    assert versions(helm) == {"other": "0.1.0"}
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_git_url_is_installed_updated_and_uninstalled(every_helm: Runner, tmp_path: Path) -> None:
    """Here helm-roster is on PATH, in the version that the plugin wants, so nothing is installed by pip."""
    helm, source = with_ours(every_helm), repository(tmp_path / "source", "plugin.yaml", "plugin")
    assert f"helm-roster is on PATH already ({OURS}" in install(helm, f"file://{source}")
    assert helm("roster", "--version").stdout.endswith(f"version {VERSION}\n")
    (source / "NEWS").write_text("the same version, newer\n")
    commit(source)
    helm("plugin", "update", "roster")
    assert versions(helm) == {"other": "0.1.0", "roster": VERSION}
    helm("plugin", "uninstall", "roster")
    assert versions(helm) == {"other": "0.1.0"}
    assert helm.attempt("roster", "--version").returncode != 0


def test_a_failed_hook_is_one_line_of_ours_and_stops_no_other_plugin(every_helm: Runner, tmp_path: Path) -> None:
    source = repository(tmp_path / "source", "plugin.yaml", "plugin")
    helm = every_helm.with_env(HELM_ROSTER_PYTHON="/no/such/python")
    verify = ["--verify=false"] if helm.major == 4 else []
    done = helm.attempt("plugin", "install", f"file://{source}", *verify)
    assert done.returncode != 0
    assert done.stderr.count("no Python 3.11 or newer with venv was found") == 1
    assert helm("other").stdout == "other works\n"
    if "roster" in versions(helm):  # Helm leaves behind what it could not set up
        helm("plugin", "uninstall", "roster")
    assert versions(helm) == {"other": "0.1.0"}


def test_another_version_on_path_does_not_do(client_env: dict[str, str], tmp_path: Path) -> None:
    """Only the choice is looked at: no interpreter can be had."""
    source, programs = repository(tmp_path / "source", "plugin.yaml", "plugin"), tmp_path / "programs"
    release(source, "plugin.yaml")
    programs.mkdir()
    (programs / "helm-roster").symlink_to(OURS / "helm-roster")
    for name in ("python3", *(f"python3.{minor}" for minor in range(11, 15))):
        (programs / name).symlink_to("/bin/false")
    helm = beside_another(client("helm-4.3"), client_env).with_env(PATH=f"{programs}:/usr/bin:/bin")
    done = helm.attempt("plugin", "install", f"file://{source}", "--verify=false")
    assert "no Python 3.11 or newer with venv was found" in done.stderr
    assert "on PATH already" not in done.stderr


def test_the_interpreter_that_is_named_may_have_a_space_in_its_path(tmp_path: Path) -> None:
    python = tmp_path / "a b" / "python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\n[ "$1" = -c ]\n')
    python.chmod(0o755)
    env = {"PATH": "/usr/bin:/bin", "HELM_PLUGIN_DIR": str(tmp_path), "HELM_ROSTER_PYTHON": str(python)}
    done = subprocess.run(["sh", ROOT / "plugin" / "set_up.sh"], env=env, capture_output=True, text=True, check=False)
    assert f"with {python}, and installing it" in done.stderr
    assert done.returncode == 1
