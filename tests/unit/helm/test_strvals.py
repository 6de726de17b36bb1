"""What the flags of Helm set; compared with Helm itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helm_roster.helm import strvals, values
from helm_roster.model.written import Path as ValuesPath

from tests.support.runner import Runner

CASES = [
    ("--set", "a.b=1", [(("a", "b"), "1")]),
    ("--set", "a=1,b.c=x", [(("a",), "1"), (("b", "c"), "x")]),
    ("--set", r"a.b\.c/d=1\,2", [(("a", "b.c/d"), "1,2")]),
    ("--set", "a={x,y},b=1", [(("a",), ["x", "y"]), (("b",), "1")]),
    ("--set", "a[0].b=1", [(("a", 0, "b"), "1")]),
    ("--set", "a[1][0]=1", [(("a", 1, 0), "1")]),
    ("--set", "a=null,b=", [(("a",), None), (("b",), "")]),
    ("--set", "a=b=c", [(("a",), "b=c")]),
    ("--set-string", "a=null", [(("a",), "null")]),
    ("--set-literal", r"a.b=x,y\.=z", [(("a", "b"), r"x,y\.=z")]),
    ("--set-json", 'a=[{"b":1}],c={"d":null}', [(("a",), [{"b": 1}]), (("c",), {"d": None})]),
    ("--set-json", "a=,b=1", [(("a",), None), (("b",), 1)]),
    ("--set", "a={1,null},b={}", [(("a",), ["1", None]), (("b",), [""])]),
    ("--set-string", "a={null}", [(("a",), ["null"])]),
    ("--set", "[0]=1,.a=1,b=2", [(("b",), "2")]),
    ("--set", "a[+1]=x,b[01]=y", [(("a", 1), "x"), (("b", 1), "y")]),
    ("--set", "a={x}.b=2", [(("a",), ["x"])]),
    ("--set", "a=x\\", [(("a",), "x")]),
    ("--set-literal", "a=x\\", [(("a",), "x\\")]),
    ("--set-json", '={"q":1}', []),
    ("--set-json", 'a={"x":1}.b=2', [(("a",), {"x": 1})]),
]


@pytest.mark.parametrize(("flag", "text", "wanted"), CASES)
def test_a_flag_is_read_as_helm_reads_it(flag: str, text: str, wanted: list[tuple[ValuesPath, object]]) -> None:
    assert [tuple(found) for found in strvals.parse(flag, text)] == wanted


def test_an_object_is_one_assignment_to_the_root() -> None:
    assert list(strvals.parse("--set-json", ' {"a": {"b": 1}}')) == [((), {"a": {"b": 1}})]


@pytest.mark.parametrize("text", ["a", "a,b=1", "a[x]=1", "a.b", "a[0]x=1", "a[65537]=1", "a[9999999999]=1", "a[-1]=1"])
def test_what_helm_refuses_sets_nothing(text: str) -> None:
    assert list(strvals.parse("--set", text)) == []


def as_text(node: object) -> object:
    """Return a tree with its scalars as text, null aside: what type Helm gives them is Helm's business."""
    if isinstance(node, dict):
        return {key: as_text(value) for key, value in node.items()}
    if isinstance(node, list):
        return [as_text(entry) for entry in node]
    return node if node is None else str(node)


@pytest.mark.parametrize(("flag", "text"), [(flag, text) for flag, text, _ in CASES])
def test_helm_itself_sets_the_same(helm: Runner, tmp_path: Path, flag: str, text: str) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 0.1.0\n")
    (tmp_path / "templates" / "v.yaml").write_text('values: {{ omit .Values "global" | toJson | quote }}')
    done = helm("template", "c", tmp_path, f"{flag}={text}")
    said = json.loads(json.loads(done.stdout.partition("values: ")[2]))
    assert as_text(said) == as_text(values.read([f"{flag}={text}"], []).values)
