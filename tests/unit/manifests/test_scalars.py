"""Plain scalars as go-yaml v2 and Go's JSON read them; `test_door_in_helm` holds the same against the real reader."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helm_roster.manifests import scalars

NUMBERS = {
    "08": 8.0, "0777": 511, "00": 0, "0o17": 15, "0x1F": 31, "-0x1F": -31, "0b101": 5, "-0b1": -1, "1_000": 1000,
    "1__0": 10, "+5": 5, "-0": 0, "9223372036854775807": 2**63 - 1, "18446744073709551615": 2**64 - 1,
    "1.5": 1.5, ".5": 0.5, "-.5": -0.5, "1.": 1.0, "1e3": 1000.0, "1E-3": 0.001, ".1_0": 0.1, "1_0.5": 10.5,
    "18446744073709551616": 2.0**64, "+9223372036854775808": 2.0**63, ".inf": math.inf, "-.Inf": -math.inf,
}  # fmt: skip
TEXTS = [
    "1:30", "2001-01-01", "2001-01-01T00:00:00Z", "0o8", "0x", "0b2", "_1", "+", "-", ".", "..", ".e3", "1e", "e3",
    "1e999", "12e5a", "=", "<<", "yEs", "nULL", "tRUE", "inf", "nan", "1.2.3", "0x1p-2", ".1__0", "--1", "+-1", "٣",
]  # fmt: skip


@pytest.mark.parametrize("text", NUMBERS)
def test_a_plain_number_is_read_as_go_does(text: str) -> None:
    found = scalars.resolve(text)
    assert (found, type(found)) == (NUMBERS[text], type(NUMBERS[text]))


@pytest.mark.parametrize("text", TEXTS)
def test_what_go_takes_for_text_stays_text(text: str) -> None:
    assert scalars.resolve(text) == text
    assert scalars.is_text(text)


@pytest.mark.parametrize("text", ["y", "Y", "yes", "On", "TRUE", "true"])
def test_yes_in_every_form_is_true(text: str) -> None:
    assert scalars.resolve(text) is True


@pytest.mark.parametrize("text", ["n", "N", "no", "Off", "FALSE", "false"])
def test_no_in_every_form_is_false(text: str) -> None:
    assert scalars.resolve(text) is False


def test_not_a_number_is_a_float() -> None:
    found = scalars.resolve(".NaN")
    assert isinstance(found, float)
    assert math.isnan(found)


@given(st.text(alphabet="0123456789+-._eExXoObBaf", max_size=8))
def test_no_text_breaks_the_reader(text: str) -> None:
    assert isinstance(scalars.resolve(text), (bool, int, float, str, type(None)))


@given(st.booleans() | st.none() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False))
def test_a_literal_is_read_as_what_it_was(value: scalars.Scalar) -> None:
    assert scalars.resolve(scalars.literal(value)) == value


@pytest.mark.parametrize(
    ("key", "text"),
    [("y", "true"), ("No", "false"), ("08", "8"), ("1e3", "1000"), ("1e6", "1e+06"), ("1.50", "1.5"), ("0.1", "0.1"),
     ("1e300", ".inf"), ("-1e300", "-.inf"), ("+.Inf", ".inf"), ("a", "a")],
)  # fmt: skip
def test_a_plain_key_becomes_text(key: str, text: str) -> None:
    assert scalars.key_text(key) == text


@pytest.mark.parametrize(
    ("tag", "text", "value"),
    [("int", "0x10", 16), ("float", "1", 1), ("bool", "yes", True), ("null", "", None), ("str", "1", "1"),
     ("timestamp", "2001-01-01", "2001-01-01"), ("binary", "aGVs\n bG8=", "hello"), ("binary", "/w==", "\ufffd")],
)  # fmt: skip
def test_an_explicit_tag_decides(tag: str, text: str, value: scalars.Scalar) -> None:
    assert scalars.tagged(f"tag:yaml.org,2002:{tag}", text) == value


def test_an_unknown_tag_leaves_text() -> None:
    assert scalars.tagged("!own", "08") == "08"


@pytest.mark.parametrize(("tag", "text"), [("int", "1.5"), ("bool", "1"), ("null", "a"), ("float", "a")])
def test_a_tag_that_lies_is_refused(tag: str, text: str) -> None:
    with pytest.raises(ValueError, match=f'"{text}" is no {tag}, as its tag says'):
        scalars.tagged(f"tag:yaml.org,2002:{tag}", text)


def test_whole_floats_are_integers_to_json() -> None:
    assert [type(scalars.as_json(value)) for value in (1000.0, -2.0, 1.5, 1e300, math.inf)] == [
        int, int, float, float, float,
    ]  # fmt: skip
