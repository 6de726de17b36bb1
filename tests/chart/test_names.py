"""Names that are derived from the operation, its groups and its run."""

from __future__ import annotations

import pytest

from tests.chart.rendering import Chart, Values, operation
from tests.support.roster import CHART


def name(chart: Chart, group: str, release: str = "rl", **fields: str) -> str:
    values = operation({group: {}}, operation=fields)
    return str(chart.render(values, release=release).workload(group)["metadata"]["name"])


def test_a_short_name_is_readable(chart: Chart) -> None:
    assert name(chart, "decode") == "rl-decode"


def test_the_operation_may_have_a_name_of_its_own(chart4: Chart) -> None:
    assert name(chart4, "decode", name="chat") == "chat-decode"


def test_two_operations_never_share_a_name(chart: Chart) -> None:
    assert name(chart, "b-c", release="a") != name(chart, "c", release="a-b")


def test_a_long_name_is_cut_and_stays_apart_from_its_like(chart: Chart) -> None:
    names = {name(chart, f"{'g' * 39}{end}", release="r" * 53) for end in "ab"}
    assert len(names) == 2
    assert {len(entry) for entry in names} == {47}


def test_the_longest_names_leave_room_for_what_kubernetes_appends(chart4: Chart) -> None:
    members = {"g" * 40: {}}
    scheduling = {"placement": {"backend": "native"}, "gangs": {"x": {"members": members}}}
    group = {"container": {"ports": {"http": 1}}}
    objects = chart4.render(operation({"g" * 40: group}, scheduling=scheduling), release="r" * 53)
    assert max(len(entry["metadata"]["name"]) for entry in objects.workloads()) <= 52
    assert max(len(entry["metadata"]["name"]) for entry in objects.all if entry["kind"] == "Service") <= 63


@pytest.mark.parametrize("hostile", ["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
def test_a_group_that_yaml_reads_as_something_else_is_refused(chart4: Chart, hostile: str) -> None:
    assert chart4.refusal(operation({hostile: {}})).startswith(f'groups: "{hostile}" cannot be a name: YAML reads')


@pytest.mark.parametrize("hostile", ["7", "1000", "1e3", "0x1f", "12e5"])
def test_a_group_that_yaml_reads_as_a_number_is_refused(chart4: Chart, hostile: str) -> None:
    assert "as a number; choose another name" in chart4.refusal(operation({hostile: {}}))


@pytest.mark.parametrize("written", ["n: {}", "y: {}", "1e3: {}"])
def test_the_reason_reaches_who_wrote_it_without_quotes(chart: Chart, written: str) -> None:
    done = chart.helm.attempt("template", "rl", CHART, "-f", "-", text=f"groups:\n  {written}\n")
    assert "cannot be a name: YAML reads" in done.stderr


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (operation({"svc": {}}), 'groups: "svc" cannot be a name: the ending svc'),
        (operation({"a-svc": {}}), 'groups: "a-svc" cannot be a name: the ending svc'),
        (operation({"g" * 41: {}}), f'groups: "{"g" * 41}" has 41 characters; at most 40'),
        (operation({"a": {}}, presets={"on": {}}), 'presets: "on" cannot be a name'),
        (operation({"a": {}}, operation={"name": "1a"}), 'operation.name: "1a" cannot begin the name of a Service'),
        (operation({"a": {}}, operation={"name": "a" * 54}), f'operation.name: "{"a" * 54}" has 54 characters'),
        ({}, "groups: none; an operation has at least one named group; give values with -f"),
    ],
)
def test_names_that_objects_cannot_have_are_refused(chart4: Chart, values: Values, words: str) -> None:
    assert chart4.refusal(values).startswith(words)


@pytest.mark.parametrize("release", ["1a", "a.b"])
def test_a_release_that_cannot_begin_a_service_is_refused(chart4: Chart, release: str) -> None:
    assert chart4.refusal(operation({"a": {}}), release=release).startswith(f'operation.name: "{release}" cannot begin')
