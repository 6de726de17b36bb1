"""Reading Helm's flags: what is ours, what is a positional argument, what is passed on."""

from __future__ import annotations

import pytest

from helm_roster import errors
from helm_roster.helm import flags

OWN = ("-n", "--namespace", "--chart", "--debug")


def split(*args: str) -> flags.Split:
    return flags.split(args, own=OWN, own_standalone=("--debug",))


@pytest.mark.parametrize(
    ("args", "positionals"),
    [
        (["rl", "-f", "values.yaml"], ["rl"]),
        (["-f", "values.yaml", "rl"], ["rl"]),
        (["rl", "--wait", "./chart"], ["rl", "./chart"]),
        (["rl", "--version", "1.2.3"], ["rl"]),
        (["rl", "--set=a=b", "./chart"], ["rl", "./chart"]),
        (["rl", "-i", "./chart"], ["rl", "./chart"]),
        (["rl", "-f", "-"], ["rl"]),
        (["rl", "--", "--odd"], ["rl", "--odd"]),
        (["rl", "--server-side", "-f", "x"], ["rl"]),
        (["rl", "--server-side", "auto"], ["rl"]),
        (["rl", "--unknown-of-a-newer-helm", "x"], ["rl"]),
    ],
)
def test_positional_arguments_are_told_from_values_of_flags(args: list[str], positionals: list[str]) -> None:
    assert split(*args).positionals == positionals


def test_what_is_not_ours_is_passed_on_word_for_word() -> None:
    args = [
        "--set",
        "a=-n",
        "--set-string=b=1",
        "-f",
        "v.yaml",
        "--wait=legacy",
        "-fv2.yaml",
        "--description",
        "--chart",
    ]
    assert split("rl", *args).passed == args


@pytest.mark.parametrize(
    ("args", "own"),
    [
        (["-n", "team", "rl"], ["-n", "team"]),
        (["rl", "-nteam"], ["-nteam"]),
        (["rl", "--namespace=team"], ["--namespace=team"]),
        (["rl", "--debug", "--chart", "./c"], ["--debug", "--chart", "./c"]),
        (["rl", "-n"], ["-n"]),
    ],
)
def test_our_own_options_are_taken_out_wherever_they_stand(args: list[str], own: list[str]) -> None:
    assert split(*args).own == own


def test_template_gets_only_flags_that_print_the_whole_operation() -> None:
    args = [
        "-f",
        "v.yaml",
        "--history-max",
        "3",
        "-i",
        "--atomic",
        "--server-side=auto",
        "-s",
        "templates/x.yaml",
        "-o",
        "json",
    ]
    assert flags.for_template(args) == ["-f", "v.yaml", "--atomic"]


@pytest.mark.parametrize(
    ("args", "dry"),
    [
        (["--dry-run"], True),
        (["--dry-run=server"], True),
        (["--dry-run=none"], False),
        (["--dry-run=false"], False),
        ([], False),
        (["--description", "--dry-run"], False),
    ],
)
def test_a_dry_run_is_recognised(args: list[str], dry: bool) -> None:  # noqa: FBT001
    assert flags.is_dry_run(args) is dry


@pytest.mark.parametrize(
    ("args", "reused"),
    [
        (["--reuse-values"], True),
        (["--reset-then-reuse-values"], True),
        (["--reuse-values=false", "--set", "a=1"], False),
        (["--reuse-values", "--reset-values"], False),
        (["--set", "a=1"], False),
        (["-fv.yaml"], False),
        (["--values=v.yaml", "--wait"], False),
        (["--set-json", "a=1"], False),
        ([], True),
        (["--wait", "--timeout", "5m"], True),
        (["--reset-values"], False),
        (["--values=v.yaml", "--reuse-values"], True),
    ],
)
def test_reuse_of_the_running_releases_values_is_recognised(args: list[str], reused: bool) -> None:  # noqa: FBT001
    assert flags.reuses_values(args) is reused


@pytest.mark.parametrize("args", [["--post-renderer", "x"], ["--post-renderer=x"], ["--post-renderer-args", "x"]])
def test_a_second_post_renderer_is_refused(args: list[str]) -> None:
    with pytest.raises(errors.UsageError, match="Helm takes one"):
        flags.refuse_post_renderer(args)


def test_helm_show_gets_what_says_where_the_chart_is() -> None:
    args = ["--wait", "--version", "1.2.3", "--set", "a=1", "--repo=https://x.example", "--timeout", "5m"]
    assert flags.for_show(args) == ["--version", "1.2.3", "--repo=https://x.example"]
