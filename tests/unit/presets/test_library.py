"""Which presets there are, and in which files."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_roster import errors
from helm_roster.presets import library

from tests.unit.presets.files import H200, LEVELS, definitions, folder

OWN = "presets:\n  team/h200: {}\n"


def test_a_preset_is_known_by_its_file_and_line_and_takes_the_claims_that_it_uses(tmp_path: Path) -> None:
    plain, rack = definitions(tmp_path, h200=H200)
    assert (plain.name, plain.where, plain.claims) == ("roster/h200", f"{tmp_path}/h200.yaml:8", {})
    assert rack.plain["accelerator"]["perNode"] == 8
    assert rack.claims == {"imex": {"computeDomain": {}}}


def test_a_file_without_presets_is_known_by_its_name_where_it_names_levels(tmp_path: Path) -> None:
    (found,) = definitions(tmp_path, **{"topology-x": LEVELS, "nothing": "x-a: {b: 1}\n"})
    assert (found.name, found.is_preset, found.file.levels) == ("topology-x", False, {"rack": "example.com/rack"})


def test_given_files_come_after_the_library_and_one_of_it_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = folder(tmp_path / "library", h200=H200)
    monkeypatch.chdir(folder(tmp_path / "here", own=OWN))
    found = list(library.definitions(library.read(ours, ["own.yaml", "../library/h200.yaml", "own.yaml"])))
    assert [(one.name, one.file.is_ours) for one in found] == [
        ("roster/h200", True), ("roster/h200-rack", True), ("team/h200", False),
    ]  # fmt: skip
    assert found[-1].where == "own.yaml:2"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "own.yaml: there is no such file that can be read"),
        ("- a\n", "own.yaml: a file of presets is a map"),
        ("a: 1\na: 2\n", "own.yaml:2: the YAML cannot be read"),
    ],
)
def test_what_is_no_file_of_values_is_refused_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None, words: str
) -> None:
    monkeypatch.chdir(folder(tmp_path, **({} if text is None else {"own": text})))
    with pytest.raises(errors.BadInputError, match=words):
        library.open_file("own.yaml")


def test_links_in_a_circle_are_no_file(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").symlink_to(tmp_path / "other.yaml")
    (tmp_path / "other.yaml").symlink_to(tmp_path / "own.yaml")
    with pytest.raises(errors.BadInputError, match=r"own\.yaml: there is no such file that can be read"):
        library.read(folder(tmp_path / "library"), [str(tmp_path / "own.yaml")])


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("roster/h20", ["roster/h200", "roster/h200-rack"]),
        ("h200", ["roster/h200", "roster/h200-rack"]),
        ("H200", ["roster/h200", "roster/h200-rack"]),
        ("team/h2000", ["roster/h200"]),
        ("roster/h200-rock", ["roster/h200-rack"]),
        ("roster/quantum", []),
    ],
)
def test_the_nearest_names_are_those_that_are_alike_behind_the_slash(
    tmp_path: Path, name: str, near: list[str]
) -> None:
    known = definitions(tmp_path, h200=H200)
    assert library.near_to(name, known) == near
    with pytest.raises(errors.BadInputError, match=f'there is no preset "{name}"'):
        library.find(name, known)


def test_of_names_that_are_alike_the_one_that_begins_so_is_meant(tmp_path: Path) -> None:
    text = "presets: {t/mi300x: {}, t/mig-h100-1g-10gb: {}}\n"
    assert library.near_to("t/mig-h100x", definitions(tmp_path, x=text)) == ["t/mig-h100-1g-10gb"]


@pytest.mark.parametrize(
    ("name", "near"),
    [("gb200-aks", ["t/gb200-oke"]), ("v100", []), ("h100x", ["t/h100"])],
)
def test_no_other_model_is_meant(tmp_path: Path, name: str, near: list[str]) -> None:
    text = "presets: {t/b200: {}, t/b200-aks: {}, t/gb200-oke: {}, t/h100: {}, t/h200: {}}\n"
    assert library.near_to(f"t/{name}", definitions(tmp_path, x=text)) == near


@pytest.mark.parametrize(
    ("presets", "words"),
    [
        ("[a]", "own.yaml:1: presets are no map by name; helm roster presets lint tells"),
        ("abc", "own.yaml:1: presets are no map by name; helm roster presets lint tells"),
        ("{\n  b: {},\n  a: 5}", 'own.yaml:3: preset "a" is no map; helm roster presets lint tells'),
        ('{"": {}}', 'own.yaml:1: preset "" has no name; helm roster presets lint tells'),
    ],
)
def test_presets_that_are_no_maps_by_name_are_refused_by_their_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, presets: str, words: str
) -> None:
    monkeypatch.chdir(folder(tmp_path, own=f"presets: {presets}\n"))
    with pytest.raises(errors.BadInputError, match=words):
        library.read(tmp_path / "none", ["own.yaml"])


@pytest.mark.parametrize("presets", ["", "{}", "{a: null}"])
def test_a_file_whose_presets_are_taken_away_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, presets: str
) -> None:
    monkeypatch.chdir(folder(tmp_path, own=f"presets: {presets}\n"))
    assert list(library.definitions(library.read(tmp_path / "none", ["own.yaml"]))) == []
