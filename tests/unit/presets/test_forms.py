"""The forms of names that presets hold."""

from __future__ import annotations

import pytest

from helm_roster.presets import forms


@pytest.mark.parametrize("text", ["a", "nvidia.com/gpu.product", "node-role.kubernetes.io/x_Y", "A" * 63])
def test_a_key_is_a_name_with_or_without_a_domain(text: str) -> None:
    assert forms.key(text) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "a key is"), ("a b", "a key is"), ("x/", "a key is"), ("X.com/a", "no domain"), ("a" * 64, "a key is")],
)
def test_other_keys_are_wrong(text: str, words: str) -> None:
    assert words in forms.key(text)


@pytest.mark.parametrize(("text", "right"), [("", True), ("NVIDIA-H200", True), ("a b", False), ("-a", False)])
def test_a_value_is_empty_or_a_name(text: str, *, right: bool) -> None:
    assert (forms.value(text) == "") is right


@pytest.mark.parametrize(
    ("text", "right"), [("nvidia.com/gpu", True), ("hugepages-2Mi", True), ("gpu", False), ("N.com/gpu", False)]
)
def test_a_device_is_named_with_a_domain(text: str, *, right: bool) -> None:
    assert (forms.resource(text) == "") is right
