"""What differs between two manifests, by path."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.policy import differences

A, B = {"name": "A", "value": "1"}, {"name": "B", "value": "1"}
MOUNT = {"mountPath": "/a", "name": "v"}
ENV = "spec.containers.m.env"
KEY, EXECUTE = {"key": "k"}, {"key": "k", "effect": "NoExecute"}


def in_main(**fields: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "m", **fields}]}}


CASES = [
    pytest.param({"a": 1}, {"a": 2}, [("a", 1, 2)], id="a value"),
    pytest.param({"a": {"b": 1, "c": 1}}, {"a": {"b": 1, "c": 2}}, [("a.c", 1, 2)], id="a value below"),
    pytest.param({"a": 1}, {"b": 2}, [("a", 1, None), ("b", None, 2)], id="one goes, one comes"),
    pytest.param({"a": None}, {}, [], id="null is absent"),
    pytest.param({"a": {"b": 1}}, {"a": [1]}, [("a", {"b": 1}, [1])], id="another kind of value"),
    pytest.param({"args": ["a"]}, {"args": ["b"]}, [("args", ["a"], ["b"])], id="a list without keys is one value"),
    pytest.param(
        in_main(image="a"), in_main(image="b"), [("spec.containers.m.image", "a", "b")], id="an entry goes by its name",
    ),
    pytest.param(in_main(env=[A]), in_main(env=[{**A, "value": "2"}, B]),
                 [(f"{ENV}.A", "1", "2"), (f"{ENV}.B", None, "1")], id="a variable goes by its name and is its value"),
    pytest.param(in_main(env=[A, B]), in_main(env=[B, A]), [(ENV, [A, B], [B, A])], id="another order"),
    pytest.param(
        in_main(volumeMounts=[MOUNT]), in_main(volumeMounts=[{**MOUNT, "name": "w"}]),
        [("spec.containers.m.volumeMounts./a.name", "v", "w")], id="a mount goes by its path",
    ),
    pytest.param(
        {"spec": {"tolerations": [KEY]}}, {"spec": {"tolerations": [EXECUTE]}},
        [("spec.tolerations.k/Equal", KEY, None), ("spec.tolerations.k/Equal/NoExecute", None, EXECUTE)],
        id="a toleration goes by all it says",
    ),
    pytest.param(in_main(env=[A, A]), in_main(env=[A]), [(ENV, [A, A], [A])],
                 id="names that are not unique tell nothing"),
    pytest.param(in_main(env=[{**A, "x": None}]), in_main(env=[A]), [], id="null is absent in an entry"),
    pytest.param({"a": [{"b": 1, "c": None}]}, {"a": [{"b": 1}]}, [], id="null is absent in a list without keys"),
    pytest.param({"data": {"env": [A]}}, {"data": {"env": [B]}}, [("data.env", [A], [B])],
                 id="not the env of a container"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "wanted"), CASES)
def test_what_differs_is_named_by_its_path(before: Any, after: Any, wanted: list[tuple[str, Any, Any]]) -> None:
    assert [(found.path, found.before, found.after) for found in differences.find(before, after)] == wanted


def test_equal_manifests_differ_in_nothing() -> None:
    assert list(differences.find({"a": [A, {"b": {}}]}, {"a": [A, {"b": {}}]})) == []
