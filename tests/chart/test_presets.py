"""Which presets apply to a group, and which are refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import GPU, Chart, Values, layered, nested, operation

H100 = {"accelerator": {"resource": "nvidia.com/gpu", "model": "NVIDIA H100"}}
NICS = {"devices": {"vendor.example/nic": {"perAccelerator": 1}}}
SELECTS = {**GPU, "environment": {"nodeSelector": {"pool": "gpu"}}}


def chosen(chart: Chart, values: Values) -> tuple[list[str], list[str]]:
    group = chart.resolved(values)["groups"]["a"]
    return group["presets"], group["skippedPresets"]


def inherited(group: Values, *names: str, **presets: Values) -> Values:
    defaults = {"container": {"image": "example/app:1"}, "presets": list(names)}
    return {"defaults": defaults, "presets": presets, "groups": {"a": group}}


def test_presets_of_defaults_come_before_the_groups_own(chart: Chart) -> None:
    assert chosen(chart, inherited({"presets": ["q"]}, "p", p={}, q={})) == (["p", "q"], [])


def test_a_preset_that_is_listed_twice_applies_once(chart4: Chart) -> None:
    assert chosen(chart4, inherited({"presets": ["p", "q", "p"]}, "p", p={}, q={})) == (["p", "q"], [])


def test_a_group_without_accelerators_skips_an_inherited_accelerator(chart: Chart) -> None:
    values = inherited({}, "gpu", gpu=SELECTS)
    assert chosen(chart, values) == ([], ["gpu"])
    assert "nodeSelector" not in chart.render(values).pod()


def test_a_group_that_lists_it_itself_always_gets_it(chart4: Chart) -> None:
    values = inherited({"presets": ["gpu"]}, "gpu", gpu=SELECTS)
    assert chosen(chart4, values) == (["gpu"], [])
    assert chart4.render(values).pod()["nodeSelector"] == {"pool": "gpu"}


def test_a_group_with_accelerators_gets_it(chart4: Chart) -> None:
    assert chosen(chart4, inherited({"accelerators": 1}, "gpu", gpu=SELECTS)) == (["gpu"], [])


@pytest.mark.parametrize(
    "group", [{"presets": None}, {"presets": []}, {"unset": ["presets"]}, {"unset": ["presets.p"]}]
)
def test_a_group_can_do_without_the_inherited_ones(chart4: Chart, group: Values) -> None:
    assert chosen(chart4, inherited(group, "p", p={})) == ([], [])


B200 = {
    "accelerator": {"resource": "nvidia.com/gpu", "model": "NVIDIA B200"},
    "environment": {"nodeSelector": {"b": "2"}},
}
CLAIM = {"accelerator": {"model": "NVIDIA H200", "claim": {"deviceClassName": "gpu.nvidia.com"}}}


CLASS = {"accelerator": {"model": "NVIDIA H200", "claim": {"deviceClassName": "gpu.example"}}}
SLICES = [{"accelerator": {"resource": "google.com/tpu", "perNode": 4, "topology": of}} for of in ("4x4", "2x4")]


@pytest.mark.parametrize(
    ("given", "own"),
    [
        (SELECTS, B200),
        (SELECTS, CLAIM),
        (SELECTS, {"accelerator": {"resource": "amd.com/gpu"}}),
        (CLAIM, GPU),
        (CLAIM, CLASS),
        SLICES,
    ],
)
def test_other_accelerators_that_a_group_lists_take_the_place_of_those_of_defaults(
    chart4: Chart, given: Values, own: Values
) -> None:
    group = {"presets": ["own"], "accelerators": 4, "podsPerReplica": 2}
    values = inherited(group, "given", "nics", given=given, own=own, nics=NICS)
    assert chosen(chart4, values) == (["nics", "own"], ["given"])
    assert "pool" not in chart4.render(values).pod().get("nodeSelector", {})


@pytest.mark.parametrize(
    "own",
    [
        {"container": {"env": {"A": "1"}}},
        {"accelerator": {"model": "NVIDIA H200"}},
        {"accelerator": {"perNode": 8}},
        {"accelerator": {"topology": "2x4", "perNode": 8}},
        {"devices": {"vendor.example/nic": {"perPod": 1}}},
        GPU,
        {"accelerator": {"resource": "nvidia.com/gpu"}},
    ],
)
def test_a_preset_of_no_other_accelerators_adds_to_that_of_defaults(chart4: Chart, own: Values) -> None:
    values = inherited({"presets": ["own"], "accelerators": 8}, "given", given=SELECTS, own=own)
    assert chosen(chart4, values) == (["given", "own"], [])
    assert chart4.render(values).pod()["nodeSelector"] == {"pool": "gpu"}


@pytest.mark.parametrize("of", [{}, {"deviceClassName": "gpu.nvidia.com"}])
def test_selectors_of_a_group_add_to_the_claim_of_defaults(chart4: Chart, of: Values) -> None:
    newer = {"accelerator": {"claim": {**of, "selectors": ["device.driver != ''"]}}}
    values = inherited({"presets": ["newer"], "accelerators": 1}, "given", given=CLAIM, newer=newer)
    assert chosen(chart4, values) == (["given", "newer"], [])


def test_a_group_that_lists_none_skips_nothing(chart4: Chart) -> None:
    assert chosen(chart4, inherited({"presets": []}, "gpu", gpu=SELECTS)) == ([], [])


def test_adding_a_preset_never_changes_who_does_not_list_it(chart4: Chart) -> None:
    with_it = chart4.text(operation({"a": {}}, presets={"p": SELECTS}))
    assert with_it == chart4.text(operation({"a": {}}))


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            layered({"presets": ["h300"]}, h200=GPU),
            'groups.a.presets: there is no preset "h300" (did you mean "h200"?); known: h200, image',
        ),
        (
            inherited({}, "h300", h200=GPU),
            'defaults.presets: there is no preset "h300" (did you mean "h200"?); known: h200',
        ),
        (
            operation({"a": {"presets": ["x"]}}),
            'groups.a.presets: there is no preset "x"; known: none; presets come from files',
        ),
        (
            layered({"presets": ["roster/smg"]}, h200=GPU),
            (
                'groups.a.presets: there is no preset "roster/smg"; known: h200, image; presets come from files given '
                "with -f before your own, those called roster/… from presets/ of the package"
            ),
        ),
        (layered({}, p={"replicas": 2}), "presets.p.replicas: a preset selects hardware and never says how much"),
        (layered({}, p={"accelerators": 2}), "presets.p.accelerators: a preset selects hardware and never says"),
        (layered({}, p={"replicas": None}), "presets.p.replicas: a preset selects hardware and never says how much"),
        (layered({}, p={"accelerators": None}), "presets.p.accelerators: a preset selects hardware and never says"),
        (layered({}, p={"unset": ["replicas"]}), 'presets.p.unset: "replicas"; a preset never says how much'),
        (layered({}, p={"unset": ["accelerators"]}), 'presets.p.unset: "accelerators"; a preset never says how much'),
        *(
            (
                layered({}, p=nested(path, {"accelerators": 1})),
                f"presets.p.{path}.accelerators: a preset selects hardware and never says how much; move it",
            )
            for path in ("sidecars.x", "init.x", "leader.sidecars.x", "leader.init.x")
        ),
        (
            layered({}, p={"leader": {"init": [{"name": "x", "accelerators": None}]}}),
            "presets.p.leader.init.x.accelerators: a preset selects hardware and never says how much; move it",
        ),
        (
            layered({}, p={"unset": ["sidecars.x.accelerators"]}),
            'presets.p.unset: "sidecars.x.accelerators"; a preset never says how much; move it into the group',
        ),
        (
            layered({}, p={"leader": {"unset": ["init.x.accelerators"]}}),
            'presets.p.leader.unset: "init.x.accelerators"; a preset never says how much; move it into the group',
        ),
        (
            operation(
                {"a": {}},
                connections={
                    "c": {
                        "kind": "hostPath",
                        "path": "/c",
                        "mountPath": "/c",
                        "init": {"fill": {"accelerators": 1}},
                    }
                },
            ),
            "connections.c.init.fill.accelerators: groups with accelerators count them themselves; give the container",
        ),
        (
            layered(
                {"accelerators": 1}, p={"accelerator": {"topology": "2x2"}}, q={"accelerator": {"topology": "2x4"}}
            ),
            'groups.a.presets: "p" selects the accelerator topology "2x2" and "q" selects "2x4"; keep one',
        ),
        (
            layered({"accelerators": 1}, p={"accelerator": {"perNode": 4}}, q={"accelerator": {"perNode": 8}}),
            'groups.a.presets: "p" selects the accelerator perNode "4" and "q" selects "8"; keep one',
        ),
        (
            layered(
                {"accelerators": 1},
                p={"accelerator": {"claim": {"deviceClassName": "g"}}},
                q={"accelerator": {"claim": {"deviceClassName": "h"}}},
            ),
            'groups.a.presets: "p" selects the accelerator claim.deviceClassName "g" and "q" selects "h"; keep one',
        ),
        (
            inherited({"presets": ["q"], "accelerators": 1}, "p", p=GPU, q={"accelerator": {"model": "NVIDIA H100"}}),
            (
                'groups.a.presets: "p" selects the accelerator model "NVIDIA H200" and "q" selects "NVIDIA H100"; '
                'keep one; "p" comes from defaults, and `unset: [presets.p]` in the group leaves it out'
            ),
        ),
        (
            layered({}, p={"unset": ["presets.q"]}),
            'presets.p.unset: "presets.q"; a preset never says how much, nor which',
        ),
        (layered({}, p=GPU, q=H100), 'groups.a.presets: "p" selects the accelerator model "NVIDIA H200" and "q"'),
    ],
)
def test_presets_that_cannot_be_meant_are_refused(chart4: Chart, values: dict[str, Any], words: str) -> None:
    assert chart4.refusal(values).startswith(words)


def test_raw_accelerators_of_a_preset_stay_where_another_group_has_them_by_count(chart4: Chart) -> None:
    presets = {"gpu": GPU, "raw": {"resources": {"limits": {"nvidia.com/gpu": 1}}}}
    groups: dict[str, Any] = {"a": {"presets": ["raw"]}, "b": {"presets": ["gpu"], "accelerators": 2}}
    found = chart4.render(operation(groups, presets=presets))
    assert [found.container(name)["resources"]["limits"] for name in groups] == [
        {"nvidia.com/gpu": 1},
        {"nvidia.com/gpu": 2},
    ]


FOUND = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
OWN = {"key": "nvidia.com/gpu", "operator": "Equal", "value": "yes", "effect": "NoExecute"}
CACHE, DATA = {"emptyDir": {}}, {"hostPath": {"path": "/data"}}
# What a GPU preset and a group say of one field, as lists and as maps; the maps share a name where names are free.
PARTS: dict[str, tuple[str, dict[str, tuple[Any, Any]], list[Any]]] = {
    "tolerations": (
        "environment.tolerations",
        {"list": ([FOUND], [OWN]), "map": ({"gpu": FOUND}, {"gpu": OWN})},
        [FOUND, OWN],
    ),
    "env": (
        "container.env",
        {
            "list": ([{"name": "GPU", "value": "1"}], [{"name": "OWN", "value": "2"}]),
            "map": ({"GPU": "1"}, {"OWN": "2"}),
        },
        [{"name": "GPU", "value": "1"}, {"name": "OWN", "value": "2"}],
    ),
    "volumes": (
        "volumes",
        {
            "list": ([{"name": "cache", **CACHE}], [{"name": "data", **DATA}]),
            "map": ({"cache": CACHE}, {"data": DATA}),
        },
        [{"name": "cache", **CACHE}, {"name": "data", **DATA}],
    ),
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("strategy", ["pre_merge", "post_merge"])
def test_what_a_group_says_never_erases_what_a_preset_says(chart4: Chart, part: str, strategy: str) -> None:
    path, forms, expected = PARTS[part]
    presets = {form: {**GPU, **nested(path, preset), "patchStrategy": strategy} for form, (preset, _) in forms.items()}
    groups = {
        f"{preset}-{group}": {"presets": [preset], "accelerators": 1, **nested(path, own)}
        for preset in forms
        for group, (_, own) in forms.items()
    }
    objects = chart4.render(operation(groups, presets=presets))
    order = expected if strategy == "pre_merge" else expected[::-1]
    for name in groups:
        pod = objects.pod(name)
        found = pod["containers"][0]["env"] if part == "env" else pod[part]
        assert found == order, name


CONDITIONS = {
    **GPU,
    "connections": ["models"],
    "container": {"image": "example/app:1", "env": {"NCCL": "1"}, "envFrom": [{"configMapRef": {"name": "fabric"}}]},
    "environment": {
        "annotations": {"networks": "8"},
        "hostNetwork": True,
        "nodeSelector": {"pool": "gpu"},
        "requireNodes": {"arch": {"key": "arch", "operator": "In", "values": ["arm64"]}},
        "runtimeClassName": "nvidia",
        "tolerations": {"gpu": FOUND},
    },
    "init": {"plugin": {"cmd": "install"}},
    "resources": {"limits": {"vendor.example/nic": 8}},
    "shm": {"size": "16Gi"},
    "sidecars": {"daemon": {"cmd": "serve"}},
    "volumes": {"cache": CACHE},
}
CPU = {
    "router": {"accelerators": 0, "router": True, "readiness": {"requires": []}},
    "deletes": {"accelerators": None},
    "unsets": {"unset": ["accelerators"]},
    "lists": {"accelerators": 0, "presets": ["engine"]},
}


@pytest.mark.parametrize("strategy", ["isnull", "pre_merge", "post_merge", "replace"])
@pytest.mark.parametrize("accelerators", [0, 8])
def test_conditions_of_a_gpu_preset_never_land_on_a_cpu_router(chart4: Chart, strategy: str, accelerators: int) -> None:
    values = {
        "defaults": {"presets": ["gpu"], "container": {"image": "example/app:1"}, "accelerators": accelerators},
        "connections": {"models": {"kind": "volumeClaim", "claim": "models", "mountPath": "/models"}},
        "presets": {"gpu": {**CONDITIONS, "patchStrategy": strategy}, "engine": {}},
        "groups": {**CPU, "worker": {"accelerators": 1}},
    }
    objects = chart4.render(values)
    for name in CPU:
        assert objects.pod(name) == {"containers": [{"name": "main", "image": "example/app:1"}]}, name
    assert objects.container("worker")["resources"]["limits"]["nvidia.com/gpu"] == 1
