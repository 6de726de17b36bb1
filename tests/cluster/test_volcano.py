"""Volcano: what the backend makes passes its real definitions, and its real scheduler keeps it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from helm_roster.backends import volcano

from tests.cluster.api import Json
from tests.unit.builders import gang, group, plan

Strict = Callable[[Iterable[Json]], None]
GROUPS = {
    "learner": group(4, pod={"priorityClassName": "research"}),
    "actor": group(8, pod={"priorityClassName": "research"}),
    "web": group(1),
}


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(gang(learner=(4, False), actor=(2, True)), id="one elastic member"),
        pytest.param(gang(learner=(2, True), actor=(2, True)), id="sub-groups"),
    ],
)
def test_what_is_made_passes_strict_validation(strict: Strict, step: dict[str, Any]) -> None:
    asked = plan(GROUPS, {"step": step}, backend="volcano", queue="team-a")
    strict([{**made, "metadata": {**made["metadata"], "namespace": "anywhere"}} for made in volcano.objects(asked)])
