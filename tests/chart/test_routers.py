"""What each router serves, and what it therefore requires."""

from __future__ import annotations

from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, operation

PROBE = {"httpGet": {"path": "/readiness", "port": 80}}
ROUTER = {"router": True, "readiness": {"probe": PROBE}}
DECODE = {"serving": {"role": "decode"}}


def entries(chart: Chart, **groups: Values) -> dict[str, Any]:
    """Return the groups of the resolved operation."""
    found: dict[str, Any] = chart.resolved(operation(groups))["groups"]
    return found


def test_the_one_router_serves_and_requires_every_group_with_a_role(chart: Chart) -> None:
    found = entries(chart, router=ROUTER, decode=DECODE, prefill={"serving": {"role": "prefill"}}, store={})
    assert (found["router"]["serves"], found["router"]["requires"]) == (["decode", "prefill"], ["decode", "prefill"])
    assert found["decode"]["serving"] == {"role": "decode"}


def test_what_a_router_says_itself_goes_before(chart4: Chart) -> None:
    router = {**ROUTER, "serves": ["decode"], "readiness": {"probe": PROBE, "requires": []}}
    found = entries(chart4, router=router, decode={}, spare=DECODE)
    assert (found["router"]["serves"], found["router"]["requires"]) == (["decode"], [])


def test_several_routers_each_serve_their_own(chart: Chart) -> None:
    routers = {"door": {**ROUTER, "serves": ["small"]}, "edge": {**ROUTER, "serves": ["large"]}}
    found = entries(chart, **routers, large=DECODE, small=DECODE)
    assert {name: found[name]["requires"] for name in ("door", "edge")} == {"door": ["small"], "edge": ["large"]}


def test_a_readiness_probe_that_waits_for_what_a_router_serves_is_never_its_start(chart4: Chart) -> None:
    router = {"router": True, "container": {"readinessProbe": PROBE}, "startup": {"timeout": "1h"}}
    refusal = chart4.refusal(operation({"router": router, "decode": DECODE}))
    assert refusal.startswith("groups.router.startup.timeout: 1h, but nothing tells when the container has started")


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        (
            {"door": ROUTER, "edge": ROUTER, "decode": DECODE},
            "groups.door.serves: missing; the operation has several routers (door, edge), so each says which groups",
        ),
        (
            {"door": {**ROUTER, "serves": ["decode"]}, "edge": {**ROUTER, "serves": ["decode"]}, "decode": {}},
            'groups.edge.serves: "decode" is served by "door" already, and a group has one router; take it out of',
        ),
        (
            {"door": {**ROUTER, "serves": ["decod"]}, "decode": {}},
            'groups.door.serves: there is no group "decod" (did you mean "decode"?); known: decode',
        ),
        ({"door": {**ROUTER, "serves": ["door"]}}, 'groups.door.serves: "door" is the router itself; name the groups'),
        (
            {"door": {**ROUTER, "serves": ["edge"]}, "edge": {**ROUTER, "serves": []}},
            'groups.door.serves: "edge" is a router too, and a router serves groups that are none; name those behind',
        ),
        ({"a": {"serves": ["b"]}, "b": {}}, "groups.a.serves: b, but the group is no router; set router: true, or le"),
        (
            {"door": {"router": True}, "decode": DECODE},
            "groups.door.readiness: requires decode, but nothing checks it; give a readiness.probe that fails while",
        ),
        (
            {"door": ROUTER, "decode": {**DECODE, "readiness": {"requires": ["door"], "probe": PROBE}}},
            "groups.decode.readiness.requires: decode -> door -> decode is a circle, in which no group would ever be",
        ),
    ],
)
def test_what_no_router_can_serve_is_refused(chart4: Chart, groups: Values, words: str) -> None:
    assert chart4.refusal(operation(groups)).startswith(words)
