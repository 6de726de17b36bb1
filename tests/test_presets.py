"""`helm-roster presets` from outside, with the library as it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.support.roster import PRESETS
from tests.support.runner import Runner

NAMES = sorted(
    name for path in PRESETS.glob("*.yaml") for name in (yaml.safe_load(path.read_text()).get("presets") or {})
)
OWN = """# Ours.
presets:
  team/h200: &h200
    accelerator: {model: NVIDIA H200, resource: nvidia.com/gpu}
    environment: {nodeSelector: {pool: h200}}
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A file of presets of one's own."""
    (tmp_path / "own.yaml").write_text(OWN)
    return tmp_path / "own.yaml"


def test_all_presets_of_the_library_are_listed_and_those_of_given_files(roster4: Runner, own: Path) -> None:
    listed = json.loads(roster4("presets", "list", "-f", own, "-o", "json").stdout)["presets"]
    assert sorted(entry["name"] for entry in listed if "levels" not in entry["selects"]) == [*NAMES, "team/h200"]
    found = next(entry for entry in listed if entry["name"] == "team/h200")
    assert (found["file"], found["line"], found["library"]) == (str(own), 3, False)


def test_the_table_shows_what_a_word_finds(roster4: Runner, own: Path) -> None:
    head, row, *rest = roster4("presets", "list", "pool", "team/", "-f", own).stdout.splitlines()
    assert head.split() == ["name", "selects", "nodes", "with", "it", "file"]
    assert row.split() == ["team/h200", "NVIDIA", "H200", "(nvidia.com/gpu)", "pool=h200", "-", str(own)]
    assert rest == ["", f"files of the library: {PRESETS}"]
    assert roster4("presets", "list", "no-such").stderr == "no preset is like no-such\n"


def test_a_preset_is_shown_as_a_values_file_with_the_head_of_its_file(roster4: Runner) -> None:
    shown = roster4("presets", "show", "roster/http").stdout
    file = PRESETS / "http.yaml"
    assert shown.startswith(file.read_text().partition("presets:")[0])
    assert yaml.safe_load(shown) == yaml.safe_load(file.read_text())
    document = json.loads(roster4("presets", "show", "roster/http", "-o", "json").stdout)
    assert (document["needs"], document["example"]) == ("nothing in the cluster.", None)
    rack = yaml.safe_load(roster4("presets", "show", "roster/nvl72").stdout)
    assert rack["scheduling"] == yaml.safe_load((PRESETS / "nvl72.yaml").read_text())["scheduling"]


def test_an_example_shows_what_a_group_becomes_under_it(roster4: Runner, own: Path) -> None:
    args = ("presets", "show", "team/h200", "--example", "-f", own)
    done = roster4(*args)
    added = {line[1:].strip() for line in done.stdout.splitlines() if line.startswith("+ ")}
    assert {"nvidia.com/gpu: 1", "pool: h200"} <= added
    assert done.stderr == "a model group of 1 pod, each with 1 accelerator: without team/h200, and with it\n"
    example = json.loads(roster4(*args, "-o", "json").stdout)["example"]
    assert (example["accelerators"], example["pods"], example["diff"]) == (1, 1, done.stdout.rstrip("\n"))


def test_an_unknown_name_ends_with_1_and_names_the_nearest_in_one_line(roster4: Runner, own: Path) -> None:
    done = roster4.attempt("presets", "show", "roster/htp", "-f", own)
    assert done.returncode == 1
    assert done.stderr.startswith('Error: there is no preset "roster/htp" (did you mean "roster/http"?); ')
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "path"),
    [([], PRESETS), (["roster/vllm-spanning"], PRESETS / "vllm.yaml"), (["llm-d"], PRESETS / "llm-d.yaml")],
)
def test_a_path_is_printed_for_values_flags(roster4: Runner, name: list[str], path: Path) -> None:
    assert roster4("presets", "path", *name).stdout == f"{path}\n"


@pytest.mark.parametrize("verb", [["plan"], ["template", "rl"], ["install", "rl"], ["upgrade", "rl", "--dry-run"]])
def test_every_verb_that_renders_says_in_one_line_which_file_has_an_unknown_preset(
    roster4: Runner, tmp_path: Path, verb: list[str]
) -> None:
    values = tmp_path / "values.yaml"
    values.write_text("groups:\n  a:\n    presets: [roster/http]\n    container: {image: example/app:1}\n")
    done = roster4.attempt(*verb, "-f", values)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f'Error: groups.a.presets: there is no preset "roster/http" in the files that are given; it is in '
        f"{PRESETS / 'http.yaml'}: give that with -f before your own (see {values}:3)\n"
    )


WRONG = """# Ours.
#
# For: us.
# Source: us.
presets:
  h200:
    accelerator: {model: NVIDIA H200, resource: nvidia.com/gpu}
    replicas: 2
  team/a:
    patchStrategy: post-merge
    enviroment: {}
  team/b:
    container: {env: {A: 3}}
  team/c:
    startup: {timeout: 5m}
    environment: &list {tolerations: [{operator: Exists}]}
  roster/http:
    container: {args: [--port=1]}
  team/d:
    environment: *list
  team/e:
    container: {env: {B: 4}}
"""


def test_the_library_passes_its_own_lint(roster4: Runner) -> None:
    done = roster4("presets", "lint", PRESETS)
    assert (done.stdout, done.stderr.endswith(" files: 0 findings\n")) == ("", True)


def test_all_that_is_wrong_is_told_at_once_one_line_each_with_its_place(roster4: Runner, tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text(WRONG)
    done = roster4.attempt("presets", "lint", tmp_path, "no-such.yaml")
    assert (done.returncode, done.stderr) == (1, "7 presets in 1 file: 11 findings\n")
    at = f"{tmp_path / 'w.yaml'}:"
    said = [line.removeprefix(at) for line in done.stdout.splitlines()]
    places = [line.partition(" ")[0] for line in said]
    assert places == ["no-such.yaml:1:", "1:", "6:", "8:", "10:", "11:", "12:", "16:", "17:", "17:", "21:"]
    for words in (
        "there is no such file",
        'no "# Needs: …"',
        "say whose it is, as in platform/h200",
        "presets.h200.replicas: a preset selects hardware and never says how much",
        'did you mean "post_merge"?',
        'did you mean "presets.team/a.environment"?',
        "presets.team/b: a group that takes it is refused: presets.team/b.container.env.A: 3 is a number",
        "presets.team/e: a group that takes it is refused: presets.team/e.container.env.B: 4 is a number",
        "presets.team/c.environment.tolerations: a list; write a map by name",
        "presets/http.yaml:8 defines it too",
    ):
        assert any(words in line for line in said), words
    document = json.loads(roster4.attempt("presets", "lint", tmp_path / "w.yaml", "-o", "json").stdout)
    rules = ["head", "name", "count", "schema", "schema", "composition", "map", "name", "twice", "composition"]
    assert [finding["rule"] for finding in document["findings"]] == rules


BESIDE = """# Ours.
# For: us.
# Needs: nothing.
# Source: us.
claims:
  rack: {computeDomains: {}}
scheduling:
  topology:
    levels:
      rack: {lable: example.com/rack}
presets:
  team/a: {container: {env: {A: b}}}
  team/b: {claims: {rack: {}}}
"""


def test_what_is_wrong_beside_the_presets_is_told_on_its_own_line(roster4: Runner, tmp_path: Path) -> None:
    (tmp_path / "w.yaml").write_text(BESIDE)
    said = roster4.attempt("presets", "lint", tmp_path / "w.yaml").stdout.splitlines()
    at = f"{tmp_path / 'w.yaml'}:"
    assert [line.removeprefix(at).partition(":")[0] for line in said] == ["6", "10"]
    assert [word in line for line, word in zip(said, ("computeDomains", "lable"), strict=True)] == [True, True]
    (tmp_path / "w.yaml").write_text(BESIDE.replace("computeDomains", "computeDomain").replace("{lable", "{}  # {"))
    (line,) = roster4.attempt("presets", "lint", tmp_path / "w.yaml").stdout.splitlines()
    assert line.startswith(f"{tmp_path / 'w.yaml'}:10: scheduling.topology.levels.rack: says by nothing")


def test_a_folder_is_looked_at_whole_and_one_without_files_is_a_mistake(roster4: Runner, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "w.yml").write_text(WRONG)
    assert "7 presets in 1 file" in roster4.attempt("presets", "lint", tmp_path / "full").stderr
    done = roster4.attempt("presets", "lint", tmp_path)
    assert (done.returncode, done.stdout) == (
        1,
        f"{tmp_path}:1: a folder without any .yaml or .yml file; name one that has files of presets\n",
    )
