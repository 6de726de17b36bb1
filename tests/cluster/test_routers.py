"""Real routers on the real control plane: each finds its workers by what the chart rendered, and is ready with them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import containers, kubelet, serving
from tests.cluster.api import ApiError, Json, wait_for
from tests.cluster.kubelet import Kubelet
from tests.cluster.namespaces import Namespace
from tests.cluster.serving import Serving, chat, got
from tests.support.roster import CHART, EXAMPLES, PRESETS, given
from tests.support.runner import Runner

PHASES = ("prefill", "decode")
EXAMPLE = EXAMPLES / "01-sglang-disaggregated" / "values.yaml"


@pytest.fixture
def played(namespace: Namespace, tmp_path: Path) -> Iterator[Kubelet]:
    """A kubelet of ours for the test's pods, and a node with sixteen accelerators."""
    namespace.add_node(gpus=16, pod_cidr=kubelet.addresses())
    with Kubelet(namespace, tmp_path / "kubelet") as running:
        yield running


def values(folder: Path, groups: Json) -> Path:
    """Write values of groups beside others."""
    path = folder / "groups.yaml"
    path.write_text(json.dumps({"groups": groups}))
    return path


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


@pytest.mark.usefixtures("sglang_router")
def test_sglangs_own_router_finds_the_workers_of_both_phases(service: Serving, tmp_path: Path) -> None:
    router = {"presets": ["roster/sglang-router"], "container": {"image": "lmsysorg/sglang:v0.5.3"}}
    service.install(EXAMPLE, values(tmp_path, {"router": router}), prefill=1, decode=1)
    service.reached(1)
    chat(service.url())
    assert [got(service.engines(group, 1)) for group in PHASES] == [[1], [1]]


@pytest.mark.usefixtures("smg")
def test_each_of_two_routers_finds_its_own_workers_and_scaling_one_service_leaves_the_other_as_it_is(
    service: Serving, tmp_path: Path
) -> None:
    image = {"container": {"image": "lightseekorg/smg:1.13.0"}}
    engine = {"container": {"image": "lmsysorg/sglang:v0.5.3"}}
    groups = {}
    for name in ("chat", "code"):
        served = {f"{name}-{phase}": {"presets": [f"roster/sglang-{phase}"], **engine} for phase in PHASES}
        groups |= {f"{name}-router": {"presets": ["roster/smg"], "serves": [*served], **image}, **served}
    service.install(PRESETS / "sglang.yaml", values(tmp_path, groups))
    for name, times in (("chat", 1), ("code", 2)):
        service.reached(1, f"{name}-router")
        for _ in range(times):
            chat(service.url(f"{name}-router"))
    answered = {group: got(service.engines(group, 1)) for group in groups if not group.endswith("router")}
    assert answered == {"chat-prefill": [1], "chat-decode": [1], "code-prefill": [2], "code-decode": [2]}

    before = service.objects("chat-")
    service.run("scale", service.name, "code-decode=3")
    service.workers(4, "code-router")
    service.workers(2, "chat-router")
    assert service.objects("chat-") == before != []


@pytest.mark.parametrize(
    ("program", "file", "router", "engine", "image"),
    [
        ("smg", "sglang.yaml", "roster/smg-plain", "roster/sglang", "lightseekorg/smg:1.13.0"),
        ("vllm_router", "vllm.yaml", "roster/vllm-rs-router", "roster/vllm", "vllm/vllm-router:v0.1.17"),
        ("stack_router", "vllm.yaml", "roster/vllm-router", "roster/vllm", "lmcache/lmstack-router:v0.1.9"),
    ],
    ids=["smg", "vllm-router", "production stack"],
)
def test_a_router_of_plain_workers_is_ready_when_it_has_found_one(  # noqa: PLR0917
    request: pytest.FixtureRequest,
    service: Serving,
    tmp_path: Path,
    program: str,
    file: str,
    router: str,
    engine: str,
    image: str,
) -> None:
    request.getfixturevalue(program)
    service.played.loading.add("engine")
    groups = {
        "router": {"presets": [router], "container": {"image": image}},
        "engine": {"presets": [engine], "container": {"image": "example/engine:1"}},
    }
    service.install(PRESETS / file, values(tmp_path, groups))
    assert containers.get(f"{service.url()}/health")
    service.reached(0)
    (worker,) = service.engines("engine", 1)
    worker.healthy = True
    service.reached(1)
    chat(service.url())
    assert got([worker]) == [1]


def test_a_router_may_read_the_pods_of_its_namespace_and_nothing_else(namespace: Namespace, helm4: Runner) -> None:
    helm4("install", "sglang", CHART, *given(EXAMPLE))
    pods = namespace.path("v1", "Pod")
    with serving.account(namespace, "sglang-router") as router, serving.account(namespace, "default") as anybody:
        wait_for(lambda: router.items(pods), 30, "pods that the router reads", until=bool)
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
