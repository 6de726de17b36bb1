"""Accelerators that are claimed (DRA) in place of a resource: one template of claims for each group."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
from tests.chart.rendering import GPU, Chart, Values, layered

H200 = "device.attributes['gpu.nvidia.com'].productName.lowerAscii().matches('^.*h200.*$')"
CLAIM = {"deviceClassName": "gpu.nvidia.com", "selectors": [H200]}
CLAIMED: Values = {"accelerator": {"model": "NVIDIA H200", "claim": CLAIM}}
NICS = {"deviceClassName": "efa.networking.k8s.aws", "perAccelerator": 2}


def claiming(claim: Values) -> Values:
    """Return a preset with a claim of these fields, and a class."""
    return {"accelerator": {"claim": {"deviceClassName": "gpu.nvidia.com", **claim}}}


def test_each_pod_claims_as_many_as_the_group_says(chart: Chart) -> None:
    found = chart.render(layered({"accelerators": 8}, gpu=CLAIMED))
    (entry,) = found.pod()["resourceClaims"]
    template = found.get("ResourceClaimTemplate", entry["resourceClaimTemplateName"])
    exactly = {"deviceClassName": "gpu.nvidia.com", "count": 8, "selectors": [{"cel": {"expression": H200}}]}
    assert template["spec"]["spec"] == {"devices": {"requests": [{"name": "accelerators", "exactly": exactly}]}}
    assert found.container()["resources"] == {"claims": [{"name": entry["name"]}]}
    assert template["spec"]["metadata"]["labels"]["helm-roster.dev/group"] == "a"
    validity.check(found.all)


def test_another_count_is_another_template(chart4: Chart) -> None:
    names = [
        chart4.render(layered({"accelerators": count}, gpu=CLAIMED)).pod()["resourceClaims"][0] for count in (4, 8, 8)
    ]
    assert names[0] != names[1] == names[2]


def test_no_accelerators_are_no_claim(chart4: Chart) -> None:
    found = chart4.render(layered({}, gpu=CLAIMED))
    assert "ResourceClaimTemplate" not in found.kinds()
    assert "resourceClaims" not in found.pod()


def test_companions_follow_the_accelerators(chart4: Chart) -> None:
    pods = {"deviceClassName": "mrdma.google.com", "perPod": 8}
    none = {"deviceClassName": "other.example.com", "perAccelerator": 0}
    constraints = [{"matchAttribute": "resource.aws.com/devicegroup1_id", "requests": ["accelerators", "nics"]}]
    claim = {"devices": {"nics": NICS, "pods": pods, "none": none}, "constraints": constraints}
    found = chart4.render(layered({"accelerators": 4}, gpu=claiming(claim)))
    (template,) = (one for one in found.all if one["kind"] == "ResourceClaimTemplate")
    devices = template["spec"]["spec"]["devices"]
    counts = {one["name"]: one["exactly"]["count"] for one in devices["requests"]}
    assert counts == {"accelerators": 4, "nics": 8, "pods": 8}
    assert devices["constraints"] == constraints


def test_the_workload_says_how_many_of_which_class(chart4: Chart) -> None:
    annotations = chart4.render(layered({"accelerators": 8}, gpu=CLAIMED)).workload()["metadata"]["annotations"]
    assert annotations["helm-roster.dev/accelerators"] == "8 gpu.nvidia.com"


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("Deployment", {}),
        ("StatefulSet", {"scheduling": {"placement": {"backend": "other"}, "gangs": {"step": {"members": {"a": {}}}}}}),
        ("Job", {"operation": {"kind": "job"}}),
        ("LeaderWorkerSet", {"defaults": {"podsPerReplica": 2}}),
    ],
)
def test_pods_of_every_kind_claim(chart4: Chart, kind: str, more: Values) -> None:
    found = chart4.render({**layered({"accelerators": 2}, gpu=CLAIMED), **more})
    (template,) = (one["metadata"]["name"] for one in found.all if one["kind"] == "ResourceClaimTemplate")
    assert found.workload()["kind"] == kind
    for leads in {False, kind == "LeaderWorkerSet"}:
        pod = found.pod(leader=leads)
        assert pod["resourceClaims"] == [{"name": "accelerators", "resourceClaimTemplateName": template}]
        assert pod["containers"][0]["resources"] == {"claims": [{"name": "accelerators"}]}


def test_a_leader_with_another_count_has_its_own_template(chart4: Chart) -> None:
    group = {"podsPerReplica": 4, "accelerators": 8, "leader": {"accelerators": 4}}
    found = chart4.render(layered(group, gpu=CLAIMED))
    names = {found.pod(leader=leads)["resourceClaims"][0]["resourceClaimTemplateName"] for leads in (True, False)}
    assert names == {one["metadata"]["name"] for one in found.all if one["kind"] == "ResourceClaimTemplate"}
    assert len(names) == 2


def test_each_container_has_a_claim_of_its_own_and_init_containers_use_the_main_ones(chart4: Chart) -> None:
    long = "s" * 63
    group: Values = {
        "accelerators": 4,
        "sidecars": {"draft": {"accelerators": 2}, long: {"accelerators": 1}},
        "init": {"warm": {"accelerators": 3}},
    }
    config = [
        {"requests": ["accelerators", "pods"], "opaque": {"driver": "d", "parameters": {}}},
        {"requests": ["pods"], "opaque": {"driver": "d", "parameters": {}}},
    ]
    claim = {"devices": {"pods": {"deviceClassName": "nic", "perPod": 1}}, "config": config}
    values = layered(group, gpu=claiming(claim))
    assert chart4.resolved(values)["groups"]["a"]["accelerators"] == 4 + 2 + 1
    found = chart4.render(values)
    pod = found.pod()
    used = {entry["name"]: entry["resources"]["claims"][0]["name"] for entry in pod["initContainers"]}
    assert (used["warm"], used["draft"], len(used[long])) == ("accelerators", "accelerators-draft", 63)
    templates = {entry["name"]: entry["resourceClaimTemplateName"] for entry in pod["resourceClaims"]}
    assert {*templates} == {"accelerators", *used.values()}
    devices = found.get("ResourceClaimTemplate", templates["accelerators-draft"])["spec"]["spec"]["devices"]
    assert [one["exactly"]["count"] for one in devices["requests"]] == [2]
    assert [one["requests"] for one in devices["config"]] == [["accelerators"]]
    assert found.get("ResourceClaimTemplate", templates["accelerators"])["spec"]["spec"]["devices"]["config"] == config
    validity.check(found.all)


ADDED: dict[str, list[Any]] = {
    "selectors": ["device.driver == 'a'", "device.driver == 'b'"],
    "constraints": [{"matchAttribute": "a/numa", "requests": ["accelerators"]}, {"matchAttribute": "a/pcie"}],
    "config": [{"opaque": {"driver": name, "parameters": {}}} for name in "ab"],
}


def nics(field: str, entry: Any) -> Values:
    """Return companions, chosen by the entry where the field chooses devices."""
    return {**NICS, **({field: [entry]} if field == "selectors" else {})}


@pytest.mark.parametrize("field", ADDED)
def test_what_presets_say_of_one_claim_holds_together(chart4: Chart, field: str) -> None:
    first, second = ({field: [entry], "devices": {"nics": nics(field, entry)}} for entry in ADDED[field])
    found = chart4.render(layered({"accelerators": 1}, gpu=claiming(first), more={"accelerator": {"claim": second}}))
    (template,) = (one for one in found.all if one["kind"] == "ResourceClaimTemplate")
    devices = template["spec"]["spec"]["devices"]
    if field == "selectors":
        expected = [{"cel": {"expression": one}} for one in ADDED[field]]
        assert [one["exactly"]["selectors"] for one in devices["requests"]] == [expected] * 2
    else:
        assert devices[field] == ADDED[field]


def test_the_resolved_operation_tells_accelerators_from_companions_of_their_class(chart4: Chart) -> None:
    draft = {"deviceClassName": "gpu.nvidia.com", "perPod": 1, "selectors": [H200]}
    group = {"accelerators": 4, "sidecars": {"x": {"accelerators": 2}}}
    told = chart4.resolved(layered(group, gpu=claiming({"devices": {"draft": draft}})))["claims"]
    assert sorted((claim["devices"]["gpu.nvidia.com"], claim["accelerators"]) for claim in told.values()) == [
        (2, 2),
        (5, 4),
    ]


def test_a_deployment_is_rolled_out_without_a_surplus_pod(chart4: Chart) -> None:
    strategy = chart4.render(layered({"accelerators": 1}, gpu=CLAIMED)).workload()["spec"]["strategy"]
    assert strategy["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}


@pytest.mark.parametrize("side", ["limits", "requests"])
@pytest.mark.parametrize("path", ["", "sidecars.x.", "init.x."])
def test_no_container_beside_a_claim_asks_for_accelerators_of_a_preset_by_resource(
    chart4: Chart, path: str, side: str
) -> None:
    values = layered({"accelerators": 1}, gpu=CLAIMED)
    values["presets"]["plain"] = GPU
    resources: Values = {"resources": {side: {"nvidia.com/gpu": 1}}}
    field = path.partition(".")[0]
    values["groups"]["a"] |= {field: {"x": resources}} if field else resources
    words = f'groups.a.{path}resources.{side}: nvidia.com/gpu, which preset "plain" has as its accelerator, but the'
    assert chart4.refusal(values).startswith(words)


def test_beside_a_claim_may_stand_that_there_is_none_of_a_resource(chart4: Chart) -> None:
    values = layered({"accelerators": 1, "resources": {"limits": {"nvidia.com/gpu": 0}}}, gpu=CLAIMED)
    values["presets"]["plain"] = GPU
    assert chart4.render(values).container()["resources"]["limits"] == {"nvidia.com/gpu": 0}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            layered({}, gpu={"accelerator": {**GPU["accelerator"], "claim": CLAIM}}),
            "presets.gpu.accelerator: resource and claim; a pod gets its accelerators one way, so keep one",
        ),
        (
            layered({"accelerators": 1}, gpu=GPU, dra=CLAIMED),
            'groups.a.presets: "gpu" has accelerators by a resource and "dra" by a claim; a pod gets them one way',
        ),
        (
            layered({"accelerators": 1}, gpu={"accelerator": {"claim": {"selectors": [H200]}}}),
            "groups.a: accelerators is 1, but the claim of its preset does not say of which class; set",
        ),
        (
            layered({"accelerators": 1, "init": {"w": {"accelerators": 2}}}, gpu=CLAIMED),
            "groups.a.init.w.accelerators: 2, but a claim lasts as long as its pod, so an init container uses that of",
        ),
        (
            layered({"init": {"w": {"accelerators": 1}}}, gpu=CLAIMED),
            "groups.a.init.w.accelerators: 1, but a claim lasts as long as its pod, so an init container uses",
        ),
        (
            layered({"accelerators": 1}, gpu=claiming({"devices": {"nics": {"perPod": 1}}})),
            "groups.a: accelerator.claim.devices.nics of its preset: of no class; set deviceClassName",
        ),
        (
            layered({"accelerators": 1}, gpu=claiming({"devices": {"nics": {"deviceClassName": "x"}}})),
            "groups.a: accelerator.claim.devices.nics of its preset: says no count; set one of perAccelerator and",
        ),
        (
            layered({"accelerators": 1}, gpu=claiming({"devices": {"nics": {**NICS, "perPod": 1}}})),
            "groups.a: accelerator.claim.devices.nics of its preset: both say how many; set one of perAccelerator and",
        ),
        (
            layered({"accelerators": 33}, gpu=CLAIMED),
            "groups.a: 33 accelerators of a container are 33 devices in one claim, and Kubernetes gives a claim",
        ),
        (
            layered(
                {"accelerators": 1, "sidecars": {"s": {"image": "i", "accelerators": 7}}},
                gpu=claiming({"devices": {"nics": {**NICS, "perAccelerator": 4}}}),
            ),
            "groups.a: 7 accelerators of a container and their companions are 35 devices in one claim, and Kubernetes",
        ),
        (
            layered({"accelerators": 1}, gpu=claiming({"devices": {"accelerators": NICS}})),
            "groups.a: accelerator.claim.devices.accelerators of its preset: the request of the accelerators has this",
        ),
        (
            layered({"accelerators": 1}, gpu=claiming({"constraints": [{"requests": ["accelerators", "nic"]}]})),
            'groups.a: accelerator.claim.constraints of its preset: there is no request "nic"; known: accelerators',
        ),
    ],
)
def test_what_contradicts_is_refused(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values).startswith(words)


def test_labels_of_the_claims_are_in_the_name_of_their_template(chart4: Chart) -> None:
    values = layered({"accelerators": 1}, gpu=CLAIMED) | {"operation": {"name": "op"}}
    rendered = [chart4.render(values, release=release) for release in "pq"]
    names = [found.pod()["resourceClaims"][0]["resourceClaimTemplateName"] for found in rendered]
    assert names[0] != names[1]
