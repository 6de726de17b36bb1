"""The chart under both majors of Helm, for tests of the chart."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chart.rendering import Chart
from tests.support.renderer import Renderer, ensure
from tests.support.roster import CHART
from tests.support.runner import Runner


@pytest.fixture
def chart(helm: Runner) -> Chart:
    """The chart as Helm 3 and Helm 4 render it."""
    return Chart(helm)


@pytest.fixture
def chart4(helm4: Runner, renderer: Renderer | None) -> Chart:
    """The chart where both majors are compared elsewhere: by Helm's library, or by Helm 4 where it cannot be built."""
    return Chart(helm4, renderer)


@pytest.fixture(scope="session")
def renderer() -> Iterator[Renderer | None]:
    """What renders the chart by Helm's library; None where it cannot be built."""
    program = ensure()
    if program is None:
        yield None
        return
    running = Renderer(program, CHART)
    yield running
    running.close()
