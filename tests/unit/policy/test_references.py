"""What objects name beyond themselves."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import constants
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import references

CLAIM = {"spec": {"resources": {}}}


def workload(spec: Manifest, **more: Any) -> Manifest:
    """Return a group's Deployment with that pod spec; ``more`` stands in its own spec."""
    metadata = {"name": "op-a", "labels": {constants.GROUP_LABEL: "a"}}
    pod = {"containers": [{"name": "main"}], **spec}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {"template": {"spec": pod}} | more,
    }


def volume(**source: Any) -> Manifest:
    return workload({"volumes": [{"name": "v", **source}]})


def container(**fields: Any) -> Manifest:
    return workload({"containers": [{"name": "main", **fields}]})


def variable(**source: Any) -> Manifest:
    return container(env=[{"name": "X", "valueFrom": source}])


@pytest.mark.parametrize(
    ("manifest", "kind", "name"),
    [
        (volume(secret={"secretName": "s"}), "Secret", "s"),
        (volume(configMap={"name": "c"}), "ConfigMap", "c"),
        (volume(projected={"sources": [{"secret": {"name": "s"}}]}), "Secret", "s"),
        (volume(projected={"sources": [{"configMap": {"name": "c"}}]}), "ConfigMap", "c"),
        (volume(persistentVolumeClaim={"claimName": "p"}), "PersistentVolumeClaim", "p"),
        (volume(ephemeral={"volumeClaimTemplate": CLAIM}), "StorageClass", ""),
        (variable(secretKeyRef={"name": "s", "key": "k"}), "Secret", "s"),
        (variable(configMapKeyRef={"name": "c", "key": "k"}), "ConfigMap", "c"),
        (container(envFrom=[{"secretRef": {"name": "s"}}]), "Secret", "s"),
        (container(envFrom=[{"configMapRef": {"name": "c"}}]), "ConfigMap", "c"),
        (workload({"initContainers": [{"envFrom": [{"secretRef": {"name": "s"}}]}]}), "Secret", "s"),
        (workload({"serviceAccountName": "x"}), "ServiceAccount", "x"),
        (workload({"priorityClassName": "x"}), "PriorityClass", "x"),
        (workload({}, volumeClaimTemplates=[CLAIM]), "StorageClass", ""),
        ({"kind": "PersistentVolumeClaim", "spec": {"storageClassName": "fast"}}, "StorageClass", "fast"),
        ({"kind": "CronJob", "spec": {"jobTemplate": workload({"serviceAccountName": "x"})}}, "ServiceAccount", "x"),
    ],
)
def test_every_way_to_name_another_object_is_known(manifest: Manifest, kind: str, name: str) -> None:
    (found,) = references.of([manifest])
    assert (found.kind, found.name) == (kind, name)


@pytest.mark.parametrize(
    "manifest",
    [
        volume(secret={"secretName": "s", "optional": True}),
        volume(configMap={"name": "c", "optional": True}),
        variable(secretKeyRef={"name": "s", "key": "k", "optional": True}),
        workload({"serviceAccountName": "default"}),
        workload({"priorityClassName": "system-node-critical"}),
        {"kind": "PersistentVolumeClaim", "spec": {"storageClassName": ""}},
        {"kind": "PersistentVolumeClaim", "spec": {"volumeName": "disk"}},
    ],
)
def test_what_may_be_absent_or_always_is_there_is_left_out(manifest: Manifest) -> None:
    assert references.of([manifest]) == []


def test_what_comes_along_is_left_out() -> None:
    made = {"kind": "Secret", "metadata": {"name": "s"}}
    assert references.of([volume(secret={"secretName": "s"}), made]) == []


def test_who_names_it_is_told_once() -> None:
    twice = workload(
        {"volumes": [{"secret": {"secretName": "s"}}], "containers": [{"envFrom": [{"secretRef": {"name": "s"}}]}]}
    )
    (found,) = references.of([twice, {**twice, "metadata": {"name": "other"}}])
    assert found.users == ('group "a"', "Deployment other")
