"""Walking manifests by the names of their fields."""

from __future__ import annotations

import pytest

from helm_roster import errors
from helm_roster.manifests import door, walk

POD = door.load("""
apiVersion: v1
kind: Pod
metadata: {name: 007, namespace: ns, labels: null}
spec: {containers: [{name: main}], "null": ~}
""")


def test_get_follows_keys_and_indexes() -> None:
    assert walk.get(POD, "spec", "containers", 0, "name") == "main"


@pytest.mark.parametrize(
    "path", [("no",), ("spec", "no", "deeper"), ("kind", "deeper"), ("spec", "containers", 1), ("metadata", "labels")]
)
def test_get_gives_the_default_for_what_is_absent_or_null(path: tuple[str | int, ...]) -> None:
    assert walk.get(POD, *path, default="default") == "default"


def test_mapping_gives_the_mapping_itself() -> None:
    assert walk.mapping(POD, "spec") is POD["spec"]


def test_mapping_of_what_is_absent_is_empty() -> None:
    assert walk.mapping(POD, "metadata", "labels") == {}


def test_mapping_refuses_something_else_by_its_path() -> None:
    with pytest.raises(errors.BadInputError, match=r"^Pod ns/007: spec\.containers is \[.*\], not a mapping$"):
        walk.mapping(POD, "spec", "containers")


def test_sequence_gives_the_list_itself() -> None:
    assert walk.sequence(POD, "spec", "containers") is POD["spec"]["containers"]


def test_sequence_of_what_is_absent_is_empty() -> None:
    assert walk.sequence(POD, "spec", "initContainers") == []


def test_sequence_refuses_something_else_by_its_path() -> None:
    with pytest.raises(errors.BadInputError, match=r"metadata is \{.*\}, not a list$"):
        walk.sequence(POD, "metadata")


def test_ensure_makes_what_is_absent_or_null() -> None:
    manifest: walk.Manifest = {"metadata": None}
    walk.ensure(manifest, "metadata", "annotations")["a"] = "1"
    assert manifest == {"metadata": {"annotations": {"a": "1"}}}


def test_ensure_keeps_what_is_there() -> None:
    manifest: walk.Manifest = {"metadata": {"labels": {"a": "1"}}}
    assert walk.ensure(manifest, "metadata", "labels") is manifest["metadata"]["labels"]


def test_ensure_refuses_what_is_in_the_way() -> None:
    with pytest.raises(errors.BadInputError, match=r"^a\.b is 'x', not a mapping$"):
        walk.ensure({"a": {"b": "x"}}, "a", "b", "c")


def test_identity_is_plain_text() -> None:
    assert walk.identity(POD) == ("v1", "Pod", "ns", "007")


def test_identity_of_nothing_is_empty() -> None:
    assert walk.identity({"metadata": None}) == ("", "", "", "")


def test_identity_speaks_of_the_object() -> None:
    assert [str(walk.identity(found)) for found in (POD, {"kind": "Job"})] == ["Pod ns/007", "Job (no name)"]


@pytest.mark.parametrize("text", ["helm.sh/hook: pre-install", "'helm.sh/hook': ''", "helm.sh/hook:"])
def test_an_object_with_the_annotation_is_a_hook(text: str) -> None:
    assert walk.is_hook({"metadata": {"annotations": door.load(text)}})


@pytest.mark.parametrize("annotations", [None, {}, {"helm.sh/hook-weight": "1"}])
def test_an_object_without_the_annotation_is_no_hook(annotations: object) -> None:
    assert not walk.is_hook({"metadata": {"annotations": annotations}})


def test_a_list_holds_its_items_and_those_of_lists_in_it() -> None:
    inner = {"kind": "List", "items": [{"kind": "Job"}, "no object"]}
    assert walk.flat({"kind": "List", "items": [POD, inner]}) == [POD, {"kind": "Job"}]


def test_an_item_of_a_list_of_one_kind_is_of_that_kind() -> None:
    listed = {"apiVersion": "v1", "kind": "SecretList", "items": [{"metadata": {"name": "s"}}]}
    assert walk.flat(listed) == [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}]


@pytest.mark.parametrize("manifest", [POD, {"kind": "List"}, {"kind": "Herd", "items": [POD]}])
def test_what_is_no_list_of_objects_is_itself(manifest: walk.Manifest) -> None:
    assert walk.flat(manifest) == [manifest]
