"""How our post-renderer is handed to each Helm."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from helm_roster import assets
from helm_roster.helm import plugins
from helm_roster.helm.find import Helm

HELM3 = Helm(path="helm", version=(3, 19, 0))
HELM4 = Helm(path="helm", version=(4, 3, 1))


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An interpreter without a console script beside it."""
    interpreter = tmp_path / "python"
    monkeypatch.setattr(sys, "executable", str(interpreter))
    return interpreter


def plugin(folder: Path, name: str) -> None:
    """Install a plugin of that name into the folder."""
    (folder / "some").mkdir(parents=True)
    (folder / "some" / "plugin.yaml").write_text(f"apiVersion: v1\nname: {name}\n")


def test_helm_3_gets_the_script_beside_the_interpreter(bare: Path) -> None:
    script = bare.with_name("roster-postrender")
    script.touch(mode=0o755)
    assert plugins.post_renderer(HELM3).args == ["--post-renderer", str(script)]


def test_helm_3_gets_the_module_where_there_is_no_script(bare: Path) -> None:
    words = [f"--post-renderer-args={word}" for word in ("-P", "-m", "helm_roster.postrender")]
    assert plugins.post_renderer(HELM3).args == ["--post-renderer", str(bare), *words]


def test_helm_4_gets_our_folder_after_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM_PLUGINS", str(tmp_path))
    found = plugins.post_renderer(HELM4)
    assert found.args == ["--post-renderer", "roster-postrender"]
    assert found.environment["HELM_PLUGINS"] == f"{tmp_path}{os.pathsep}{assets.helm4_plugins()}"


def test_helm_4_is_given_no_second_plugin_of_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin(tmp_path, "roster-postrender")
    monkeypatch.setenv("HELM_PLUGINS", str(tmp_path))
    assert "HELM_PLUGINS" not in plugins.post_renderer(HELM4).environment


def test_a_plugin_with_a_longer_name_is_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin(tmp_path, "roster-postrender-extra")
    monkeypatch.setenv("HELM_PLUGINS", str(tmp_path))
    assert "HELM_PLUGINS" in plugins.post_renderer(HELM4).environment


@pytest.mark.usefixtures("bare")
def test_helm_4_starts_the_interpreter_where_there_is_no_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELM_PLUGINS", str(tmp_path))
    environment = plugins.post_renderer(HELM4).environment
    assert (environment["HELM_ROSTER_POSTRENDER"], environment["HELM_ROSTER_POSTRENDER_PYTHON"]) == ("", sys.executable)
