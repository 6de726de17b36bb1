"""The chart under both majors of Helm, for tests of the chart."""

from __future__ import annotations

import pytest

from tests.chart.rendering import Chart
from tests.support.runner import Runner


@pytest.fixture
def chart(helm: Runner) -> Chart:
    """The chart as Helm 3 and Helm 4 render it."""
    return Chart(helm)


@pytest.fixture
def chart4(helm4: Runner) -> Chart:
    """The chart as Helm 4 renders it, where both majors are compared elsewhere."""
    return Chart(helm4)
