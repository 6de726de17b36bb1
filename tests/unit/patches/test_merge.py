"""Strategic merge: lists by key, nothing lost by accident, nothing without an effect."""

from __future__ import annotations

import copy
import re
import sys
from typing import Any

import pytest

from helm_roster import errors
from helm_roster.patches import apply

from tests.unit.patches.objects import OWNED, WORKLOAD, changed, main, merged, patch


def in_main(**fields: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "main", **fields}]}}


def test_containers_merge_by_name_and_keep_what_is_not_said() -> None:
    spec = merged(in_main(image="engine:2"))
    assert [entry["image"] for entry in spec["containers"]] == ["engine:2", "proxy:1"]
    assert main(spec)["args"] == ["--tp=1"]


def test_a_new_entry_comes_last() -> None:
    spec = merged({"spec": {"containers": [{"name": "log", "image": "log:1"}]}})
    assert [entry["name"] for entry in spec["containers"]] == ["main", "proxy", "log"]


def test_plain_lists_are_replaced() -> None:
    assert main(merged(in_main(args=["--tp=2"])))["args"] == ["--tp=2"]


def test_null_deletes() -> None:
    assert "args" not in main(merged(in_main(args=None)))


KEYED: list[tuple[str, Any, Any]] = [
    ("env", [{"name": "A", "value": "2"}], {"name": "A", "value": "2"}),
    ("env", [{"name": "B", "value": "2"}], {"name": "B", "value": "2"}),
    ("env", [{"name": "B", "valueFrom": {"fieldRef": {"apiVersion": "v1"}}}],
     {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "x", "apiVersion": "v1"}}}),
    ("ports", [{"containerPort": 8000, "hostPort": 80}], {"name": "http", "containerPort": 8000, "hostPort": 80}),
    ("ports", [{"containerPort": 8000, "protocol": "TCP", "hostPort": 80}],
     {"name": "http", "containerPort": 8000, "protocol": "TCP", "hostPort": 80}),
    ("ports", [{"containerPort": 8000, "protocol": "UDP"}], {"containerPort": 8000, "protocol": "UDP"}),
    ("volumeMounts", [{"mountPath": "/cache", "readOnly": True}],
     {"name": "cache", "mountPath": "/cache", "readOnly": True}),
]  # fmt: skip


@pytest.mark.parametrize(("field", "given", "expected"), KEYED)
def test_lists_of_a_container_merge_by_their_keys(field: str, given: Any, expected: Any) -> None:
    assert expected in main(merged(in_main(**{field: given})))[field]


def test_a_volume_keeps_the_source_that_the_patch_states() -> None:
    claim = {"persistentVolumeClaim": {"claimName": "c"}}
    assert merged({"spec": {"volumes": [{"name": "cache", **claim}]}})["volumes"] == [{"name": "cache", **claim}]


def test_a_volumes_source_merges_with_itself() -> None:
    spec = merged({"spec": {"volumes": [{"name": "cache", "emptyDir": {"sizeLimit": "2Gi"}}]}})
    assert spec["volumes"] == [{"name": "cache", "emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}}]


def test_tolerations_merge_by_their_whole_identity() -> None:
    any_taint, same = {"operator": "Exists"}, {"key": "gpu", "operator": "Exists", "tolerationSeconds": 9}
    assert merged({"spec": {"tolerations": [any_taint, same]}})["tolerations"] == [same, any_taint]


def test_capabilities_join_as_sets() -> None:
    added = {"capabilities": {"add": ["SYS_PTRACE"]}}
    found = main(merged(in_main(securityContext=added)))["securityContext"]["capabilities"]
    assert found == {"add": ["IPC_LOCK", "SYS_PTRACE"]}


def test_a_directive_deletes_an_entry() -> None:
    assert [entry["name"] for entry in main(merged(in_main(env=[{"name": "A", "$patch": "delete"}])))["env"]] == ["B"]


def test_a_directive_deletes_a_field() -> None:
    assert "securityContext" not in main(merged(in_main(securityContext={"$patch": "delete"})))


def test_a_directive_replaces_a_mapping() -> None:
    given = {"$patch": "replace", "privileged": True}
    assert main(merged(in_main(securityContext=given)))["securityContext"] == {"privileged": True}


def test_a_directive_replaces_a_list() -> None:
    given = [{"$patch": "replace"}, {"name": "C", "value": "3"}]
    assert main(merged(in_main(env=given)))["env"] == [{"name": "C", "value": "3"}]


def test_a_deployments_strategy_keeps_what_the_patch_states() -> None:
    workload = changed(patch("merge", {"spec": {"strategy": {"rollingUpdate": {"maxSurge": 1}}}}, "workload"))
    again = changed(patch("merge", {"spec": {"strategy": {"type": "Recreate"}}}, "workload"), workload)
    assert again["spec"]["strategy"] == {"type": "Recreate"}


BAD: list[tuple[Any, str]] = [
    (in_main(argz=None), "(/spec/containers/main/argz): it is to be deleted, but is not there"),
    (
        in_main(env=[{"name": "Z", "$patch": "delete"}]),
        "(/spec/containers/main/env/Z): it is to be deleted, but is not",
    ),
    (in_main(env=[{"name": "A", "$patch": "replace", "value": "2"}]), "$patch: replace is an entry of its own"),
    (in_main(env=[{"name": "A", "$patch": "merge"}]), '"merge" is no directive known here'),
    (in_main(env=[{"value": "2"}]), '(/spec/containers/main/env): its entries are told apart by name, and {"value"'),
    (in_main(env={"A": "2"}), "the target has a list here, and the patch a mapping"),
    (in_main(image={"tag": "2"}), "the target has a plain value here, and the patch a mapping"),
    ({"spec": "x"}, "the target has a mapping here, and the patch a plain value"),
    ({"spec": {"$setElementOrder/containers": []}}, "(/spec/$setElementOrder~1containers): [] is no directive"),
    ({"spec": {"volumes": [{"$retainKeys": ["name"], "name": "cache"}]}}, '["name"] is no directive'),
    ({"$patch": "delete"}, "is no part of the target"),
    ([], "[] is no part of the target"),
    ({"spec": {1: "x"}}, "(/spec/1): the key is 1, which is no text: quote it"),
    (in_main(env=[{"name": "A", "value": 5}]), "/env/A/value is 5, which is no text: quote it"),
    ({"spec": {"containers": None}}, "drops container main, proxy"),
    ({"spec": {"containers": [{"$patch": "replace"}, {"name": "main"}]}}, "drops container proxy"),
    ({"spec": {"containers": [{"name": "main", "$patch": "delete"}]}}, "drops container main"),
    ({"$patch": "replace", "metadata": {}}, "changes /spec/template/metadata/labels/app.kubernetes.io~1instance"),
]


@pytest.mark.parametrize(("body", "words"), BAD)
def test_a_bad_merge_is_named_with_its_patch_and_place(body: Any, words: str) -> None:
    with pytest.raises(errors.BadInputError, match=r"^patches\.decode\.x: .*" + re.escape(words)):
        merged(body)


def test_a_key_that_means_two_entries_must_be_said_whole() -> None:
    both = changed(patch("merge", in_main(ports=[{"containerPort": 8000, "protocol": "UDP"}])))
    with pytest.raises(errors.BadInputError, match="it means 2 entries; say protocol too"):
        changed(patch("merge", in_main(ports=[{"containerPort": 8000, "hostPort": 80}])), both)


def steps_to_merge(count: int) -> int:
    """Return how many Python functions a merge of ``count`` variables into calls or resumes."""
    workload = copy.deepcopy(WORKLOAD)
    names = [f"V{number}" for number in range(count)]
    workload["spec"]["template"]["spec"]["containers"][0]["env"] = [{"name": name, "value": "1"} for name in names]
    wanted = patch("merge", in_main(env=[{"name": name, "value": "2"} for name in reversed(names)]))
    steps = []
    sys.setprofile(lambda _frame, event, _argument: steps.append(event) if event == "call" else None)
    try:
        apply.apply(wanted, workload, OWNED)
    finally:
        sys.setprofile(None)
    return len(steps)


def test_a_merge_of_twice_as_many_entries_takes_twice_as_long() -> None:
    assert steps_to_merge(200) < 2.2 * steps_to_merge(100)
