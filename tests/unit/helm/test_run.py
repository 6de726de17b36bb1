"""Starting Helm, with programs that stand in for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_roster.helm import run


@pytest.fixture
def helm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that answers for its version, fails on `fail`, and else prints its arguments."""
    path = tmp_path / "helm"
    path.write_text(
        '#!/bin/sh\ncase $1 in version) echo v4.3.1;; fail) echo "Error: no" >&2; exit 9;; *) echo "$@";; esac\n'
    )
    path.chmod(0o755)
    monkeypatch.setenv("HELM_BIN", str(path))
    return path


@pytest.mark.usefixtures("helm")
def test_an_answer_is_returned() -> None:
    assert run.capture(["env", "a b"]) == "env a b\n"


@pytest.mark.usefixtures("helm")
def test_a_failure_keeps_helms_words() -> None:
    with pytest.raises(run.HelmError) as caught:
        run.capture(["fail"])
    assert (caught.value.said, caught.value.code, caught.value.exit_code) == ("no", 9, 4)


@pytest.mark.usefixtures("helm")
def test_what_is_streamed_is_shown_as_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    run.stream(["install", "rl"])
    assert capfd.readouterr().out == "install rl\n"


@pytest.mark.usefixtures("helm")
def test_a_streamed_failure_is_shown_and_raised(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(run.HelmError, match="exit code 9"):
        run.stream(["fail"])
    assert capfd.readouterr().err == "Error: no\n"


def test_debug_shows_the_command(
    helm: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HELM_DEBUG", "true")
    run.capture(["env", "a b"])
    assert capfd.readouterr().err == f"+ {helm} env 'a b'\n"


@pytest.mark.parametrize(
    "flag", ["--password", "--kube-token", "--set", "--set-string", "--set-json", "--set-literal", "--set-file"]
)
@pytest.mark.parametrize("form", ["{} a=hidden", "{}=a=hidden"])
def test_debug_shows_no_secrets(
    helm: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], flag: str, form: str
) -> None:
    monkeypatch.setenv("HELM_DEBUG", "true")
    run.capture(["upgrade", *form.format(flag).split(), "-f", "v.yaml"])
    assert capfd.readouterr().err == f"+ {helm} upgrade {flag}=*** -f v.yaml\n"


@pytest.mark.usefixtures("helm")
def test_the_namespace_is_helms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM_NAMESPACE", "team")
    assert run.namespace() == "team"
