"""Rules of the code that no linter knows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helm_roster import all_backends

from tests.support.roster import CHART, ROOT
from tests.unit.builders import group, plan

PACKAGE = ROOT / "plugin" / "helm_roster"
SCHEDULERS = re.compile(r"kube-scheduler|PodGroup|\bnative\b|volcano|kueue|\bkai\b|schedulingGroup", re.IGNORECASE)
BACKENDS = sorted(path.stem for path in (PACKAGE / "backends").glob("*.py") if path.stem != "__init__")
VERBS = ("check", "guarantees", "objects", "stamp", "needs", "explain")
# Where the registry or a person's question makes the name of a backend unavoidable.
NAMED = {PACKAGE / "all_backends.py"}
RENDER_PATH = {
    "all_backends",
    "backend_base",
    "backends",
    "constants",
    "errors",
    "manifests",
    "model",
    "policy",
    "render",
}


def sources() -> list[Path]:
    files = [path for path in PACKAGE.rglob("*.py") if path.parent.name != "backends" and path not in NAMED]
    return [*files, *CHART.rglob("templates/*"), CHART / "values.yaml", CHART / "values.schema.json"]


def code(path: Path) -> str:
    """Return a source without docstrings and comments, which may speak of schedulers."""
    text = re.sub(r'"""(.*?)"""', "", path.read_text(), flags=re.DOTALL)
    return re.sub(r"(^|  )#.*$", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_outside_backends_names_a_scheduler(path: Path) -> None:
    assert SCHEDULERS.findall(code(path)) == []


def test_every_backend_of_the_folder_is_registered_under_its_name() -> None:
    assert sorted(all_backends.PLACEMENT) == BACKENDS
    assert {name: backend.NAME for name, backend in all_backends.PLACEMENT.items()} == {name: name for name in BACKENDS}


@pytest.mark.parametrize("name", BACKENDS)
def test_a_backend_adds_nothing_to_an_operation_without_gangs(name: str) -> None:
    backend, asked = all_backends.PLACEMENT[name], plan({"web": group(2)}, backend=name)
    assert (backend.check(asked), backend.objects(asked), backend.needs(asked)) == ([], [], [])
    assert not backend.stamp({}, asked.operation.groups["web"], asked)


@pytest.mark.parametrize("name", BACKENDS)
def test_a_backend_has_the_six_verbs(name: str) -> None:
    assert [verb for verb in VERBS if not callable(getattr(all_backends.PLACEMENT[name], verb, None))] == []


def imported() -> set[str]:
    """Return what the post-renderer imports besides the standard library; our own modules by their package."""
    code = "import sys, json, helm_roster.postrender; print(json.dumps(sorted(sys.modules)))"
    bare = "import sys, json; print(json.dumps(sorted(sys.modules)))"
    run = [
        subprocess.run([sys.executable, "-c", text], capture_output=True, check=True).stdout for text in (code, bare)
    ]
    loaded = set(json.loads(run[0])) - set(json.loads(run[1]))
    return {name for name in loaded if name.partition(".")[0] not in sys.stdlib_module_names}


def test_the_render_path_imports_yaml_and_its_own_layers_only() -> None:
    names = imported()
    packages = {name.partition(".")[0] for name in names if "cython" not in name}  # what yaml's C part is made with
    assert packages <= {"helm_roster", "yaml", "_yaml"}
    ours = {name.split(".")[1] for name in names if name.startswith("helm_roster.")}
    assert ours <= RENDER_PATH | {"postrender"}
