"""The first pod of each replica: a partial group that is laid over its group, and composes as every pod does."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
from tests.chart.rendering import GPU, Chart, Values, operation
from tests.support.turns import by_turns

PROBE = {"httpGet": {"path": "/health", "port": "http"}}
H200 = {**GPU, "environment": {"nodeSelector": {"gpu": "h200"}}}


def led(leader: Any, *, root: Values | None = None, **group: Any) -> Values:
    """Return values of a group of four pods a replica, whose first one is this."""
    return operation({"a": {"podsPerReplica": 4, "leader": leader, **group}}, **(root or {}))


def test_it_is_as_its_group_but_for_what_it_says_itself(chart: Chart) -> None:
    group = {
        "container": {"image": "example/engine:1", "extraArgs": ["--tp=16"], "env": {"MODE": "decode", "OTHER": "1"}},
        "resources": {"requests": {"cpu": 4}},
    }
    leader = {
        "container": {"extraArgs": ["--host=0.0.0.0"], "env": {"MODE": "lead"}},
        "resources": {"limits": {"cpu": 8}},
    }
    objects = chart.render(led(leader, **group))
    validity.check(objects.all)
    first, other = objects.container(leader=True), objects.container()
    assert (first["image"], first["args"]) == ("example/engine:1", ["--tp=16", "--host=0.0.0.0"])
    assert objects.env(leader=True) == {"MODE": "lead", "OTHER": "1"}
    assert first["resources"] == {"requests": {"cpu": 4}, "limits": {"cpu": 8}}
    assert (other["args"], objects.env()["MODE"], other["resources"]) == (
        ["--tp=16"],
        "decode",
        {"requests": {"cpu": 4}},
    )


@by_turns(
    ("group", "leader", "command"),
    [
        ({"cmd": "work"}, {"cmd": ["lead"]}, ["lead"]),
        ({"container": {"command": ["work"], "args": ["-v"]}}, {"cmd": "lead"}, ["sh", "-c", "lead"]),
        ({"cmd": "work"}, {"container": {"command": ["lead"]}}, ["lead"]),
        ({"cmd": ["work"]}, {"unset": ["cmd"]}, None),
    ],
)
def test_what_it_runs_takes_the_place_of_what_the_group_runs(
    chart: Chart, group: Values, leader: Values, command: Any
) -> None:
    container = chart.render(led(leader, **group)).container(leader=True)
    assert (container.get("command"), container.get("args")) == (command, None)


def test_ports_and_probes_may_be_its_own_and_the_ready_service_is_of_its_ports(chart4: Chart) -> None:
    leader = {"container": {"ports": {"http": 8000}, "readinessProbe": PROBE}}
    objects = chart4.render(led(leader, container={"ports": {"dist": 5000}}, startup={"timeout": "45m"}))
    assert "readinessProbe" not in objects.container()
    assert objects.container(leader=True)["startupProbe"]["failureThreshold"] == 270
    assert "startupProbe" not in objects.container()
    names = {
        name: [port["name"] for port in objects.get("Service", name)["spec"]["ports"]] for name in ("rl-a", "rl-a-svc")
    }
    assert names == {"rl-a": ["dist", "http"], "rl-a-svc": ["dist", "http"]}
    alone = chart4.render(led({**leader, "unset": ["container.ports.dist"]}, container={"ports": {"dist": 5000}}))
    assert [port["name"] for port in alone.get("Service", "rl-a-svc")["spec"]["ports"]] == ["http"]
    assert [port["name"] for port in alone.get("Service", "rl-a")["spec"]["ports"]] == ["http", "dist"]


def test_a_probe_of_the_group_holds_for_all_its_pods_unless_the_leader_has_another(chart4: Chart) -> None:
    other = {"exec": {"command": ["ready"]}}
    group = {"container": {"ports": {"http": 8000}, "readinessProbe": PROBE}}
    objects = chart4.render(led({"readiness": {"probe": other}}, **group))
    assert objects.container()["readinessProbe"] == PROBE
    assert objects.container(leader=True)["readinessProbe"] == other


def test_its_probe_is_enough_for_a_group_that_requires_others(chart4: Chart) -> None:
    leader = {"readiness": {"probe": {"exec": {"command": ["ready"]}}}}
    values = led(leader, readiness={"requires": ["b"]})
    objects = chart4.render({**values, "groups": {**values["groups"], "b": {}}})
    assert "readinessProbe" not in objects.container()


def test_it_may_hold_no_accelerators_and_is_then_without_their_presets(chart: Chart) -> None:
    root = {"presets": {"h200": H200, "linux": {"environment": {"nodeSelector": {"os": "linux"}}}}}
    group = {"presets": ["h200", "linux"], "accelerators": 8}
    objects = chart.render(led({"accelerators": 0}, root=root, **group))
    assert objects.container()["resources"]["limits"] == {"nvidia.com/gpu": 8}
    assert objects.pod()["nodeSelector"] == {"gpu": "h200", "os": "linux"}
    assert "resources" not in objects.container(leader=True)
    assert objects.pod(leader=True)["nodeSelector"] == {"os": "linux"}


def test_it_may_hold_other_accelerators_than_its_workers(chart4: Chart) -> None:
    values = led({"accelerators": 4}, root={"presets": {"h200": H200}}, presets=["h200"], accelerators=8)
    objects = chart4.render(values)
    assert objects.container(leader=True)["resources"]["limits"] == {"nvidia.com/gpu": 4}
    assert chart4.resolved(values)["groups"]["a"]["leader"]["accelerators"] == 4


def test_it_alone_may_use_connections_files_shared_memory_and_sidecars(chart: Chart) -> None:
    root = {
        "connections": {"models": {"kind": "volumeClaim", "claim": "models", "mountPath": "/models"}},
        "files": {"common": {"content": {"a": "1"}}, "own": {"content": {"b": "2"}}},
    }
    leader = {
        "connections": ["models"],
        "files": {"own": "/etc/own"},
        "shm": {"size": "8Gi"},
        "sidecars": {"proxy": {"ports": {"proxy": 9000}, "connections": ["models"]}},
        "init": {"fetch": {"cmd": "fetch"}},
        "volumes": {"scratch": {"emptyDir": {}}},
    }
    objects = chart.render(led(leader, root=root, files={"common": "/etc/common"}))
    validity.check(objects.all)
    names = {role: [v["name"] for v in objects.pod(leader=role)["volumes"]] for role in (True, False)}
    assert names == {True: ["models", "scratch", "file-common", "file-own", "shm"], False: ["file-common"]}
    assert [entry["name"] for entry in objects.pod(leader=True)["initContainers"]] == ["fetch", "proxy"]
    assert "initContainers" not in objects.pod()
    assert objects.get("ConfigMap", "rl-a-files")["data"] == {"common.a": "1", "own.b": "2"}


def test_texts_that_it_alone_mounts_replace_it_alone(chart4: Chart) -> None:
    def sums(text: str) -> list[str]:
        root = {"files": {"common": {"content": {"a": "1"}}, "own": {"content": {"b": text}}}}
        objects = chart4.render(led({"files": {"own": "/etc/own"}}, root=root, files={"common": "/etc/common"}))
        return [
            objects.template(leader=role)["metadata"]["annotations"]["helm-roster.dev/files"] for role in (True, False)
        ]

    before, after = sums("2"), sums("3")
    assert before[0] != after[0]
    assert before[1] == after[1]


@by_turns(
    ("layers", "env"),
    [
        ({"defaults": {"X": "defaults"}}, {"X": "defaults", "G": "group"}),
        ({"defaults": {"X": "defaults"}, "p": {"X": "preset"}}, {"X": "preset", "G": "group"}),
        ({"p": {"X": "preset"}, "group": {"X": "own"}}, {"X": "own", "G": "group"}),
        ({"post": {"X": "post"}, "group": {"X": "own"}}, {"X": "post", "G": "group"}),
        ({"p": {"X": "preset"}, "replacing": {"Y": "1"}}, {"Y": "1", "G": "group"}),
        ({"p": {"X": "preset"}, "isnull": {"Y": "1"}}, {"X": "preset", "G": "group"}),
        ({"isnull": {"Y": "1"}}, {"Y": "1", "G": "group"}),
        ({"p": {"X": "preset"}, "group": None}, {"G": "group"}),
        ({"p": {"X": "preset"}, "group": {"X": None}}, {"G": "group"}),
        ({"group": {"G": "leader"}}, {"G": "leader"}),
    ],
)
def test_layers_may_say_it_and_all_of_them_are_above_the_group(chart: Chart, layers: Values, env: Values) -> None:
    def leader(name: str) -> Values:
        if name not in layers:
            return {}
        return {"leader": layers[name] and {"container": {"env": layers[name]}}}

    strategies = {"p": None, "post": "post_merge", "replacing": "replace", "isnull": "isnull"}
    presets = {name: {"patchStrategy": how, **leader(name)} for name, how in strategies.items() if name in layers}
    group = {"podsPerReplica": 2, "presets": [*presets], "container": {"env": {"G": "group"}}, **leader("group")}
    defaults = {"container": {"image": "example/app:1"}, **leader("defaults")}
    objects = chart.render({"defaults": defaults, "presets": presets, "groups": {"a": group}})
    assert objects.env(leader=True) == env
    assert objects.env() == {"G": "group"}


def test_lower_layers_leaders_go_with_unset(chart4: Chart) -> None:
    values = operation({"a": {"podsPerReplica": 2, "unset": ["leader"]}})
    values["defaults"]["leader"] = {"cmd": "lead"}
    objects = chart4.render(values)
    assert objects.pod(leader=True) == objects.pod()


def test_it_acts_as_its_group_unless_it_names_another_account(chart4: Chart) -> None:
    account = {"serviceAccount": {"create": True}}
    alike = chart4.render(led({"cmd": "lead"}, environment=account))
    assert alike.pod(leader=True)["serviceAccountName"] == alike.pod()["serviceAccountName"] == "rl-a"
    other = {"unset": ["environment.serviceAccount"], "environment": {"serviceAccountName": "other"}}
    assert chart4.render(led(other, environment=account)).pod(leader=True)["serviceAccountName"] == "other"


def test_the_layer_of_each_of_its_values_is_told(chart4: Chart) -> None:
    values = led(
        {"cmd": "lead"}, root={"presets": {"p": {"leader": {"container": {"workingDir": "/"}}}}}, presets=["p"]
    )
    layers = chart4.resolved(values)["layers"]["a"]
    found = {path: layer for path, layer in layers.items() if path.startswith("leader.")}
    assert found == {"leader.cmd": "groups.a", "leader.container.workingDir": "presets.p"}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            operation({"a": {"leader": {"cmd": "x"}}}),
            "groups.a.leader: given, but podsPerReplica is 1, so its pods are all",
        ),
        (
            led({"replicas": 2}),
            "groups.a.leader.replicas: a leader is one pod of each replica, and this holds for the whole",
        ),
        (
            led({"podsPerReplica": 2}),
            "groups.a.leader.podsPerReplica: a leader is one pod of each replica, and this holds",
        ),
        (
            led({"rollout": {"partition": 1}}),
            "groups.a.leader.rollout: a leader is one pod of each replica, and this holds",
        ),
        (
            led({"presets": ["p"]}),
            "groups.a.leader.presets: the leader has the presets of its group, but for those of acc",
        ),
        (
            led({"readiness": {"requires": []}}),
            "groups.a.leader.readiness.requires: what must be up holds for the whole",
        ),
        (
            led({"environment": {"serviceAccount": {"name": "x"}}}),
            "groups.a.leader.environment.serviceAccount: the account of the group is the leader's too; say it",
        ),
        (led({"unset": ["nothing.x"]}), 'groups.a.leader.unset: "nothing.x" begins with no field of a group;'),
        (
            led({}, unset=["leader.cmd"]),
            'groups.a.unset: "leader.cmd"; what the leader does without stands under leader.',
        ),
        (
            led({"container": {"env": {"X": 1}}}),
            "groups.a.leader.container.env.X: 1 is a number where Kubernetes wants t",
        ),
        (
            led({"environment": {"labels": {"x": 1}}}),
            "groups.a.leader.environment.labels.x: 1 is a number where Kuberne",
        ),
        (
            led({"container": {"readinessProbe": PROBE}}),
            'groups.a.leader.container.readinessProbe.httpGet.port: there is no port of this container "http"',
        ),
        (
            led({"cmd": "x", "container": {"command": ["y"]}}),
            "groups.a.leader: cmd and container.command both say what runs; keep one",
        ),
        (
            led({"environment": {"nodeSelector": {"true": "1"}}}),
            'groups.a.leader.environment.nodeSelector: the key "true" is ',
        ),
        (led({"connections": ["nope"]}), 'groups.a.leader.connections: there is no connection "nope"'),
        (led({"files": {"nope": "/x"}}), 'groups.a.leader.files.nope: there are no files "nope"'),
        (led({"accelerators": 2}), "groups.a.leader: accelerators is 2, but no preset says of which resource"),
        (
            led({"cmd": "x"}, startup={"timeout": "9m"}),
            "groups.a.startup.timeout: 9m, but nothing tells when the contai",
        ),
        (
            led({"resources": {"requests": {"cpu": 4}, "limits": {"cpu": 2}}}),
            "groups.a.leader.resources.requests.cpu: 4, but the limit is 2",
        ),
    ],
    ids=range(19),
)
def test_what_it_cannot_be_is_refused_at_its_own_path(chart4: Chart, values: Values, words: str) -> None:
    assert words in chart4.refusal(values)


def test_what_it_unsets_in_vain_is_told(chart4: Chart) -> None:
    leader = {"unset": ["container.env.B", "container.env.C"]}
    spec = chart4.resolved(led(leader, container={"env": {"B": "1"}}))
    assert spec["idle"]["a"] == {"container.env.C": "groups.a.leader"}


def test_the_pods_that_serve_are_the_leaders_alone(chart4: Chart) -> None:
    objects = chart4.render(led({"cmd": "lead"}, container={"ports": {"http": 8000}}, serving={"role": "decode"}))
    first, other = (objects.template(leader=role)["metadata"]["labels"] for role in (True, False))
    assert set(first) - set(other) == {"helm-roster.dev/leader", "helm-roster.dev/role"}
    assert objects.get("Service", "rl-a-svc")["spec"]["selector"]["helm-roster.dev/leader"] == "true"
    assert "helm-roster.dev/leader" not in objects.get("Service", "rl-a")["spec"]["selector"]


def test_all_pods_of_a_replica_may_serve_and_are_read_by_their_names(chart4: Chart) -> None:
    serving = {"role": "decode", "pods": "all", "portAnnotations": {"example.org/port": "http"}}
    values = led({"cmd": "lead"}, container={"ports": {"http": 8000}}, serving=serving)
    reader = {"container": {"image": "example/app:1", "args": [{"fromGroup": "a", "as": "hosts", "separator": " "}]}}
    objects = chart4.render({**values, "groups": {**values["groups"], "reader": reader}})
    first, other = (objects.template(leader=role)["metadata"] for role in (True, False))
    assert (first["labels"], first["annotations"]) == (other["labels"], other["annotations"])
    assert other["labels"]["helm-roster.dev/role"] == "decode"
    assert objects.container("reader")["args"] == ["rl-a-0.rl-a rl-a-0-1.rl-a rl-a-0-2.rl-a rl-a-0-3.rl-a"]


def test_a_claim_that_one_node_alone_may_mount_may_be_its_own(chart4: Chart) -> None:
    cache = {"kind": "newClaim", "size": "1Gi", "accessModes": ["ReadWriteOnce"], "mountPath": "/cache"}
    root = {"connections": {"cache": cache}}
    assert chart4.render(led({"connections": ["cache"]}, root=root)).get("PersistentVolumeClaim", "rl-cache")
    for values in (
        led({"cmd": "lead"}, root=root, connections=["cache"]),
        led({"connections": ["cache"]}, root=root, replicas=2),
    ):
        assert "connections.cache.accessModes: ReadWriteOnce, but several pods use the claim" in chart4.refusal(values)


def test_an_autoscaler_measures_it_alone(chart4: Chart) -> None:
    scaling = {"owner": "hpa", "max": 4, "cpu": 70}
    requests = {"resources": {"requests": {"cpu": 4}}}
    assert chart4.render(led(requests, autoscaling=scaling)).get("HorizontalPodAutoscaler", "rl-a")
    refusal = chart4.refusal(led({"unset": ["resources.requests.cpu"]}, autoscaling=scaling, **requests))
    assert refusal.startswith(
        "groups.a.autoscaling.cpu: 70 percent of the requested CPU, but resources.requests.cpu is no"
    )


@pytest.mark.parametrize("field", [{"serving": {"role": "decode"}}, {"serves": ["b"]}])
def test_whom_others_find_is_said_for_the_whole_group(chart4: Chart, field: Values) -> None:
    (name,) = field
    told = chart4.refusal(operation({"a": {"podsPerReplica": 2, "leader": field}, "b": {}}))
    assert told.startswith(f"groups.a.leader.{name}: a leader is one pod of each replica, and this holds for the whole")
