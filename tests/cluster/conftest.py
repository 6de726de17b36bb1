"""What tests on the real control planes share beyond those of all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.admission import Kueue
from tests.cluster.admitting import Admitted
from tests.cluster.namespaces import Namespace
from tests.cluster.placing import Placing
from tests.cluster.schedulers import Scheduler
from tests.support.runner import Runner


@pytest.fixture
def op(request: pytest.FixtureRequest, placer: Scheduler, namespace: Namespace, tmp_path: Path) -> Placing:
    """An operation under each of the schedulers in turn, by Helm 4; by Helm 3 where the test asks for it."""
    helm: Runner = request.getfixturevalue(getattr(request, "param", "helm4"))
    return Placing(placer, namespace, helm, tmp_path)


@pytest.fixture
def admitted(
    request: pytest.FixtureRequest, kueue: Kueue, kueue_placer: Scheduler, namespace: Namespace, tmp_path: Path
) -> Admitted:
    """An operation that Kueue admits and each of the schedulers places in turn, by Helm 4 as `op`."""
    helm: Runner = request.getfixturevalue(getattr(request, "param", "helm4"))
    return Admitted(kueue, kueue_placer, namespace, helm, tmp_path)
