"""``plan --explain``, with the chart and both Helms."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from helm_roster import assets, errors
from helm_roster.commands import explain
from helm_roster.commands.rendering import Rendering
from helm_roster.commands.value_files import Given

from tests.support.runner import Runner
from tests.unit import builders

VALUES = """\
x-shared: &env
  SHARED: "1"
presets:
  site/h200:
    accelerator: {resource: nvidia.com/gpu, model: NVIDIA H200}
    environment:
      nodeSelector: {nvidia.com/gpu.product: NVIDIA-H200}
      tolerations: {gpu: {key: nvidia.com/gpu, operator: Exists}}
defaults:
  presets: [site/h200]
  container:
    image: example/app:1
    env: {<<: *env, FOO: default}
groups:
  decode:
    accelerators: 2
    container: {ports: [{name: http, containerPort: 80}]}
    environment:
      tolerations:
      - {key: nvidia.com/gpu, operator: Exists, tolerationSeconds: 3}
    unset: [environment.nodeSelector]
  web: {cmd: [serve]}
patches:
  decode:
    pages: {json: [{op: add, path: /metadata/annotations, value: {a: b}}]}
"""


@pytest.fixture
def values(tmp_path: Path) -> Path:
    path = tmp_path / "v.yaml"
    path.write_text(VALUES)
    return path


def explained(run: Runner, values: Path, path: str, *flags: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("plan", "-f", values, *flags, "--explain", path, "-o", "json").stdout)
    assert found["kind"] == "Explanation"
    return found


def places(found: dict[str, Any]) -> dict[str, tuple[object, str, object]]:
    return {entry["path"]: (entry["value"], entry["layer"], entry["line"]) for entry in found["values"]}


def test_every_value_of_a_group_names_its_layer_and_line(roster: Runner, values: Path) -> None:
    found = places(explained(roster, values, "decode"))
    assert found["container.env.SHARED"] == ("1", "defaults", 2)
    assert found["container.env.FOO"] == ("default", "defaults", 13)
    assert found["container.ports.http.containerPort"] == (80, "groups.decode", 17)
    assert found["environment.tolerations.gpu.tolerationSeconds"] == (3, "groups.decode", 20)
    assert found["accelerator.model"] == ("NVIDIA H200", "presets.site/h200", 5)
    assert found["resources.limits.nvidia.com/gpu"] == (2, "chart", None)
    assert found["replicas"] == (1, "chart", None)


@pytest.mark.parametrize("asked", ["decode.container.resources", "decode.resources", "groups.decode.resources"])
def test_resources_are_found_where_the_values_or_a_manifest_have_them(
    roster4: Runner, values: Path, asked: str
) -> None:
    assert set(places(explained(roster4, values, asked))) == {
        "resources.limits.nvidia.com/gpu",
        "resources.requests.nvidia.com/gpu",
    }


def test_a_flag_is_named_as_it_was_given(roster: Runner, values: Path) -> None:
    (found,) = explained(roster, values, "decode.replicas", "--set", "groups.decode.replicas=3")["values"]
    assert (found["value"], found["source"], found["line"]) == (3, "--set groups.decode.replicas=3", None)


def test_values_from_standard_input_are_called_so(roster4: Runner) -> None:
    done = roster4("plan", "-f", "-", "--explain", "decode.accelerators", text=VALUES)
    assert "standard input:16" in done.stdout


def test_the_table_tells_presets_and_patches_too(roster4: Runner, values: Path) -> None:
    said = roster4("plan", "-f", values, "--explain", "decode.container.image").stdout.splitlines()
    assert said[1].split() == ["container.image", "example/app:1", "defaults", f"{values}:12"]
    assert said[2:] == ["presets, in order: site/h200", "patches change the objects after all this: pages"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("decod.replicas", 'there is no group "decod"; known: decode, web; did you mean "decode"?'),
        ("decode.nodeSelector", 'there is no field "nodeSelector"; did you mean "decode.environment.nodeSelector"?'),
        ("decode.environment.nodeSelector", "groups.decode.unset names environment.nodeSelector ("),
        (
            "web.container.workingDir",
            "no layer sets it, so the chart's rule or Kubernetes' default holds; the nearest that is set is \"web.cont",
        ),
        ("decode.environment.annotations", "; patches that name it: pages; "),
        ("", 'there is no group ""; known: decode, web'),
    ],
)
def test_where_nothing_is_set_the_reason_and_the_nearest_path_are_told(
    roster4: Runner, values: Path, asked: str, words: str
) -> None:
    done = roster4.attempt("plan", "-f", values, "--explain", asked)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"Error: --explain {asked}: ")
    assert words in done.stderr


def test_a_chart_that_does_not_tell_its_layers_is_refused_in_words() -> None:
    resolved = {"layers": {"a": {"x": "defaults"}}}
    made = Rendering(plan=builders.plan({"a": builders.group()}), text="", resolved=resolved)
    with pytest.raises(errors.BadInputError, match="does not tell which layer its values are from"):
        explain.document("a.x", made, Given([], []), "chart")


def test_a_chart_of_ones_own_may_have_defaults_of_its_own(roster4: Runner, values: Path, tmp_path: Path) -> None:
    chart = tmp_path / "chart"
    shutil.copytree(assets.chart(None), chart)
    text = (chart / "values.yaml").read_text()
    (chart / "values.yaml").write_text(text.replace("defaults: {}", "defaults: {container: {workingDir: /ours}}"))
    (found,) = explained(roster4, values, "web.container.workingDir", "--chart", str(chart))["values"]
    assert (found["value"], found["layer"], found["source"]) == ("/ours", "defaults", "the chart's values.yaml")
