"""What a preset selects, as data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from helm_roster import errors
from helm_roster.presets import selects
from helm_roster.presets.library import Definition

from tests.unit.presets.files import H200, LEVELS, definitions

CLAIM = {"deviceClassName": "gpu.example.com", "devices": {"nics": {"deviceClassName": "nic.example.com", "perPod": 1}}}
NODES = {"nodeSelector": {"a": "b"}, "tolerations": {"gpu": {"operator": "Exists"}, "x": {"key": "example.com/x"}}}


def one(folder: Path, preset: dict[str, Any]) -> Definition:
    (found,) = definitions(folder, own=yaml.safe_dump({"presets": {"team/own": preset}}, sort_keys=False))
    return found


@pytest.mark.parametrize(
    ("preset", "selected"),
    [
        ({"accelerator": {"model": "M", "resource": "r.com/x", "perNode": 4, "topology": "2x2"}},
         {"model": "M", "resource": "r.com/x", "perNode": 4, "topology": "2x2"}),
        ({"accelerator": {"model": "M", "claim": CLAIM}},
         {"model": "M", "deviceClass": "gpu.example.com", "devices": ["nic.example.com"]}),
        ({"environment": NODES}, {"nodeSelector": {"a": "b"}, "tolerations": ["gpu", "example.com/x"]}),
        ({"environment": {"tolerations": [{"key": "k"}]}}, {"tolerations": ["k"]}),
        ({"devices": {"r.com/nic": {"perPod": 1}}, "networks": {"n.io/x": {"perPod": 1}}, "claims": {"imex": {}}},
         {"devices": ["r.com/nic"], "networks": ["n.io/x"], "claims": ["imex"]}),
        ({"fillsNode": True, "serving": {"role": "decode"}}, {"fillsNode": True, "role": "decode"}),
        ({"router": True}, {"router": True}),
    ],
    ids=["resource", "claim", "nodes", "a list of tolerations", "companions", "whole nodes", "router"],
)  # fmt: skip
def test_what_is_selected_is_told_and_nothing_else(
    tmp_path: Path, preset: dict[str, Any], selected: dict[str, Any]
) -> None:
    found = selects.summary(one(tmp_path, preset))
    assert found.pop("sets") == list(preset)
    assert found == selected


def test_of_a_file_without_presets_the_levels_are_told(tmp_path: Path) -> None:
    (found,) = definitions(tmp_path, x=LEVELS)
    assert selects.summary(found) == {"levels": {"rack": "example.com/rack"}}


@pytest.mark.parametrize(
    ("words", "is_like"),
    [((), True), (("h200",), True), (("nvidia-h200", "GPU"), True), (("h200", "gke"), False)],
)
def test_a_preset_is_found_by_words_of_its_name_and_of_what_it_selects(
    tmp_path: Path, words: tuple[str, ...], *, is_like: bool
) -> None:
    assert selects.is_like(definitions(tmp_path, h200=H200)[0], words) is is_like


@pytest.mark.parametrize("preset", [{"accelerator": "x"}, {"accelerator": {"claim": "x"}}, {"devices": ["a"]}])
def test_a_preset_of_another_form_is_refused_by_its_file_line_and_name(tmp_path: Path, preset: dict[str, Any]) -> None:
    with pytest.raises(errors.BadInputError, match=r"own\.yaml:2: team/own: .* not a mapping; .* presets lint"):
        selects.summary(one(tmp_path, preset))
