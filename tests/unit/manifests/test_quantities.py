"""Kubernetes quantities, held against the Kubernetes client's own parser where that one is right."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kubernetes.utils.quantity import parse_quantity

from helm_roster import errors
from helm_roster.manifests import door, quantities

SUFFIXES = st.sampled_from(["", *"mkMGTPE", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E2", "e-1"])
NUMBERS = st.from_regex(r"[+-]?[0-9]{1,6}(\.[0-9]{0,3})?", fullmatch=True)


@given(NUMBERS, SUFFIXES)
@settings(max_examples=60, deadline=None)
def test_amounts_are_what_the_kubernetes_client_says(number: str, suffix: str) -> None:
    assert quantities.parse(number + suffix) == Fraction(parse_quantity(number + suffix))


@pytest.mark.parametrize(
    ("text", "amount"),
    [("500m", Fraction(1, 2)), ("1.5Gi", 3 * 2**29), ("1e3", 1000), ("1E3", 1000), ("1E", 10**18), ("1Ei", 2**60),
     ("100k", 10**5), (".5", Fraction(1, 2)), ("5.", 5), ("-1", -1), ("+1", 1), ("1n", Fraction(1, 10**9))],
)  # fmt: skip
def test_a_quantity_is_exact(text: str, amount: Fraction | int) -> None:
    assert quantities.parse(text) == amount


@pytest.mark.parametrize("text", ["0.1n", "1e-12", "0.0000000001"])
def test_what_is_finer_than_nano_is_rounded_up(text: str) -> None:
    assert quantities.parse(text) == Fraction(1, 10**9)


@pytest.mark.parametrize(("text", "amount"), [("0.1", Fraction(1, 10)), ("1e3", 1000), ("0x10", 16), ("010", 8)])
def test_a_plain_scalar_is_the_number_that_kubernetes_reads(text: str, amount: Fraction | int) -> None:
    assert quantities.parse(door.load(text)) == amount


@pytest.mark.parametrize("value", [2, 2.0, "2", door.Raw("2")])
def test_numbers_and_text_are_taken(value: object) -> None:
    assert quantities.parse(value) == 2


@pytest.mark.parametrize(
    "value", ["", " 1", "1 ", "1K", "1ki", "Gi", ".", "1Gb", "1e", "1e999", "1_000", "٣", "NaN", True, None, [1]]
)
def test_what_is_no_quantity_is_refused_with_its_text(value: object) -> None:
    with pytest.raises(errors.BadInputError) as refused:
        quantities.parse(value)
    assert str(refused.value).startswith(f"{value!r} is no Kubernetes quantity")


@pytest.mark.parametrize(
    ("text", "written"),
    [("12", "12"), ("500m", "500m"), ("1.5", "1500m"), ("2000m", "2"), ("0", "0"), ("1k", "1000"), ("100u", "100u"),
     ("1n", "1n")],
)  # fmt: skip
def test_cpu_is_written_in_cores_or_parts_of_them(text: str, written: str) -> None:
    assert quantities.format_cpu(quantities.parse(text)) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [("64Gi", "64Gi"), ("1.5Gi", "1536Mi"), ("1024Mi", "1Gi"), ("1000", "1000"), ("0", "0"), ("1M", "1000000"),
     ("1Ei", "1Ei"), ("0.5", "1")],
)  # fmt: skip
def test_memory_is_written_with_the_largest_binary_unit(text: str, written: str) -> None:
    assert quantities.format_memory(quantities.parse(text)) == written


@pytest.mark.parametrize(
    ("text", "short"),
    [("128400m", "128.4"), ("1500m", "1.5"), ("500m", "500m"), ("128", "128"), ("1000000", "1000000"),
     ("12345678u", "12.346"), ("100000500m", "100000.5"), ("1000123m", "1000.123"), ("1234567500m", "1234567.5"),
     ("1999999600u", "2000")],
)  # fmt: skip
def test_people_read_cores_in_decimals(text: str, short: str) -> None:
    assert quantities.short_cpu(text) == short


@given(st.integers(0, 2**62), st.sampled_from(["n", "u", "m", ""]))
def test_people_read_at_most_a_thousandth_of_a_core_more_than_asked_for(amount: int, unit: str) -> None:
    text = f"{amount}{unit}"
    read = quantities.short_cpu(text)
    assert "e" not in read
    assert 0 <= quantities.parse(read) - quantities.parse(text) < Fraction(1, 1000)


@pytest.mark.parametrize(
    ("text", "short"),
    [("1638912Mi", "1600.5Gi"), ("1536Mi", "1536Mi"), ("1000000000", "953.7Mi"), ("9999Gi", "9999Gi"), ("64", "64"),
     ("10000Gi", "9.8Ti"), ("1000001Mi", "976.6Gi"), ("100000Ei", "100000Ei"), ("0", "0")],
)  # fmt: skip
def test_people_read_bytes_in_a_unit_of_which_there_are_few(text: str, short: str) -> None:
    assert quantities.short_memory(text) == short


@given(st.integers(0, 2**62))
def test_what_is_written_is_the_same_amount(amount: int) -> None:
    assert quantities.parse(quantities.format_memory(amount)) == amount
    assert quantities.parse(quantities.format_cpu(Fraction(amount, 1000))) == Fraction(amount, 1000)


@pytest.mark.parametrize(
    ("resource", "device"),
    [("nvidia.com/gpu", True), ("example.com/kubernetes.io", True), ("cpu", False), ("hugepages-2Mi", False),
     ("kubernetes.io/x", False), ("a.kubernetes.io/x", False), ("mykubernetes.io/x", False),
     ("requests.nvidia.com/gpu", False)],
)  # fmt: skip
def test_a_device_is_what_the_api_takes_for_an_extended_resource(resource: str, *, device: bool) -> None:
    assert quantities.is_extended(resource) is device


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [(1.5, "1.5", True), ("1.5", "1500m", True), (1, "1", True), (1, 1.0, True), ("1Gi", "1024Mi", True),
     ("0.5Gi", "512Mi", True), ("0.5Ki", "512", True), ("0Gi", "0", True), ("0e3", "0", True), ("1e3", "10e2", True),
     ("1k", 1000, True), ("1Gi", 2**30, False), ("1e3", "1k", False), ("1G", "1Gi", False), ("1500m", "1501m", False)],
)  # fmt: skip
def test_of_two_quantities_it_is_known_whether_the_api_stores_them_alike(
    one: object,
    other: object,
    same: bool,  # noqa: FBT001
) -> None:
    assert (quantities.form(one) == quantities.form(other)) == same
