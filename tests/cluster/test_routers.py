"""Real routers on the real control plane: each finds its workers by what the chart rendered, and is ready with them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import containers, kubelet, serving
from tests.cluster.api import ApiError
from tests.cluster.kubelet import Kubelet
from tests.cluster.namespaces import Namespace
from tests.cluster.serving import Serving, chat, got
from tests.support.roster import CHART, EXAMPLES, given
from tests.support.runner import Runner

EXAMPLE = EXAMPLES / "01-sglang-disaggregated" / "values.yaml"


@pytest.fixture
def played(namespace: Namespace, tmp_path: Path) -> Iterator[Kubelet]:
    """A kubelet of ours for the test's pods, and a node with sixteen accelerators."""
    namespace.add_node(gpus=16, pod_cidr=kubelet.addresses())
    with Kubelet(namespace, tmp_path / "kubelet") as running:
        yield running


@pytest.fixture
def service(namespace: Namespace, played: Kubelet, roster4: Runner) -> Serving:
    """The service that the test installs."""
    return Serving(namespace, played, roster4, "sglang")


@pytest.mark.usefixtures("smg")
def test_smg_is_ready_with_a_worker_of_each_phase_and_leads_a_request_through_one_of_each(service: Serving) -> None:
    service.played.loading.add("decode")
    service.install(EXAMPLE, prefill=2, decode=0)
    service.workers(2)
    assert service.judged() == (False, 0)
    service.reached(0)

    service.scale("decode", 2)
    ready, loading = service.engines("decode", 2)
    ready.healthy = True
    service.reached(1)
    assert service.judged() == (True, 1)

    for _ in range(3):
        chat(service.url())
    assert (got([ready]), got([loading]), sum(got(service.engines("prefill", 2)))) == ([3], [0], 3)
    for request in ready.generated:
        (prefill,) = (one for one in service.engines("prefill", 2) if one.address == request["bootstrap_host"])
        assert request in prefill.generated
        assert request["bootstrap_port"] == prefill.ports[1]

    service.scale("prefill", 0)
    service.reached(0)
    assert service.judged() == (False, 0)
    assert containers.get(f"{service.url()}/liveness")


def test_a_router_may_read_the_pods_of_its_namespace_and_nothing_else(namespace: Namespace, helm4: Runner) -> None:
    helm4("install", "sglang", CHART, *given(EXAMPLE))
    pods = namespace.path("v1", "Pod")
    with serving.account(namespace, "sglang-router") as router, serving.account(namespace, "default") as anybody:
        assert len(router.items(pods)) > 0
        for method, path in (
            ("DELETE", f"{pods}/some"),
            ("GET", namespace.path("v1", "Secret")),
            ("GET", "/api/v1/namespaces/default/pods"),
        ):
            with pytest.raises(ApiError, match="403 Forbidden"):
                router.request(method, path)
        may, all_may = (serving.rights(user, namespace.name) for user in (router, anybody))
    assert [rule for rule in may if rule not in all_may] == [
        {"verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["pods"]}
    ]
