"""What the KAI backend renders, before the real API server; what KAI does with it, on the real scheduler."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from helm_roster.backends import kai

from tests.cluster.api import Json
from tests.unit import builders
from tests.unit.builders import gang, group

Strict = Callable[[Iterable[Json]], None]
GROUPS = {"learner": group(4, accelerators=1), "actor": group(8, accelerators=1), "router": group(1, kind="Deployment")}
RACK = {"within": "rack", "label": "example.com/rack", "topology": "cluster"}


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"locality": RACK},
        {"locality": RACK | {"required": False}},
        {"stalenessGracePeriod": 90},
        {"stalenessGracePeriod": -1, "preemption": "gang"},
    ],
    ids=str,
)
def test_every_pod_group_passes_strict_validation(strict: Strict, more: dict[str, Any]) -> None:
    step = gang(learner=(4, False), actor=(2, True)) | more
    step["members"]["actor"]["locality"] = RACK
    strict(kai.objects(builders.plan(GROUPS, {"step": step}, backend="kai", queue="research")))
