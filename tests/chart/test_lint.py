"""The linters of Helm and of chart-testing."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from tests.support import chart_testing, releases
from tests.support.roster import CHART
from tests.support.runner import Runner


def test_helm_finds_no_fault(helm: Runner) -> None:
    for file in sorted(CHART.glob("ci*/*.yaml")):
        assert "0 chart(s) failed" in helm("lint", CHART, "--strict", "-f", file).stdout


def test_helm_lint_shows_a_refusal_and_goes_on(helm: Runner) -> None:
    """As the README says: what fails is `helm template`."""
    values = json.dumps({"groups": {"a": {"container": {"image": "example/app:1"}}}, "annotations": {"a": True}})
    done = helm("lint", CHART, "-f", "-", text=values)
    assert "annotations.a: true is a boolean where Kubernetes wants text; quote it" in done.stdout + done.stderr
    assert helm.attempt("template", CHART, "-f", "-", text=values).returncode == 1


def test_the_lock_lists_the_bundled_chart(helm: Runner) -> None:
    assert helm("dependency", "list", CHART).stdout.split()[-3:] == ["replica-group", "0.1.0", "unpacked"]


@pytest.fixture
def package(helm: Runner, tmp_path: Path) -> Path:
    """The chart as an archive."""
    helm("package", CHART, "--destination", tmp_path)
    (made,) = tmp_path.glob("*.tgz")
    return made


def test_a_package_leaves_out_what_no_release_needs(package: Path) -> None:
    with tarfile.open(package) as archive:
        names = {Path(name).relative_to(CHART.name).parts[0] for name in archive.getnames()}
    assert names == {
        ".helmignore",
        "Chart.yaml",
        "Chart.lock",
        "charts",
        "templates",
        "values.yaml",
        "values.schema.json",
    }


def test_the_chart_takes_little_of_the_mebibyte_that_a_release_may_have(package: Path) -> None:
    kept = releases.chart(package)
    assert len(kept["templates"]) > 20
    assert releases.size(kept) <= 200_000


def test_chart_testing_finds_no_fault(helm4: Runner, tmp_path: Path) -> None:
    etc = chart_testing.settings()
    rules = ["--chart-yaml-schema", etc / "chart_schema.yaml", "--lint-conf", etc / "lintconf.yaml"]
    done = chart_testing.run(helm4, tmp_path, "lint", *rules)
    assert done.stdout.count(chart_testing.LINTED) == len(list(CHART.glob("ci/*.yaml")))
