"""The options that commands share."""

from __future__ import annotations

import importlib

import click
import pytest
from click.testing import CliRunner

from helm_roster import cli
from helm_roster.commands import options


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90.0), ("5m", 300.0), ("1h30m", 5400.0), ("5m0s", 300.0), ("500ms", 0.5), ("1.5m", 90.0)],
)
def test_a_duration_is_read_as_helm_writes_it(text: str, seconds: float) -> None:
    assert options.Duration().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "5", "m", "5 m", "-5m", "5d"])
def test_anything_else_is_no_duration(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write 90s, 5m or 1h30m"):
        options.Duration().convert(text, None, None)


def printed_as(*more: str, args: tuple[str, ...] = (), asked: str) -> str:
    """Return how a command that knows the forms ``more`` prints, where the environment asks for a form."""

    @click.command()
    @options.output("HELM_ROSTER_OUTPUT", *more)
    def command(output: str) -> None:
        click.echo(output)

    done = CliRunner().invoke(command, args, env={"HELM_ROSTER_OUTPUT": asked})
    return done.output.splitlines()[-1]


def test_a_form_of_one_result_in_the_environment_stops_no_other_command() -> None:
    assert (printed_as("html", asked="html"), printed_as(asked="html")) == ("html", "table")


@pytest.mark.parametrize(("args", "asked"), [(("-o", "html"), "json"), ((), "htm")], ids=["asked here", "unknown"])
def test_a_form_that_a_command_does_not_know_is_refused(args: tuple[str, ...], asked: str) -> None:
    assert "is not one of 'table', 'json', 'yaml'" in printed_as(args=args, asked=asked)


def ran(monkeypatch: pytest.MonkeyPatch, verb: str, *args: str, env: str = "") -> tuple[dict[str, object], str]:
    """Call a verb whose command only notes how it was called; return that, and what the verb refused."""
    noted: dict[str, object] = {}
    for name in ("install", "upgrade", "scale"):
        module = importlib.import_module(f"helm_roster.commands.{name}")
        monkeypatch.setattr(module, "run", lambda *_, **how: noted.update(how))
    done = CliRunner().invoke(cli.cli, [verb, "op", *args], env={"HELM_ROSTER_SKIP_CHECKS": env})
    return noted, str(done.exception or "")


@pytest.mark.parametrize("verb", ["install", "upgrade", "scale"])
def test_checks_of_the_cluster_are_made_unless_they_are_skipped(monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    asked = [ran(monkeypatch, verb, *args)[0]["skip_checks"] for args in ((), ("--skip-checks",))]
    assert [*asked, ran(monkeypatch, verb, env="true")[0]["skip_checks"]] == [False, True, True]


@pytest.mark.parametrize("verb", ["install", "upgrade", "scale"])
def test_a_dry_run_has_nothing_to_skip_checks_for_unless_the_environment_says_so_for_all(
    monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    assert "with --dry-run: nothing is applied" in ran(monkeypatch, verb, "--skip-checks", "--dry-run=server")[1]
    assert ran(monkeypatch, verb, "--dry-run=server", env="true")[0]["skip_checks"] is True


@pytest.mark.parametrize("env", ["", "true"], ids=["flag", "environment"])
def test_a_restart_of_gangs_is_always_checked(monkeypatch: pytest.MonkeyPatch, env: str) -> None:
    flags = () if env else ("--skip-checks",)
    noted, refused = ran(monkeypatch, "upgrade", "--recreate", *flags, env=env)
    assert (noted, "--skip-checks with --recreate would delete pods" in refused) == ({}, True)
