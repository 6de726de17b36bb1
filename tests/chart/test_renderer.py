"""The renderer says what Helm says; it is Helm's library, but reads the chart and its schema once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.chart.rendering import RENDERING_FILES, RESOLVED, Chart, alike, operation
from tests.chart.test_refusals import REFUSALS
from tests.support.renderer import Renderer
from tests.support.runner import Runner

REFUSED = {
    **{name: json.dumps(values) for name, (values, _) in list(REFUSALS.items())[::12]},
    "unknown key": json.dumps(operation({"a": {"replica": 2}})),
    "wrong type": json.dumps(operation({"a": {"replicas": "2"}})),
    "no map": json.dumps({**operation({"a": {}}), "groups": ["a"]}),
}


@pytest.fixture
def quick(renderer: Renderer | None, helm4: Runner) -> Chart:
    if renderer is None:
        pytest.skip("the renderer cannot be built here")
    return Chart(helm4, renderer)


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED)
def test_it_refuses_in_the_words_of_both(quick: Chart, helm3: Runner, helm4: Runner, text: str) -> None:
    done = quick.attempt_text(text)
    assert done.returncode == 1
    for helm in (helm3, helm4):
        alike(done, Chart(helm).attempt_text(text))


@pytest.mark.parametrize("flags", [(), RESOLVED], ids=["plain", "resolved"])
@pytest.mark.parametrize("file", RENDERING_FILES[::4], ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_it_prints_what_helm_3_prints(quick: Chart, helm3: Runner, file: Path, flags: tuple[str, ...]) -> None:
    done, by_helm = (chart.attempt(file, *flags, release="x") for chart in (quick, Chart(helm3)))
    assert (done.returncode, done.stdout, done.stderr) == (0, by_helm.stdout, by_helm.stderr)


def test_what_one_rendering_was_given_is_forgotten_by_the_next(quick: Chart) -> None:
    values = json.dumps(operation({"a": {"replicas": 3}, "b": None}))
    first, _, again = (quick.attempt_text(text) for text in (values, REFUSED["wrong type"], values))
    assert (first.returncode, first.stdout) == (again.returncode, again.stdout)
