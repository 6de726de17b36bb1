"""Volcano and KAI in the tests' cluster: where they are looked for, and what is said where they are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import projects

ROOT = Path(__file__).parents[2]
BOTH = pytest.mark.parametrize("project", ["volcano", "kai"])


def folder(tmp_path: Path, project: str, *names: str) -> Path:
    """Make empty files of these names in the project's folder; programs can be run."""
    for name in names:
        path = tmp_path / project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o755)
    return tmp_path


@BOTH
def test_programs_are_taken_from_the_folder_that_the_environment_names(
    project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROSTER_CLUSTER_BIN", str(folder(tmp_path, project, *projects.PROGRAMS[project])))
    assert projects.why_no_programs(project) is None
    assert set(projects.programs(project).values()) == set((tmp_path / project).iterdir())


def test_else_they_are_looked_for_in_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("ROSTER_CLUSTER_BIN", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert projects.programs_folder() == tmp_path / "helm-roster-binaries"


@BOTH
def test_one_missing_program_is_named(project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSTER_CLUSTER_BIN", str(folder(tmp_path, project, projects.PROGRAMS[project][0])))
    missing, name = tmp_path / project / projects.PROGRAMS[project][1], projects.NAMES[project]
    assert projects.why_no_programs(project) == (
        f"no programs of {name} are here: {missing} is no program; ROSTER_CLUSTER_BIN names the folder"
    )


def test_a_file_that_cannot_be_run_is_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSTER_CLUSTER_BIN", str(folder(tmp_path, "kai", *projects.PROGRAMS["kai"])))
    (tmp_path / "kai" / "scheduler").chmod(0o644)
    assert f"{tmp_path}/kai/scheduler is no program" in (projects.why_no_programs("kai") or "")


@BOTH
def test_definitions_are_taken_from_the_folder_that_the_environment_names(
    project: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROSTER_CLUSTER_CRDS", str(tmp_path))
    assert projects.why_no_definitions(project) == (
        f"no CRDs of {projects.NAMES[project]} are here: {tmp_path / project} holds none; "
        "ROSTER_CLUSTER_CRDS names the folder"
    )
    folder(tmp_path, project, "one.yaml")
    assert projects.why_no_definitions(project) is None


def test_else_they_are_looked_for_beside_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROSTER_CLUSTER_CRDS", raising=False)
    assert projects.definitions_folder() == ROOT.parent / "shared" / "crds"


def test_the_closing_line_counts_by_project_and_by_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ROSTER_CLUSTER_BIN", "ROSTER_CLUSTER_CRDS"):
        monkeypatch.setenv(name, str(tmp_path))
    volcano, kai = (projects.why_no_programs(project) for project in ("volcano", "kai"))
    reasons = [("a.py", 3, f"Skipped: {reason}") for reason in (volcano, kai, kai, projects.why_no_definitions("kai"))]
    assert projects.lacking([*reasons, ("a.py", 9, "Skipped: Go 1.26 or newer is not on PATH")]) == (
        "tests skipped: 1 for lack of KAI's CRDs, 2 for lack of KAI's programs, 1 for lack of Volcano's programs "
        "(CONTRIBUTING.md, Volcano and KAI)"
    )
    assert projects.lacking([]) == ""
