"""What is added to Helm's complaints about values that do not fit the schema."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_roster.commands import advice
from helm_roster.commands.value_files import Given

from tests.support.roster import CHART
from tests.support.runner import Runner

AT = "- at '/groups/a': additional properties '{}' not allowed"


def lines(said: str, values: Path | None = None) -> list[str]:
    given = Given(["-f", str(values)] if values else [], ["v.yaml"] if values else [])
    told = "\n".join(advice.schema_lines(f"{advice.COMPLAINT}\n{said}\n", given, CHART))
    head, _, found = told.partition("the values do not fit the chart:")
    assert head == ""
    return [line.strip() for line in found.strip().splitlines()]


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("replica", "groups.a.replicas"),
        ("image", "groups.a.container.image"),
        ("nodeSelector", "groups.a.environment.nodeSelector"),
    ],
)
def test_the_nearest_key_is_named(key: str, meant: str) -> None:
    assert lines(AT.format(key)) == [f'{AT.format(key)[2:]}; "{key}": did you mean "{meant}"?']


def test_a_key_that_belongs_above_is_sent_there() -> None:
    (found,) = lines("- at '/groups/a/container': additional properties 'resources' not allowed")
    assert found.endswith('did you mean "groups.a.resources"?')


def test_a_key_like_no_other_gets_no_advice() -> None:
    assert lines(AT.format("xyzzy")) == [AT.format("xyzzy")[2:]]


def test_a_bad_name_is_told_what_names_look_like() -> None:
    (found,) = lines("- at '/groups': additional properties 'Bad_Name' not allowed")
    assert found.endswith('"Bad_Name": allowed: lower-case letters, digits and dashes, no dash at the ends')


@pytest.mark.parametrize(
    "complaint", ["at '/shm/size': 'x' does not match pattern '{}'", "shm.size: Does not match pattern '{}'"]
)
def test_a_pattern_is_told_in_words(complaint: str) -> None:
    (found,) = lines(f"- {complaint.format('^[0-9]+%$')}")
    assert "does not fit; allowed: a percentage, such as 25%" in found


def test_each_complaint_names_file_and_line(tmp_path: Path) -> None:
    values = tmp_path / "v.yaml"
    values.write_text("groups:\n  a:\n    replica: 1\n    replicas: two\n")
    typed = "- at '/groups/a/replicas': got string, want null or integer"
    unknown, wrong = lines(f"{typed}\n{AT.format('replica')}", values)
    assert '; "replica" (v.yaml:3): did you mean' in unknown
    assert wrong == f"{typed[2:]}; see v.yaml:4"


@pytest.mark.parametrize(
    ("at", "wanted", "words"),
    [
        ("/groups/a/container/command", "null or array", "command: Entry point, a list of strings"),
        ("/groups/a/container/args", "null or array", "args: Arguments, a list of strings"),
        (
            "/groups/a/container/envFrom/0",
            "object",
            "envFrom: Sources of whole environments, a list or a map by a name",
        ),
    ],
)
def test_text_where_something_else_is_wanted_is_told_what_stands_there(
    tmp_path: Path, at: str, wanted: str, words: str
) -> None:
    values = tmp_path / "v.yaml"
    values.write_text("groups: {a: {container: {command: x, args: x, envFrom: [x]}}}\n")
    (found,) = lines(f"- at '{at}': got string, want {wanted}", values)
    assert f"; see v.yaml:1; {words}" in found


def test_a_source_of_a_variable_is_sent_below_value_from() -> None:
    (found,) = lines("- at '/groups/a/container/env/X': additional properties 'secretKeyRef' not allowed")
    assert found.endswith('did you mean "groups.a.container.env.X.valueFrom.secretKeyRef"?')


@pytest.mark.parametrize(("wanted", "way"), [("null or string", ", or use --set-string for text"), ("null or map", "")])
def test_a_flag_that_makes_no_text_is_told_of_one_that_does(wanted: str, way: str) -> None:
    said = f"{advice.COMPLAINT}\n- at '/operation/name': got boolean, want {wanted}"
    (found,) = advice.schema_lines(said, Given(["--set", "operation.name=true"], []), CHART)
    assert found.endswith(f"; see --set operation.name=true{way}")


def test_an_older_helms_words_are_understood() -> None:
    (found,) = lines("- groups.a: Additional property replica is not allowed")
    assert found.endswith('; "replica": did you mean "groups.a.replicas"?')


def test_branches_are_left_out_and_what_hangs_on_them_stays(roster: Runner, tmp_path: Path) -> None:
    values = tmp_path / "v.yaml"
    values.write_text("groups: {a: {rollout: {typ: x}, foo: 1}}\npresetz: {}\n")
    said = roster.attempt("template", "rl", "-f", values).stderr.splitlines()
    assert len(said) == 4
    assert not [line for line in said if "validation failed" in line]


def test_a_chart_without_a_schema_gives_no_advice(tmp_path: Path) -> None:
    found = advice.schema_lines(AT.format("replica"), Given([], []), tmp_path)
    assert found == [f"the values do not fit the chart: {AT.format('replica')[2:]}"]


def test_of_a_value_that_is_none_of_a_few_the_nearest_is_named(tmp_path: Path) -> None:
    (tmp_path / "v.yaml").write_text("presets:\n  team/h200:\n    patchStrategy: post-merge\n")
    said = "- at '/presets/team~1h200/patchStrategy': value must be one of 'isnull', 'post_merge', 'replace', <nil>"
    assert lines(said, tmp_path / "v.yaml") == [
        (
            "at '/presets/team~1h200/patchStrategy': \"post-merge\" is none of isnull, post_merge, replace; "
            'did you mean "post_merge"?; see v.yaml:3'
        )
    ]
