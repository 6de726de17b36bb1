"""The order in which Helm lays values over each other, compared with Helm itself."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from helm_roster import errors
from helm_roster.helm import values

from tests.support.runner import Runner

FLAGS = {
    "--set": "k=set", "--set-string": "k=string", "--set-json": 'k="json"', "--set-file": "k=FILE",
    "--set-literal": "k=literal",
}  # fmt: skip


def said_by_helm(helm: Runner, chart: Path, args: list[str]) -> object:
    (chart / "templates").mkdir(parents=True, exist_ok=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 0.1.0\n")
    (chart / "templates" / "v.yaml").write_text("k: {{ .Values.k | quote }}")
    return helm("template", "c", chart, *args).stdout.partition("k: ")[2].strip()


@pytest.mark.parametrize("pair", list(itertools.combinations(FLAGS, 2)), ids=" ".join)
def test_of_two_flags_the_one_wins_that_wins_in_helm(helm: Runner, tmp_path: Path, pair: tuple[str, str]) -> None:
    file = tmp_path / "file"
    file.write_text(str(file))  # what is read here is the path, and in Helm the content
    args = [word for flag in pair for word in (flag, FLAGS[flag].replace("FILE", str(file)))]
    for given in (args, args[2:] + args[:2]):
        assert json.dumps(values.read(given, []).values["k"]) == said_by_helm(helm, tmp_path, given)


def test_any_flag_wins_over_files_and_the_last_file_over_the_first(helm: Runner, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(f"k: {name}\n")
    files = ["-f", f"{tmp_path}/a.yaml,{tmp_path}/b.yaml"]
    for args, wanted in ((files, "b"), (["--set-json", 'k="json"', *files], "json")):
        assert values.read(args, ["a", "b"]).values["k"] == wanted
        assert json.dumps(wanted) == said_by_helm(helm, tmp_path / "chart", args)


@pytest.mark.parametrize(
    ("value", "paths"),
    [("a,b", ["a", "b"]), ('"a,b",c', ["a,b", "c"]), ('"a""b"', ['a"b']), ("", []), ("a b", ["a b"])],
)
def test_files_of_one_flag_are_read_as_csv(value: str, paths: list[str]) -> None:
    assert values.paths(value) == paths
    assert values.paths(values.joined(paths)) == paths


def test_helm_takes_a_file_whose_name_has_a_comma_in_quotes(helm4: Runner, tmp_path: Path) -> None:
    (tmp_path / "a,b.yaml").write_text("k: comma\n")
    args = ["-f", f'"{tmp_path}/a,b.yaml"']
    assert said_by_helm(helm4, tmp_path / "chart", args) == json.dumps(values.read(args, ["a"]).values["k"])


def test_a_flags_words_are_its_source() -> None:
    found = values.read(["--set", "a.b=1,c=2"], [])
    assert str(found.source("c")) == "--set a.b=1,c=2"


def test_an_object_merges_into_what_is_there() -> None:
    found = values.read(["--set-json", '{"a": {"b": 1}}', "--set", "a.c=2"], [])
    assert found.values == {"a": {"b": 1, "c": "2"}}


def test_a_file_that_cannot_be_read_is_refused_with_its_name_and_line(tmp_path: Path) -> None:
    (tmp_path / "v.yaml").write_text("a: 1\nb: [\n")
    with pytest.raises(errors.BadInputError, match=r"^v.yaml:3: the YAML cannot be read"):
        values.read(["-f", str(tmp_path / "v.yaml")], ["v.yaml"])
