"""Claims of devices beside accelerators (DRA): defined once under `claims`, used by groups by name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart import validity
from tests.chart.rendering import Chart, Objects, Values, operation

REQUESTS = {"devices": {"requests": [{"name": "nics", "exactly": {"deviceClassName": "mrdma.google.com", "count": 8}}]}}
CLAIMS: Values = {
    "imex": {"computeDomain": {}},
    "nics": {"spec": REQUESTS},
    "pool": {"spec": REQUESTS, "shared": True},
    "ours": {"template": "roce-8"},
    "theirs": {"claim": "the-pool"},
}
PROXY = {"sidecars": {"proxy": {"image": "example/proxy:1"}}}
OTHER = {"claims": ["imex"]}
OURS = {"ours": {"template": "roce-8"}}


def using(claims: Any, groups: Values | None = None, given: Values | None = None, **group: Any) -> Values:
    """Return values of a group `a` that uses claims, beside other groups."""
    defined = {**CLAIMS, **(given or {})}
    return operation({"a": {"claims": claims, **group}, **(groups or {})}, claims=defined)


def made(found: Objects, kind: str) -> list[Values]:
    """Return the rendered objects of a kind."""
    return [entry for entry in found.all if entry["kind"] == kind]


def test_each_kind_is_claimed_by_its_own_object(chart: Chart) -> None:
    found = chart.render(using(list(CLAIMS)))
    (domain,), (template,), (shared,) = (
        made(found, kind) for kind in ("ComputeDomain", "ResourceClaimTemplate", "ResourceClaim")
    )
    assert found.pod()["resourceClaims"] == [
        {"name": "imex", "resourceClaimTemplateName": domain["spec"]["channel"]["resourceClaimTemplate"]["name"]},
        {"name": "nics", "resourceClaimTemplateName": template["metadata"]["name"]},
        {"name": "pool", "resourceClaimName": shared["metadata"]["name"]},
        {"name": "ours", "resourceClaimTemplateName": "roce-8"},
        {"name": "theirs", "resourceClaimName": "the-pool"},
    ]
    assert found.container()["resources"] == {"claims": [{"name": name} for name in CLAIMS]}
    assert template["spec"]["spec"] == shared["spec"] == REQUESTS
    assert domain["spec"]["numNodes"] == 0
    validity.check(found.all)


def test_what_nobody_uses_is_not_made(chart4: Chart) -> None:
    assert (
        not {"ComputeDomain", "ResourceClaim", "ResourceClaimTemplate"} & chart4.render(using({"nics": None})).kinds()
    )


@pytest.mark.parametrize("native", [True, False])
def test_containers_may_be_chosen(chart4: Chart, *, native: bool) -> None:
    sidecar = {"sidecars": {"proxy": {"image": "example/proxy:1", "native": native}}}
    pod = chart4.render(using({"nics": {"containers": ["proxy"]}, "imex": {}}, **sidecar)).pod()
    containers = {entry["name"]: entry for entry in [*pod["containers"], *pod.get("initContainers", [])]}
    assert containers["proxy"]["resources"]["claims"] == [{"name": "nics"}]
    assert containers["main"]["resources"]["claims"] == [{"name": "imex"}]


def test_a_preset_may_list_claims(chart4: Chart) -> None:
    values = using(["nics"], presets=["rack"]) | {"presets": {"rack": {"claims": {"imex": {}}}}}
    assert [claim["name"] for claim in chart4.render(values).pod()["resourceClaims"]] == ["imex", "nics"]


def test_another_spec_is_another_object(chart4: Chart) -> None:
    other = {"nics": {"spec": {"devices": {"requests": [{"name": "x", "exactly": {"deviceClassName": "d"}}]}}}}
    one, two = (chart4.render(using(["nics"], given=given)) for given in ({}, other))
    assert one.pod()["resourceClaims"] != two.pod()["resourceClaims"]


def numbers(found: Objects) -> list[int]:
    return [domain["spec"]["numNodes"] for domain in made(found, "ComputeDomain")]


COUNTED = {"imex": {"computeDomain": {"countNodes": True}}}


@pytest.mark.parametrize(
    ("groups", "nodes"),
    [
        ({"b": {**OTHER, "replicas": 3}}, 5),
        ({"b": {"replicas": 3}}, 2),
        ({"b": {**OTHER, "replicas": 2, "podsPerReplica": 4}}, 10),
        ({"b": {**OTHER, "replicas": 2, "podsPerReplica": 4, "leader": {"claims": {"imex": None}}}}, 8),
        ({"b": {"replicas": 2, "podsPerReplica": 4, "leader": {"claims": ["imex"]}}}, 4),
    ],
)
def test_a_domain_may_count_the_pods_that_use_it(chart4: Chart, groups: Values, nodes: int) -> None:
    assert numbers(chart4.render(using(["imex"], groups, COUNTED, replicas=2))) == [nodes]


def test_groups_of_a_domain_that_counts_depend_on_each_others_count(chart4: Chart) -> None:
    values = using(["imex"], {"b": OTHER, "c": {}}, COUNTED)
    reads = {name: group.get("reads") for name, group in chart4.resolved(values)["groups"].items()}
    both = {"a": ["computeDomain"], "b": ["computeDomain"]}
    assert reads == {"a": both, "b": both, "c": None}


@pytest.mark.parametrize(
    ("claims", "leader", "told"),
    [(None, ["ours"], ["ours"]), (["nics"], ["ours"], ["nics", "ours"]), (["nics"], {"nics": None}, ["nics"])],
)
def test_the_resolved_operation_says_what_a_leader_claims(
    chart4: Chart, claims: Any, leader: Any, told: list[str]
) -> None:
    found = chart4.resolved(using(claims, given=OURS, podsPerReplica=2, leader={"claims": leader}))
    assert found["groups"]["a"]["claims"] == told


def test_the_resolved_operation_says_what_is_claimed(chart4: Chart) -> None:
    found = chart4.resolved(using(["nics", "pool"]))
    assert found["groups"]["a"]["claims"] == ["nics", "pool"]
    assert {name.rpartition("-")[0]: claim for name, claim in found["claims"].items()} == {
        "rl-nics": {"devices": {"mrdma.google.com": 8}},
        "rl-pool": {"devices": {"mrdma.google.com": 8}, "shared": True},
    }


def test_people_are_told_that_the_chart_wires_claims(chart4: Chart) -> None:
    layers = chart4.resolved(using({"nics": {"containers": ["proxy"]}, "imex": {}}, **PROXY))["layers"]["a"]
    wired = {path for path, layer in layers.items() if layer == "chart" and path.endswith("claims")}
    assert wired == {"resources.claims", "sidecars.proxy.resources.claims"}


def test_a_name_is_within_the_budget_of_its_kind(chart4: Chart) -> None:
    name = "c" * 63
    found = chart4.render(using([name], given={name: {"spec": REQUESTS}}), release="r" * 53)
    (template,) = made(found, "ResourceClaimTemplate")
    assert len(template["metadata"]["name"]) <= 253
    assert found.pod()["resourceClaims"] == [{"name": name, "resourceClaimTemplateName": template["metadata"]["name"]}]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (using(["imx"]), 'groups.a.claims: there is no claim "imx" (did you mean "imex"?); known: imex, nics, ours'),
        (
            using(["rack"]) | {"presets": {"rack": {}}},
            'groups.a.claims: "rack" is a preset; list it under presets',
        ),
        (
            using({"nics": {"containers": ["prox"]}}, **PROXY),
            'groups.a.claims.nics.containers: there is no container "prox" (did you mean "proxy"?); known: main, proxy',
        ),
        (
            using([], given={"two": {"template": "x", "spec": REQUESTS}}),
            "claims.two: spec and template, but it is one of them; give one of claim, computeDomain, spec, template",
        ),
        (using([], given={"none": {}}), "claims.none: says nothing; give one of claim, computeDomain, spec, template"),
        (
            using([], given={"x": {"template": "x", "shared": True}}),
            "claims.x.shared: given, but only a claim with a spec is shared or not; leave it out",
        ),
        (
            using([], given={"x": {"spec": {"devices": {}}}}),
            "claims.x.spec.devices.requests: none; say which devices are claimed",
        ),
        *(
            (
                using([], given={"x": {"spec": {"devices": {"requests": requests}}}}),
                f"claims.x.spec: {count} devices in one",
            )
            for requests, count in [
                ([{"exactly": {"count": 33}}], 33),
                ([{"exactly": {"count": 16}}, {"exactly": {"count": 16}}, {"exactly": {"allocationMode": "All"}}], 33),
                ([{"exactly": {"count": 16}}, {"firstAvailable": [{"count": 18}, {"count": 17}]}], 33),
            ]
        ),
        *(
            (
                using([], given={"x": {"template": name}}),
                f'claims.x.template: "{name}" is no name of an object; give that of an existing ResourceClaimTemplate',
            )
            for name in ("Roce_8", "a..b", "a.-b", "a" * 254)
        ),
        (
            using([], given={"accelerators": {"computeDomain": {}}}),
            'claims: "accelerators" cannot be a name: accelerators of pods are claimed under it; choose another name',
        ),
        (
            using(["imex"], {"b": {**OTHER, "autoscaling": {"owner": "external", "min": 1, "max": 3}}}, COUNTED),
            'claims.imex.computeDomain.countNodes: true, but the pods of "b", which uses the claim, are counted by its',
        ),
        (
            using(["pool"], {"b": {"claims": ["pool"], "replicas": 64, "podsPerReplica": 4}}),
            "claims.pool: 257 pods share it, and Kubernetes lets at most 256 pods use one claim; give each pod its own",
        ),
        (
            using(["theirs"], autoscaling={"owner": "external", "min": 1, "max": 300}),
            "claims.theirs: 300 pods share it",
        ),
    ],
)
def test_what_is_wrong_is_refused(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values).startswith(words)


@pytest.mark.parametrize("count", [{"exactly": {"count": 32}}, {"firstAvailable": [{"count": 33}, {"count": 32}]}])
def test_one_claim_may_be_of_as_many_devices_as_kubernetes_gives(chart4: Chart, count: Values) -> None:
    assert chart4.attempt(using(["x"], given={"x": {"spec": {"devices": {"requests": [count]}}}})).returncode == 0


def test_labels_of_what_a_template_makes_are_in_its_name(chart4: Chart) -> None:
    values = using(["nics"]) | {"operation": {"name": "op"}}
    first, second = (made(chart4.render(values, release=release), "ResourceClaimTemplate")[0] for release in "pq")
    assert first["spec"]["metadata"] != second["spec"]["metadata"]
    assert first["metadata"]["name"] != second["metadata"]["name"]


@pytest.mark.parametrize(
    "spec",
    [
        *({"devices": devices} for devices in ("abc", [])),
        *({"devices": {"requests": requests}} for requests in ("abc", {"a": 1}, [None], ["s"], [{"name": 5}])),
        *(
            {"devices": {"requests": [{"name": "a", **asked}]}}
            for one in (
                "x",
                {"deviceClassName": 5},
                {"count": 0},
                {"count": "2"},
                {"selectors": "x"},
                {"selectors": ["x"]},
            )
            for asked in ({"exactly": one}, {"firstAvailable": [one]}, {"firstAvailable": one})
        ),
        {"devices": {"requests": [{"name": f"a{number}"} for number in range(33)]}},
    ],
    ids=str,
)
def test_a_spec_of_the_wrong_shape_is_refused_at_its_place(chart4: Chart, spec: Values) -> None:
    assert "at '/claims/x/spec/devices" in chart4.attempt(using([], given={"x": {"spec": spec}})).stderr
