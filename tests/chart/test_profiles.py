"""The published profiles: each renders with a group that uses it, holds no choice of a user's, and gives way to one."""

from __future__ import annotations

from typing import Any

import pytest

from tools.preset_pages import kind_of

from tests.chart import library, validity
from tests.chart.rendering import Chart, Objects, Values, paths

PROFILES: Values = {name: one.plain for name, one in library.KNOWN.items() if kind_of(one) == "Profiles"}
IMAGE = {"container": {"image": "example/engine:1"}}
GPU = {"accelerator": {"resource": "nvidia.com/gpu", "model": "NVIDIA H200"}}
# What stands in no profile, wherever it could stand.
CHOICES = {"image", "replicas", "minReplicas", "podsPerReplica", "accelerators", "accelerator"}


def group(*presets: str, **more: Any) -> Values:
    """Return a group that lists profiles."""
    return {"presets": ["image", *presets], **more}


def worker(*presets: str, **more: Any) -> Values:
    """Return a group of workers that lists profiles."""
    return group("gpu", *presets, replicas=2, accelerators=1, container={"extraArgs": ["--model=some"]}, **more)


def phases(router: str) -> Values:
    """Return groups in which SGLang's phases are apart."""
    return {
        "router": group(router),
        "prefill": worker("roster/sglang-prefill"),
        "decode": worker("roster/sglang-decode", "roster/sglang-spanning", podsPerReplica=2),
    }


OPERATIONS = {
    "smg": phases("roster/smg"),
    "smg-plain": {"router": group("roster/smg-plain"), "engine": worker("roster/sglang")},
    "sglang-router": phases("roster/sglang-router"),
    "vllm-router": {"router": group("roster/vllm-router"), "engine": worker("roster/vllm")},
    "vllm-rs-router": {"router": group("roster/vllm-rs-router"), "engine": worker("roster/vllm")},
    "vllm-spanning": {"engine": worker("roster/vllm-spanning", podsPerReplica=4)},
    "llm-d": {
        "prefill": worker("roster/llm-d-prefill"),
        "decode": worker("roster/llm-d-decode", sidecars={"routing-proxy": {"image": "example/sidecar:1"}}),
    },
    "http": {"scorer": group("roster/http", cmd=["serve"])},
}


def render(chart: Chart, groups: Values) -> Objects:
    """Render groups with all profiles at hand."""
    return chart.render({"presets": {**PROFILES, "image": IMAGE, "gpu": GPU}, "groups": groups})


def flags(objects: Objects, group: str) -> list[str]:
    """Return the arguments of a group's main container."""
    found: list[str] = objects.container(group)["args"]
    return found


def test_there_are_profiles_and_each_is_used_by_an_operation_here() -> None:
    listed = {name for groups in OPERATIONS.values() for one in groups.values() for name in one["presets"]}
    assert listed & PROFILES.keys() == PROFILES.keys() != set()


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_names_no_image_no_count_and_no_hardware(name: str) -> None:
    assert name.startswith("roster/")
    asked = {("sidecars", "routing-proxy", "image")}  # empty, so that it must be given
    assert [path for path in paths(PROFILES[name]) if path[-1] in CHOICES and tuple(path) not in asked] == []


def test_the_image_of_the_routing_sidecar_must_be_given(chart4: Chart) -> None:
    groups = {"prefill": worker("roster/llm-d-prefill"), "decode": worker("roster/llm-d-decode")}
    said = chart4.refusal({"presets": {**PROFILES, "image": IMAGE, "gpu": GPU}, "groups": groups})
    assert said.startswith("groups.decode.sidecars.routing-proxy.image: empty; give the container its image, or null")


@pytest.mark.parametrize("groups", OPERATIONS.values(), ids=OPERATIONS)
def test_a_profile_renders_valid_objects_that_wait_for_nobody_while_they_start(chart4: Chart, groups: Values) -> None:
    objects = render(chart4, groups)
    validity.check(objects.all)
    for name in groups:
        for container in leaders(objects, name)["containers"]:
            startup, liveness = container["startupProbe"], container["livenessProbe"]
            asked = [probe.get("httpGet", {}).get("path", "port") for probe in (startup, liveness)]
            assert set(asked) <= {"/health", "/liveness", "port"}
            assert startup["failureThreshold"] * startup.get("periodSeconds", 10) >= 300


def test_workers_of_sglang_have_half_an_hour_an_hour_over_several_pods_and_more_if_they_ask(chart4: Chart) -> None:
    longer = {"startup": {"timeout": "6h"}}
    presets = ["roster/sglang", "roster/sglang-spanning"]
    groups = {"one": worker(*presets[:1]), "asks": worker(*presets[:1], **longer)}
    groups |= {"wide": worker(*presets, podsPerReplica=2), "wide-asks": worker(*presets, podsPerReplica=2, **longer)}
    objects = render(chart4, groups)
    budgets = {}
    for name in groups:
        probe = leaders(objects, name)["containers"][0]["startupProbe"]
        budgets[name] = probe["failureThreshold"] * probe["periodSeconds"]
    assert budgets == {"one": 30 * 60, "asks": 6 * 3600, "wide": 3600, "wide-asks": 6 * 3600}


def test_the_bootstrap_port_is_one_on_both_flags_and_the_annotation(chart4: Chart) -> None:
    groups = phases("roster/smg")
    groups["prefill"]["container"] = {"ports": {"bootstrap": 9998, "http": 31000}}
    objects = render(chart4, groups)
    flag = "--disaggregation-bootstrap-port=9998"
    assert (flag in flags(objects, "prefill"), flag in flags(objects, "decode")) == (True, True)
    assert objects.workload("prefill")["spec"]["template"]["metadata"]["annotations"] == {
        "sglang.ai/bootstrap-port": "9998",
        "smg.ai/worker-ports": "31000",
    }
    assert {"--port=31000"} < set(flags(objects, "prefill"))
    assert {"--service-discovery-port=31000"} < set(flags(objects, "router"))


def test_every_part_of_a_profile_gives_way_to_the_group(chart4: Chart) -> None:
    own = {
        "command": ["own"],
        "args": ["--own"],
        "extraArgs": ["--more"],
        "ports": {"http": 9000},
        "readinessProbe": {"httpGet": {"path": "/own"}},
    }
    environment = {"terminationGracePeriodSeconds": 7}
    engine = worker("roster/sglang", environment=environment) | {"container": own, "serving": {"role": "own"}}
    objects = render(chart4, {"engine": engine})
    container = objects.container("engine")
    assert (container["command"], container["args"]) == (["own"], ["--own", "--more"])
    assert container["ports"] == [{"containerPort": 9000, "name": "http"}]
    assert container["readinessProbe"]["httpGet"] == {"path": "/own", "port": "http"}
    assert objects.pod("engine")["terminationGracePeriodSeconds"] == 7
    assert objects.workload("engine")["spec"]["template"]["metadata"]["labels"]["helm-roster.dev/role"] == "own"


def test_ranks_of_sglang_keep_their_probes_and_those_of_ray_have_none(chart4: Chart) -> None:
    sglang = render(chart4, {"engine": worker("roster/sglang", "roster/sglang-spanning", podsPerReplica=2)})
    ray = render(chart4, OPERATIONS["vllm-spanning"])
    probes = {"startupProbe", "livenessProbe", "readinessProbe"}
    for objects, ranks in ((sglang, probes), (ray, set())):
        template = objects.workload("engine")["spec"]["leaderWorkerTemplate"]
        leader, rank = (template[kind]["spec"]["containers"][0] for kind in ("leaderTemplate", "workerTemplate"))
        assert (probes & leader.keys(), probes & rank.keys()) == (probes, ranks)
        assert leader["args"] == rank["args"]


def leaders(objects: Objects, group: str) -> Values:
    """Return the pod spec of those that serve."""
    spec = objects.workload(group)["spec"]
    template: Values = spec["template"] if "template" in spec else spec["leaderWorkerTemplate"]["leaderTemplate"]
    found: Values = template["spec"]
    return found


def test_a_router_that_knows_one_port_of_both_phases_is_given_no_other(chart4: Chart) -> None:
    groups = phases("roster/sglang-router")
    groups["decode"]["container"]["ports"] = {"http": 31000}
    said = chart4.refusal({"presets": {**PROFILES, "image": IMAGE, "gpu": GPU}, "groups": groups})
    assert said.startswith('groups.router.container.args.port: 30000 of the group "prefill", but 31000 of "decode"')
