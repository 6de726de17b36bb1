"""What each kind of connection gives to a pod, and definitions that are refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
from tests.chart.rendering import Chart, Values, operation
from tests.support.turns import by_turns

CLAIM = {"kind": "volumeClaim", "claim": "models"}
SECRET = {"kind": "secret", "secret": "token"}
CONFIG = {"kind": "configMap", "configMap": "settings"}
BUCKET = {"kind": "bucket", "driver": "gcsfuse.csi.storage.gke.io"}


def connected(connection: Values, **group: Any) -> Values:
    """Return values of one group `a` that uses the connection `c`."""
    return operation({"a": {"connections": ["c"], **group}}, connections={"c": connection})


def size(amount: str, *modes: str) -> Values:
    return {"accessModes": list(modes), "resources": {"requests": {"storage": amount}}}


@by_turns(
    ("connection", "source"),
    [
        (CLAIM, {"persistentVolumeClaim": {"claimName": "models"}}),
        ({"kind": "newClaim", "size": "1Gi"}, {"persistentVolumeClaim": {"claimName": "rl-c"}}),
        (
            {"kind": "claimPerPod", "size": "1Gi", "storageClassName": "fast"},
            {
                "ephemeral": {
                    "volumeClaimTemplate": {"spec": {**size("1Gi", "ReadWriteOnce"), "storageClassName": "fast"}}
                }
            },
        ),
        ({"kind": "hostPath", "path": "/x"}, {"hostPath": {"path": "/x", "type": "DirectoryOrCreate"}}),
        ({"kind": "hostPath", "path": "/x", "type": ""}, {"hostPath": {"path": "/x", "type": ""}}),
        ({"kind": "hostPath", "path": "/x", "type": "Socket"}, {"hostPath": {"path": "/x", "type": "Socket"}}),
        (
            {**BUCKET, "attributes": {"bucketName": "b"}, "secretName": "key", "readOnly": True},
            {
                "csi": {
                    "driver": "gcsfuse.csi.storage.gke.io",
                    "readOnly": True,
                    "volumeAttributes": {"bucketName": "b"},
                    "nodePublishSecretRef": {"name": "key"},
                }
            },
        ),
        (
            {**SECRET, "items": [{"key": "k", "path": "p"}], "mode": "0400", "optional": True},
            {
                "secret": {
                    "secretName": "token",
                    "items": [{"key": "k", "path": "p"}],
                    "defaultMode": 0o400,
                    "optional": True,
                }
            },
        ),
        ({**CONFIG, "mode": 0o755}, {"configMap": {"name": "settings", "defaultMode": 0o755}}),
    ],
)
def test_each_kind_is_a_volume_called_as_the_connection(chart: Chart, connection: Values, source: Values) -> None:
    objects = chart.render(connected({**connection, "mountPath": "/m"}))
    assert objects.pod()["volumes"] == [{"name": "c", **source}]
    (mount,) = objects.container()["volumeMounts"]
    assert (mount["name"], mount["mountPath"], mount.get("readOnly")) == ("c", "/m", connection.get("readOnly"))
    validity.check(objects.all)


def test_a_path_in_the_volume_may_be_mounted(chart4: Chart) -> None:
    values = connected({**CLAIM, "mountPath": "/m", "subPath": "x", "readOnly": True})
    expected = [{"mountPath": "/m", "name": "c", "subPath": "x", "readOnly": True}]
    assert chart4.render(values).container()["volumeMounts"] == expected


def test_one_connection_may_be_mounted_at_several_paths(chart4: Chart) -> None:
    mounts = {"/a": {"subPath": "a"}, "/b": {"readOnly": False}, "/c": None}
    objects = chart4.render(connected({**CLAIM, "readOnly": True, "mounts": mounts}))
    assert objects.container()["volumeMounts"] == [
        {"mountPath": "/a", "name": "c", "subPath": "a", "readOnly": True},
        {"mountPath": "/b", "name": "c", "readOnly": False},
    ]
    assert len(objects.pod()["volumes"]) == 1


def test_without_a_path_containers_mount_it_themselves(chart4: Chart) -> None:
    objects = chart4.render(connected(CLAIM, container={"volumeMounts": {"/own": "c"}}))
    assert objects.container()["volumeMounts"] == [{"mountPath": "/own", "name": "c"}]
    assert objects.pod()["volumes"][0]["name"] == "c"


def test_a_raw_device_stands_at_its_path(chart: Chart) -> None:
    objects = chart.render(
        connected({"kind": "claimPerPod", "size": "1Ti", "volumeMode": "Block", "mountPath": "/dev/x"})
    )
    assert objects.container()["volumeDevices"] == [{"devicePath": "/dev/x", "name": "c"}]
    assert objects.pod()["volumes"][0]["ephemeral"]["volumeClaimTemplate"]["spec"]["volumeMode"] == "Block"
    validity.check(objects.all)


@by_turns(
    ("connection", "reference", "source"),
    [(SECRET, "secretKeyRef", "secretRef"), (CONFIG, "configMapKeyRef", "configMapRef")],
    ids=["secret", "configMap"],
)
def test_a_secret_or_config_map_may_become_environment(
    chart: Chart, connection: Values, reference: str, source: str
) -> None:
    name = connection[connection["kind"]]
    objects = chart.render(connected({**connection, "envKeys": {"A": "k"}, "envFrom": True, "prefix": "P_"}))
    assert objects.env() == {"A": {reference: {"name": name, "key": "k"}}}
    assert objects.container()["envFrom"] == [{"prefix": "P_", source: {"name": name}}]
    assert "volumes" not in objects.pod()


def test_what_may_be_missing_may_be_missing_as_environment_too(chart4: Chart) -> None:
    objects = chart4.render(connected({**SECRET, "optional": True, "envKeys": {"A": "k"}, "envFrom": True}))
    assert objects.env()["A"]["secretKeyRef"]["optional"] is True
    assert objects.container()["envFrom"][0]["secretRef"]["optional"] is True


def test_environment_annotations_and_a_service_account_go_with_it(chart: Chart) -> None:
    connection = {
        **BUCKET,
        "mountPath": "/m",
        "env": {"HF_HOME": "/m/hf", "NODE": {"valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}},
        "annotations": {"gke-gcsfuse/volumes": "true"},
        "serviceAccountName": "reader",
    }
    objects = chart.render(connected(connection))
    template = objects.workload()["spec"]["template"]
    assert template["metadata"]["annotations"] == {"gke-gcsfuse/volumes": "true"}
    assert template["spec"]["serviceAccountName"] == "reader"
    assert objects.env() == {"HF_HOME": "/m/hf", "NODE": {"fieldRef": {"fieldPath": "spec.nodeName"}}}


@pytest.mark.parametrize("given", [{}, {"readOnly": False}])
def test_another_mount_of_a_read_only_connection_is_read_only_unless_it_says_so(chart4: Chart, given: Values) -> None:
    values = connected({**CLAIM, "mountPath": "/m", "readOnly": True})
    values["groups"]["a"]["container"] = {"volumeMounts": {"/n": {"name": "c", **given}}}
    (_, mount) = chart4.render(values).container()["volumeMounts"]
    assert mount == {"mountPath": "/n", "name": "c", "readOnly": True, **given}


def test_a_bucket_that_is_read_only_is_never_mounted_to_be_written(chart4: Chart) -> None:
    values = connected({**BUCKET, "mountPath": "/m", "readOnly": True})
    values["groups"]["a"]["container"] = {"volumeMounts": {"/n": {"name": "c", "readOnly": False}}}
    assert chart4.refusal(values).startswith(
        'groups.a.container.volumeMounts./n.readOnly: false, but connection "c" is a bucket that is read-only'
    )


def test_an_init_container_that_fills_a_read_only_connection_writes_everywhere(chart4: Chart) -> None:
    init = {"fill": {"volumeMounts": {"/n": "c"}}}
    objects = chart4.render(connected({**BUCKET, "mountPath": "/m", "readOnly": True, "init": init}))
    assert [mount.get("readOnly") for mount in objects.pod()["initContainers"][0]["volumeMounts"]] == [None, None]


def test_a_bucket_that_init_containers_fill_is_read_only_for_the_others_alone(chart4: Chart) -> None:
    objects = chart4.render(connected({**BUCKET, "mountPath": "/m", "readOnly": True, "init": {"fill": {}}}))
    assert "readOnly" not in objects.pod()["volumes"][0]["csi"]
    assert objects.container()["volumeMounts"][0]["readOnly"] is True


def test_null_at_any_key_of_one_counts_as_absent(chart4: Chart) -> None:
    full = {**SECRET, "mountPath": "/m", "envKeys": {"A": "k"}, "envFrom": True, "prefix": "P"}
    optional = ["subPath", "readOnly", "mounts", "env", "annotations", "serviceAccountName", "init", "items", "mode"]
    bare = chart4.text(connected(full))
    assert (
        chart4.text(connected({**full, **dict.fromkeys(optional), "claim": None, "annotations": {"x": None}})) == bare
    )


@pytest.mark.parametrize("connection", [None, {**CLAIM, "mountPath": "/m"}])
def test_one_that_nobody_uses_changes_nothing(chart4: Chart, connection: Values | None) -> None:
    assert chart4.text(operation({"a": {}}, connections={"c": connection})) == chart4.text(operation({"a": {}}))


def test_a_number_with_a_leading_zero_is_the_mode_that_was_meant(chart: Chart) -> None:
    text = """
      defaults: {container: {image: x}, connections: [c]}
      connections: {c: {kind: secret, secret: s, mountPath: /m, mode: 0400}}
      groups: {a: {}}
    """
    assert "defaultMode: 256" in chart.attempt_text(text).stdout


@pytest.mark.parametrize(
    ("connection", "words"),
    [
        (
            {"claim": "x"},
            "connections.c.kind: missing; allowed: bucket, claimPerPod, configMap, hostPath, newClaim, secret",
        ),
        ({"kind": "volumeClaim"}, "connections.c.claim: missing; a connection of kind volumeClaim needs it"),
        (
            {"kind": "secret", "secretName": "s"},
            "connections.c.secret: missing; a connection of kind secret needs it and does not read secretName",
        ),
        ({"kind": "newClaim"}, "connections.c.size: missing; a connection of kind newClaim needs it"),
        (
            {**CLAIM, "size": "1Gi"},
            "connections.c.size: a connection of kind volumeClaim does not read it; leave it out",
        ),
        ({**CLAIM, "envFrom": True}, "connections.c.envFrom: a connection of kind volumeClaim does not read it"),
        ({**CLAIM, "mountPath": "/a", "mounts": {"/b": {}}}, "connections.c: mountPath and mounts both say where"),
        ({**CLAIM, "subPath": "x"}, "connections.c.subPath: without mountPath; give mountPath, or write it under its"),
        ({**SECRET, "prefix": "x", "mountPath": "/m"}, "connections.c.prefix: without envFrom: true, whose names it"),
        (SECRET, "connections.c: gives nothing to a pod; set mountPath, envKeys or envFrom"),
        (
            {**SECRET, "env": {"A": "1"}, "envKeys": {"A": "k"}},
            "connections.c.envKeys.A: env has this name too; keep one",
        ),
        (
            {**CLAIM, "readOnly": True},
            "connections.c.readOnly: without mountPath or mounts it says nothing; give one, or",
        ),
        (
            {**SECRET, "envFrom": True, "mode": "0400"},
            "connections.c.mode: without mountPath or mounts it says nothing",
        ),
        ({**SECRET, "envFrom": True, "items": []}, "connections.c.items: without mountPath or mounts it says nothing"),
        (
            {**CLAIM, "init": {"x": {"connections": {"c": {}, "d": {}}}}},
            'connections.c.init.x.connections: there is no connection "d"; known: c',
        ),
        ({**SECRET, "mountPath": "/m", "mode": 755}, "connections.c.mode: 755 is no octal number with a leading zero"),
        ({**SECRET, "mountPath": "/m", "mode": 440}, "connections.c.mode: 440 is no octal number with a leading zero"),
        (
            {**SECRET, "mountPath": "/m", "mode": "rw"},
            'connections.c.mode: "rw" is no file mode; write three octal digits',
        ),
        ({**CLAIM, "env": {"A": 1}}, "connections.c.env.A: 1 is a number where Kubernetes wants text; quote it"),
        (
            {**CLAIM, "env": {"A": {"value": True}}},
            "connections.c.env.A: true is a boolean where Kubernetes wants text",
        ),
        ({**SECRET, "envKeys": {"A": 1}}, "connections.c.envKeys.A: 1 is a number where Kubernetes wants text"),
        ({**BUCKET, "attributes": {"a": True}}, "connections.c.attributes.a: true is a boolean where Kubernetes wants"),
        (
            {**CLAIM, "env": {"A": {"name": "B", "value": "1"}}},
            'connections.c.env.A: name is "B", but the entry stands under "A"; leave name out',
        ),
        ({**CLAIM, "annotations": {"a": 1}}, "connections.c.annotations.a: 1 is a number where Kubernetes wants text"),
        (
            {**CLAIM, "annotations": {"helm-roster.dev/x": "1"}},
            "connections.c.annotations: helm-roster.dev/x is written by",
        ),
        ({**CLAIM, "env": {"true": "1"}}, 'connections.c.env: the key "true" is what YAML makes of a bare y, yes, on'),
        ({**CLAIM, "annotations": {"1e3": "1"}}, 'connections.c.annotations: the key "1e3" is a number'),
        (
            {**CLAIM, "init": {"no": {}, "false": {}}},
            'connections.c.init: the key "false" is what YAML makes of a bare',
        ),
        (
            {"kind": "newClaim", "size": "1Gi", "volumeMode": "Block", "mountPath": "/m", "readOnly": True},
            "connections.c: volumeMode Block makes a device at /m, which has no subPath and no readOnly; leave them",
        ),
    ],
)
def test_a_definition_that_cannot_be_meant_is_refused(chart4: Chart, connection: Values, words: str) -> None:
    assert chart4.refusal(operation({"a": {}}, connections={"c": connection})).startswith(words)


@pytest.mark.parametrize("name", ["on", "true", "7", "1e3"])
def test_a_name_that_yaml_reads_as_something_else_is_refused(chart4: Chart, name: str) -> None:
    values = operation({"a": {}}, connections={name: CLAIM})
    assert chart4.refusal(values).startswith(f'connections: "{name}" cannot be a name: YAML reads')


@pytest.mark.parametrize(
    ("connection", "words"),
    [
        ({**CLAIM, "kind": "nfs"}, "at '/connections/c/kind': value must be one of"),
        ({**CLAIM, "mountpath": "/m"}, "at '/connections/c': additional properties 'mountpath' not allowed"),
        ({**CLAIM, "mountPath": "m"}, "at '/connections/c/mountPath': 'm' does not match pattern"),
        ({**CLAIM, "mounts": {"m": {}}}, "at '/connections/c/mounts': additional properties 'm' not allowed"),
        ({"kind": "newClaim", "size": "big"}, "at '/connections/c/size': 'big' does not match pattern"),
        ({"kind": "newClaim", "size": 1e9}, "at '/connections/c/size': got number, want"),
        ({**CLAIM, "init": {"x": {"img": "y"}}}, "at '/connections/c/init/x': additional properties 'img' not allowed"),
    ],
)
def test_a_wrong_shape_is_refused_at_its_place(chart4: Chart, connection: Values, words: str) -> None:
    assert words in chart4.schema_refusal(operation({"a": {}}, connections={"c": connection}))
