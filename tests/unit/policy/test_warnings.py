"""What may surprise: in the groups, and in how the values were given."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helm_roster.manifests import door
from helm_roster.model.written import Written
from helm_roster.policy import warnings

from tests.support.roster import CHART
from tests.unit.builders import gang, group, plan


@pytest.mark.parametrize(
    ("accelerators", "why"), [(0, "asks for no accelerators"), (8, "takes NVIDIA H200 by presets of its own")]
)
def test_a_preset_that_is_left_out_is_told(accelerators: int, why: str) -> None:
    groups = {"web": group(1, accelerators=accelerators, skippedPresets=["b200"])}
    warning = warnings.of_plan(plan(groups, backend="default"))[0]
    assert warning == f'group "web" {why}, so it leaves out preset "b200" of defaults'


def test_what_only_a_leader_worker_set_tells_is_told_elsewhere() -> None:
    pod = {"containers": [{"name": "main", "args": ["--nnodes=$(LWS_GROUP_SIZE)", "$(LWS_GROUP_SIZE)"]}]}
    groups = {"a": group(1, kind="Deployment", pod=pod), "b": group(1, kind="LeaderWorkerSet", pod=pod)}
    (warning,) = warnings.of_plan(plan(groups, backend="default"))
    assert warning == (
        'group "a" refers to $(LWS_GROUP_SIZE), which only a LeaderWorkerSet gives, but it is a Deployment: set '
        "groups.a.podsPerReplica or workload, or leave that out"
    )


def test_a_wait_for_a_group_without_replicas_is_told() -> None:
    groups = {"web": group(1, waitsFor=["store"]), "store": group(0)}
    (warning,) = warnings.of_plan(plan(groups, backend="default"))
    assert warning == 'group "web" cannot start: it waits for "store", which has no replicas'


def test_a_requirement_that_cannot_be_met_is_told() -> None:
    groups = {"router": group(1, router=True, requires=["decode"]), "decode": group(0)}
    (warning,) = warnings.of_plan(plan(groups, backend="default"))
    assert warning == 'group "router" cannot become ready: it requires "decode", which has no replicas'


@pytest.mark.parametrize(("least", "warned"), [({"min": 0}, True), ({"min": 1, "idle": 0}, True), ({"min": 1}, False)])
def test_a_requirement_that_an_autoscaler_may_leave_unmet_is_told(least: dict[str, int], warned: bool) -> None:  # noqa: FBT001
    scaled = {"owner": "keda", "max": 4, **least}
    groups = {"router": group(1, router=True, requires=["decode"]), "decode": group(0, autoscaling=scaled)}
    said = warnings.of_plan(plan(groups, backend="default"))
    assert [line.startswith('group "router" is not ready while its autoscaler keeps "decode" at') for line in said] == (
        [True] * warned
    )


def test_a_group_that_may_grow_without_bound_is_told() -> None:
    entry = group(3, autoscaling={"owner": "external", "min": 1})
    (warning,) = warnings.of_plan(plan({"web": entry}, backend="default"))
    assert warning.startswith('group "web" is scaled from outside without a bound, so "at most" counts 3 of it; set')


@pytest.mark.parametrize(("owner", "warned"), [("external", True), ("hpa", False)])
def test_a_gang_that_an_autoscaler_of_yours_has_to_raise_is_told(owner: str, warned: bool) -> None:  # noqa: FBT001
    entry = group(4, autoscaling={"owner": owner, "min": 4, "max": 8})
    said = warnings.of_plan(plan({"w": entry}, {"g": gang(w=(4, True))}))
    assert [line.startswith('gang "g": "w" is made with 1 replica') for line in said] == [True] * warned


def test_an_ordinary_plan_warns_of_nothing() -> None:
    assert warnings.of_plan(plan({"web": group(1)}, backend="default")) == []


def told_of_unset(path: str, layer: str = "groups.w") -> list[str]:
    """Return the warnings about a path that a layer of group `w` unsets in vain."""
    resolved = {"idle": {"w": {path: layer}}, "layers": {"w": {"container.env.DEBUG": "defaults"}}}
    made = plan({"w": group(1)}, backend="default")
    return list(warnings.of_resolved(made, {**resolved, "composed": {"w": "{}"}}))


@pytest.mark.parametrize(
    ("path", "meant"), [("container.envv.DEBUG", '; did you mean "container.env.DEBUG"?'), ("shm", "")]
)
def test_an_unset_that_deletes_nothing_is_told_with_the_nearest_path(path: str, meant: str) -> None:
    assert told_of_unset(path) == [f"groups.w.unset: {path} deletes nothing, since no lower layer sets it{meant}"]


def test_an_unset_of_a_leader_that_deletes_nothing_is_told_too() -> None:
    (told,) = told_of_unset("shm", "groups.w.leader")
    assert told.startswith("groups.w.leader.unset: shm deletes nothing")


def test_what_layers_say_is_named_where_it_stands_in_a_chart_that_wraps_ours() -> None:
    made = plan({"w": group(1)}, backend="default")
    wrapped = made.replace(operation=made.operation.replace(wrapped=True))
    init = json.dumps({"init": {"setup": {}, "fetch": {}}})
    resolved = {"idle": {"w": {"shm": "groups.w"}}, "layers": {"w": {}}, "composed": {"w": init}}
    told = [line.partition(":")[0] for line in warnings.of_resolved(wrapped, resolved)]
    assert told == ["replica-operation.groups.w.unset", "replica-operation.groups.w.init"]


@pytest.mark.parametrize(("path", "layer"), [("container.env.DEBGU", "presets.p"), ("presets.p", "groups.w")])
def test_an_unset_of_a_preset_may_delete_nothing(path: str, layer: str) -> None:
    assert told_of_unset(path, layer) == []


@pytest.mark.parametrize(("said", "warned"), [(5, True), (2, False), (None, False)])
@pytest.mark.parametrize("owner", ["hpa", "external"])
def test_replicas_that_an_autoscaler_sets_instead_are_told(said: int | None, owner: str, *, warned: bool) -> None:
    made = plan({"w": group(2, autoscaling={"owner": owner, "min": 2, "max": 9})}, backend="default")
    resolved = {"idle": {}, "layers": {}, "composed": {"w": json.dumps({"replicas": said})}}
    expected = f'group "w": replicas (5) is not applied, since an autoscaler (autoscaling.owner: {owner}) sets them'
    told = list(warnings.of_resolved(made, resolved))
    assert [line.startswith(expected) for line in told] == [True] * warned


@pytest.mark.parametrize(
    ("init", "names"),
    [
        ({"setup": {}, "fetch": {"order": 0}, "last": {"order": 9}}, "fetch, setup"),
        ({"setup": {"name": "setup"}, "fetch": {"name": "fetch"}}, None),
        ({"setup": {"order": 1}, "fetch": {"order": 2}}, None),
        ({"setup": {}, "fetch": None}, None),
        (None, None),
    ],
    ids=["map", "list", "order", "taken away", "none"],
)
def test_init_containers_that_only_their_names_put_in_order_are_told(init: object, names: str | None) -> None:
    composed = json.dumps({"init": init and {"@order": ["fetch", "setup"], **init}})
    resolved = {"idle": {}, "layers": {}, "composed": {"w": composed}}
    said = list(warnings.of_resolved(plan({"w": group(1)}, backend="default"), resolved))
    expected = f"groups.w.init: {names} run in the order of their names, since a map has no other; give each an `order`"
    assert [line.startswith(expected) for line in said] == [True] * bool(names)


def told(first: str, second: str) -> list[str]:
    """Return the warnings about two files of these texts."""
    written = Written()
    for name, text in (("a.yaml", first), ("b.yaml", second)):
        (data,) = door.load_all(text)
        assert isinstance(data, door.Mapping)
        written.lay(name, data)
    return list(warnings.of_values(written, CHART))


@pytest.mark.parametrize(
    ("field", "way_out"), [("args", "keep it in one of them"), ("env", "write both as maps by key")]
)
def test_a_list_that_a_second_file_replaces_is_told_with_both_places(field: str, way_out: str) -> None:
    text = "groups:\n  w:\n    container:\n      {}: [{{name: {}}}]\n"
    (warning,) = told(text.format(field, "a"), text.format(field, "b"))
    assert warning.startswith(f"groups.w.container.{field}: b.yaml:4 replaces the whole list of a.yaml:4")
    assert way_out in warning


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [("[{name: A}]", "{B: x}", "b.yaml:4, a map, replaces the whole list"),
     ("{B: x}", "[{name: A}]", "b.yaml:4, a list, replaces the whole map")],
)  # fmt: skip
def test_a_list_and_a_map_of_one_field_are_told_with_both_places(first: str, second: str, words: str) -> None:
    text = "groups:\n  w:\n    container:\n      env: {}\n"
    (warning,) = told(text.format(first), text.format(second))
    assert warning == (
        f"groups.w.container.env: {words} of a.yaml:4, since Helm merges only maps; write both as maps by key, "
        "which Helm merges"
    )


@pytest.mark.parametrize(("first", "second"), [("{}", "[{name: A}]"), ("[]", "{B: x}"), ("[{name: A}]", "null")])
def test_nothing_is_lost_of_what_is_empty_or_taken_away_by_null(first: str, second: str) -> None:
    text = "groups: {{w: {{container: {{env: {}}}}}}}\n"
    assert told(text.format(first), text.format(second)) == []


@pytest.mark.parametrize("key", ["x-anchors", "global"])
def test_lists_that_are_not_ours_are_nobodys_business(key: str) -> None:
    assert told(f"{key}: {{a: [1]}}\n", f"{key}: {{a: [2]}}\n") == []


@pytest.mark.parametrize(
    ("fields", "surge"),
    [
        ({"fillsNode": True, "spec": {"strategy": {"rollingUpdate": {"maxSurge": 2}}}}, 2),
        ({"fillsNode": True, "spec": {"strategy": {"rollingUpdate": {"maxSurge": 0}}}}, 0),
        ({"spec": {"strategy": {"rollingUpdate": {"maxSurge": 2}}}}, 0),
    ],
)
def test_a_rollout_of_pods_that_fill_nodes_needs_spare_ones(fields: dict[str, Any], surge: int) -> None:
    said = warnings.of_plan(plan({"w": group(4, kind="Deployment", **fields)}, backend="default"))
    expected = f'group "w": each pod takes a whole node, and a rollout makes {surge} more than there are, so it waits'
    assert [line.startswith(expected) for line in said] == [True] * bool(surge)
