"""Groups that are rolled out together: one revision of all of them, which the router's selectors hold."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.chart.rendering import Chart, Objects, Values, nested, operation

PROBE = {"httpGet": {"path": "/readiness", "port": 80}}
SELECT = [{"fromRole": "prefill", "as": "labels"}, {"fromRole": "decode", "as": "selector"}]
LABEL = "helm-roster.dev/revision"
TOGETHER = {"coordinated": True}
PORT = {"groups.prefill.container.ports": {"http": 8000}}
SIBLING = {"groups.prefill.container.env.X": {"fromGroup": "decode", "as": "first"}}
PARTITION = {"rollingUpdateConfiguration": {"partition": 1}}
HELD = {"op": "replace", "path": "/spec/updateStrategy/type", "value": "OnDelete"}
PATCHED = {"spec": {"leaderWorkerTemplate": {"workerTemplate": {"spec": {"hostPID": True}}}}}


def values(**changes: Any) -> Values:
    """Return values with a router of two groups that are rolled out together; `decode.replicas` and the like change."""
    groups: Values = {
        "router": {"router": True, "readiness": {"probe": PROBE}, "container": {"args": SELECT}},
        "prefill": {
            "serving": {"role": "prefill"},
            "rollout": TOGETHER,
            "container": {"args": [{"fromGroup": "decode", "as": "count"}]},
        },
        "decode": {"serving": {"role": "decode"}, "rollout": TOGETHER, "podsPerReplica": 2},
        "other": {"serving": {"role": "encode"}},
    }
    made: Values = json.loads(json.dumps(operation(groups)))
    for path, value in changes.items():
        _lay(made, nested(path, value))
    return made


def _lay(into: Values, over: Values) -> None:
    for key, value in over.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _lay(into[key], value)
        else:
            into[key] = copy.deepcopy(value)


def revisions(objects: Objects) -> dict[str, str]:
    """Return the revision of each group's pods that serve, and which ones the router looks for."""
    found = {}
    for name in ("prefill", "decode"):
        spec = objects.workload(name)["spec"]
        template = spec["leaderWorkerTemplate"]["leaderTemplate"] if name == "decode" else spec["template"]
        found[name] = template["metadata"]["labels"][LABEL]
    args = ",".join(objects.container("router")["args"]).split(",")
    found["router"] = " ".join(sorted({arg.removeprefix(f"{LABEL}=") for arg in args if LABEL in arg}))
    return found


@pytest.fixture
def first(chart4: Chart) -> dict[str, str]:
    return revisions(chart4.render(values()))


def test_all_pods_that_serve_and_the_routers_selectors_hold_one_revision(chart: Chart, first: dict[str, str]) -> None:
    objects = chart.render(values())
    assert len(set(first.values())) == 1
    assert revisions(objects) == first
    args = ["app.kubernetes.io/instance=rl", "helm-roster.dev/group=prefill", f"{LABEL}={first['router']}"]
    assert objects.container("router")["args"][:3] == args
    workers = objects.workload("decode")["spec"]["leaderWorkerTemplate"]["workerTemplate"]["metadata"]["labels"]
    assert LABEL not in workers
    assert LABEL not in objects.workload("prefill")["spec"]["selector"]["matchLabels"]
    assert LABEL not in objects.workload("other")["spec"]["template"]["metadata"]["labels"]


@pytest.mark.parametrize(
    "change",
    [
        {"groups.decode.container.image": "example/app:2"},
        {"groups.prefill.container.env.X": "1"},
        {"groups.decode.leader.container.env.X": "1"},
        {"patches.decode.more.merge": {"spec": {"hostPID": True}}},
        {"patches.decode.more": {"target": "workload", "merge": PATCHED}},
        {"groups.decode.serving.role": "decode", "groups.decode.environment.labels.x": "1"},
        {"groups.decode.podsPerReplica": 4},
    ],
)
def test_what_changes_the_pods_of_one_gives_all_another_revision(
    chart4: Chart, first: dict[str, str], change: Values
) -> None:
    found = revisions(chart4.render(values(**change)))
    assert len(set(found.values())) == 1
    assert found["router"] != first["router"]


@pytest.mark.parametrize(
    "change",
    [
        {"groups.decode.replicas": 3},
        {"groups.other.container.image": "example/app:2"},
        {"labels.x": "y"},
        {"groups.decode.recovery.scope": "pod"},
        {"patches.prefill.more": {"target": "Service/ready", "merge": {"metadata": {"annotations": {"x": "y"}}}}},
        {"patches.prefill.more": {"target": "workload", "merge": {"spec": {"minReadySeconds": 5}}}},
    ],
)
def test_what_leaves_the_pods_as_they_are_does_not(chart4: Chart, first: dict[str, str], change: Values) -> None:
    assert revisions(chart4.render(values(**change))) == first


def test_the_resolved_operation_says_who_is_rolled_out_together(chart4: Chart) -> None:
    groups = chart4.resolved(values())["groups"]
    together = {name: group.get("coordinated") for name, group in groups.items()}
    names = ["decode", "prefill"]
    assert together == {"decode": names, "prefill": names, "router": names, "other": None}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"groups.prefill.rollout.coordinated": False}, "groups.decode.rollout.coordinated: true, but of no other gr"),
        (
            {"groups.router.rollout": TOGETHER},
            "groups.router.rollout.coordinated: true, but the group is a router, which follows what it serves by it",
        ),
        (
            {"groups.router.serves": ["prefill", "other"]},
            "groups.decode.rollout.coordinated: true, but no router serves the group, so nobody would keep its vers",
        ),
        (
            {"groups.prefill.workload": "StatefulSet", "groups.prefill.rollout.type": "OnDelete"},
            "groups.prefill.rollout.type: OnDelete, but the group is rolled out together with others, and pods that",
        ),
        (
            {"groups.decode.rollout.partition": 1},
            "groups.decode.rollout.partition: 1, but the group is rolled out together with others, and pods that st",
        ),
        (
            {"patches.decode.held": {"target": "workload", "merge": {"spec": {"rolloutStrategy": PARTITION}}}},
            "patches.decode.held: keeps pods back, but the group is rolled out together with others, and those would",
        ),
        (
            {"groups.prefill.workload": "StatefulSet", "patches.prefill.held": {"target": "workload", "json": [HELD]}},
            "patches.prefill.held: keeps pods back, but the group is rolled out together with others, and those woul",
        ),
        (
            {"groups.router.container.args": SELECT[:1]},
            'groups.decode.rollout.coordinated: true, but nothing that "router" is given selects its pods; give it',
        ),
        (
            {"groups.router.container.env.X": {"fromGroup": "decode", "as": "hosts"}},
            'groups.decode.rollout.coordinated: true, but "router" reads it as hosts, which tells no versions apart',
        ),
        (
            {"groups.decode.container.env.X": {"fromGroup": "prefill", "as": "url", "port": "http"}, **PORT},
            'groups.prefill.rollout.coordinated: true, but "decode" reads it as url, which tells no versions apart; ',
        ),
        (
            {"groups.decode.container.env.X": {"fromGroup": "decode", "as": "hosts"}, **SIBLING},
            'groups.decode.rollout.coordinated: true, but "prefill" reads it as first, which tells no versions apart',
        ),
        (
            {"groups.other.serving.role": "decode"},
            'groups.router.container.args: of the groups "decode" and "other", which have one role, only one is rol',
        ),
    ],
)
def test_what_could_mix_versions_is_refused(chart4: Chart, change: Values, words: str) -> None:
    assert chart4.refusal(values(**change)).startswith(words)


def test_pods_of_groups_that_do_not_say_how_they_serve_get_the_revision_and_no_other_label(chart4: Chart) -> None:
    args = [{"fromGroup": name, "as": "labels"} for name in ("a", "b")]
    router = {"router": True, "serves": ["a", "b"], "readiness": {"probe": PROBE}, "container": {"args": args}}
    labels = {}
    for together in (True, False):
        group = {"rollout": {"coordinated": together}}
        objects = chart4.render(operation({"router": router, "a": group, "b": group}))
        labels[together] = set(objects.template("a")["metadata"]["labels"])
    assert labels[True] - labels[False] == {LABEL}
