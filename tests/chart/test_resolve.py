"""What is resolved once for all templates: one operation, in a chart of its own name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import yaml

from tests.chart.rendering import RESOLVED
from tests.support.roster import CHART
from tests.support.runner import Runner


def wrapped(folder: Path, **dependency: str) -> Path:
    """Return a chart that depends on ours."""
    shutil.copytree(CHART, folder / "charts" / "replica-operation")
    own = {"name": "replica-operation", "version": "0.1.0", **dependency}
    manifest = {"apiVersion": "v2", "name": "wrapper", "version": "1.0.0", "dependencies": [own]}
    (folder / "Chart.yaml").write_text(yaml.safe_dump(manifest))
    values = {"groups": {"worker": {"container": {"image": "example/app:1"}}}}
    (folder / "values.yaml").write_text(yaml.safe_dump({dependency.get("alias", "replica-operation"): values}))
    return folder


def test_a_chart_that_wraps_it_renders_the_operation(helm: Runner, tmp_path: Path) -> None:
    assert "name: rl-worker" in helm("template", "rl", wrapped(tmp_path / "chart")).stdout


def test_a_chart_that_wraps_it_is_known(helm: Runner, tmp_path: Path) -> None:
    charts = (wrapped(tmp_path / "chart"), CHART)
    values = json.dumps({"groups": {"worker": {"container": {"image": "example/app:1"}}}})
    told = [helm("template", "rl", chart, *RESOLVED, "-f", "-", text=values).stdout for chart in charts]
    assert ["  wrapped: true\n" in text for text in told] == [True, False]


def test_a_chart_that_wraps_it_is_known_to_the_post_renderer(helm: Runner, tmp_path: Path) -> None:
    """It refuses by the paths of the values, and has nothing but the carrier."""
    placement = ("scheduling.placement.backend=native", "scheduling.gangs.step.members.worker.min=1")
    charts = ((wrapped(tmp_path / "chart"), "replica-operation."), (CHART, ""))
    image = "groups.worker.container.image=example/app:1"
    told = [
        helm("template", "rl", chart, "--set", ",".join(f"{at}{one}" for one in (image, *placement))).stdout
        for chart, at in charts
    ]
    assert ["  wrapped: true\n" in text for text in told] == [True, False]


def test_an_alias_is_refused(helm: Runner, tmp_path: Path) -> None:
    """Two operations in one release would select each other's pods."""
    done = helm.attempt("template", "rl", wrapped(tmp_path / "chart", alias="first"))
    assert 'replica-operation cannot have the alias "first": one release holds one operation' in done.stderr
