"""What `plan` tells of values that it was given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.runner import Runner


def test_a_list_that_one_file_takes_from_another_is_told(roster4: Runner, tmp_path: Path) -> None:
    for name in ("a", "b"):
        volumes = f"{{volumes: [{{name: {name}, emptyDir: {{}}}}], container: {{image: example/app:1}}}}"
        (tmp_path / f"{name}.yaml").write_text(f"defaults: {volumes}\ngroups: {{w: {{}}}}\n")
    said = roster4("plan", "-f", tmp_path / "a.yaml", "-f", tmp_path / "b.yaml", "-o", "json").stdout
    (warning,) = json.loads(said)["warnings"]
    assert warning.startswith(f"defaults.volumes: {tmp_path}/b.yaml:1 replaces the whole list of {tmp_path}/a.yaml:1")


ACCELERATOR = """
presets: {h200: {accelerator: {resource: example.com/gpu, model: H200}, environment: {nodeSelector: {gpu: h200}}}}
groups: {w: {presets: [h200], container: {image: example/app:1}}}
"""


@pytest.mark.parametrize(
    "more", ["w.accelerators=1", r"w.resources.limits.example\.com/gpu=1"], ids=lambda flag: flag[:8]
)
def test_a_preset_of_an_accelerator_that_no_pod_asks_for_is_told(roster4: Runner, tmp_path: Path, more: str) -> None:
    values = tmp_path / "a.yaml"
    values.write_text(ACCELERATOR)
    (warning,) = json.loads(roster4("plan", "-f", values, "-o", "json").stdout)["warnings"]
    assert warning.startswith(
        'group "w" takes preset "h200", which selects an accelerator, but asks for none: its pods'
    )
    said = roster4("plan", "-f", values, "--set", f"groups.{more}", "-o", "json").stdout
    assert json.loads(said)["warnings"] == []
