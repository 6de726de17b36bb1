"""Results to stdout, talk to stderr."""

from __future__ import annotations

import subprocess
import sys

import pytest

from helm_roster.report import console


def test_results_go_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    console.write("result")
    assert capsys.readouterr() == ("result\n", "")


def test_each_line_of_an_error_has_its_prefix(capsys: pytest.CaptureFixture[str]) -> None:
    console.error("one\ntwo")
    assert capsys.readouterr() == ("", "Error: one\nError: two\n")


@pytest.mark.parametrize(
    ("plugin", "command"), [("roster", "helm roster"), ("roster-postrender", "helm-roster"), (None, "helm-roster")]
)
def test_the_command_is_named_as_it_was_called(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, plugin: str | None, command: str
) -> None:
    monkeypatch.delenv("HELM_PLUGIN_NAME", raising=False)
    if plugin:
        monkeypatch.setenv("HELM_PLUGIN_NAME", plugin)
    console.error("helm roster cancel op")
    console.show("helm roster status op")
    assert capsys.readouterr() == (f"{command} status op\n", f"Error: {command} cancel op\n")


def test_text_is_shown_as_it_is_and_never_cut(capsys: pytest.CaptureFixture[str]) -> None:
    line = f"[bold]{'long ' * 60}end"
    console.show(line)
    assert capsys.readouterr().out.strip() == line


@pytest.mark.parametrize(("form", "text"), [("json", '{\n  "a": "on"\n}\n'), ("yaml", 'a: "on"\n')])
def test_a_document_is_printed_in_the_form_that_was_asked_for(
    capsys: pytest.CaptureFixture[str], form: str, text: str
) -> None:
    console.document({"a": "on"}, form)
    assert capsys.readouterr().out == text


def test_the_library_of_tables_is_not_loaded_before_a_table_is_drawn() -> None:
    code = "import sys; from helm_roster.commands import explain, plan, status; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
