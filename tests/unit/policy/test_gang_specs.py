"""What grouping objects keep of a gang, in the words of the values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helm_roster.policy import gang_specs

from tests.unit.builders import gang, group, plan

LABELS = {"helm-roster.dev/gang": "train"}


def test_a_gang_says_its_backend_members_and_priority() -> None:
    urgent = {"priorityClassName": "urgent"}
    asked = plan({"a": group(2, pod=urgent), "b": group(4, pod=urgent)}, {"train": gang(a=(2, False), b=(1, True, 3))})
    members = {"a": {"min": 2}, "b": {"min": 1, "elastic": True, "order": 3}}
    assert gang_specs.of(asked, asked.operation.gangs[0]) == {
        "backend": "native", "members": members, "priority": "urgent",
    }  # fmt: skip


def test_a_gang_says_how_it_is_admitted_and_what_is_counted_for_it() -> None:
    admission = {"backend": "kueue", "queue": "team", "maxRunTime": 60}
    asked = plan({"a": group(2, accelerators=1)}, {"train": gang(a=(2, False))}, admission=admission)
    said = gang_specs.of(asked, asked.operation.gangs[0])
    assert said["admission"] == {"backend": "kueue", "queue": "team"}
    requests = {"cpu": "1", "memory": "1Gi", "nvidia.com/gpu": "1"}
    assert said["members"] == {"a": {"min": 2, "requests": requests}}


def test_where_quota_is_asked_for_the_nodes_that_pods_choose_are_kept_too() -> None:
    groups = {"a": group(2, pod={"nodeSelector": {"model": "x"}})}
    said = [
        gang_specs.of(asked, asked.operation.gangs[0])["members"]["a"].get("nodes")
        for asked in (
            plan(groups, {"train": gang(a=(2, False))}, admission=admission)
            for admission in ({"backend": "kueue", "queue": "team"}, None)
        )
    ]
    assert said == [{"nodeSelector": {"model": "x"}}, None]


def test_what_was_written_is_read_back_by_gang() -> None:
    spec = {"members": {"a": {"min": 2}}}
    metadata = {"labels": LABELS, "annotations": {"helm-roster.dev/gang-spec": gang_specs.text(spec)}}
    assert gang_specs.read([{"metadata": metadata}, {"metadata": {}}]) == {"train": spec}


def test_a_gang_says_its_localities_and_what_may_be_taken_of_it() -> None:
    members = {"a": {"min": 2, "locality": {"within": "host", "required": False, "label": "example.com/host"}}}
    where = {"within": "rack", "required": True, "tier": 1, "segment": 4}
    asked = plan({"a": group(2)}, {"train": {"members": members, "locality": where, "preemption": "gang"}})
    said = gang_specs.of(asked, asked.operation.gangs[0])
    assert {key: said[key] for key in ("members", "locality", "preemption")} == {
        "members": members, "locality": where, "preemption": "gang",
    }  # fmt: skip


@pytest.mark.parametrize("said", ["", "{", "[]", json.dumps("text")])
def test_an_annotation_that_somebody_broke_says_nothing(said: str) -> None:
    metadata = {"labels": LABELS, "annotations": {"helm-roster.dev/gang-spec": said}}
    assert gang_specs.read([{"metadata": metadata}]) == {}


TWO = {"a": {"min": 2}, "b": {"min": 1, "elastic": True, "order": 1}}
RACK, HOST = {"within": "rack", "required": True}, {"within": "host", "required": False, "segment": 4}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param({"members": TWO}, {"members": TWO}, [], id="nothing"),
        pytest.param({"members": TWO}, {"members": TWO | {"c": {"min": 1}}}, ["member added: member c added"], id="in"),
        pytest.param({"members": TWO}, {"members": {"a": {"min": 2}}}, ["member removed: member b removed"], id="out"),
        pytest.param(
            {"members": TWO}, {"members": TWO | {"a": {"min": 4}}}, ["size: size of a 2 → 4"], id="of a fixed one"
        ),
        pytest.param(
            {"members": {}},
            {"members": {}, "admission": {"backend": "x", "queue": "q", "priorityClass": "p"}},
            ["admission: admission none → x, priorityClass p, queue q"],
            id="admission",
        ),
        pytest.param(
            {"members": {"a": {"min": 2, "requests": {"cpu": "1", "memory": "1Gi"}}}},
            {"members": {"a": {"min": 2, "requests": {"cpu": "2", "gpu": "1", "memory": "1Gi"}}}},
            ["resources: resources of a: cpu 1 → 2, gpu none → 1, but quota counted the old ones"],
            id="resources",
        ),
        pytest.param(
            {"members": {"a": {"min": 2, "requests": {}}}},
            {"members": {"a": {"min": 2, "requests": {"gpu": "1"}}}},
            ["resources: resources of a: gpu none → 1, but quota counted the old ones"],
            id="resources of what asked for none",
        ),
        pytest.param(
            {"members": {"a": {"min": 2, "requests": {}, "nodes": {"nodeSelector": {"model": "x"}}}}},
            {"members": {"a": {"min": 2, "requests": {}, "nodes": {"affinity": [{"matchExpressions": []}]}}}},
            ["nodes: nodes of a model=x → by affinity, but its quota is of the old ones"],
            id="nodes",
        ),
        pytest.param(
            {"members": {"a": {"min": 2}}},
            {"members": {"a": {"min": 2, "requests": {"cpu": "2"}}}},
            [],
            id="nobody counted",
        ),
        pytest.param(
            {"members": TWO},
            {"members": TWO | {"b": TWO["b"] | {"min": 3}}},
            ["minimum raised: minimum of b 1 → 3"],
            id="the minimum of an elastic one raised",
        ),
        pytest.param(
            {"members": TWO | {"b": TWO["b"] | {"min": 3}}}, {"members": TWO}, [], id="the minimum of one lowered"
        ),
        pytest.param(
            {"members": {"a": {"min": 2, "elastic": True}}},
            {"members": {"a": {"min": 8}}},
            ["minimum raised: minimum of a 2 → 8"],
            id="elastic alone to fixed with more",
        ),
        pytest.param(
            {"members": {"a": {"min": 8}}}, {"members": {"a": {"min": 2, "elastic": True}}}, [], id="with fewer"
        ),
        pytest.param(
            {"members": TWO},
            {"members": TWO | {"b": {"min": 1, "order": 1}}},
            ["elasticity: b becomes fixed"],
            id="fixed or elastic",
        ),
        pytest.param(
            {"members": {"a": {"min": 2}}}, {"members": {"a": {"min": 2, "elastic": True}}}, [], id="elastic alone"
        ),
        pytest.param(
            {"members": TWO}, {"members": TWO | {"a": {"min": 2, "order": 2}}}, ["order: order a, b → b, a"], id="order"
        ),
        pytest.param(
            {"members": TWO}, {"members": TWO | {"b": TWO["b"] | {"order": 7}}}, [], id="an order that is the same"
        ),
        pytest.param(
            {"members": TWO, "locality": RACK},
            {"members": TWO, "locality": HOST},
            ["locality: locality rack (required) → host (preferred, segment 4)"],
            id="locality",
        ),
        pytest.param(
            {"members": TWO},
            {"members": TWO | {"a": {"min": 2, "locality": RACK}}},
            ["locality: locality of a none → rack (required)"],
            id="locality of a member",
        ),
        pytest.param(
            {"members": TWO, "locality": HOST},
            {"members": TWO | {"a": {"min": 2, "locality": RACK | {"required": False}}}},
            [
                "preferred locality: locality of a none → rack (preferred)",
                "preferred locality: locality host (preferred, segment 4) → none",
            ],
            id="preferred localities",
        ),
        pytest.param(
            {"members": TWO, "priority": "low"}, {"members": TWO}, ["priority: priority low → none"], id="priority"
        ),
        pytest.param(
            {"members": TWO},
            {"members": TWO, "preemption": "gang"},
            ["preemption: preemption none → gang"],
            id="preemption",
        ),
    ],
)
def test_what_may_not_change_for_one_pod_after_the_other_is_said(
    old: dict[str, Any], new: dict[str, Any], said: list[str]
) -> None:
    assert [f"{aspect}: {words}" for aspect, words in gang_specs.changes(old, new)] == said
