"""What objects name beyond themselves."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import constants
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import references
from helm_roster.policy.references import Reference

CLAIM = {"spec": {"resources": {}}}
CLASS = {"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "d"}}]}}
ALTERNATIVES = {"devices": {"requests": [{"name": "a", "firstAvailable": [{"name": "b", "deviceClassName": "d"}]}]}}


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


def found_in(*manifests: Manifest) -> list[Reference]:
    return references.of(manifests, "team")


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
        (workload({"runtimeClassName": "x"}), "RuntimeClass", "x"),
        (workload({"imagePullSecrets": [{"name": "s"}]}), "Secret", "s"),
        (volume(csi={"driver": "d", "nodePublishSecretRef": {"name": "s"}}), "Secret", "s"),
        (volume(azureFile={"secretName": "s", "shareName": "d"}), "Secret", "s"),
        (volume(cephfs={"secretRef": {"name": "s"}}), "Secret", "s"),
        (workload({}, volumeClaimTemplates=[CLAIM]), "StorageClass", ""),
        ({"kind": "PersistentVolumeClaim", "spec": {"storageClassName": "fast"}}, "StorageClass", "fast"),
        (workload({"resourceClaims": [{"name": "c", "resourceClaimName": "x"}]}), "ResourceClaim", "x"),
        (workload({"resourceClaims": [{"resourceClaimTemplateName": "x"}]}), "ResourceClaimTemplate", "x"),
        ({"kind": "ResourceClaim", "spec": CLASS}, "DeviceClass", "d"),
        ({"kind": "ResourceClaimTemplate", "spec": {"spec": CLASS}}, "DeviceClass", "d"),
        ({"kind": "ResourceClaim", "spec": ALTERNATIVES}, "DeviceClass", "d"),
        ({"kind": "CronJob", "spec": {"jobTemplate": workload({"serviceAccountName": "x"})}}, "ServiceAccount", "x"),
        ({"kind": "Herd", "spec": {"cows": [workload({"serviceAccountName": "x"})]}}, "ServiceAccount", "x"),
        ({"kind": "List", "items": [workload({"serviceAccountName": "x"})]}, "ServiceAccount", "x"),
    ],
)
def test_every_way_to_name_another_object_is_known(manifest: Manifest, kind: str, name: str) -> None:
    (found,) = found_in(manifest)
    assert (found.kind, found.name) == (kind, name)


@pytest.mark.parametrize(
    "manifest",
    [
        volume(secret={"secretName": "s", "optional": True}),
        volume(configMap={"name": "c", "optional": True}),
        variable(secretKeyRef={"name": "s", "key": "k", "optional": True}),
        workload({"serviceAccountName": "default"}),
        volume(configMap={"name": "kube-root-ca.crt"}),
        workload({"priorityClassName": "system-node-critical"}),
        {"kind": "PersistentVolumeClaim", "spec": {"storageClassName": ""}},
        {"kind": "PersistentVolumeClaim", "spec": {"volumeName": "disk"}},
    ],
)
def test_what_may_be_absent_or_always_is_there_is_left_out(manifest: Manifest) -> None:
    assert found_in(manifest) == []


@pytest.mark.parametrize(
    "spec",
    [
        {"containers": [{"env": {"A": "1"}, "envFrom": "x"}], "volumes": {"a": {"secret": {"secretName": "s"}}}},
        {"containers": ["main"], "initContainers": [None], "volumes": ["data"], "imagePullSecrets": ["s"]},
        {"containers": [], "serviceAccountName": {"name": "x"}, "volumes": [{"secret": "s", "ephemeral": "yes"}]},
        {"containers": [{"env": [{"valueFrom": "s"}]}], "volumes": [{"projected": {"sources": {"secret": {}}}}]},
    ],
)
def test_a_kind_of_somebodys_own_may_give_these_fields_another_shape(spec: Manifest) -> None:
    assert found_in({"kind": "Herd", "spec": spec}, {"kind": "Herd", "spec": {"volumeClaimTemplates": {"a": 1}}}) == []


SECRET = {"kind": "Secret", "metadata": {"name": "s"}}
NAMES_IT = volume(secret={"secretName": "s"})


def in_namespace(manifest: Manifest, name: str) -> Manifest:
    return manifest | {"metadata": {**manifest["metadata"], "namespace": name}}


@pytest.mark.parametrize("made", [SECRET, in_namespace(SECRET, "team"), {"kind": "List", "items": [SECRET]}])
def test_what_comes_along_is_left_out(made: Manifest) -> None:
    assert found_in(NAMES_IT, made) == []


def test_the_template_of_a_compute_domain_comes_along() -> None:
    pod = workload({"resourceClaims": [{"name": "imex", "resourceClaimTemplateName": "x"}]})
    domain = {"kind": "ComputeDomain", "spec": {"channel": {"resourceClaimTemplate": {"name": "x"}}}}
    assert found_in(pod, domain) == []


def test_what_comes_along_in_another_namespace_is_no_help() -> None:
    assert [found.name for found in found_in(NAMES_IT, in_namespace(SECRET, "other"))] == ["s"]


def test_an_object_is_named_in_the_namespace_of_who_names_it() -> None:
    found = found_in(NAMES_IT, in_namespace(NAMES_IT, "other"))
    assert [(one.namespace, one.name) for one in found] == [("other", "s"), ("team", "s")]


def test_a_class_is_the_whole_clusters_whoever_names_it() -> None:
    asks = workload({"priorityClassName": "high"})
    made = {"kind": "PriorityClass", "metadata": {"name": "high"}}
    assert [found.namespace for found in found_in(asks, in_namespace(asks, "other"))] == [""]
    assert found_in(in_namespace(asks, "other"), made) == []


def test_a_secret_for_images_is_not_needed_unless_somebody_else_needs_it() -> None:
    pulls = workload({"imagePullSecrets": [{"name": "s"}]})
    assert [found.is_needed for found in found_in(pulls)] == [False]
    assert [found.is_needed for found in found_in(NAMES_IT, pulls)] == [True]


def test_who_names_it_is_told_once() -> None:
    twice = workload(
        {"volumes": [{"secret": {"secretName": "s"}}], "containers": [{"envFrom": [{"secretRef": {"name": "s"}}]}]}
    )
    (found,) = found_in(twice, {**twice, "metadata": {"name": "other"}})
    assert found.users == ('group "a"', "Deployment other")
