"""The stream as text: split without loss, looked at without parsing, documents replaced in place."""

from __future__ import annotations

import io
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from helm_roster import errors
from helm_roster.manifests import door
from helm_roster.render import stream
from helm_roster.render.stream import Document

LINES = st.sampled_from(
    ["---", "--- ", "--- # note", "--- {a: 1}", "---glued: 1", "----", " ---", "...", "# note", "", "  ", "%YAML 1.1",
     "kind: Pod", 'kind: "Pod"', "  kind: Job", "kind: Pod # x", "kind: Pod#x", '"kind": Job', "kind:", "{kind: Job}",
     "a: |", "  text", "a: {", "}", "- b", "? kind", "<<: *a", "a: &a", "\ufeff---", "\ufeff", "\udcff: 1", "a: \u2028"]
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\r\n", "\n", "\r", ""])
STREAMS = st.lists(st.tuples(LINES, ENDS), max_size=12).map(lambda parts: "".join(map("".join, parts)))


@given(STREAMS | st.text(alphabet="-\n\r \ufeff#a", max_size=40))
@settings(max_examples=300, deadline=None)
def test_documents_joined_are_the_stream(text: str) -> None:
    documents = stream.split(text)
    assert "".join(document.text for document in documents) == text
    assert all(document.text for document in documents)


@given(STREAMS)
@settings(max_examples=300, deadline=None)
def test_a_document_says_the_line_where_it_begins(text: str) -> None:
    position = 0
    for document in stream.split(text):
        assert document.line == 1 + text.count("\n", 0, position)
        position += len(document.text)


@given(STREAMS)
@settings(max_examples=300, deadline=None)
def test_a_sniffed_kind_is_the_kind(text: str) -> None:
    for document in stream.split(text):
        if kind := document.sniff_kind():
            data = parsed(document)
            assert not isinstance(data, dict) or data.get("kind") == kind


@given(STREAMS)
@example("kind: a\napiVersion: v1\n")
@example("apiVersion: v1\n  more\n")
@example("apiVersion: v1\n? apiVersion\n: v2\n")
@settings(max_examples=300, deadline=None)
def test_a_sniffed_api_version_is_the_api_version(text: str) -> None:
    for document in stream.split(text):
        if version := document.sniff_api_version():
            data = parsed(document)
            assert not isinstance(data, dict) or data.get("apiVersion") == version


@given(STREAMS)
@example("...# note\n")
@settings(max_examples=300, deadline=None)
def test_a_blank_document_holds_no_data(text: str) -> None:
    for document in stream.split(text):
        assert not document.is_blank or parsed(document) is None


@given(STREAMS)
@settings(max_examples=300, deadline=None)
def test_replaced_data_are_what_is_read_back(text: str) -> None:
    for document in stream.split(text):
        changed = stream.with_data(document, {"a": "on"})
        assert len(stream.split(changed.text)) == 1
        unreadable = "%" in document.head or "\udcff" in document.head
        assert unreadable or changed.load() == {"a": "on"}


def parsed(document: Document) -> object:
    try:
        return document.load()
    except errors.BadInputError:
        return None


def texts(text: str) -> list[str]:
    return [document.text for document in stream.split(text)]


def test_nothing_has_no_documents() -> None:
    assert stream.split("") == []


def test_the_stream_of_helm_3_is_split_at_its_separators() -> None:
    assert texts("---\n# Source: c/a.yaml\na: 1\n---\n# Source: c/b.yaml\nb: 2\n") == [
        "---\n# Source: c/a.yaml\na: 1\n",
        "---\n# Source: c/b.yaml\nb: 2\n",
    ]


def test_the_stream_of_helm_4_begins_without_separator() -> None:
    assert stream.split("a: 1\n---\nb: 2\n") == [Document("a: 1\n", 1), Document("---\nb: 2\n", 2)]


@pytest.mark.parametrize("separator", ["---", "--- ", "---\t# note", "--- {b: 2}", "---\r", "---b: 2"])
def test_a_line_that_starts_with_three_dashes_separates(separator: str) -> None:
    assert texts(f"a: 1\n{separator}\nc: 3\n") == ["a: 1\n", f"{separator}\nc: 3\n"]


@pytest.mark.parametrize("line", ["  ---", "a---", "# ---", "..."])
def test_other_lines_do_not(line: str) -> None:
    assert len(texts(f"a: |\n{line}\nc: 3\n")) == 1


def test_a_byte_order_mark_belongs_to_the_separator() -> None:
    (document,) = stream.split("\ufeff---\na: 1\n")
    assert (document.load(), document.head) == ({"a": "1"}, "\ufeff---\n")


@pytest.mark.parametrize(
    "text", ["---\n", "# a\n", "---\n# a\n\n", "--- # a", "", "---\r\n\r\n", "...\n", "%YAML 1.1\n"]
)
def test_comments_and_separators_alone_are_blank(text: str) -> None:
    assert Document(text, 1).is_blank


@pytest.mark.parametrize("text", ["a", "---\na: 1\n", "--- a", "---a", "# a\n{}\n", ".a: 1\n"])
def test_anything_else_is_not_blank(text: str) -> None:
    assert not Document(text, 1).is_blank


@pytest.mark.parametrize("text", ["--- {a: 1}", "---a: 1", "---\na: 1", "a: 1\n...\n", "--- # note\na: 1"])
def test_content_is_read_wherever_it_begins(text: str) -> None:
    assert Document(text, 1).load() == {"a": "1"}


def test_an_error_names_the_line_of_the_stream() -> None:
    second = stream.split("a: 1\n---\n# Source: x\nb: c: d\n")[1]
    with pytest.raises(errors.BadInputError, match=r"^line 4: "):
        second.load()


@pytest.mark.parametrize(
    "text",
    ["kind: Job\n", "kind:   Job # note\n", "---\napiVersion: v1\nkind: Job\r\nspec:\r\n  kind: Pod\r\n", "kind: Job"],
)
def test_a_kind_in_plain_sight_is_told(text: str) -> None:
    assert Document(text, 1).sniff_kind() == "Job"


@pytest.mark.parametrize("text", ["apiVersion: batch/v1\n", "---\nkind: Job\napiVersion:  batch/v1 # note\r\na: 1\n"])
def test_an_api_version_in_plain_sight_is_told(text: str) -> None:
    assert Document(text, 1).sniff_api_version() == "batch/v1"


@pytest.mark.parametrize("text", ['apiVersion: "v1"\n', "apiVersion: 1\n", "{apiVersion: v1}\n", "apiVersion:\n  v1\n"])
def test_an_uncertain_api_version_is_left_to_the_parser(text: str) -> None:
    assert Document(text, 1).sniff_api_version() is None


@pytest.mark.parametrize(
    "text",
    ['kind: "Job"\n', '"kind": Job\n', "{kind: Job}\n", "a: 1\n", "kind: Job\nkind: Pod\n", "kind: Job\n  more\n",
     "kind: &k Job\n", "kind: Job\n<<: *a\n", "  kind: Job\n", "kind: |\n  Job\n",
     '{\n"kind": "Job"\n}\n', "a: {\nkind: Job}\n? kind\n: Pod\n"],
)  # fmt: skip
def test_an_uncertain_kind_is_left_to_the_parser(text: str) -> None:
    assert Document(text, 1).sniff_kind() is None


def test_replaced_data_keep_separator_and_comments() -> None:
    document = Document("--- # note\n# Source: c/a.yaml\na: 1\n# lost\n", 7)
    assert stream.with_data(document, {"b": "on"}) == Document('--- # note\n# Source: c/a.yaml\nb: "on"\n', 7)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("a: 1\n", 'b: "on"\n'), ("---", '---\nb: "on"\n'), ("--- {a: 1}", '---\nb: "on"\n'),
     ("---a: 1", '---\nb: "on"\n'),
     ("---\r\na: 1\r\n", '---\r\nb: "on"\n'), ("---\n# note", '---\n# note\nb: "on"\n')],
)  # fmt: skip
def test_replaced_data_begin_on_a_line_of_their_own(text: str, wanted: str) -> None:
    assert stream.with_data(Document(text, 1), {"b": "on"}).text == wanted


def test_a_list_shares_anchors_between_its_items() -> None:
    (document,) = stream.split("kind: List\nitems:\n- {labels: &l {a: on}}\n- {labels: *l}\n")
    assert door.to_plain(document.load()) == {"kind": "List", "items": [{"labels": {"a": True}}] * 2}


@given(st.binary(max_size=60))
def test_bytes_come_back_as_they_were(data: bytes) -> None:
    assert stream.encode(stream.decode(data)) == data


def test_stdin_and_stdout_change_no_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    data, out = b"\xef\xbb\xbf---\r\na: \xff\r\nb\n\rc", io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out))
    stream.write_stdout(stream.read_stdin())
    assert out.getvalue() == data
