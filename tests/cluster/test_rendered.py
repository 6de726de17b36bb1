"""What the chart and the renderer make, judged by the real API server: strict about fields, by its own rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from helm_roster.all_backends import PLACEMENT

from tests.chart.rendering import RENDERING_FILES
from tests.cluster import projects
from tests.cluster.api import Json
from tests.cluster.namespaces import Namespace
from tests.support import manifests
from tests.support.roster import CHART, PlainHelm, given
from tests.support.runner import Runner

# Of coscheduling, LeaderWorkerSets, KEDA and compute domains no definitions are here.
ELSEWHERE = re.compile("backend: coscheduling|podsPerReplica:|owner: keda|roster/nvl72|computeDomain:")
APPLIED = [
    file
    for file in RENDERING_FILES
    if not (file.parent / "expected.err").exists() and not ELSEWHERE.search(file.read_text())
]
GANGS = [file for file in APPLIED if "gangs:" in file.read_text()]
OWN = re.compile(r"locality:|stalenessGracePeriod:|backend: (?:volcano|kai)$", re.MULTILINE)
Strict = Callable[[Iterable[Json]], None]


@pytest.mark.parametrize("file", APPLIED, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_the_api_server_takes_every_object(strict: Strict, helm4: Runner, file: Path) -> None:
    strict(manifests.read(PlainHelm(helm4)("template", "rl", CHART, *given(file)).stdout))


@pytest.mark.parametrize("backend", sorted(set(projects.NAMES) & set(PLACEMENT)))
def test_it_takes_every_object_of_a_gang_whoever_places_it(strict: Strict, helm4: Runner, backend: str) -> None:
    placement = ("--set", f"scheduling.placement.backend={backend}", "--set", "scheduling.placement.queue=research")
    for file in (file for file in GANGS if not OWN.search(file.read_text())):
        objects = manifests.read(PlainHelm(helm4)("template", "rl", CHART, *given(file), *placement).stdout)
        assert backend in {projects.project_of(found) for found in objects}, file
        strict(objects)


def test_texts_of_files_arrive_as_they_were_written(helm: Runner, namespace: Namespace) -> None:
    texts = {"a": "a\n", "b": "a\n\n\n", "c": "a", "d": "  a\n\tb \n", "e": "", "z": "#!/bin/sh\nexec x\n"}
    files = {"f": {"content": texts}}
    group = {"replicas": 0, "files": {"f": "/f"}, "container": {"image": "example/app:1"}}
    helm("install", "rl", CHART, "-f", "-", text=json.dumps({"files": files, "groups": {"a": group}}))
    found = namespace.get("v1", "ConfigMap", "rl-a-files") or {}
    assert found["data"] == {f"f.{name}": text for name, text in texts.items()}
