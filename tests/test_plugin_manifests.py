"""The plugin manifests: readable for each Helm, alike where they must be, and working."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

import helm_roster

from tests.support.runner import Runner

ROOT = Path(__file__).parents[1]
CLI = ROOT / "plugin" / "plugin.yaml"
GIT = ROOT / "plugin.yaml"
RENDERER = ROOT / "plugin" / "helm4" / "postrender" / "plugin.yaml"
# What Helm 3.14 knows in a plugin.yaml and we may need (helm v3.14 pkg/plugin Metadata); it refuses any other key.
LEGACY_KEYS = {"name", "version", "usage", "description", "ignoreFlags", "command", "hooks"}


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text())
    return found


def installed(tmp_path: Path, *folders: Path) -> str:
    """Return a HELM_PLUGINS folder that holds links to the plugins."""
    for number, folder in enumerate(folders):
        (tmp_path / "plugins").mkdir(exist_ok=True)
        (tmp_path / "plugins" / f"p{number}").symlink_to(folder)
    return str(tmp_path / "plugins")


@pytest.mark.parametrize("path", [CLI, GIT, RENDERER], ids=["cli", "git", "renderer"])
def test_every_manifest_has_the_packages_version(path: Path) -> None:
    assert read(path)["version"] == helm_roster.__version__


def test_the_two_manifests_of_the_cli_differ_in_paths_and_hooks_only() -> None:
    twins = [{key: text for key, text in read(path).items() if key not in {"command", "hooks"}} for path in (CLI, GIT)]
    assert twins[0] == twins[1]
    assert read(GIT)["command"] == read(CLI)["command"].replace("HELM_PLUGIN_DIR}/", "HELM_PLUGIN_DIR}/plugin/")


@pytest.mark.parametrize("path", [CLI, GIT], ids=["cli", "git"])
def test_the_cli_has_no_key_that_an_old_helm_refuses(path: Path) -> None:
    assert set(read(path)) <= LEGACY_KEYS


def test_plugin_names_are_unique() -> None:
    assert read(CLI)["name"] != read(RENDERER)["name"]


@pytest.mark.parametrize("folder", [CLI.parent, ROOT], ids=["cli", "git"])
def test_both_helms_run_the_cli(helm: Runner, tmp_path: Path, folder: Path) -> None:
    done = helm.with_env(HELM_PLUGINS=installed(tmp_path, folder))("roster", "--version")
    assert done.stdout == f"helm-roster, version {helm_roster.__version__}\n"


def test_helm_hands_its_own_flags_and_our_exit_code_through(helm: Runner, tmp_path: Path) -> None:
    run = helm.with_env(HELM_PLUGINS=installed(tmp_path, CLI.parent))
    done = run.attempt("roster", "-n", "team", "install", "rl", "./chart")
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: helm roster install ")
    assert "--chart names another" in done.stderr


def test_the_install_hook_says_in_one_line_that_python_is_missing(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    environment = {"PATH": str(tmp_path / "bin"), "HELM_PLUGIN_DIR": str(tmp_path)}
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "plugin" / "set_up.sh")], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == (
        "Error: no Python 3.11 or newer with venv was found: install one, or name it in HELM_ROSTER_PYTHON; "
        "run helm plugin uninstall roster, then install it again\n"
    )


@pytest.mark.parametrize(
    ("programs", "code", "words"), [(["helm-roster"], 0, "the plugin uses it"), ([], 1, "run 'make setup'")]
)
def test_the_install_hook_leaves_a_checkouts_own_environment_alone(
    tmp_path: Path, programs: list[str], code: int, words: str
) -> None:
    """A plugin folder may be a link to a checkout, and its .venv is a developer's."""
    folder = tmp_path / ".venv" / "bin"
    folder.mkdir(parents=True)
    for program in programs:
        (folder / program).symlink_to(sys.executable)
    before = sorted(tmp_path.rglob("*"))
    environment = {"PATH": os.environ["PATH"], "HELM_PLUGIN_DIR": str(tmp_path)}
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "plugin" / "set_up.sh")], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, sorted(tmp_path.rglob("*"))) == (code, before)
    assert words in done.stderr


def test_the_interpreter_chosen_for_the_installation_does_not_move_the_post_renderer(tmp_path: Path) -> None:
    script = tmp_path / "roster-postrender"
    script.write_text('#!/bin/sh\necho "ours $*"\n')
    script.chmod(0o755)
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HELM_ROSTER_PYTHON": "/no/such/python"}
    done = subprocess.run(
        ["/bin/sh", str(RENDERER.parent / "roster-postrender.sh")], env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "ours --helm4\n")


def test_no_variable_has_two_meanings() -> None:
    used = [
        set(re.findall(r"HELM_ROSTER_[A-Z_]+", path.read_text()))
        for path in (ROOT / "plugin" / "set_up.sh", RENDERER.parent / "roster-postrender.sh")
    ]
    assert not used[0] & used[1]


def test_the_launcher_says_in_one_line_that_the_tool_is_missing(tmp_path: Path) -> None:
    shutil.copy(ROOT / "plugin" / "launch.sh", tmp_path / "launch.sh")
    done = subprocess.run(
        ["/bin/sh", str(tmp_path / "launch.sh")], env={"PATH": "/usr/bin:/bin", "HELM_PLUGIN_DIR": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "install it with pip from a checkout" in done.stderr


def test_a_v1_manifest_beside_the_cli_is_what_breaks_helm_3(helm3: Runner, tmp_path: Path) -> None:
    plugins = installed(tmp_path, CLI.parent, RENDERER.parent)
    assert helm3.with_env(HELM_PLUGINS=plugins).attempt("roster", "--version").returncode != 0
