"""Results to stdout, talk to stderr."""

from __future__ import annotations

import pytest

from helm_roster.report import console


def test_results_go_to_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    console.write("result")
    assert capsys.readouterr() == ("result\n", "")


def test_each_line_of_an_error_has_its_prefix(capsys: pytest.CaptureFixture[str]) -> None:
    console.error("one\ntwo")
    assert capsys.readouterr() == ("", "Error: one\nError: two\n")


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
