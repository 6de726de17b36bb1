"""Finding Helm and judging its version, with programs that stand in for old and broken ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_roster import errors
from helm_roster.helm import find


def program(folder: Path, script: str) -> Path:
    """Write a program that speaks as Helm would."""
    path = folder / "helm"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("text", "version"),
    [("v3.19.0+g3d8990f\n", (3, 19, 0)), ("v4.3.1", (4, 3, 1)), ("4.0.0-rc.1", (4, 0, 0)), ("nothing", None)],
)
def test_a_version_is_read(text: str, version: tuple[int, int, int] | None) -> None:
    assert find.parse_version(text) == version


def test_helm_bin_comes_before_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = program(tmp_path, "echo v4.3.1")
    monkeypatch.setenv("HELM_BIN", str(named))
    assert find.find() == find.Helm(path=str(named), version=(4, 3, 1))


def test_without_helm_bin_path_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HELM_BIN", raising=False)
    monkeypatch.setenv("PATH", f"{program(tmp_path, 'echo v3.19.0').parent}:/usr/bin:/bin")
    assert not find.find().is_helm4


@pytest.mark.parametrize(
    ("script", "words"),
    [("echo v3.13.2", "is Helm v3.13.2; use 3.14 or newer"), ("exit 7", "does not tell its version")],
)
def test_a_helm_that_does_not_do_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    monkeypatch.setenv("HELM_BIN", str(program(tmp_path, script)))
    with pytest.raises(errors.BadInputError, match=words):
        find.find()


def test_a_wrong_helm_bin_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM_BIN", "/no/such/helm")
    with pytest.raises(errors.BadInputError, match="HELM_BIN is '/no/such/helm'"):
        find.find()
