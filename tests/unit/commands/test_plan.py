"""What `plan` tells of values that it was given."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.runner import Runner


def test_a_list_that_one_file_takes_from_another_is_told(roster4: Runner, tmp_path: Path) -> None:
    for name in ("a", "b"):
        volumes = f"{{volumes: [{{name: {name}, emptyDir: {{}}}}], container: {{image: example/app:1}}}}"
        (tmp_path / f"{name}.yaml").write_text(f"defaults: {volumes}\ngroups: {{w: {{}}}}\n")
    said = roster4("plan", "-f", tmp_path / "a.yaml", "-f", tmp_path / "b.yaml", "-o", "json").stdout
    (warning,) = json.loads(said)["warnings"]
    assert warning.startswith(f"defaults.volumes: {tmp_path}/b.yaml:1 replaces the whole list of {tmp_path}/a.yaml:1")
