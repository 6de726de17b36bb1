"""Whole manifests of the user's, which belong to the operation."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.chart.rendering import Chart, Values, operation
from tests.support.roster import CHART


def config(name: str = "settings", **metadata: Any) -> Values:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": {"a": "1"}}


def extra(objects: Any, **root: Any) -> Values:
    ports = {"container": {"ports": {"http": 80}}}
    return operation({"a": ports}, extraObjects=objects, **root)


@pytest.mark.parametrize("objects", [[config()], {"any": config()}], ids=["list", "map"])
def test_objects_are_printed_as_they_are(chart: Chart, objects: Any) -> None:
    found = chart.render(extra(objects)).get("ConfigMap", "settings")
    assert (found["apiVersion"], found["data"]) == ("v1", {"a": "1"})
    assert found["metadata"]["labels"] == {
        "app.kubernetes.io/instance": "rl",
        "app.kubernetes.io/managed-by": "Helm",
        "helm-roster.dev/operation": "rl",
    }
    assert "annotations" not in found["metadata"]


def test_labels_and_annotations_for_all_objects_reach_them_and_their_own_win(chart: Chart) -> None:
    shared = {"labels": {"team": "x", "tier": "y"}, "annotations": {"note": "x", "other": "y"}}
    own = config(labels={"team": "own"}, annotations={"note": "own"}, namespace="elsewhere")
    metadata = chart.render(extra([own], **shared)).get("ConfigMap", "settings")["metadata"]
    assert (metadata["labels"]["team"], metadata["labels"]["tier"]) == ("own", "y")
    assert (metadata["annotations"], metadata["namespace"]) == ({"note": "own", "other": "y"}, "elsewhere")


def test_nulls_and_large_numbers_stay(chart4: Chart) -> None:
    found = chart4.render(extra([{**config(), "spec": {"gone": None, "size": 1000000}}])).get("ConfigMap", "settings")
    assert found["spec"] == {"gone": None, "size": 1000000}
    assert "size: 1000000\n" in chart4.text(extra([{**config(), "spec": {"size": 1000000}}]))


@pytest.mark.parametrize("objects", [None, [], {}, {"a": None}, {"a": {}}])
def test_nothing_is_added_where_nothing_is_given(chart4: Chart, objects: Any) -> None:
    assert chart4.text(extra(objects)) == chart4.text(extra({}))


def test_a_name_may_be_used_again_elsewhere(chart4: Chart) -> None:
    assert chart4.render(extra([config("rl-a"), config(), config(namespace="other")]))


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ([{"kind": "ConfigMap"}], "extraObjects.0.apiVersion: missing; an entry is a whole manifest, with apiVersion"),
        ({"x": {**config(), "kind": 1}}, "extraObjects.x.kind: missing; an entry is a whole manifest"),
        ({"x": {**config(), "metadata": {}}}, "extraObjects.x.metadata.name: missing; an entry is a whole manifest"),
        (
            {"x": {**config(), "apiVersion": "helm-roster.dev/v1"}},
            "extraObjects.x.apiVersion: helm-roster.dev/v1 belongs",
        ),
        (
            {"x": config(labels={"app.kubernetes.io/instance": "x"})},
            "extraObjects.x.metadata.labels: app.kubernetes.io/",
        ),
        (
            {"x": config(), "z": config()},
            'extraObjects.z: ConfigMap "settings" is also made by extraObjects.x; give it',
        ),
        (
            {"x": {**config("rl-a-svc"), "kind": "Service"}},
            'extraObjects.x: Service "rl-a-svc" is also made by group a',
        ),
        (
            {"x": {**config("rl-a"), "kind": "Deployment", "apiVersion": "apps/v1"}},
            'extraObjects.x: Deployment "rl-a" is also made by group a',
        ),
        (
            {"x": {**config(), "metadata": "abc"}},
            'extraObjects.x.metadata: "abc" is no map; an entry is a whole manifest',
        ),
        ({"x": config(labels=["team"])}, 'extraObjects.x.metadata.labels: ["team"] is no map; give texts by key'),
        (
            {"x": config(labels={"team": 7})},
            "extraObjects.x.metadata.labels.team: 7 is a number where Kubernetes wants",
        ),
        (
            {"x": config(annotations={"spot": True})},
            "extraObjects.x.metadata.annotations.spot: true is a boolean where Kubernetes wants text; quote it",
        ),
        ({"true": config()}, 'extraObjects: the key "true" is what YAML makes of a bare y'),
    ],
)
def test_what_is_no_manifest_of_its_own_is_refused(chart4: Chart, objects: Any, words: str) -> None:
    assert chart4.refusal(extra(objects)).startswith(words)


def test_a_claim_of_a_connection_is_made_once(chart4: Chart) -> None:
    values = extra({"x": {**config("rl-cache"), "kind": "PersistentVolumeClaim"}})
    values["connections"] = {"cache": {"kind": "newClaim", "size": "1Gi", "mountPath": "/cache"}}
    assert chart4.render(values).get("PersistentVolumeClaim", "rl-cache")
    values["groups"]["a"]["connections"] = ["cache"]
    assert chart4.refusal(values).startswith(
        'extraObjects.x: PersistentVolumeClaim "rl-cache" is also made by connection'
    )


@pytest.mark.parametrize(
    ("api", "kind"),
    [
        ("autoscaling/v2", "HorizontalPodAutoscaler"),
        ("policy/v1", "PodDisruptionBudget"),
        ("rbac.authorization.k8s.io/v1", "Role"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding"),
        ("v1", "ServiceAccount"),
    ],
)
def test_a_name_is_taken_only_by_what_the_group_makes(chart4: Chart, api: str, kind: str) -> None:
    values = extra({"x": {**config("rl-a"), "apiVersion": api, "kind": kind}})
    assert chart4.render(values).get(kind, "rl-a")
    values["groups"]["a"] |= {
        "disruptionBudget": {"minAvailable": 1},
        "environment": {"serviceAccount": {"rules": [{"verbs": ["get"]}]}},
        "autoscaling": {"owner": "hpa", "max": 2, "metrics": [{"type": "Pods", "pods": {}}]},
    }
    assert chart4.refusal(values).startswith(f'extraObjects.x: {kind} "rl-a" is also made by group a')


def test_a_kind_of_another_api_group_is_another_kind(chart4: Chart) -> None:
    service = {**config("rl-a"), "apiVersion": "serving.knative.dev/v1", "kind": "Service"}
    found = [entry["apiVersion"] for entry in chart4.render(extra([service])).all if entry["kind"] == "Service"]
    assert sorted(found) == ["serving.knative.dev/v1", "v1", "v1"]


def test_whatever_the_chart_makes_is_made_once(chart4: Chart) -> None:
    made: dict[Any, tuple[Values, Values]] = {}
    for file in sorted(CHART.glob("ci*/*.yaml")):
        values = yaml.load(file.read_text(), yaml.CSafeLoader)
        for entry in chart4.render({**values, "extraObjects": None}).all:
            if not entry["apiVersion"].startswith("helm-roster.dev/"):
                made.setdefault((entry["kind"], entry["metadata"]["name"].endswith("-svc")), (values, entry))
    assert len(made) > 10
    for values, entry in made.values():
        again = {**entry, "metadata": {"name": entry["metadata"]["name"]}}
        words = f'extraObjects.x: {entry["kind"]} "{entry["metadata"]["name"]}" is also made by '
        assert chart4.refusal({**values, "extraObjects": {"x": again}}).startswith(words)
