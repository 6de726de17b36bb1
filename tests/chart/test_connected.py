"""Who uses a connection: groups, init containers and sidecars, through all layers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Objects, Values, layered, operation

CONNECTIONS: Values = {
    "models": {"kind": "volumeClaim", "claim": "models", "mountPath": "/models", "env": {"HOME": "$(ROOT)/hf"}},
    "cache": {"kind": "hostPath", "path": "/mnt", "mountPath": "/cache", "env": {"ROOT": "/cache"}},
    "token": {"kind": "secret", "secret": "hf", "envKeys": {"TOKEN": "token"}},
}


def with_connections(values: Values, **more: Any) -> Values:
    return {**values, "connections": {**CONNECTIONS, **more}}


def mounts(container: Values) -> dict[str, str]:
    return {mount["mountPath"]: mount["name"] for mount in container.get("volumeMounts") or ()}


def volumes(objects: Objects, group: str = "a") -> list[str]:
    return [volume["name"] for volume in objects.pod(group).get("volumes") or ()]


@pytest.mark.parametrize(
    "values",
    [
        layered({"connections": ["models"]}),
        layered({"connections": {"models": {}}}),
        layered({}, defaults={"connections": ["models"]}),
        layered({}, p={"connections": {"models": {}}}),
        layered({}, p={"patchStrategy": "post_merge", "connections": ["models"]}),
        layered({}, p={"patchStrategy": "isnull", "connections": ["models"]}),
        layered({"connections": ["token"]}, p={"patchStrategy": "replace", "connections": ["models"]}),
    ],
    ids=["group", "map", "defaults", "preset", "post_merge", "isnull", "replace"],
)
def test_any_layer_may_list_one(chart4: Chart, values: Values) -> None:
    objects = chart4.render(with_connections(values))
    assert (mounts(objects.container()), volumes(objects)) == ({"/models": "models"}, ["models"])


def test_those_of_all_layers_count_in_listed_order(chart: Chart) -> None:
    values = layered({"connections": ["cache", "models"]}, defaults={"connections": ["token"]})
    assert volumes(chart.render(with_connections(values))) == ["cache", "models"]
    assert [entry["name"] for entry in chart.render(with_connections(values)).container()["env"]] == [
        "TOKEN",
        "ROOT",
        "HOME",
    ]


@pytest.mark.parametrize(
    "group",
    [
        {"connections": None},
        {"connections": {"models": None, "token": None}},
        {"unset": ["connections"]},
        {"unset": ["connections.models", "connections.token"]},
    ],
)
def test_a_layer_may_take_them_away(chart4: Chart, group: Values) -> None:
    values = layered(group, defaults={"connections": ["models", "token"]})
    pod = chart4.render(with_connections(values)).pod()
    assert pod == {"containers": [{"name": "main", "image": "example/app:1"}]}


def test_null_and_unset_reach_what_one_gives(chart4: Chart) -> None:
    group = {
        "connections": ["models", "cache"],
        "container": {"env": {"HOME": None}},
        "unset": ["container.volumeMounts./cache"],
    }
    container = chart4.render(with_connections(layered(group))).container()
    assert (mounts(container), container["env"]) == ({"/models": "models"}, [{"name": "ROOT", "value": "/cache"}])


def test_environment_and_volumes_of_any_other_layer_win(chart: Chart) -> None:
    group = {"connections": ["models", "token"], "container": {"env": {"TOKEN": "own"}}}
    defaults = {"volumes": {"models": {"emptyDir": {}}}, "container": {"env": {"HOME": "/own"}}}
    objects = chart.render(with_connections(layered(group, defaults=defaults)))
    assert objects.env() == {"HOME": "/own", "TOKEN": "own"}
    assert objects.pod()["volumes"] == [{"name": "models", "emptyDir": {}}]


def test_another_source_under_the_name_of_one_takes_its_place(chart4: Chart) -> None:
    whole = {"kind": "configMap", "configMap": "settings", "envFrom": True}
    group = {"connections": ["w"], "container": {"envFrom": {"w": {"secretRef": {"name": "own"}}}}}
    container = chart4.render(with_connections(layered(group), w=whole)).container()
    assert container["envFrom"] == [{"secretRef": {"name": "own"}}]


def test_a_variable_comes_after_those_that_its_value_holds(chart4: Chart) -> None:
    names = [
        entry["name"]
        for entry in chart4.render(with_connections(layered({"connections": ["models", "cache"]}))).container()["env"]
    ]
    assert names == ["ROOT", "HOME"]


def test_of_two_that_give_one_variable_the_later_wins(chart4: Chart) -> None:
    other = {"kind": "hostPath", "path": "/x", "env": {"ROOT": "/other"}}
    for order, value in ((["cache", "other"], "/other"), (["other", "cache"], "/cache")):
        objects = chart4.render(with_connections(layered({"connections": order}), other=other))
        assert objects.env()["ROOT"] == value


@pytest.mark.parametrize(("unset", "value"), [([], "/cache"), (["connections"], "/other")])
def test_a_name_keeps_its_place_unless_a_group_begins_anew(chart4: Chart, unset: list[str], value: str) -> None:
    other = {"kind": "hostPath", "path": "/x", "env": {"ROOT": "/other"}}
    group = {"connections": ["cache", "other"], "unset": unset}
    values = with_connections(layered(group, defaults={"connections": ["other"]}), other=other)
    assert chart4.render(values).env()["ROOT"] == value


def test_what_one_gives_is_not_set_for_a_preset_that_fills_what_nobody_sets(chart4: Chart) -> None:
    preset = {"patchStrategy": "isnull", "container": {"env": {"ROOT": "/own"}, "image": "example/app:1"}}
    values = with_connections({"presets": {"p": preset}, "groups": {"a": {"presets": ["p"], "connections": ["cache"]}}})
    assert chart4.render(values).env() == {"ROOT": "/own"}


def test_a_preset_that_replaces_a_field_leaves_what_connections_give(chart: Chart) -> None:
    preset = {
        "patchStrategy": "replace",
        "container": {"image": "example/own:2"},
        "init": {"x": {"connections": ["cache"]}},
    }
    group = {"connections": ["models"], "container": {"env": {"GONE": "1"}}, "init": {"y": {}}}
    objects = chart.render(with_connections(layered(group, p=preset)))
    assert mounts(objects.container()) == {"/models": "models"}
    assert objects.env() == {"HOME": "$(ROOT)/hf"}
    (container,) = objects.pod()["initContainers"]
    assert (container["name"], mounts(container)) == ("x", {"/cache": "cache"})


GIVEN_BACK: list[tuple[Values, Values]] = [
    ({"container": None}, {}),
    ({"container": {"volumeMounts": None, "env": None, "image": "example/app:2"}}, {}),
    ({"unset": ["container.volumeMounts", "container.env"]}, {}),
    ({"unset": ["container"]}, {}),
    ({"init": None, "sidecars": None}, {}),
    ({"init": {"x": None}, "sidecars": {"y": None}}, {}),
    ({"init": [{"name": "x", "volumeMounts": None, "env": None}]}, {}),
    ({"unset": ["init", "sidecars.y"]}, {}),
    ({"unset": ["init.x.volumeMounts", "init.x.env", "sidecars"]}, {}),
    ({"container": None}, {"patchStrategy": "isnull"}),
]


@pytest.mark.parametrize(("layer", "how"), GIVEN_BACK)
def test_a_layer_that_deletes_a_whole_list_leaves_what_connections_give(
    chart4: Chart, layer: Values, how: Values
) -> None:
    group = {
        "connections": ["cache"],
        "container": {"image": "example/app:1"},
        "init": {"x": {"connections": ["cache"]}},
        "sidecars": {"y": {"connections": ["cache"]}},
    }
    for values in (layered(group, defaults=layer), layered(group, p={**layer, **how})):
        pod = chart4.render(with_connections(values)).pod()
        for container in (*pod["containers"], *pod["initContainers"]):
            assert mounts(container) == {"/cache": "cache"}
            assert container["env"] == [{"name": "ROOT", "value": "/cache"}]


def test_a_list_that_the_group_itself_deletes_still_holds_what_connections_give(chart4: Chart) -> None:
    lower = {"container": {"env": {"GONE": "1"}}, "init": {"z": {}}}
    group = {"connections": ["cache"], "container": {"env": None, "image": "example/app:1"}, "init": None}
    objects = chart4.render(with_connections(layered(group, defaults=lower)))
    assert (objects.env(), "initContainers" in objects.pod()) == ({"ROOT": "/cache"}, False)


@pytest.mark.parametrize("field", ["init", "sidecars"])
def test_another_container_has_connections_of_its_own(chart: Chart, field: str) -> None:
    group = {"connections": ["models"], field: {"x": {"connections": ["cache", "token"]}, "y": {}}}
    objects = chart.render(with_connections(layered(group)))
    first, second = objects.pod()["initContainers"]
    assert (mounts(first), [entry["name"] for entry in first["env"]]) == ({"/cache": "cache"}, ["ROOT", "TOKEN"])
    assert (mounts(second), second.get("env")) == ({}, None)
    assert mounts(objects.container()) == {"/models": "models"}
    assert volumes(objects) == ["models", "cache"]


def test_what_another_container_sets_itself_wins(chart4: Chart) -> None:
    group = {
        "init": {
            "x": {"connections": ["cache"], "env": {"ROOT": "/own"}, "volumeMounts": {"/cache": {"readOnly": True}}}
        }
    }
    (container,) = chart4.render(with_connections(layered(group))).pod()["initContainers"]
    assert container["env"] == [{"name": "ROOT", "value": "/own"}]
    assert container["volumeMounts"] == [{"mountPath": "/cache", "name": "cache", "readOnly": True}]


def test_a_layer_may_take_one_away_from_another_container(chart4: Chart) -> None:
    lower = {"x": {"connections": ["cache", "token"]}}
    group = {"init": {"x": {"connections": {"cache": None}, "env": {"TOKEN": None}}}}
    objects = chart4.render(with_connections(layered(group, defaults={"init": lower})))
    assert objects.pod()["initContainers"] == [{"name": "x", "image": "example/app:1"}]
    assert volumes(objects) == []


def test_connections_of_other_containers_leave_their_order(chart4: Chart) -> None:
    init = [{"name": "z"}, {"name": "b", "connections": ["cache"]}, {"name": "a"}]
    values = layered({"init": init}, defaults={"init": {"m": {}}})
    names = [entry["name"] for entry in chart4.render(with_connections(values)).pod()["initContainers"]]
    assert names == ["m", "z", "b", "a"]


FETCH = {
    "kind": "hostPath",
    "path": "/x",
    "mountPath": "/x",
    "init": {"fetch": {"cmd": ["fetch"], "connections": ["token"]}},
}


def test_one_may_bring_an_init_container_that_uses_it(chart: Chart) -> None:
    group = {"connections": ["store"], "init": {"a": {}, "fetch": {"resources": {"limits": {"memory": "1Gi"}}}}}
    objects = chart.render(with_connections(layered(group), store=FETCH))
    fetch, other = objects.pod()["initContainers"]
    assert (fetch["name"], fetch["command"], mounts(fetch), other["name"]) == ("fetch", ["fetch"], {"/x": "store"}, "a")
    assert (fetch["env"][0]["name"], fetch["resources"]) == ("TOKEN", {"limits": {"memory": "1Gi"}})


def test_its_init_container_may_write_what_the_others_only_read(chart: Chart) -> None:
    pod = chart.render(with_connections(layered({"connections": ["store"]}), store={**FETCH, "readOnly": True})).pod()
    (fetch,), (main,) = pod["initContainers"], pod["containers"]
    assert fetch["volumeMounts"] == [{"mountPath": "/x", "name": "store"}]
    assert main["volumeMounts"] == [{"mountPath": "/x", "name": "store", "readOnly": True}]


def test_another_init_container_of_that_name_may_not(chart4: Chart) -> None:
    group = {"init": {"fetch": {"connections": ["store"]}}}
    values = with_connections(layered(group), store={**FETCH, "readOnly": True})
    (other,) = chart4.render(values).pod()["initContainers"]
    assert other["volumeMounts"] == [{"mountPath": "/x", "name": "store", "readOnly": True}]


def test_its_init_container_may_be_deleted(chart4: Chart) -> None:
    values = layered({"connections": ["store"], "init": {"fetch": None}})
    pod = chart4.render(with_connections(values, store=FETCH)).pod()
    assert ("initContainers" in pod, len(pod["volumes"])) == (False, 1)


def test_one_that_an_init_container_alone_uses_brings_no_init_container(chart4: Chart) -> None:
    values = layered({"init": {"a": {"connections": ["store"]}}})
    (container,) = chart4.render(with_connections(values, store=FETCH)).pod()["initContainers"]
    assert (container["name"], mounts(container)) == ("a", {"/x": "store"})


def test_the_layer_of_what_one_gives_is_known(chart4: Chart) -> None:
    group = {"connections": ["models"], "init": {"x": {"connections": ["cache"]}}}
    layers = chart4.resolved(with_connections(layered(group)))["layers"]["a"]
    assert (
        layers["container.env.HOME"] == layers["volumes.models.persistentVolumeClaim.claimName"] == "connections.models"
    )
    assert layers["init.x.env.ROOT"] == "connections.cache"
    assert layers["connections.models"] == "groups.a"


def test_groups_with_other_connections_never_meet(chart4: Chart) -> None:
    groups = {
        "a": {"connections": ["models"]},
        "b": {"connections": ["cache"], "init": {"x": {"connections": ["token"]}}},
        "c": {},
    }
    together = chart4.render(with_connections(operation(groups)))
    for name, group in groups.items():
        assert together.workload(name) == chart4.render(with_connections(operation({name: group}))).workload(name)


def test_groups_that_share_them_are_as_if_alone(chart4: Chart) -> None:
    defaults = {
        "container": {"image": "example/app:1"},
        "connections": ["models"],
        "init": {"x": {"connections": ["cache"]}},
    }
    groups = {"a": {}, "b": {"volumes": {"own": {"emptyDir": {}}}}, "c": {"unset": ["connections.models"]}, "d": {}}
    together = chart4.render(with_connections({"defaults": defaults, "groups": groups}))
    for name, group in groups.items():
        alone = chart4.render(with_connections({"defaults": defaults, "groups": {name: group}}))
        assert together.workload(name) == alone.workload(name)


WRITER = {"kind": "hostPath", "path": "/x", "serviceAccountName": "writer"}
READER = {"kind": "hostPath", "path": "/x", "serviceAccountName": "reader"}


def test_a_groups_own_service_account_wins(chart4: Chart) -> None:
    group = {"connections": ["w", "r"], "environment": {"serviceAccountName": "both"}}
    assert chart4.render(with_connections(layered(group), w=WRITER, r=READER)).pod()["serviceAccountName"] == "both"


@pytest.mark.parametrize("names", [["w"], ["w", "r"]])
def test_a_service_account_of_the_groups_own_wins_too(chart4: Chart, names: list[str]) -> None:
    group = {"connections": names, "environment": {"serviceAccount": {"create": True}}}
    assert chart4.render(with_connections(layered(group), w=WRITER, r=READER)).pod()["serviceAccountName"] == "rl-a"


def test_no_account_of_its_own_leaves_that_of_the_connection(chart4: Chart) -> None:
    group = {"connections": ["w"], "environment": {"serviceAccount": {"create": False}}}
    assert chart4.render(with_connections(layered(group), w=WRITER)).pod()["serviceAccountName"] == "writer"


def test_a_service_account_that_is_none_settles_nothing(chart4: Chart) -> None:
    group = {"connections": ["w", "r"], "environment": {"serviceAccount": {"create": False}}}
    refusal = chart4.refusal(with_connections(layered(group), w=WRITER, r=READER))
    assert refusal.startswith("groups.a.connections: r and w want different service accounts, reader and writer")


@pytest.mark.parametrize(
    ("group", "words"),
    [
        (
            {"connections": ["model"]},
            'groups.a.connections: there is no connection "model" (did you mean "models"?); known:',
        ),
        (
            {"init": {"x": {"connections": ["tokens"]}}},
            'groups.a.init.x.connections: there is no connection "tokens" (did you mean "token"?); known: again,',
        ),
        (
            {"sidecars": {"x": {"connections": ["q"]}}},
            'groups.a.sidecars.x.connections: there is no connection "q"; known',
        ),
        (
            {"connections": {"model": None}},
            'groups.a.connections: there is no connection "model" (did you mean "models"?)',
        ),
        (
            {"sidecars": {"x": {"connections": {"model": None}}}},
            'groups.a.sidecars.x.connections: there is no connection "model" (did you mean "models"?); known: ',
        ),
        (
            {"connections": ["token"], "init": {"x": {"volumeMounts": {"/t": "token"}}}},
            'groups.a: volume "token" is mounted at /t, but the connection "token" has no path, so it is no volume',
        ),
        ({"connections": {"on": {}, "true": {}}}, 'groups.a.connections: the key "true" is what YAML makes of a bare'),
        ({"connections": ["models", "models"]}, 'groups.a.connections: "models" stands twice in one list; keep one'),
        (
            {"connections": ["models", "again"]},
            'groups.a.connections: "models" and "again" are both mounted at /models; give one another mountPath',
        ),
        (
            {"init": {"x": {"connections": ["again", "models"]}}},
            'groups.a.init.x.connections: "again" and "models" are both mounted at /models; give one another',
        ),
        (
            {"connections": ["models"], "container": {"volumeMounts": {"/models": "own"}}},
            'groups.a.container.volumeMounts./models: volume "own", but connection "models" is mounted there; choose',
        ),
        (
            {"connections": ["models"], "container": {"volumeMounts": {"/models/": "own"}}},
            'groups.a.container: volumes "models" and "own" are both mounted at /models; choose another path for one',
        ),
        (
            {"init": {"x": {"connections": ["models"], "volumeMounts": {"/models": "own"}}}},
            'groups.a.init.x.volumeMounts./models: volume "own", but connection "models" is mounted there; choose',
        ),
        (
            {"connections": ["w", "r"]},
            "groups.a.connections: r and w want different service accounts, reader and writer; say which by",
        ),
        (
            {"connections": ["w", "r"], "environment": {"serviceAccount": {"create": False}}},
            "groups.a.connections: r and w want different service accounts, reader and writer; say which by",
        ),
        (
            {"connections": ["models"], "container": {"env": {"ROOT": "$(HOME)"}}},
            "groups.a.container.env.HOME: its value",
        ),
        (
            {"connections": ["first", "second"]},
            'groups.a.connections: "first" and "second" both bring an init container "fetch"; give one another name',
        ),
        (
            {"connections": ["models"], "volumes": None},
            'groups.a.volumes.models: deleted, but it is the volume of the connection "models"; delete that, by groups',
        ),
    ],
)
def test_what_no_pod_could_hold_is_refused(chart4: Chart, group: Values, words: str) -> None:
    again = {"kind": "volumeClaim", "claim": "x", "mountPath": "/models/"}
    both = {"first": FETCH, "second": {**FETCH, "mountPath": "/second"}}
    assert chart4.refusal(with_connections(layered(group), again=again, w=WRITER, r=READER, **both)).startswith(words)


@pytest.mark.parametrize("group", [{"connections": ["m"]}, {"init": {"x": {"connections": ["m"]}}}])
def test_where_none_is_defined_that_is_said(chart: Chart, group: Values) -> None:
    refusal = chart.refusal(operation({"a": group}))
    assert refusal.endswith('there is no connection "m"; known: none; define it under connections')


def test_a_group_says_nothing_about_a_connection_but_its_name(chart4: Chart) -> None:
    values = with_connections(operation({"a": {"connections": {"models": {"mountPath": "/x"}}}}))
    words = "at '/groups/a/connections/models': additional properties 'mountPath' not allowed"
    assert words in chart4.schema_refusal(values)
