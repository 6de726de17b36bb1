"""The bench compares like with like, and knows when a bound is broken. Its figures are for `make bench`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench import bounds, composition, operations, renderers
from tests.support import manifests
from tests.support.roster import CHART, ROOT
from tests.support.runner import Runner
from tests.support.turns import by_turns


def rendered(helm: Runner, folder: Path, mix: operations.Mix) -> dict[str, list[dict[str, Any]]]:
    """Return the objects that each candidate makes of three groups."""
    text = json.dumps(operations.values(3, mix))
    candidates = renderers.all_of(renderers.Helm(helm.program, helm.major), folder, 3, mix)
    return {
        one.name: manifests.read(
            subprocess.run(one.command, env=one.env, input=text, capture_output=True, text=True, check=True).stdout
        )
        for one in candidates
    }


@by_turns("mix", operations.MIXES)
def test_kustomize_is_asked_for_the_same_work(helm: Runner, tmp_path: Path, mix: operations.Mix) -> None:
    made = {name: (stamps(objects), carriers(objects)) for name, objects in rendered(helm, tmp_path, mix).items()}
    members = {"none": 0, "two": 2, "all": 3}[mix]
    assert made[renderers.OURS] == made[renderers.KUSTOMIZE] == (members, 0)
    assert made[renderers.ALONE] == made[renderers.CAT] == made[renderers.NOOP] == (0, 1)


def stamps(objects: list[dict[str, Any]]) -> int:
    """Count the workloads whose pods are in a gang."""
    return sum("schedulingGroup" in json.dumps(entry) for entry in objects)


def carriers(objects: list[dict[str, Any]]) -> int:
    """Count what nobody serves."""
    return sum(entry["kind"] == "PostRendererRequired" for entry in objects)


def test_a_broken_bound_is_told() -> None:
    medians = {name: {"cpu": 1.0} for name in renderers.NAMES} | {renderers.OURS: {"cpu": 1.3}}
    case = {"helm": 4, "groups": 13, "mix": "two", "medians": medians}
    assert list(bounds.broken(case)) == [
        "13 groups, two: 1.30 times no-op Python, at most 1.25",
        "13 groups, two: 1.30 times kustomize, at most 1.0",
    ]
    assert list(bounds.broken({**case, "mix": "none"})) == []


def test_the_bench_prints_a_table_and_writes_every_figure(helm4: Runner, tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    flags = ["--helm", "4", "--groups", "3", "--mix", "none", "--rounds", "1", "--json", file]
    line = [sys.executable, "-m", "bench", *flags]
    done = subprocess.run(line, cwd=ROOT, env=dict(helm4.env), capture_output=True, text=True, check=True)
    (case,) = json.loads(file.read_text())["cases"]
    assert set(case["medians"]) == set(renderers.NAMES)
    assert all(run["cpu"] > 0 and run["peak"] > 2**20 for run in case["medians"].values())
    assert "Helm 4, 3 groups, no member" in done.stdout
    assert {"start", "import", "parse"} <= set(case["phases"])


def test_composition_is_compared_over_the_same_objects(helm4: Runner) -> None:
    ways = (composition.composed(3), composition.stated(3))
    printed = [helm4("template", "rl", CHART, "--values", "-", text=json.dumps(values)).stdout for values in ways]
    assert printed[0] == printed[1]
    assert printed[0].count("name: COMMON_") == printed[0].count("name: OWN_") == 60


def test_merging_that_costs_too_much_is_told() -> None:
    found = {"composed": (1.3, 100), "stated": (1.0, 100), "plain chart": (0.5, 100)}
    assert list(composition.broken(10, found)) == ["10 groups: composed takes 1.30 times stated, at most 1.15"]
    assert list(composition.broken(10, {**found, "composed": (1.1, 100)})) == []
