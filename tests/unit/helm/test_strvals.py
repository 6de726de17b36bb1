"""What the flags of Helm set; compared with Helm itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helm_roster.helm import strvals

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
]


@pytest.mark.parametrize(("flag", "text", "wanted"), CASES)
def test_a_flag_is_read_as_helm_reads_it(flag: str, text: str, wanted: list[tuple[strvals.Path, object]]) -> None:
    assert [tuple(found) for found in strvals.parse(flag, text)] == wanted


def test_an_object_is_one_assignment_to_the_root() -> None:
    assert list(strvals.parse("--set-json", ' {"a": {"b": 1}}')) == [((), {"a": {"b": 1}})]


@pytest.mark.parametrize("text", ["a", "a,b=1", "a[x]=1", "a.b"])
def test_what_helm_refuses_sets_nothing(text: str) -> None:
    assert list(strvals.parse("--set", text)) == []


def placed(assignments: list[strvals.Assignment]) -> dict[str, object]:
    """Return paths of keys as nested maps."""
    tree: dict[str, object] = {}
    for path, value in assignments:
        node = tree
        for step in path[:-1]:
            node = node.setdefault(str(step), {})  # type: ignore[assignment]
        node[str(path[-1])] = value
    return tree


@pytest.mark.parametrize(
    ("flag", "text"),
    [(flag, text) for flag, text, _ in CASES if "[" not in text.partition("=")[0] and "[1]" not in text],
)
def test_helm_itself_sets_the_same(helm: Runner, tmp_path: Path, flag: str, text: str) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: c\nversion: 0.1.0\n")
    (tmp_path / "templates" / "v.yaml").write_text("values: {{ toJson .Values | quote }}")
    done = helm("template", "c", tmp_path, f"{flag}={text}")
    said = json.loads(json.loads(done.stdout.partition("values: ")[2]))
    said.pop("global", None)
    assert json.dumps(said).replace('"1"', "1") == json.dumps(placed(list(strvals.parse(flag, text)))).replace(
        '"1"', "1"
    )
