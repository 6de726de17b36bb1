"""``plan --explain``, with the chart and both Helms."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from helm_roster import assets, errors
from helm_roster.commands import explain
from helm_roster.commands.rendering import Rendering
from helm_roster.commands.value_files import Given
from helm_roster.model.schema import Schema

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
      tolerations: {gpu: {key: nvidia.com/gpu, operator: Exists, effect: NoExecute}}
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
      - {key: nvidia.com/gpu, operator: Exists, effect: NoExecute, tolerationSeconds: 3}
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


def test_values_of_a_wrapping_chart_are_told_with_file_and_line(roster4: Runner, tmp_path: Path) -> None:
    dependency = {"name": "replica-operation", "version": "0.1.0", "repository": ""}
    made = {"apiVersion": "v2", "name": "wrapper", "version": "1.0.0", "dependencies": [dependency]}
    (tmp_path / "Chart.yaml").write_text(json.dumps(made))
    shutil.copytree(assets.chart(None), tmp_path / "charts" / "replica-operation")
    inner = "  groups:\n    web:\n      container: {image: i, env: {A: '1', B: '1'}}\n"
    (tmp_path / "values.yaml").write_text(f"replica-operation:\n  defaults: {{cmd: [serve]}}\n{inner}")
    given = tmp_path / "v.yaml"
    given.write_text("replica-operation:\n  groups: {web: {container: {env: {B: '2'}}}}\n")
    wrapper, told, at = f"{tmp_path}/values.yaml", "replica-operation", "replica-operation.groups.web"
    found = explained(roster4, given, "web", "--chart", tmp_path, "--set", f"{at}.replicas=2")["values"]
    assert {entry["path"]: (entry["key"], entry["source"], entry["line"]) for entry in found} == {
        "accelerators": (None, None, None),
        "cmd": (f"{told}.defaults.cmd", wrapper, 2),
        "container.env.A": (f"{at}.container.env.A", wrapper, 5),
        "container.env.B": (f"{at}.container.env.B", str(given), 2),
        "container.image": (f"{at}.container.image", wrapper, 5),
        "replicas": (f"{at}.replicas", f"--set {at}.replicas=2", None),
    }
    said = roster4("plan", "--chart", tmp_path, "--explain", "web.cmd").stdout
    assert said.splitlines()[1].endswith(f"{wrapper}:2")


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
        ("defaults.container.image", 'only what a group gets is explained, such as "decode.container.image"'),
        ("presets.site/h200.accelerator", 'only what a group gets is explained, such as "decode.accelerator"'),
        ("operation.kind", "only what a group gets is explained, by a path that begins with its name: decode, web"),
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


def told(path: str, asked: str, given: Given | None = None, layer: str = "defaults") -> list[dict[str, Any]]:
    """Return the values of an explanation where the chart traces one path of group `a`, to a layer."""
    composed = json.dumps({})
    resolved = {"layers": {"a": {path: layer}}, "composed": {"a": composed}, "shape": "{}"}
    made = Rendering(plan=builders.plan({"a": builders.group()}), text="", resolved=resolved)
    found: list[dict[str, Any]] = explain.document(f"a.{asked}", made, given or Given([], []), "no chart")["values"]
    return found


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ("container.resources.limits", "resources.limits"),
        ("container.command", "cmd"),
        ("container.readinessProbe", "readiness.probe"),
        ("container.readinessProbe.httpGet", "readiness.probe.httpGet"),
    ],
)
def test_what_a_manifest_has_elsewhere_is_found_where_the_values_have_it(asked: str, path: str) -> None:
    assert [entry["path"] for entry in told(path, asked)] == [path]


def test_a_value_that_may_stand_in_a_file_of_helms_names_that_file() -> None:
    given = Given(["-f", "https://example.org/v.yaml"], ["https://example.org/v.yaml"])
    assert told("x", "x", given)[0]["source"] == "not read here: https://example.org/v.yaml"
    assert told("x", "x", given, layer="chart")[0]["source"] is None


MADE = """\
connections:
  own: {kind: claimPerPod, size: 2Gi, mountPath: /o}
presets:
  site:
    environment:
      requireNodes: {disk: {key: disk, operator: Exists}}
      tolerations: {gpu: {key: nvidia.com/gpu, operator: Exists}}
groups:
  a:
    workload: StatefulSet
    container: {image: example/app:1}
    presets: [site]
    connections: [own]
    environment:
      affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}
      tolerations: {gpu: {key: other, operator: Exists}}
"""


@pytest.fixture
def made_values(tmp_path: Path) -> Path:
    path = tmp_path / "made.yaml"
    path.write_text(MADE)
    return path


@pytest.mark.parametrize("asked", ["a.environment.affinity", "a.environment.affinity.nodeAffinity"])
def test_where_a_manifest_joins_two_places_of_the_values_both_are_told(
    roster4: Runner, made_values: Path, asked: str
) -> None:
    paths = [entry["path"] for entry in explained(roster4, made_values, asked)["values"]]
    required = [f"environment.requireNodes.disk.{field}" for field in ("key", "operator")]
    assert (paths[0].startswith("environment.affinity.nodeAffinity."), paths[1:]) == (True, required)


SPREAD = """\
defaults: {spread: {among: operation}}
groups:
  a:
    container: {image: example/app:1}
    spread: {required: false}
"""


@pytest.mark.parametrize("asked", ["a.spread", "a.environment.affinity", "a.environment.affinity.podAntiAffinity"])
def test_what_keeps_pods_apart_is_told_with_its_layers_and_under_affinity_too(
    roster4: Runner, tmp_path: Path, asked: str
) -> None:
    (tmp_path / "v.yaml").write_text(SPREAD)
    found = explained(roster4, tmp_path / "v.yaml", asked)["values"]
    told = {entry["path"]: (entry["layer"], entry["line"]) for entry in found}
    assert told == {"spread.among": ("defaults", 1), "spread.required": ("groups.a", 5)}


NEAR = """\
defaults: {locality: {required: false}}
groups:
  a:
    container: {image: example/app:1}
    locality: {within: rack}
scheduling:
  placement: {backend: native}
  topology: {levels: {rack: example.org/rack}}
  gangs: {g: {members: {a: {}}}}
"""


def test_what_keeps_pods_together_is_told_with_its_layers(roster4: Runner, tmp_path: Path) -> None:
    (tmp_path / "v.yaml").write_text(NEAR)
    found = explained(roster4, tmp_path / "v.yaml", "a.locality")["values"]
    told = {entry["path"]: (entry["layer"], entry["line"]) for entry in found}
    assert told == {"locality.required": ("defaults", 1), "locality.within": ("groups.a", 5)}


def test_a_claim_that_a_stateful_set_makes_is_told_under_its_place_there(roster4: Runner, made_values: Path) -> None:
    for asked in ("a.volumes", "a.volumeClaimTemplates.own"):
        paths = [entry["path"] for entry in explained(roster4, made_values, asked)["values"]]
        assert paths[-1] == "volumeClaimTemplates.own.spec.resources.requests.storage"


def test_an_entry_beside_another_layers_of_its_name_is_found_by_that_name(roster4: Runner, made_values: Path) -> None:
    found = explained(roster4, made_values, "a.environment.tolerations.gpu")["values"]
    keys = {entry["key"]: entry["line"] for entry in found if entry["path"].endswith(".key")}
    assert keys == {"groups.a.environment.tolerations.gpu.key": 16, "presets.site.environment.tolerations.gpu.key": 7}


LISTS = """\
groups:
  a:
    connections: [c]
    container:
      image: example/app:1
      env: [{name: A, value: b}]
      envFrom: [{secretRef: {name: s}, prefix: P_}]
      ports: [{name: http, containerPort: 80}]
      volumeMounts: [{mountPath: /data, name: data}]
      volumeDevices: [{devicePath: /dev/x, name: block}]
      securityContext: {capabilities: {add: [A], drop: [B]}}
    environment:
      requireNodes: [{key: k, operator: In, values: [a, b]}]
      tolerations: [{key: k, operator: Equal, value: v, effect: NoSchedule}]
      topologySpreadConstraints: [{topologyKey: k, whenUnsatisfiable: DoNotSchedule, maxSkew: 1}]
      hostAliases: [{ip: 10.0.0.1, hostnames: [h]}]
      imagePullSecrets: [{name: s}]
    volumes: [{name: data, emptyDir: {}}, {name: block, persistentVolumeClaim: {claimName: b}}]
    files: [{name: f, mountPath: /f}]
    init: [{name: i, image: example/app:1, env: [{name: A, value: b}]}]
    sidecars: [{name: s, image: example/app:1, ports: [{name: x, containerPort: 81}]}]
files: {f: {content: {t: text}}}
connections: {c: {kind: secret, secret: s, mountPath: /s}}
"""


def test_entries_of_every_list_that_merges_by_key_are_found(roster4: Runner, tmp_path: Path) -> None:
    (tmp_path / "v.yaml").write_text(LISTS)
    found = explained(roster4, tmp_path / "v.yaml", "a")["values"]
    lost = [entry for entry in found if entry["layer"] == "groups.a" and "[" not in str(entry["key"])]
    assert [entry["path"] for entry in lost] == ["container.image"]
    lists = {re.sub(r"\[.*", "", entry["key"]) for entry in found if "[" in str(entry["key"])}
    schema = Schema.of(assets.chart())
    fields = [
        key for key in _keys(yaml.safe_load(LISTS)["groups"]["a"]) if schema.is_merged_list(["groups", "a", *key])
    ]
    assert lists == {".".join(["groups", "a", *key]) for key in fields}
    assert len(fields) == 17


def _keys(node: object, *above: str) -> Iterator[list[str]]:
    """Yield the paths of keys in a tree, not those in lists."""
    for key, value in node.items() if isinstance(node, dict) else ():
        yield [*above, key]
        yield from _keys(value, *above, key)


SPANNING = """\
defaults: {container: {image: example/app:1, env: {A: "1", B: "2"}}}
presets:
  p: {leader: {container: {workingDir: /}}}
groups:
  a:
    podsPerReplica: 2
    presets: [p]
    leader:
      cmd: [lead]
      container: {env: {A: "3"}}
      unset: [container.env.B]
"""


@pytest.mark.parametrize(
    ("asked", "path", "layer"),
    [
        ("a.leader.cmd", "leader.cmd", "groups.a"),
        ("a.leader.container.env.A", "leader.container.env.A", "groups.a"),
        ("a.leader.container.workingDir", "leader.container.workingDir", "presets.p"),
        ("a.leader.container.image", "container.image", "defaults"),
        ("a.container.env.A", "container.env.A", "defaults"),
    ],
)
def test_what_the_leader_of_a_replica_has_is_told_by_layer_also_where_its_group_says_it(
    roster4: Runner, tmp_path: Path, asked: str, path: str, layer: str
) -> None:
    written = tmp_path / "v.yaml"
    written.write_text(SPANNING)
    (value,) = explained(roster4, written, asked)["values"]
    assert (value["path"], value["layer"]) == (path, layer)


def test_what_the_leader_does_without_is_not_told_as_the_groups(roster4: Runner, tmp_path: Path) -> None:
    written = tmp_path / "v.yaml"
    written.write_text(SPANNING)
    done = roster4.attempt("plan", "-f", written, "--explain", "a.leader.container.env.B")
    assert (done.returncode, "no layer sets it" in done.stderr) == (1, True)
