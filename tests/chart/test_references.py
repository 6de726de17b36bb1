"""What groups say of each other in environment and arguments, which the chart works out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.chart.rendering import Chart, Objects, Values, operation

PROBE = {"httpGet": {"path": "/readiness", "port": 80}}
GROUPS: Values = {
    "decode": {"serving": {"role": "decode", "port": "http"}, "container": {"ports": {"http": 30000, "metrics": 90}}},
    "prefill": {
        "workload": "StatefulSet",
        "replicas": 2,
        "serving": {"role": "prefill", "port": "http"},
        "container": {"ports": {"http": 30000, "bootstrap": 8998}},
    },
    "bare": {},
    "scaled": {
        "container": {"ports": {"http": 1}},
        "autoscaling": {"owner": "external"},
        "workload": "StatefulSet",
    },
}
ROUTER: Values = {"router": True, "serves": ["decode", "prefill"], "readiness": {"probe": PROBE}}


def render(chart: Chart, args: list[Any], **groups: Values) -> Objects:
    """Return what comes of a router with these arguments before the groups."""
    return chart.render(operation({**GROUPS, "router": {**ROUTER, "container": {"args": args}}, **groups}))


def reference(to: str, form: str, **more: str | bool) -> Values:
    """Return a reference to a group."""
    return {"fromGroup": to, "as": form, **more}


LABELS = ["app.kubernetes.io/instance=rl", "helm-roster.dev/group=prefill", "helm-roster.dev/leader=true"]
FORMS = [
    (reference("prefill", "hosts"), ["rl-prefill-0.rl-prefill,rl-prefill-1.rl-prefill"]),
    (reference("prefill", "hosts", separator=" "), ["rl-prefill-0.rl-prefill rl-prefill-1.rl-prefill"]),
    (
        reference("prefill", "urls", flag="--to"),
        ["--to=http://rl-prefill-0.rl-prefill:30000,http://rl-prefill-1.rl-prefill:30000"],
    ),
    (
        reference("prefill", "urls", flag="--to", repeat=True),
        ["--to=http://rl-prefill-0.rl-prefill:30000", "--to=http://rl-prefill-1.rl-prefill:30000"],
    ),
    (reference("prefill", "first"), ["rl-prefill-0.rl-prefill"]),
    (reference("prefill", "first", port="bootstrap"), ["rl-prefill-0.rl-prefill:8998"]),
    (reference("prefill", "service"), ["rl-prefill-svc"]),
    (reference("prefill", "service", port="http"), ["rl-prefill-svc:30000"]),
    (reference("prefill", "url", port="bootstrap"), ["http://rl-prefill-svc:8998"]),
    (reference("prefill", "count"), ["2"]),
    (reference("prefill", "pods", flag="--pods"), ["--pods=2"]),
    (reference("prefill", "port"), ["30000"]),
    (reference("scaled", "port"), ["1"]),
    (reference("prefill", "labels"), LABELS),
    (reference("prefill", "labels", flag="--prefill-selector"), ["--prefill-selector", *LABELS]),
    (reference("prefill", "selector", flag="-l"), ["-l=" + ",".join(LABELS)]),
    ({"fromRole": "prefill", "as": "labels"}, LABELS),
    ({"fromRole": "decode", "as": "port", "flag": "--port"}, ["--port=30000"]),
]


def test_each_form_is_worked_out_in_arguments(chart: Chart) -> None:
    args = render(chart, ["first", *(form for form, _ in FORMS), "last"]).container("router")["args"]
    assert args == ["first", *(text for _, texts in FORMS for text in texts), "last"]


def test_a_command_and_extra_arguments_hold_them_too(chart4: Chart) -> None:
    count = reference("prefill", "count")
    tool = {"cmd": ["tool", count], "container": {"extraArgs": [{"fromPort": "http", "flag": "--port"}],
                                                  "ports": {"http": 80}}}  # fmt: skip
    container = render(chart4, [], tool=tool).container("tool")
    assert (container["command"], container["args"]) == (["tool", "2"], ["--port=80"])


def test_variables_of_all_containers_hold_them_and_keep_their_order(chart: Chart) -> None:
    env = {"A": "http://$(HOST)", "HOST": reference("prefill", "first"), "OWN": {"fromPort": "web"}}
    tool = {
        "container": {"env": [{"name": "HOSTS", **reference("prefill", "hosts")}], "ports": {"web": 81}},
        "init": {"before": {"env": env}},
        "sidecars": {"beside": {"env": env}, "plain": {"native": False, "env": env}},
    }
    pod = render(chart, [], tool=tool).pod("tool")
    expected = [{"name": "HOST", "value": "rl-prefill-0.rl-prefill"}, {"name": "A", "value": "http://$(HOST)"}]
    found = [*pod["initContainers"], *pod["containers"][1:]]
    assert [entry["env"][:2] for entry in found] == [expected] * 3
    assert [entry["env"][2]["value"] for entry in found] == ["81"] * 3
    assert pod["containers"][0]["env"][0]["value"] == "rl-prefill-0.rl-prefill,rl-prefill-1.rl-prefill"


def test_several_groups_of_a_role_are_found_by_the_role(chart4: Chart) -> None:
    more = {**GROUPS["prefill"], "replicas": 3}
    args = [{"fromRole": "prefill", "as": "selector"}, {"fromRole": "prefill", "as": "count"}]
    router = {**ROUTER, "serves": ["prefill", "more"], "container": {"args": args}}
    pairs = "app.kubernetes.io/instance=rl,helm-roster.dev/role=prefill,helm-roster.dev/leader=true"
    assert render(chart4, [], more=more, router=router).container("router")["args"] == [pairs, "5"]


def test_several_roles_are_read_as_one_where_they_agree(chart: Chart) -> None:
    args = [{"fromRole": ["prefill", "decode"], "as": form} for form in ("count", "port")]
    assert render(chart, args).container("router")["args"] == ["3", "30000"]


def test_a_served_group_finds_those_that_its_router_serves(chart4: Chart) -> None:
    port = {"fromRole": "prefill", "as": "port", "port": "bootstrap", "flag": "--bootstrap"}
    decode = {**GROUPS["decode"], "cmd": ["decode", port]}
    assert render(chart4, [], decode=decode).container("decode")["command"] == ["decode", "--bootstrap=8998"]


def test_of_replicas_that_span_pods_the_leaders_are_read_and_each_pod_knows_its_own_ports(chart4: Chart) -> None:
    own = {"cmd": ["serve", {"fromPort": "http"}], "container": {"ports": {"http": 1}}}
    spanning = {**own, "replicas": 2, "podsPerReplica": 4, "leader": {"container": {"ports": {"http": 2}}}}
    args = [reference("spanning", form) for form in ("urls", "count", "pods")]
    objects = render(chart4, [], spanning=spanning, reader={"container": {"args": args}})
    hosts = "http://rl-spanning-0.rl-spanning:2,http://rl-spanning-1.rl-spanning:2"
    assert objects.container("reader")["args"] == [hosts, "2", "8"]
    templates = objects.workload("spanning")["spec"]["leaderWorkerTemplate"]
    commands = [templates[pod]["spec"]["containers"][0]["command"] for pod in ("leaderTemplate", "workerTemplate")]
    assert commands == [["serve", "2"], ["serve", "1"]]


def test_a_job_is_reached_by_the_names_of_its_pods(chart4: Chart) -> None:
    values = operation({"a": {"replicas": 2}, "b": {"container": {"args": [reference("a", "hosts")]}}},
                       operation={"kind": "job"})  # fmt: skip
    assert chart4.render(values).container("b")["args"] == ["rl-a-0.rl-a,rl-a-1.rl-a"]


def test_the_resolved_operation_says_who_reads_what_of_whom(chart: Chart) -> None:
    args = [reference("prefill", "urls"), reference("prefill", "count"), {"fromRole": "decode", "as": "labels"}]
    groups = {**GROUPS, "router": {**ROUTER, "container": {"args": args}}}
    spec = chart.resolved(operation(groups))
    assert spec["groups"]["router"]["reads"] == {"decode": ["labels"], "prefill": ["count", "urls"]}
    assert "reads" not in spec["groups"]["decode"]


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (reference("prefil", "count"), '.fromGroup: there is no group "prefil" (did you mean "prefill"?); known: bare'),
        (
            {"fromRole": "prefil", "as": "count"},
            '.fromRole: there is no group that "router" serves with the role "prefil" (did you mean "prefill"?)',
        ),
        (
            {"fromRole": ["prefill", "decode"], "as": "labels"},
            '.fromRole: "prefill" and "decode", but one selector finds one role; refer to each by itself',
        ),
        (reference("prefill", "port", port="boot"), '.port: there is no port of the group "prefill" called "boot" (di'),
        (
            reference("prefill", "urll"),
            '.as: "urll" (did you mean "url"?); allowed: count, first, hosts, labels, pods,',
        ),
        ({"fromGroup": "prefill"}, ".as: missing; allowed: count, first, hosts, labels, pods, port, selector, service"),
        (reference("scaled", "hosts"), '.as: hosts, but how many replicas the group "scaled" has is its autoscaler\'s'),
        (reference("scaled", "count"), '.as: count, but how many replicas the group "scaled" has is its autoscaler\'s'),
        (
            reference("decode", "hosts"),
            (
                '.as: hosts, but the group "decode" is a Deployment, whose pods have no lasting names; set '
                "groups.decode.workload: StatefulSet, or use service, labels or selector"
            ),
        ),
        (reference("decode", "urls"), '.as: urls, but the group "decode" is a Deployment'),
        (reference("decode", "first"), '.as: first, but the group "decode" is a Deployment'),
        (
            reference("prefill", "urls", repeat=True, separator=" "),
            ': repeat with separator " ", but each value is an ar',
        ),
        (reference("prefill", "selector", separator=" "), '.separator: " ", but as: selector is no list that it cou'),
        (reference("prefill", "count", separator=";"), '.separator: ";", but as: count is no list that it could'),
        (reference("prefill", "hosts", separator=""), ".separator: empty, so the values would run together; leav"),
        (reference("prefill", "count", flag="--n="), '.flag: "--n="; leave the = out, which the chart puts the'),
        (reference("bare", "service"), ': the group "bare" has no ports, so it has no Service; name one under groups.'),
        (reference("bare", "port"), '.port: missing, and the group "bare" has none; name one, or say it by its servin'),
        ({"fromPort": "http"}, '.fromPort: there is no port of the group "router" called "http"; known: none; name on'),
    ],
)
def test_what_nobody_could_answer_is_refused(chart4: Chart, entry: Values, words: str) -> None:
    router = {**ROUTER, "container": {"args": [entry]}}
    refusal = chart4.refusal(operation({**GROUPS, "router": router}))
    assert refusal.startswith(f"groups.router.container.args{words}")


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ({"a": {"cmd": ["x", 5]}}, "groups.a.cmd: 5 is a number where Kubernetes wants text; quote it"),
        ({"a": {"cmd": [{"fromPort": "http"}, True]}}, "groups.a.cmd: true is a boolean where Kubernetes wants text"),
        ({"a": {"cmd": [{"as": "count"}]}}, 'groups.a.cmd: {"as":"count"}; a reference says one of fromGroup, fromRol'),
        ({"a": {"container": {"env": {"X": {"as": "url"}}}}}, 'groups.a.container.env.X: {"as":"url"}; a reference '),
        (
            {"a": {"container": {"env": {"X": {"fromPort": None}}}}},
            'groups.a.container.env.X: {"fromPort":null}; a reference says one of fromGroup, fromRole and fromPort',
        ),
        (
            {"a": {"container": {"env": {"X": {"fromGroup": "", "as": "count"}}}}},
            'groups.a.container.env.X.fromGroup: there is no group ""; known:',
        ),
        (
            {"router": {**ROUTER, "cmd": [{"fromRole": "", "as": "port"}]}, **GROUPS},
            'groups.router.cmd.fromRole: there is no group that "router" serves with the role "";',
        ),
        (
            {"a": {"container": {"env": {"X": {"fromGroup": "a", "value": "1"}}}}},
            "groups.a.container.env.X: fromGroup and value; a reference says one of fromGroup, fromRole and fromPort",
        ),
        (
            {"a": {"container": {"env": {"X": {"fromPort": "http", "as": "port"}}}}},
            "groups.a.container.env.X: fromPort with as, but it stands for the number of a port of the pod itself",
        ),
        (
            {"a": {"container": {"env": {"X": reference("a", "labels")}}}},
            "groups.a.container.env.X.as: labels, which are an argument each, but a variable has one value; write",
        ),
        (
            {"a": {"cmd": [{"fromRole": "decode", "as": "port"}]}},
            'groups.a.cmd.fromRole: "decode", but the group is no router, and no router serves it, so its rol',
        ),
        (
            {"decode": {**GROUPS["decode"], "cmd": [{"fromRole": "decode", "as": "port"}]}},
            'groups.decode.cmd.fromRole: "decode" is the role of this group itself; name a group by fromGroup',
        ),
        (
            {"decode": {**GROUPS["decode"], "serving": {"role": "prefill", "port": "metrics"}},
             "router": {**ROUTER, "cmd": [{"fromRole": "prefill", "as": "port"}]}},
            'groups.router.cmd.port: 90 of the group "decode", but 30000 of "prefill", and the program takes',
        ),
        (
            {"decode": {**GROUPS["decode"], "serving": {}},
             "router": {**ROUTER, "cmd": [reference("decode", "url")]}},
            'groups.router.cmd.port: missing, and the group "decode" has several (http, metrics); name one, o',
        ),
        (
            {"prefill": {**GROUPS["prefill"], "expose": {"port": "http"}},
             "router": {**ROUTER, "cmd": [reference("prefill", "url", port="bootstrap")]}},
            'groups.router.cmd: port 8998 of the group "prefill", but its Service offers only "http"; leave',
        ),
        (
            {"more": GROUPS["prefill"], "other": GROUPS["prefill"],
             "router": {**ROUTER, "serves": ["prefill", "more"], "cmd": [{"fromRole": "prefill", "as": "labels"}]}},
            'groups.router.cmd.fromRole: "prefill" is also the role of the group "other", which another rout',
        ),
        (
            {"more": GROUPS["prefill"],
             "router": {**ROUTER, "serves": ["prefill", "more"], "cmd": [{"fromRole": "prefill", "as": "first"}]}},
            "groups.router.cmd.as: first, but several groups have this role, and each has a first replica; n",
        ),
    ],
)  # fmt: skip
def test_what_contradicts_itself_is_refused(chart4: Chart, groups: Values, words: str) -> None:
    assert chart4.refusal(operation({**GROUPS, "router": ROUTER, **groups})).startswith(words)


def test_people_are_told_the_value_and_the_layer_that_asks_for_it(chart4: Chart) -> None:
    tool = {
        "container": {"env": {"N": reference("prefill", "count")}},
        "init": {"x": {"env": {"N": reference("prefill", "count")}}},
    }
    spec = chart4.resolved(operation({**GROUPS, "router": ROUTER, "tool": tool}))
    told = json.loads(spec["composed"]["tool"])
    assert (told["container"]["env"]["N"], told["init"]["x"]["env"]["N"]) == ("2", "2")
    assert spec["layers"]["tool"]["container.env.N"] == "groups.tool"


@pytest.mark.parametrize(
    ("container", "at"),
    [
        ({"readinessProbe": {"exec": {"command": ["check", {"fromPort": "http"}]}}}, "container.readinessProbe"),
        ({"livenessProbe": {"tcpSocket": {"port": {"fromPort": "http"}}}}, "container.livenessProbe"),
        ({"lifecycle": {"preStop": {"exec": {"command": [{"fromPort": "http"}]}}}}, "container.lifecycle.preStop"),
    ],
)
def test_probes_and_hooks_hold_none(chart4: Chart, container: Values, at: str) -> None:
    refusal = chart4.refusal(operation({"a": {"container": {**container, "ports": {"http": 80}}}}))
    told = "fromPort, but probes and hooks hold no references; name a port by its name, or read in the command a vari"
    assert refusal.startswith(f"groups.a.{at}: {told}")
