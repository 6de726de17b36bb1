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


def test_a_preset_of_an_accelerator_that_no_pod_asks_for_is_told(roster4: Runner, tmp_path: Path) -> None:
    values = tmp_path / "a.yaml"
    values.write_text(ACCELERATOR)
    (warning,) = json.loads(roster4("plan", "-f", values, "-o", "json").stdout)["warnings"]
    assert warning.startswith(
        'group "w" takes preset "h200", which selects an accelerator, but asks for none: its pods'
    )
    said = roster4("plan", "-f", values, "--set", "groups.w.accelerators=1", "-o", "json").stdout
    assert json.loads(said)["warnings"] == []


@pytest.mark.parametrize(("flags", "shown"), [((), "<td>H200</td>"), (("--explain", "w.presets"), "<td>presets</td>")])
def test_a_plan_and_an_explanation_can_be_had_as_a_page(
    roster4: Runner, tmp_path: Path, flags: tuple[str, ...], shown: str
) -> None:
    values = tmp_path / "a.yaml"
    values.write_text(ACCELERATOR)
    said = roster4("plan", "-f", values, "--set", "groups.w.accelerators=1", *flags, "-o", "html").stdout
    assert said.startswith("<!DOCTYPE html>")
    assert said.rstrip().endswith("</html>")
    assert shown in said


def warned(roster: Runner, folder: Path, text: str) -> list[str]:
    """Return what `plan` warns of in a values file."""
    (folder / "v.yaml").write_text(text)
    return list(json.loads(roster("plan", "-f", folder / "v.yaml", "-o", "json").stdout)["warnings"])


LAYERS = """
presets: {p: {patchStrategy: isnull, environment: {nodeSelector: {gpu: h200}}, resources: {limits: {cpu: 1}}}}
connections: {c: {kind: hostPath, path: /c, mountPath: /c}}
defaults:
  connections: [c]
  container: {image: "example/app:1", args: [x], extraArgs: [--a], env: {A: x}}
  environment: {tolerations: [{key: gpu, operator: Exists}]}
groups: {w: GROUP}
"""


def test_what_a_preset_that_fills_gaps_leaves_out_is_told(roster4: Runner, tmp_path: Path) -> None:
    layers = LAYERS.replace("defaults:\n", "defaults:\n  presets: [p]\n")
    group = "{resources: {limits: {cpu: 2}}, environment: {labels: {team: a}}}"
    layers = layers.replace("  environment: {tolerations: [{key: gpu, operator: Exists}]}\n", "")
    (warning,) = warned(roster4, tmp_path, layers.replace("GROUP", group))
    assert warning == (
        'group "w": preset "p" (patchStrategy isnull) sets only whole fields that nobody else sets, so it leaves out '
        "environment.nodeSelector; set that in the group, or make it pre_merge"
    )
    assert warned(roster4, tmp_path, layers.replace("GROUP", "{}")) == []


@pytest.mark.parametrize(
    "path", ["connections", "container.env", "container.extraArgs", "environment.tolerations", "environment"]
)
def test_an_empty_value_that_deletes_nothing_is_told(roster4: Runner, tmp_path: Path, path: str) -> None:
    group = "{}"
    for key in reversed(path.split(".")):
        group = f"{{{key}: {group if group != '{}' or key in {'env', 'environment'} else '[]'}}}"
    said = warned(roster4, tmp_path, LAYERS.replace("GROUP", group))
    told = (
        f"groups.w.{path} ({tmp_path}/v.yaml:8): what is empty deletes nothing, and other layers set something there; "
    )
    assert said == ([] if path == "environment" else [f"{told}write null, or name {path} in unset"])


@pytest.mark.parametrize("group", ["{container: {args: []}}", "{shm: {}, files: []}", "{presets: []}"])
def test_an_empty_value_over_nothing_or_that_replaces_is_not_told(roster4: Runner, tmp_path: Path, group: str) -> None:
    assert warned(roster4, tmp_path, LAYERS.replace("GROUP", group)) == []


def test_a_plan_without_a_release_is_headed_by_no_name_of_one(roster4: Runner, tmp_path: Path) -> None:
    values = {"groups": {"w": {"container": {"image": "example/app:1"}}}}
    (tmp_path / "v.yaml").write_text(json.dumps(values))
    assert roster4("plan", "-f", tmp_path / "v.yaml").stdout.startswith("unnamed release (service)")
    assert roster4("plan", "chat", "-f", tmp_path / "v.yaml").stdout.startswith("chat (service)")
    assert roster4("plan", "-f", tmp_path / "v.yaml", "--set", "operation.name=own").stdout.startswith("own (service)")


@pytest.mark.parametrize("output", ["table", "json", "html"])
def test_what_min_resources_may_hold_back_is_a_warning_in_every_form(
    roster4: Runner, tmp_path: Path, output: str
) -> None:
    values = tmp_path / "a.yaml"
    values.write_text(
        "groups: {worker: {replicas: 4, container: {image: example/app:1}}}\n"
        "scheduling: {placement: {backend: volcano}, gangs: {step: {minResources: true, members: {worker: {}}}}}\n"
    )
    said = roster4("plan", "-f", values, "-o", output).stdout
    warned = " ".join(json.loads(said)["warnings"] if output == "json" else said.split())
    assert "cannot be placed holds back others" in warned


def test_how_a_lower_class_helps_a_gang_beside_many_pods_is_the_backends_to_say(
    roster4: Runner, tmp_path: Path
) -> None:
    values = tmp_path / "a.yaml"
    values.write_text(
        "groups: {box: {replicas: 60}, worker: {replicas: 4}}\ndefaults: {container: {image: example/app:1}}\n"
        "scheduling: {gangs: {step: {members: {worker: {}}}}}\n"
    )
    for backend, words in (("native", "than the gang, or nodes of its own"), ("volcano", "has the action preempt")):
        said = roster4("plan", "-f", values, "--set", f"scheduling.placement.backend={backend}", "-o", "json").stdout
        assert any("may never start beside" in line and words in line for line in json.loads(said)["warnings"])


def test_how_to_check_what_only_a_cluster_can_tell_is_told_once(roster4: Runner, tmp_path: Path) -> None:
    levels = "topology: {levels: {rack: {tier: 1}}}"
    gangs = "gangs: {step: {members: {w: {}}, locality: {within: rack}}}"
    scheduling = f"scheduling: {{placement: {{backend: volcano, queue: a}}, {levels}, {gangs}}}"
    told = warned(roster4, tmp_path, f"groups: {{w: {{replicas: 2, container: {{image: e/a:1}}}}}}\n{scheduling}\n")
    unknown = [line for line in told if line.startswith("not checked: ")]
    how = [line for line in unknown if "helm-roster doctor -f" in line]
    assert (len(unknown) > 1, how) == (True, unknown[-1:])
