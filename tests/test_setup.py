"""`helm-roster setup` in a real folder of plugins, with each Helm and with a plugin of somebody else's beside ours."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import helm_roster

from tests.conftest import NEWEST_HELM3, client
from tests.support.roster import CHART, EXAMPLES, HELM4_PLUGINS, cli
from tests.support.runner import Runner

GANG = EXAMPLES / "02-gang-training" / "values.yaml"
VERSION = f"helm-roster, version {helm_roster.__version__}\n"
RENDERER = "--post-renderer=roster-postrender"


@pytest.fixture
def plugins(client_env: dict[str, str]) -> Path:
    """Helm's own folder of plugins, in which somebody else's plugin is."""
    folder = Path(client_env["HELM_DATA_HOME"]) / "plugins"
    (folder / "other").mkdir(parents=True)
    manifest = "name: other\nversion: 0.1.0\nusage: x\ncommand: echo other works\n"
    (folder / "other" / "plugin.yaml").write_text(manifest)
    return folder


def content(folder: Path) -> dict[str, str]:
    """Return every file and link below a folder, with what it holds or leads to."""
    return {
        str(path.relative_to(folder)): str(path.readlink()) if path.is_symlink() else path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def bare(helm: Runner) -> Runner:
    """Return Helm as a user has it whose environment of Python is not on PATH."""
    return helm.with_env(PATH="/usr/bin:/bin")


def alone(roster: Runner, helm: Runner, folder: Path) -> Runner:
    """Return our command line where this Helm is the only one on PATH."""
    (folder / "bin").mkdir()
    (folder / "bin" / "helm").symlink_to(helm.program)
    return roster.with_env(PATH=f"{folder / 'bin'}:/usr/bin:/bin")


def test_of_two_plugins_of_one_name_in_two_folders_helm_takes_the_first(helm: Runner, plugins: Path) -> None:
    """What plugin_folders says of both Helms."""
    for name, folder in (("again", "b"), ("late", "c")):
        second = plugins.parent / "more" / folder
        second.mkdir(parents=True)
        manifest = f"name: {'other' if name == 'again' else name}\nversion: 0.1.0\nusage: x\ncommand: echo {name}\n"
        (second / "plugin.yaml").write_text(manifest)
    listed = helm.with_env(HELM_PLUGINS=f"{plugins}{os.pathsep}{plugins.parent / 'more'}")
    assert listed("other").stdout == "other works\n"
    assert (listed.attempt("late").returncode == 0) is (helm.major == 3)


@pytest.mark.parametrize("name", ["helm-3.19", NEWEST_HELM3, "helm-4.3"])
def test_setup_makes_helm_roster_work_and_uninstall_leaves_the_folder_as_it_was(
    client_env: dict[str, str], plugins: Path, name: str
) -> None:
    program, before = client(name), content(plugins)
    helm = Runner(program, client_env | {"HELM_BIN": str(program)}, int(name[len("helm-")]))
    assert helm("version", "--template", "{{.Version}}").stdout.startswith(f"v{name.removeprefix('helm-')}.")
    cli(helm)("setup")
    assert bare(helm)("roster", "--version").stdout == VERSION
    assert bare(helm)("other").stdout == "other works\n"
    cli(helm)("setup", "--uninstall")
    assert content(plugins) == before
    assert not (plugins / "roster").exists()


def test_setup_may_be_repeated(roster4: Runner, plugins: Path) -> None:
    said = [json.loads(roster4("setup", *flags, "-o", "json").stdout) for flags in ([], [], ["--uninstall"])]
    assert [entry["plugins"][0]["action"] for entry in said] == ["installed", "unchanged", "removed"]
    assert said[0]["folder"] == str(plugins)
    again = roster4("setup", "--uninstall", "-o", "json").stdout
    assert {entry["action"] for entry in json.loads(again)["plugins"]} == {"absent"}


def test_setup_after_an_upgrade_of_the_package_renews_the_plugin(helm: Runner, plugins: Path) -> None:
    cli(helm)("setup")
    manifest = plugins / "roster" / "plugin.yaml"
    manifest.write_text(manifest.read_text().replace(helm_roster.__version__, "0.0.1"))
    assert ": renewed (" in cli(helm)("setup").stdout
    listed = helm("plugin", "list").stdout
    assert [line.split()[1] for line in listed.splitlines() if line.startswith("roster")] == [helm_roster.__version__]


def test_setup_from_another_environment_starts_that_one(roster4: Runner, helm4: Runner, plugins: Path) -> None:
    roster4("setup")
    link = plugins / "roster" / "helm-roster"
    link.unlink()
    link.symlink_to("/no/such/environment/bin/helm-roster")
    assert ": renewed (" in roster4("setup").stdout
    assert bare(helm4)("roster", "--version").stdout == VERSION


def test_a_plugin_of_somebody_else_in_our_place_is_left_alone(roster4: Runner, plugins: Path) -> None:
    (plugins / "other").rename(plugins / "roster")
    before = content(plugins)
    done = roster4.attempt("setup")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "was not made by helm-roster setup: keep it, or remove it first" in done.stderr
    assert roster4("setup", "--uninstall").stdout.startswith("plugin roster 0.1.0: left")
    assert content(plugins) == before


def test_a_second_plugin_of_our_name_is_refused(roster4: Runner, plugins: Path) -> None:
    manifest = plugins / "other" / "plugin.yaml"
    manifest.write_text(manifest.read_text().replace("other", "roster"))
    done = roster4.attempt("setup")
    assert (done.returncode, (plugins / "roster").exists()) == (1, False)
    assert "two of one name stop others" in done.stderr


def test_files_of_other_people_in_our_folder_stay(roster4: Runner, plugins: Path) -> None:
    roster4("setup")
    (plugins / "roster" / "notes.txt").write_text("mine\n")
    roster4("setup", "--uninstall")
    assert content(plugins / "roster") == {"notes.txt": "mine\n"}
    assert ": absent (" in roster4("setup", "--uninstall").stdout
    assert ": installed (" in roster4("setup").stdout
    assert (plugins / "roster" / "notes.txt").read_text() == "mine\n"


def test_what_a_killed_setup_left_goes_too(roster4: Runner, plugins: Path) -> None:
    roster4("setup")
    (plugins / "roster" / ".plugin.yaml.4711").write_text("half")
    done = roster4("setup", "--helm4", "--uninstall")
    assert not (plugins / "roster").exists()
    assert done.stderr == "--uninstall removes both plugins, with --helm4 or without\n"


def test_a_folder_that_cannot_be_written_is_one_line(roster4: Runner, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = roster4.with_env(HELM_PLUGINS=str(tmp_path / "file")).attempt("setup")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "name another folder in HELM_PLUGINS" in done.stderr


def test_the_first_folder_of_a_path_list_is_the_users(
    roster4: Runner, helm4: Runner, plugins: Path, tmp_path: Path
) -> None:
    listed = {"HELM_PLUGINS": f"{tmp_path / 'mine'}{os.pathsep}{plugins}"}
    roster4.with_env(**listed)("setup")
    assert (tmp_path / "mine" / "roster" / "plugin.yaml").is_file()
    assert bare(helm4).with_env(**listed)("roster", "--version").stdout == VERSION


def test_helm4_adds_the_renderer_for_plain_helm(roster4: Runner, helm4: Runner, plugins: Path, tmp_path: Path) -> None:
    before = content(plugins)
    run = alone(roster4, helm4, tmp_path)
    run("setup", "--helm4")
    made = bare(helm4)("template", "train", CHART, "-f", GANG, RENDERER).stdout
    assert "kind: PodGroup" in made
    assert bare(helm4)("roster", "template", "train", "-f", GANG).stdout == made
    run("setup", "--uninstall")
    assert content(plugins) == before


def test_helm4_is_refused_with_helm_3(helm3: Runner, plugins: Path) -> None:
    before = content(plugins)
    done = cli(helm3).attempt("setup", "--helm4")
    assert (done.returncode, content(plugins)) == (1, before)
    assert f"{helm3.program} is a Helm 3 and reads {plugins} too" in done.stderr


@pytest.mark.parametrize("name", ["helm", "helm3", "helm-v3.19.0"])
def test_helm4_is_refused_while_a_helm_3_on_path_shares_the_folder(
    roster4: Runner, helm3: Runner, plugins: Path, tmp_path: Path, name: str
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / name).symlink_to(helm3.program)
    run = roster4.with_env(PATH=f"{programs}:/usr/bin:/bin")
    assert f"{programs / name} is a Helm 3 and reads {plugins} too" in run.attempt("setup", "--helm4").stderr
    run("setup")
    assert helm3("other").stdout == "other works\n"


def test_setup_warns_of_what_stops_helm_3_already(helm3: Runner, plugins: Path) -> None:
    (plugins / "renderer").symlink_to(HELM4_PLUGINS / "postrender")
    done = cli(helm3)("setup")
    assert f"remove {plugins / 'renderer'}" in done.stderr
