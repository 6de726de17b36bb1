"""What the door makes of text, what it writes, and how it refuses."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import helm_roster
from helm_roster import errors
from helm_roster.manifests import door
from helm_roster.manifests.door import Raw

from tests.unit.manifests import cases

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["y", "08", "1e3", "null", "~", "<<", "=", "a\nb", "a\nb\n", "a\n\n", " a\nb", "a \nb", "- a", "#", "---", ""]
)
SCALARS = TEXT | st.booleans() | st.none() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False)
DATA = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))


@given(DATA)
@settings(max_examples=100, deadline=None)
def test_what_is_written_is_read_back_as_the_same_data(data: object) -> None:
    assert door.to_plain(door.load(door.dump(data))) == door.to_plain(data)


@pytest.mark.parametrize("name", cases.readable())
def test_the_pure_python_parser_reads_and_writes_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = cases.readable()[name]
    wanted = door.load(text)
    monkeypatch.setattr(door, "_Loader", yaml.SafeLoader)
    monkeypatch.setattr(door, "_Dumper", yaml.SafeDumper)
    assert door.load(text) == wanted
    assert door.to_plain(door.load(door.dump(wanted))) == door.to_plain(wanted)


def test_plain_scalars_are_written_as_they_were_read() -> None:
    text = "v:\n- 08\n- 1_000\n- on\n- 1e3\n- 2001-01-01\n- 1:30\n- =\n- <<\n"
    assert door.dump(door.load(text)) == text


def test_plain_scalars_are_raw_and_quoted_ones_are_not() -> None:
    plain, quoted = door.load("[on, 'on']")
    assert (type(plain), type(quoted)) == (Raw, str)


def test_raw_equals_the_same_text() -> None:
    assert door.load("kind: Deployment") == {"kind": "Deployment"}


@pytest.mark.parametrize("null", ["", "~", "null", "Null", "NULL"])
def test_null_in_every_form_is_none(null: str) -> None:
    assert door.load(f"v: {null}") == {"v": None}


def test_strings_that_could_be_misread_are_written_in_quotes() -> None:
    assert door.dump({"v": ["on", "text", ""]}) == 'v:\n- "on"\n- text\n- ""\n'


def test_several_lines_are_written_as_a_block() -> None:
    assert door.dump({"v": "a: 1\nb\n", "w": "a\nb"}) == "v: |\n  a: 1\n  b\nw: |-\n  a\n  b\n"


@pytest.mark.parametrize("text", ["a\n\n", "\na", " a\nb", "a\tb\nc", "a \nb", "a\r\nb", "a\u2028\nb"])
def test_lines_that_a_block_would_change_are_written_in_quotes(text: str) -> None:
    written = door.dump({"v": text})
    assert written.startswith('v: "')
    assert written.count("\n") == 1


def test_keys_that_cannot_be_misread_stay_bare() -> None:
    assert door.dump({"app.kubernetes.io/name": 1, "y": 2, "1": 3, "a b": 4}) == (
        'app.kubernetes.io/name: 1\n"y": 2\n"1": 3\n"a b": 4\n'
    )


def test_numbers_booleans_and_null_are_written_bare() -> None:
    values = [True, False, None, 8, -1, 1.5, 1e300, math.inf, -math.inf]
    lines = ["true", "false", "null", "8", "-1", "1.5", "1e+300", ".inf", "-.inf"]
    assert door.dump(values) == "".join(f"- {line}\n" for line in lines)


def test_shared_data_is_written_out_twice() -> None:
    shared = {"a": 1}
    assert door.dump([shared, shared]) == "- a: 1\n- a: 1\n"


def test_unicode_is_kept() -> None:
    assert door.dump({"v": "漢字 é"}) == 'v: "漢字 é"\n'


def test_long_text_stays_on_one_line() -> None:
    assert door.dump({"v": "word " * 500}).count("\n") == 1


def test_a_raw_that_cannot_stand_bare_is_quoted() -> None:
    assert door.load(door.dump([Raw("a: b"), Raw("a\nb"), Raw("")])) == ["a: b", "a\nb", ""]


def test_other_types_have_no_place_in_a_manifest() -> None:
    with pytest.raises(TypeError, match="set has no place in a manifest"):
        door.dump({"v": {1}})


def test_keys_are_text() -> None:
    with pytest.raises(TypeError, match="keys of manifests are text, not 1"):
        door.dump({1: "a"})


def test_a_plain_key_is_the_text_that_kubernetes_sees() -> None:
    assert list(door.load('{y: 1, "y": 2, 08: 3, 1e3: 4, 0x10: 5, a: 6, 1.5: 7}')) == [
        "true", "y", "8", "1000", "16", "a", "1.5",
    ]  # fmt: skip


def test_an_alias_is_a_copy_of_its_own() -> None:
    data = door.load("a: &a {x: [1]}\nb: *a")
    data["b"]["x"].append(2)
    assert data["a"] == {"x": ["1"]}


def test_a_merge_counts_where_it_stands() -> None:
    text = "a: &a {x: 1}\nbefore: {<<: *a, x: 2}\nafter: {x: 2, <<: *a}"
    assert door.load(text) == {"a": {"x": "1"}, "before": {"x": "2"}, "after": {"x": "1"}}


def test_no_document_is_none() -> None:
    assert [door.load(text) for text in ("", "# nothing\n", "---\n", "---\n...\n")] == [None] * 4


def test_a_second_document_is_refused_where_one_is_expected() -> None:
    with pytest.raises(errors.BadInputError, match=r"line 3: .*a second document begins here"):
        door.load("a: 1\n\n---\nb: 2\n")


def test_an_empty_second_document_is_none() -> None:
    assert door.load("a: 1\n---\n# end\n") == {"a": "1"}


def test_an_error_names_the_line_of_the_whole_stream() -> None:
    with pytest.raises(errors.BadInputError, match=r"^line 42: the YAML cannot be read: mapping values are not"):
        door.load("a: 1\nb: c: d\n", first_line=41)


def test_bytes_that_are_no_utf8_are_named() -> None:
    with pytest.raises(errors.BadInputError, match=r"line 2: .*byte 0xff is not UTF-8"):
        door.load(b"a: 1\nb: \xff\n".decode(errors="surrogateescape"))


def test_bytes_that_are_no_utf8_are_not_written() -> None:
    with pytest.raises(errors.BadInputError, match="is not UTF-8"):
        door.dump({"v": b"\xff".decode(errors="surrogateescape")})


def test_a_control_character_is_found_behind_wide_ones() -> None:
    with pytest.raises(errors.BadInputError, match=r"^line 3: .*control characters"):
        door.load("a: 漢字漢字\nb: 1\nc: \x01\n")


@pytest.mark.parametrize("text", ["[" * 5000, "{a: " * 5000, "- " * 5000])
def test_nesting_without_end_is_refused(text: str) -> None:
    with pytest.raises(errors.BadInputError, match=r"nests deeper than 200 levels|exceeded maximum nesting depth"):
        door.load(text)


def test_nesting_as_deep_as_custom_resource_definitions_is_read() -> None:
    text = "[" * 150 + "]" * 150
    assert door.load(door.dump(door.load(text))) == door.load(text)


def test_aliases_that_multiply_are_refused() -> None:
    with pytest.raises(errors.BadInputError, match="its aliases blow it up without bound"):
        door.load(cases.REFUSED["laughs"])


def test_many_aliases_are_read() -> None:
    assert len(door.load("- &a {x: [1, 2, 3]}\n" + "- *a\n" * 2000)) == 2001


def test_plain_data_has_no_raw_left() -> None:
    data = door.load("a: [08, y, ~, text, '08']\n1: {b: 1.0}")
    assert door.to_plain(data) == {"a": [8, True, None, "text", "08"], "1": {"b": 1}}
    assert type(door.to_plain(data)["a"][3]) is str


def test_a_whole_float_is_an_integer_in_plain_data() -> None:
    assert type(door.to_plain(Raw("1e3"))) is int


def test_no_other_module_of_the_package_imports_yaml() -> None:
    package = Path(helm_roster.__file__).parent
    users = [
        file.name
        for file in package.rglob("*.py")
        if re.search(r"^\s*(import|from) yaml\b", file.read_text(), re.MULTILINE)
    ]
    assert users == ["door.py"]


def test_keys_and_entries_know_their_lines() -> None:
    (found,) = door.load_all("# head\na:\n  b: 1\n\n  c:\n  - 1\n  - x: 2\n")
    inner = found["a"]
    assert (found.lines, inner.lines, inner["c"].lines) == ({"a": 2}, {"b": 3, "c": 5}, [6, 7])
    assert inner["c"][1].lines == {"x": 7}


def test_what_an_anchor_brings_in_keeps_the_anchors_lines() -> None:
    (found,) = door.load_all("x: &x\n  k: 1\n  l: [1]\nm:\n  <<: *x\n  o: 2\na: *x\n")
    assert found["m"].lines == {"k": 2, "l": 3, "o": 6}
    assert (found["a"].lines, found["a"]["l"].lines) == ({"k": 2, "l": 3}, [3])


def test_all_documents_are_read_with_lines_of_the_whole_text() -> None:
    first, second = door.load_all("a: 1\n---\nb: 2\n")
    assert (first.lines, second.lines) == ({"a": 1}, {"b": 3})


@pytest.mark.parametrize("second", ["a: {x: 2}", "'a': 2"])
def test_a_key_that_stands_twice_is_refused_where_lines_are_known(second: str) -> None:
    with pytest.raises(
        errors.BadInputError, match=r'line 3: .*: the key "a" stands on line 1 too, which would be lost'
    ):
        door.load_all(f"a: 1\nb: 2\n{second}\n")


def test_a_key_beside_a_merged_one_stands_once() -> None:
    assert door.load_all("b: &b {x: 1}\na: {<<: *b, x: 2}\nc: {x: 3, <<: *b}") == [
        {"b": {"x": "1"}, "a": {"x": "2"}, "c": {"x": "1"}}
    ]
