"""What the chart and the renderer make, judged by the real API server: strict about fields, by its own rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.chart.rendering import RENDERING_FILES
from tests.cluster.namespaces import Namespace
from tests.support import manifests
from tests.support.roster import CHART, PlainHelm
from tests.support.runner import Runner

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("namespace")]


APPLIED = [file for file in RENDERING_FILES if not (file.parent / "expected.err").exists()]


@pytest.mark.parametrize("file", APPLIED, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_the_api_server_takes_every_object(kubectl: Runner, helm4: Runner, file: Path) -> None:
    objects = manifests.read(PlainHelm(helm4)("template", "rl", CHART, "-f", file).stdout)
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    done = kubectl.attempt("create", "--dry-run=server", "--validate=strict", "--filename", "-", text=text)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(objects)


def test_texts_of_files_arrive_as_they_were_written(helm: Runner, namespace: Namespace) -> None:
    texts = {"a": "a\n", "b": "a\n\n\n", "c": "a", "d": "  a\n\tb \n", "e": "", "z": "#!/bin/sh\nexec x\n"}
    files = {"f": {"content": texts}}
    group = {"replicas": 0, "files": {"f": "/f"}, "container": {"image": "example/app:1"}}
    helm("install", "rl", CHART, "-f", "-", text=json.dumps({"files": files, "groups": {"a": group}}))
    found = namespace.get("v1", "ConfigMap", "rl-a-files") or {}
    assert found["data"] == {f"f.{name}": text for name, text in texts.items()}
