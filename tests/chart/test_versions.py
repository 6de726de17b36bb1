"""One version for all that is released together."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import yaml

import helm_roster

from tests.support.roster import CHART, ROOT

CHARTS = sorted(CHART.rglob("Chart.yaml"))


@pytest.mark.parametrize("path", CHARTS, ids=lambda path: path.parent.name)
def test_a_chart_has_the_version_of_the_package(path: Path) -> None:
    assert yaml.safe_load(path.read_text())["version"] == helm_roster.__version__


def test_both_charts_are_looked_at() -> None:
    assert {path.parent.name for path in CHARTS} == {"replica-operation", "replica-group"}


@pytest.mark.parametrize("name", ["Chart.yaml", "Chart.lock"])
def test_the_chart_wants_the_bundled_chart_of_its_own_version(name: str) -> None:
    (dependency,) = yaml.safe_load((CHART / name).read_text())["dependencies"]
    assert (dependency["name"], dependency["version"]) == ("replica-group", helm_roster.__version__)


def test_the_distribution_has_the_version_of_the_package() -> None:
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == helm_roster.__version__
