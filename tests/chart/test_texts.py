"""Numbers and booleans in place of text inside what the values pass on to Kubernetes, by the schema of its pods.

Each text of a pod that values can set is tried with a number: the chart refuses it by its path, or the schema of the
values does, or it comes out as text.
"""

from __future__ import annotations

import functools
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
from jsonschema import Draft202012Validator

from tests.chart import schema
from tests.chart.rendering import Chart, Values, nested, operation
from tests.support import manifests
from tests.support.roster import CHART
from tests.support.runner import Runner
from tests.support.turns import by_turns

Place = tuple[str, ...]
LARGE = 1234567  # Helm, which reads all numbers as floats, prints it as 1.234567e+06
FITS = Draft202012Validator(schema.SCHEMA)
DEFINITIONS = next(Path(kubernetes_validate.__file__).parent.glob("kubernetes-json-schema/v1.37.*/_definitions.json"))
# Where Kubernetes has what is below a place, and where the values of a group do.
PLACES: dict[Place, Place] = {
    ("spec", "containers", "[]"): ("container",),
    ("spec", "initContainers", "[]"): ("sidecars", "s"),
    ("spec", "volumes", "[]"): ("volumes", "v"),
    ("spec",): ("environment",),
}
# What the API server alone writes into metadata.
SERVERS = {"managedFields", "resourceVersion", "selfLink"}
LISTS = {("container", "args"), ("container", "command"), ("s", "args"), ("s", "command")}
TEMPLATES = ("templates/_texts.tpl", "templates/_wired.tpl", "charts/replica-group/templates/_shape.tpl")
# In place of refusing the first, tell of each.
TELL = """
{{- define "replica-group.require.strings" -}}{{ printf "\\n- %s" .path }}{{- end -}}
apiVersion: example.org/v1
kind: Told
metadata: {name: told}
paths:
{{- $shape := include "replica-group.shape" . | fromYaml }}
{{- template "replica-operation.texts" (dict "values" .Values "operation" dict "shape" $shape) }}
"""


@functools.cache
def definitions() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(DEFINITIONS.read_text())["$defs"]
    return found


def leaves(node: dict[str, Any], at: Place = (), above: Place = ()) -> Iterator[tuple[Place, str]]:
    """Yield the places of all leaves below a node of the schema with what may stand there, no type inside itself."""
    name = node.get("$ref", "").rpartition("/")[2]
    if name in above:
        return
    node, above = (definitions()[name], (*above, name)) if name else (node, above)
    kinds = node.get("type", [])
    if "properties" in node:
        for field in node["properties"].keys() - SERVERS:
            yield from leaves(node["properties"][field], (*at, field), above)
    elif "array" in kinds:
        yield from leaves(node["items"], (*at, "[]"), above)
    elif isinstance(node.get("additionalProperties"), dict):
        yield from leaves(node["additionalProperties"], (*at, "*"), above)
    else:
        yield at, "text" if kinds in ("string", ["string", "null"]) and node.get("format") != "date-time" else "other"


def in_values(place: Place) -> Place | None:
    """Return where a group's values have a place of the pod."""
    for start, own in PLACES.items():
        if place[: len(start)] == start:
            return (*own, *place[len(start) :])
    return None


@functools.cache
def group_leaves() -> dict[Place, str]:
    """Return the leaves of pods that the values let through as numbers, with what they are."""
    pod = {"$ref": "/io.k8s.api.core.v1.PodTemplateSpec"}
    found = {place: kind for at, kind in leaves(pod) if (place := in_values(at))}
    return {at: kind for at, kind in found.items() if FITS.is_valid(operation({"a": group(at, LARGE)}))}


def group(place: Place, value: Any) -> Values:
    """Return a group with the value at the place, in lists and maps of one entry."""
    for key in reversed(place):
        value = [value] if key == "[]" else {"k" if key == "*" else key: value}
    found: Values = value
    return found


def path(place: Place) -> str:
    """Return the place as the chart tells it."""
    return ".".join({"[]": "0", "*": "k"}.get(key, key) for key in place)


def merged(place: Place) -> bool:
    """Tell whether a text is looked at where layers are merged, for which test_require stands."""
    return place[-3:] == ("env", "[]", "value") or place[-2] == "nodeSelector" or place[-3:-1] in LISTS


def told(helm: Runner, folder: Path, groups: Values) -> set[str]:
    """Return the places where the walk of the chart finds no text."""
    (folder / "templates").mkdir()
    (folder / "Chart.yaml").write_text("{apiVersion: v2, name: texts, version: 0.1.0}")
    for file in TEMPLATES:
        shutil.copy(CHART / file, folder / "templates")
    (folder / "templates" / "tell.yaml").write_text(TELL)
    done = helm.attempt("template", "rl", folder, "-f", "-", text=json.dumps({"groups": groups}))
    assert done.returncode == 0, done.stderr
    (found,) = manifests.read(done.stdout)
    return set(found["paths"])


def test_every_text_of_a_pod_is_known_and_nothing_else(helm4: Runner, tmp_path: Path) -> None:
    places = {f"g{index}": place for index, place in enumerate(group_leaves())}
    texts = {at for at, kind in group_leaves().items() if kind == "text"}
    found = told(helm4, tmp_path, {name: group(place, LARGE) for name, place in places.items()})
    wanted = {f"groups.{name}.{path(place)}" for name, place in places.items() if place in texts and not merged(place)}
    assert len(wanted) > 400
    assert found == wanted


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("environment.tolerations.x.value", True),
        ("environment.tolerations.0.value", 1.5),
        ("environment.securityContext.seLinuxOptions.user", 7),
        ("environment.topologySpreadConstraints.x.labelSelector.matchLabels.a", 1),
        ("environment.dnsConfig.options.0.value", 2),
        ("environment.dnsConfig.searches.0", False),
        ("environment.hostAliases.k.0", LARGE),
        ("environment.serviceAccount.rules.0.verbs.0", True),
        ("container.livenessProbe.exec.command.0", 5),
        ("container.lifecycle.preStop.exec.command.0", LARGE),
        ("init.i.env.X.valueFrom.secretKeyRef.key", 1),
        ("sidecars.0.startupProbe.httpGet.httpHeaders.0.value", LARGE),
        ("volumes.v.csi.volumeAttributes.size", 10),
        ("volumes.v.projected.sources.0.configMap.items.0.path", 3),
        ("readiness.probe.httpGet.host", 1),
        ("autoscaling.metrics.m.pods.metric.name", 1),
    ],
)
def test_a_text_alone_is_refused_in_one_line_by_its_path(chart4: Chart, place: str, value: Any) -> None:
    keys = tuple("[]" if key == "0" else key for key in place.split("."))
    what = "boolean" if isinstance(value, bool) else "number"
    refusal = chart4.refusal(operation({"a": group(keys, value)}))
    assert refusal.startswith(f"groups.a.{place}: {json.dumps(value)} is a {what} where Kubernetes wants text; quote ")


@by_turns(
    ("root", "place"),
    [
        (nested("defaults.environment.tolerations.x.value", value=True), "defaults.environment.tolerations.x.value"),
        (nested("presets.p.volumes.v.csi.driver", value=True), "presets.p.volumes.v.csi.driver"),
        (
            {"connections": {"c": {"kind": "secret", "secret": "s", "items": [{"key": True, "path": "p"}]}}},
            "connections.c.items.0.key",
        ),
        (
            nested("operation.job.podFailurePolicy", {"rules": [{"onPodConditions": [{"type": "x", "status": True}]}]}),
            "operation.job.podFailurePolicy.rules.0.onPodConditions.0.status",
        ),
    ],
)
def test_the_layer_or_field_that_holds_it_is_named(chart: Chart, root: Values, place: str) -> None:
    refusal = chart.refusal({"groups": {"a": {}}, **root})
    assert refusal.startswith(f"{place}: true is a boolean where Kubernetes wants text; quote it")


def test_names_of_the_users_and_numbers_that_fit_are_no_texts(chart4: Chart) -> None:
    ports = {"gateway": 80, "host": 81, "key": 82}
    probe = {"grpc": {"port": 80}, "periodSeconds": 5}
    metrics = {"m": {"type": "Pods", "pods": {"metric": {"name": "x"}, "target": {"type": "Value", "value": 5}}}}
    behavior = {"scaleUp": {"policies": [{"type": "Pods", "value": 4, "periodSeconds": 15}]}}
    values = operation(
        {
            "options": {"replicas": 2, "container": {"ports": ports, "livenessProbe": probe}},
            "value": {"autoscaling": {"owner": "hpa", "max": 4, "metrics": metrics, "behavior": behavior}},
        },
        presets={"labels": {"environment": {"securityContext": {"supplementalGroups": [1, 2]}}}},
        connections={"options": {"kind": "configMap", "configMap": "c", "optional": True, "mountPath": "/c"}},
    )
    assert chart4.render(values).container("options")["livenessProbe"] == probe


def test_a_job_s_exit_codes_stay_numbers(chart4: Chart) -> None:
    codes = {"operator": "In", "values": [42]}
    policy = {"rules": [{"action": "FailJob", "onExitCodes": codes}]}
    rendered = chart4.render(operation({"a": {}}, operation={"kind": "job", "job": {"podFailurePolicy": policy}}))
    assert rendered.workload()["spec"]["podFailurePolicy"] == policy
