"""The head comment of a file of presets."""

from __future__ import annotations

from helm_roster.presets import heads

HEAD = """# NVIDIA H200, by label.
# Also its variants.
#
# For: groups of
#   any kind.
# Needs:
# Source: the operator's docs: a page.
presets: {}
# Needs: not here
"""


def test_the_sections_of_a_head_are_read_over_several_lines() -> None:
    head = heads.read(HEAD)
    assert head.about == "NVIDIA H200, by label. Also its variants."
    assert head.sections == {"For": "groups of any kind.", "Needs": "", "Source": "the operator's docs: a page."}
    assert head.text == HEAD[: HEAD.index("presets")]


def test_an_empty_section_is_missing_as_an_absent_one_is() -> None:
    assert heads.read(HEAD).missing == ["Needs"]
    assert heads.read("presets: {}\n").missing == ["For", "Needs", "Source"]
