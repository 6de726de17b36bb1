"""RFC 6902 on manifests: entries by name, errors in words, and no operation without an effect."""

from __future__ import annotations

import re
from typing import Any

import pytest

from helm_roster import errors

from tests.unit.patches.objects import LABELS, POD, Json, changed, main, op, operated, patch

MAIN = "/spec/containers/main"


def test_a_container_is_called_by_its_name() -> None:
    assert main(operated(op("replace", f"{MAIN}/image", "engine:2")))["image"] == "engine:2"


def test_a_container_may_be_called_by_its_index_as_well() -> None:
    assert main(operated(op("replace", "/spec/containers/0/image", "engine:2")))["image"] == "engine:2"


def test_a_mount_is_called_by_its_path() -> None:
    spec = operated(op("add", f"{MAIN}/volumeMounts/~1cache/readOnly", value=True))
    assert main(spec)["volumeMounts"] == [{"name": "cache", "mountPath": "/cache", "readOnly": True}]


def test_a_dash_appends() -> None:
    assert main(operated(op("add", f"{MAIN}/args/-", "--x")))["args"] == ["--tp=1", "--x"]


def test_a_name_at_the_end_of_an_addition_is_the_place_before_that_entry() -> None:
    spec = operated(op("add", "/spec/initContainers/fetch", {"name": "early", "image": "early:1"}))
    assert [entry["name"] for entry in spec["initContainers"]] == ["early", "fetch"]


def test_an_entry_is_removed_by_its_name() -> None:
    assert [entry["name"] for entry in main(operated(op("remove", f"{MAIN}/env/A")))["env"]] == ["B"]


def test_a_move_finds_its_target_after_the_removal() -> None:
    spec = operated({"op": "move", "from": f"{MAIN}/env/A", "path": f"{MAIN}/env/1"})
    assert [entry["name"] for entry in main(spec)["env"]] == ["B", "A"]


def test_a_copy_leaves_its_source() -> None:
    spec = operated({"op": "copy", "from": f"{MAIN}/image", "path": "/spec/hostname"})
    assert (main(spec)["image"], spec["hostname"]) == ("engine:1", "engine:1")


def test_an_escaped_tilde_is_no_part_of_another_escape() -> None:
    found = changed(patch("json", [op("add", "/metadata/annotations/a~01b", "x")]))
    assert found["spec"]["template"]["metadata"]["annotations"]["a~1b"] == "x"


def test_later_operations_see_what_earlier_ones_did() -> None:
    spec = operated(op("add", f"{MAIN}/env/-", {"name": "C", "value": "1"}), op("replace", f"{MAIN}/env/C/value", "2"))
    assert main(spec)["env"][-1] == {"name": "C", "value": "2"}


def test_tests_alone_change_nothing_and_are_no_mistake() -> None:
    assert main(operated(op("test", f"{MAIN}/image", "engine:1")))["image"] == "engine:1"


NOWHERE = [
    ("/spec/container/main", 'no "container" in /spec, which holds initContainers, containers, volumes, tolerations'),
    ("/spec/containers/mian/image", 'no "mian" in /spec/containers, which holds main, proxy'),
    ("/spec/containers/2/image", 'no "2" in /spec/containers, which holds main, proxy'),
    (f"{MAIN}/volumeMounts/~1data", f'no "/data" in {MAIN}/volumeMounts, which holds /cache'),
    (f"{MAIN}/image/tag", f'no "tag" in {MAIN}/image, which is "engine:1"'),
    ("/status", 'no "status" in the target, which holds metadata, spec'),
    ("/spec/tolerations/gpu", 'no "gpu" in /spec/tolerations, which holds 0'),
    ("spec", '"spec" is no path: it begins with /'),
]


@pytest.mark.parametrize(("path", "words"), NOWHERE)
def test_a_path_that_leads_nowhere_names_the_nearest_parent(path: str, words: str) -> None:
    with pytest.raises(errors.BadInputError, match=re.escape(words)):
        operated(op("remove", path))


BAD: list[tuple[Any, str]] = [
    (op("test", f"{MAIN}/image", "engine:2"), 'expected "engine:2", found "engine:1"'),
    (op("test", f"{MAIN}/gone", "x"), 'there is no "gone"'),
    (op("replace", f"{MAIN}/image", "engine:1"), "it changes nothing"),
    (op("add", f"{MAIN}/image", "engine:1"), "it changes nothing"),
    ({"op": "move", "from": f"{MAIN}/image", "path": f"{MAIN}/image"}, "it changes nothing"),
    (op("add", "/spec/securityContext/fsGroup", 1), 'no "securityContext" in /spec'),
    (op("add", f"{MAIN}/args/7", "x"), 'no "7"'),
    ({"op": "move", "from": "/spec", "path": "/spec/x"}, 'no "spec" in the target, which holds metadata'),
    (op("remove", ""), "the target as a whole cannot be removed"),
    ({"op": "move", "from": "", "path": "/spec/x"}, "the target as a whole cannot be removed"),
    ({"path": "/spec"}, "says no op that is known: add, remove, replace, move, copy, test"),
    (op("append", f"{MAIN}/image", "x"), '"append"'),
    ({"op": "add", "path": "/spec/x"}, "value is missing"),
    ({"op": "copy", "path": "/spec/x"}, "from is missing"),
    ({"op": "remove", "path": 3}, "path is 3, not a path"),
    ("add", '"add" says no op'),
]


@pytest.mark.parametrize(("operation", "words"), BAD)
def test_a_bad_operation_is_named_with_its_patch_and_place(operation: Any, words: str) -> None:
    first = op("add", "/spec/hostPID", value=True)
    with pytest.raises(errors.BadInputError, match=r"^patches\.decode\.x: json\[1\].*" + re.escape(words)):
        operated(first, operation)


def test_json_that_is_no_list_is_refused() -> None:
    with pytest.raises(errors.BadInputError, match='json: "add" is no list of operations'):
        changed(patch("json", "add"))


IMAGE = f"{MAIN}/image"
LATER = {"name": "later", "image": "later:1"}


def copied(source: str, path: str) -> Json:
    return {"op": "copy", "from": source, "path": path}


BACK: list[tuple[str, list[Json], str]] = [
    ("a value", [op("replace", IMAGE, "engine:2"), op("add", "/spec/hostPID", value=True),
                 op("replace", IMAGE, "engine:1")], "json[2] (replace {IMAGE}): it only takes back what json[0] did"),
    ("a value that is replaced after all", [*(op("replace", IMAGE, f"engine:{number}") for number in (2, 1, 3))],
     "json[1] (replace {IMAGE}): it only takes back what json[0] did"),
    ("several changes of one", [op("add", "/spec/x", 1), op("replace", "/spec/x", 2), op("remove", "/spec/x")],
     "json[2] (remove /spec/x): it only takes back what json[0], json[1] did"),
    ("a part of one change", [op("add", "/spec/securityContext", {}),
                              op("add", "/metadata", POD["metadata"] | {"labels": LABELS | {"team": "b"}, "x": 1}),
                              op("remove", "/metadata/x")], "json[2] (remove /metadata/x): it only takes back"),
    ("what was tested", [op("add", "/spec/x", 1), op("test", "/spec/x", 1), op("remove", "/spec/x")],
     "json[2] (remove /spec/x): it only takes back what json[0] did"),
    ("a place for a while, in vain", [copied(IMAGE, "/spec/x"), copied("/spec/x", "/spec/hostname"),
                                      op("remove", "/spec/x"), op("add", "/spec/x", 1), op("remove", "/spec/x")],
     "json[4] (remove /spec/x): it only takes back what json[3] did"),
]  # fmt: skip


@pytest.mark.parametrize(("operations", "words"), [row[1:] for row in BACK], ids=[row[0] for row in BACK])
def test_an_operation_that_only_takes_back_earlier_ones_is_refused(operations: list[Json], words: str) -> None:
    with pytest.raises(errors.BadInputError, match=re.escape(words.format(IMAGE=IMAGE))):
        operated(*operations)


def test_a_swap_by_a_place_for_a_while_is_taken() -> None:
    one, other = IMAGE, "/spec/containers/proxy/image"
    operations = [copied(one, "/spec/x"), copied(other, one), copied("/spec/x", other), op("remove", "/spec/x")]
    assert [entry["image"] for entry in operated(*operations)["containers"]] == ["proxy:1", "engine:1"]


def test_a_removal_and_an_addition_that_turn_the_order_are_taken() -> None:
    spec = operated(op("add", "/spec/initContainers/-", LATER), op("remove", "/spec/initContainers/fetch"),
                    op("add", "/spec/initContainers/-", {"name": "fetch", "image": "fetch:1"}))  # fmt: skip
    assert [entry["name"] for entry in spec["initContainers"]] == ["later", "fetch"]


def test_containers_may_be_removed_and_added_at_another_place() -> None:
    spec = operated(op("remove", f"{MAIN}"), op("add", "/spec/containers/-", POD["spec"]["containers"][0]))
    assert [entry["name"] for entry in spec["containers"]] == ["proxy", "main"]


def test_operations_share_what_they_leave_alone() -> None:
    spec = operated(op("replace", IMAGE, "engine:2"))
    assert spec["containers"][1] is POD["spec"]["containers"][1]


def test_json_without_operations_is_refused() -> None:
    with pytest.raises(errors.BadInputError, match="json: it is empty"):
        operated()


def test_true_is_not_one() -> None:
    spec = operated(op("add", "/spec/hostPID", 1), op("replace", "/spec/hostPID", value=True))
    assert spec["hostPID"] is True
