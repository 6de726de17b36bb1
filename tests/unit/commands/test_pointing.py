"""What is added to the chart's refusals: file and line, and the library's file of a preset that is not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_roster.commands import pointing
from helm_roster.commands.value_files import Given

from tests.support.roster import PRESETS

VALUES = """presets:
  team/h200.large:
    replicas: 2
groups:
  a:
    presets: [x]
    volumes: [{name: v}]
"""
UNKNOWN = (
    'groups.a.presets: there is no preset "{}"{}; known: none; presets come from files given with -f before your own'
)
FROM = f"{PRESETS / 'http.yaml'}: give that with -f before your own"


@pytest.fixture
def given(tmp_path: Path) -> Given:
    (tmp_path / "v.yaml").write_text(VALUES)
    return Given(["-f", str(tmp_path / "v.yaml")], ["v.yaml"])


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("presets.team/h200.large.replicas: no", " (see v.yaml:3)"),
        ("groups.a.volumes[0].name: no", " (see v.yaml:7)"),
        ("groups.a.container.image: no", ""),
        ("groups: no", ""),
        ('group "a" cannot', ""),
        ("groups.a.presets: no, see v.yaml:6", ""),
        ("groups.a.presets: no\ntwo lines", ""),
    ],
)
def test_a_refusal_of_a_written_value_names_its_file_and_line(given: Given, text: str, seen: str) -> None:
    assert pointing.pointed(text, given) == f"{text}{seen}"


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("groups.a.devices.rdma_nic: no device", " (see v.yaml:3, presets.p/high)"),
        ("groups.a.networks.k8s.io/n.each: missing", " (see v.yaml:4, presets.p/high)"),
        ("groups.a.claims: there is no claim", " (see v.yaml:6, presets.p/low)"),
        ("groups.a.environment.tolerations: no", " (see v.yaml:7, defaults)"),
        ("groups.a.container.image: no layer gives one", ""),
        ("groups.b.claims: there is no claim", ""),
    ],
)
def test_what_a_layer_below_the_group_writes_is_found_there(tmp_path: Path, text: str, seen: str) -> None:
    (tmp_path / "v.yaml").write_text("""presets:
  p/high:
    devices: {rdma_nic: {perPod: 1}}
    networks: {k8s.io/n: {perPod: 1}}
    container: {env: {A: b}}
  p/low: {devices: {rdma_nic: {}}, claims: [x]}
defaults: {presets: [p/low], environment: {tolerations: []}}
groups: {a: {presets: [p/high]}, b: {presets: []}}
""")
    given = Given(["-f", str(tmp_path / "v.yaml")], ["v.yaml"])
    assert pointing.pointed(text, given) == f"{text}{seen}"


@pytest.mark.parametrize(
    ("name", "hint", "told"),
    [
        ("roster/htp", "", f'; did you mean "roster/http"? It is in {FROM}'),
        ("http", "", f'; did you mean "roster/http"? It is in {FROM}'),
    ],
)
def test_of_a_preset_that_the_library_has_the_file_is_named(name: str, hint: str, told: str) -> None:
    text = UNKNOWN.format(name, hint)
    assert pointing.pointed(text, Given([], [])) == f"{text.partition('; presets come')[0]}{told}"


def test_of_a_preset_with_that_very_name_nothing_else_is_guessed() -> None:
    text = UNKNOWN.format("roster/http", ' (did you mean "roster/htp"?)').replace("known: none", "known: roster/htp")
    assert pointing.pointed(text, Given([], [])) == (
        f'groups.a.presets: there is no preset "roster/http" in the files that are given; it is in {FROM}'
    )


@pytest.mark.parametrize(("text", "is_about"), [("groups.a: no preset says", True), ("groups.a: no image", False)])
def test_a_list_of_presets_that_was_lost_is_told_with_what_is_wrong(
    tmp_path: Path, text: str, *, is_about: bool
) -> None:
    files = [tmp_path / "x.yaml", tmp_path / "y.yaml"]
    for file in files:
        file.write_text(f"defaults: {{presets: [{file.stem}]}}\n")
    given = Given([word for file in files for word in ("-f", str(file))], ["x.yaml", "y.yaml"])
    lost = " (defaults.presets: y.yaml:1 replaces the whole list of x.yaml:1)"
    assert pointing.pointed(text, given) == f"{text}{lost * is_about}"


@pytest.mark.parametrize(("name", "hint"), [("roster/htp", ' (did you mean "htp"?)'), ("quantum", "")])
def test_where_a_given_name_is_near_or_none_is_the_chart_has_said_all(name: str, hint: str) -> None:
    text = UNKNOWN.format(name, hint)
    assert pointing.pointed(text, Given([], [])) == text


def test_a_file_that_is_not_there_is_found_in_the_library_by_its_name() -> None:
    lost = "open presets/http.yaml: no such file or directory"
    assert pointing.pointed(lost, Given([], [])).endswith(f"has one of that name: -f {PRESETS / 'http.yaml'}")
    other = "open values.yaml: no such file or directory"
    assert pointing.pointed(other, Given([], [])) == other


def test_of_many_known_presets_a_few_are_told() -> None:
    many = ", ".join(f"t/{number}" for number in range(30))
    text = UNKNOWN.format("quantum", "").replace("known: none", f"known: {many}")
    assert "; known: t/0, t/1, t/2, t/3, t/4 and 25 more; presets come" in pointing.pointed(text, Given([], []))
    few = text.replace(many, "t/0, t/1, t/2, t/3, t/4, t/5")
    assert pointing.pointed(few, Given([], [])) == few


def test_of_a_preset_that_is_given_no_file_is_named() -> None:
    text = UNKNOWN.format("roster/htp", "").replace("known: none", "known: roster/http")
    assert pointing.pointed(text, Given([], [])).endswith('; known: roster/http; did you mean "roster/http"?')


@pytest.mark.parametrize(("level", "told"), [("rack", True), ("shelf", False)])
def test_of_a_level_that_the_library_has_the_files_are_named(level: str, *, told: bool) -> None:
    text = f'groups.a.locality.within: there is no level of scheduling.topology.levels called "{level}"; known: host'
    said = pointing.pointed(text, Given([], [])).removeprefix(text)
    assert ('-f "$(helm roster presets path topology-' in said, "topology-gke" in said) == (told, told)
