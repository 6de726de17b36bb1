"""What tests on the real control planes share beyond those of all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.namespaces import Namespace
from tests.cluster.placing import Placing
from tests.cluster.schedulers import Scheduler
from tests.support.runner import Runner


@pytest.fixture
def op(request: pytest.FixtureRequest, placer: Scheduler, namespace: Namespace, tmp_path: Path) -> Placing:
    """An operation under each of the schedulers in turn, by Helm 4; by Helm 3 where the test asks for it."""
    helm: Runner = request.getfixturevalue(getattr(request, "param", "helm4"))
    return Placing(placer, namespace, helm, tmp_path)
