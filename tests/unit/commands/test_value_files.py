"""Values that can be read only once, which Helm reads twice."""

from __future__ import annotations

import io
import os
import sys
import threading
from pathlib import Path

import pytest

from helm_roster import errors
from helm_roster.commands import value_files


class Stdin:
    """Standard input with that content."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)


@pytest.mark.parametrize("args", [["-f", "-"], ["--values=-"], ["-f-"]])
def test_values_from_stdin_are_put_into_a_file(args: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin("a: ü\n".encode()))
    with value_files.opened(["--wait", *args]) as given:
        assert Path(given.args[2]).read_text() == "a: ü\n"
        assert [given.args[0], given.args[1]] == ["--wait", args[0][:2] if args[0] != "--values=-" else "--values"]
    assert not Path(given.args[2]).exists()


def test_other_values_stay_where_they_are() -> None:
    with value_files.opened(["-f", "v.yaml", "--set", "a=-"]) as given:
        assert given.args == ["-f", "v.yaml", "--set", "a=-"]


def test_a_pipe_among_several_files_of_one_flag_is_put_into_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("a: 1\n",))
    writer.start()
    with value_files.opened(["-f", f"base.yaml,{pipe}"]) as given:
        base, _, copy = given.args[1].partition(",")
        assert (base, Path(copy).read_text()) == ("base.yaml", "a: 1\n")
    writer.join()


def files(folder: Path, **texts: str) -> list[str]:
    """Return flags for values files of these names and texts."""
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text)
    return [word for name in texts for word in ("-f", str(folder / f"{name}.yaml"))]


def refusal(args: list[str]) -> str:
    with pytest.raises(errors.BadInputError) as caught, value_files.opened(args):
        pass
    return str(caught.value)


def test_a_preset_that_two_files_define_is_refused_with_both_places(tmp_path: Path) -> None:
    said = refusal(files(tmp_path, site="presets:\n  h200: {}\n", mine="a: 1\npresets:\n  h200: {}\n"))
    assert f"presets.h200: {tmp_path}/site.yaml:2 and {tmp_path}/mine.yaml:3 both define" in said


@pytest.mark.parametrize("second", ["presets: {h100: {}}\n", "presets: {h200: null}\n", "presets: null\n"])
def test_files_may_define_different_presets_or_take_one_away(tmp_path: Path, second: str) -> None:
    with value_files.opened(files(tmp_path, site="presets: {h200: {}}\n", mine=second)) as given:
        assert len(given.names) == 2


def test_a_file_that_is_given_twice_defines_nothing_twice(tmp_path: Path) -> None:
    with value_files.opened(2 * files(tmp_path, site="presets: {h200: {}}\n")) as given:
        assert given.names[0] == given.names[1]


@pytest.mark.parametrize("again", ["./site.yaml", "x/../site.yaml", "ABSOLUTE"])
def test_a_file_is_the_same_however_its_path_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: str
) -> None:
    monkeypatch.chdir(tmp_path)
    files(tmp_path, site="presets: {h200: {}}\n")
    path = again.replace("ABSOLUTE", str(tmp_path / "site.yaml"))
    with value_files.opened(["-f", path, "-f", "site.yaml"]) as given:
        assert given.names == ["site.yaml", "site.yaml"]


def test_a_file_that_is_no_yaml_is_told_alike_alone_and_with_others(tmp_path: Path) -> None:
    bad = files(tmp_path, two="a: 1\nb: [\n")
    said = refusal(bad)
    assert said.startswith(f"{tmp_path}/two.yaml:3: the YAML cannot be read")
    assert refusal([*files(tmp_path, one="a: 1\n"), *bad]) == said


def test_a_key_that_stands_twice_in_a_file_is_refused_with_both_places(tmp_path: Path) -> None:
    said = refusal(files(tmp_path, two="groups:\n  a:\n    container: {}\n    replicas: 1\n    container: {}\n"))
    assert said.startswith(f'{tmp_path}/two.yaml:5: the YAML cannot be read: the key "container" stands on line 3 too')


def test_a_flag_may_change_a_files_preset(tmp_path: Path) -> None:
    with value_files.opened([*files(tmp_path, site="presets: {h200: {}}\n"), "--set", "presets.h200.x=1"]) as given:
        assert given.written.doubled == []


def test_a_second_document_is_refused_with_its_line(tmp_path: Path) -> None:
    said = refusal(files(tmp_path, two="a: 1\n---\nb: 2\n"))
    assert said.startswith(f"{tmp_path}/two.yaml:2: a second YAML document begins")


def test_separators_and_comments_around_one_document_are_fine(tmp_path: Path) -> None:
    with value_files.opened(files(tmp_path, one="# head\n---\na: 1\n---\n# end\n")) as given:
        assert given.written.values == {"a": "1"}


def test_what_only_helm_can_read_is_left_to_helm(tmp_path: Path) -> None:
    with value_files.opened([*files(tmp_path, one="a: 1\n"), "-f", "https://example.org/v.yaml"]) as given:
        assert given.written.unread == ["https://example.org/v.yaml"]


def test_a_file_below_the_current_folder_is_called_from_there_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    args = [*files(tmp_path, one="a: 1\n"), "-f", "../other.yaml"]
    with value_files.opened(args) as given:
        assert given.names == ["one.yaml", "../other.yaml"]
