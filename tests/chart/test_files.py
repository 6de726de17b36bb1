"""Files that groups mount from a ConfigMap of their own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
from tests.chart.rendering import Chart, Objects, Values, layered, operation

CHECKSUM = "helm-roster.dev/files"
FILES: Values = {
    "launcher": {"content": {"start.sh": "exec x\n", "stop.sh": "kill 1\n"}, "mode": "0755"},
    "conf": {"content": {"a.yaml": "a: 1\n"}},
}


def using(group: Values, *, defaults: Values | None = None, files: Values = FILES, **presets: Values) -> Values:
    return {**layered(group, defaults=defaults, **presets), "files": files}


def data(objects: Objects, group: str = "a") -> dict[str, str]:
    found: dict[str, str] = objects.get("ConfigMap", f"rl-{group}-files")["data"]
    return found


def checksum(chart: Chart, values: Values) -> str:
    return str(chart.render(values).workload()["spec"]["template"]["metadata"]["annotations"][CHECKSUM])


def test_a_group_mounts_what_it_lists(chart: Chart) -> None:
    objects = chart.render(using({"files": {"launcher": "/opt/launcher"}}))
    assert data(objects) == {"launcher.start.sh": "exec x\n", "launcher.stop.sh": "kill 1\n"}
    assert objects.container()["volumeMounts"] == [{"mountPath": "/opt/launcher", "name": "file-launcher"}]
    items = [{"key": f"launcher.{name}", "path": name} for name in ("start.sh", "stop.sh")]
    source = {"name": "rl-a-files", "items": items, "defaultMode": 0o755}
    assert objects.pod()["volumes"] == [{"name": "file-launcher", "configMap": source}]
    validity.check(objects.all)


def test_one_file_may_stand_alone_beside_others(chart4: Chart) -> None:
    group = {"files": {"conf": {"mountPath": "/etc/app/a.yaml", "subPath": "a.yaml"}}}
    (mount,) = chart4.render(using(group)).container()["volumeMounts"]
    assert mount == {"mountPath": "/etc/app/a.yaml", "name": "file-conf", "subPath": "a.yaml"}


def test_those_of_all_layers_are_mounted(chart4: Chart) -> None:
    values = using({"files": [{"name": "conf", "mountPath": "/etc/conf"}]}, p={"files": {"launcher": "/opt"}})
    objects = chart4.render(values)
    assert [mount["mountPath"] for mount in objects.container()["volumeMounts"]] == ["/opt", "/etc/conf"]
    assert set(data(objects)) == {"launcher.start.sh", "launcher.stop.sh", "conf.a.yaml"}


def test_a_later_layer_may_move_one_and_then_says_all_of_it(chart4: Chart) -> None:
    lower = {"mountPath": "/lower/a.yaml", "subPath": "a.yaml"}
    values = using({"files": {"conf": "/upper"}}, defaults={"files": {"conf": lower}})
    assert chart4.render(values).container()["volumeMounts"] == [{"mountPath": "/upper", "name": "file-conf"}]


@pytest.mark.parametrize(
    "group", [{"files": None}, {"files": {"conf": None}}, {"unset": ["files"]}, {"unset": ["files.conf"]}]
)
def test_a_layer_may_take_them_away(chart4: Chart, group: Values) -> None:
    objects = chart4.render(using(group, defaults={"files": {"conf": "/etc/conf"}}))
    assert ("ConfigMap" in objects.kinds(), "volumes" in objects.pod()) == (False, False)


def test_another_container_mounts_them_by_the_name_of_their_volume(chart4: Chart) -> None:
    group = {"files": {"conf": "/etc/conf"}, "sidecars": {"x": {"volumeMounts": {"/c": "file-conf"}}}}
    (sidecar,) = chart4.render(using(group)).pod()["initContainers"]
    assert sidecar["volumeMounts"] == [{"mountPath": "/c", "name": "file-conf"}]


@pytest.mark.parametrize(
    "text", ["", "a", "a\n", "a\n\n", "a\n \n\n", "\n", "  a\n b\n", "\ta: 'x'\n", "é<&\r\n", "on"]
)
def test_every_text_arrives_as_it_was_written(chart: Chart, text: str) -> None:
    files = {"conf": {"content": {"x": text, "y": text}}}
    assert data(chart.render(using({"files": {"conf": "/c"}}, files=files))) == {"conf.x": text, "conf.y": text}


def test_a_changed_text_replaces_the_pods_of_who_uses_it(chart4: Chart) -> None:
    group = {"files": {"conf": "/c"}}
    before = checksum(chart4, using(group))
    assert before == checksum(chart4, using(group, files={**FILES, "launcher": {"content": {"x": "y"}}}))
    assert before != checksum(chart4, using(group, files={"conf": {"content": {"a.yaml": "a: 2\n"}}}))


def test_annotations_of_the_pods_stay(chart4: Chart) -> None:
    group = {"files": {"conf": "/c"}, "environment": {"annotations": {"x": "y"}}}
    annotations = chart4.render(using(group)).workload()["spec"]["template"]["metadata"]["annotations"]
    assert set(annotations) == {CHECKSUM, "x"}


def test_the_files_of_one_group_leave_every_byte_of_another(chart4: Chart) -> None:
    groups = {"a": {"files": {"conf": "/c"}}, "b": {"files": {"launcher": "/l"}}}
    alone = chart4.texts({**operation({"b": groups["b"]}), "files": FILES}, "b")
    assert len(alone) == 3
    assert chart4.texts({**operation(groups), "files": FILES}, "b") == alone


def test_their_map_carries_the_labels_of_the_group(chart4: Chart) -> None:
    values = {**using({"files": {"conf": "/c"}}), "labels": {"team": "x"}}
    labels = chart4.render(values).get("ConfigMap", "rl-a-files")["metadata"]["labels"]
    assert (labels["helm-roster.dev/group"], labels["team"]) == ("a", "x")


def test_files_that_nobody_lists_change_nothing(chart4: Chart) -> None:
    assert chart4.text(using({})) == chart4.text(layered({}))


CLASH = {"connections": {"c": {"kind": "hostPath", "path": "/x", "mountPath": "/etc/conf"}}}


@pytest.mark.parametrize(
    ("group", "words"),
    [
        ({"files": {"laucher": "/x"}}, 'groups.a.files.laucher: there are no files "laucher" (did you mean'),
        ({"files": {"conf": {}}}, "groups.a.files.conf.mountPath: missing; say in which folder the files stand"),
        (
            {"files": {"conf": {"mountPath": "/x", "subPath": "b.yaml"}}},
            'groups.a.files.conf.subPath: "b.yaml" is none of the files; allowed: a.yaml',
        ),
        ({"files": {"true": "/x"}}, 'groups.a.files: the key "true" is what YAML makes of a bare'),
        ({"files": [{"name": "conf"}, {"name": "conf"}]}, 'groups.a.files: "conf" stands twice in one list; keep one'),
        (
            {"files": {"conf": "/x", "launcher": "/x/"}},
            'groups.a.container: volumes "file-conf" and "file-launcher" are both mounted at /x; choose another path',
        ),
        (
            {"files": {"conf": "/x"}, "container": {"volumeMounts": {"/x": "own"}}, "volumes": {"own": {}}},
            'groups.a.container: volumes "own" and "file-conf" are both mounted at /x; choose another path',
        ),
        (
            {"files": {"conf": "/etc/conf"}, "connections": ["c"]},
            'groups.a.container: volumes "c" and "file-conf" are both mounted at /etc/conf; choose another',
        ),
        (
            {"files": {"conf": "/x"}, "volumes": {"file-conf": {"emptyDir": {}}}},
            'groups.a.files.conf: its volume is called "file-conf", and so is another one of the pod; choose another',
        ),
        ({"environment": {"annotations": {CHECKSUM: "x"}}}, f"groups.a.environment.annotations: {CHECKSUM} is written"),
    ],
)  # fmt: skip
def test_what_no_pod_could_hold_is_refused(chart4: Chart, group: Values, words: str) -> None:
    assert chart4.refusal({**using(group), **CLASH}).startswith(words)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"c": {}}, "files.c.content: none; give the files by name, with their text"),
        ({"c": {"content": {"x": None}}}, "files.c.content: none; give the files by name"),
        ({"c": {"content": {"x": 1}}}, "files.c.content.x: 1 is a number where Kubernetes wants text; quote it"),
        ({"c": {"content": {"x": True}}}, "files.c.content.x: true is a boolean where Kubernetes wants text; quote it"),
        ({"c": {"content": {"1e3": "x"}}}, 'files.c.content: the key "1e3" is a number'),
        ({"c": {"content": {"..x": "x"}}}, 'files.c.content: "..x" cannot be a file: it does not begin with ..'),
        ({"c": {"content": {"x" * 252: "x"}}}, "files.c.content: "),
        ({"c": {"content": {"x": "y"}, "mode": 644}}, "files.c.mode: 644 is no octal number with a leading zero"),
        ({"on": {"content": {"x": "y"}}}, 'files: "on" cannot be a name: YAML reads y, yes, on'),
    ],
)
def test_definitions_that_cannot_be_meant_are_refused(chart4: Chart, files: Values, words: str) -> None:
    assert chart4.refusal({**operation({"a": {}}), "files": files}).startswith(words)


def test_more_than_a_config_map_holds_is_refused(chart4: Chart) -> None:
    files = {"c": {"content": {"x": "y" * 600_000, "z": "y" * 600_000}}}
    refusal = chart4.refusal(using({"files": {"c": "/c"}}, files=files))
    assert refusal.startswith("groups.a.files: 1200000 bytes together, and a ConfigMap holds 1000000; put large files")


def test_where_none_are_defined_that_is_said(chart: Chart) -> None:
    refusal = chart.refusal(operation({"a": {"files": {"x": "/x"}}}))
    assert refusal == 'groups.a.files.x: there are no files "x"; known: none; define them under files'


@pytest.mark.parametrize(
    ("root", "words"),
    [
        ({"files": {"c": {"contents": {}}}}, "at '/files/c': additional properties 'contents' not allowed"),
        ({"files": {"c": {"content": {"a/b": "x"}}}}, "at '/files/c/content': additional properties 'a/b' not allowed"),
        ({"files": {"A": {}}}, "at '/files': additional properties 'A' not allowed"),
    ],
)
def test_a_wrong_shape_is_refused_at_its_place(chart4: Chart, root: Any, words: str) -> None:
    assert words in chart4.schema_refusal({**operation({"a": {}}), **root})
