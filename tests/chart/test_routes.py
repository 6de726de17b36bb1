"""The same values give equal objects by whatever way they reach Helm: files, flags, a chart that wraps ours."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from helm_roster import constants

from tests.chart import routes
from tests.chart.rendering import Chart, Objects, Values, nested, operation
from tests.support import manifests
from tests.support.roster import CHART
from tests.support.runner import Runner

CI = sorted(CHART.glob("ci*/*.yaml"))
every_file = pytest.mark.parametrize("file", CI, ids=[file.stem for file in CI])


def load(file: Path) -> Values:
    found: Values = yaml.load(file.read_text(), yaml.CSafeLoader)
    return found


def rendered(helm: Runner, chart: Path, *arguments: str | Path) -> Objects:
    """Return the objects, but for the word of the carrier that another chart wraps ours."""
    found = manifests.read(helm("template", "rl", chart, *arguments).stdout)
    for entry in found:
        if entry["kind"] == constants.CARRIER_KIND:
            entry["spec"].pop("wrapped", None)
    return Objects(found)


@every_file
def test_two_files_are_as_one(chart: Chart, tmp_path: Path, file: Path) -> None:
    first, second = (
        routes.write(tmp_path / f"{index}.yaml", half) for index, half in enumerate(routes.halves(load(file)))
    )
    for order in ((first, second), (file, file)):
        files = [word for path in order for word in ("-f", path)]
        assert rendered(chart.helm, CHART, *files) == chart.render(file)


@every_file
def test_flags_are_as_a_file(chart: Chart, tmp_path: Path, file: Path) -> None:
    first, second = routes.halves(load(file))
    below = routes.write(tmp_path / "below.yaml", first)
    assert rendered(chart.helm, CHART, *routes.flags(load(file))) == chart.render(file)
    assert rendered(chart.helm, CHART, "-f", below, *routes.flags(second)) == chart.render(file)


def test_a_chart_that_wraps_ours_is_as_ours(chart: Chart, tmp_path: Path) -> None:
    wrapper = routes.wrapper(chart.helm, tmp_path)
    for file in CI:
        routes.write(wrapper / "values.yaml", routes.wrapped(load(file)))
        assert rendered(chart.helm, wrapper) == chart.render(file), file
        first, second = map(routes.wrapped, routes.halves(load(file)))
        routes.write(wrapper / "values.yaml", first)
        above = routes.write(tmp_path / "above.yaml", second)
        assert rendered(chart.helm, wrapper, "-f", above) == chart.render(file), file
        assert rendered(chart.helm, wrapper, *routes.flags(second)) == chart.render(file), file


ANCHORED = """
x-env: &env {A: "1", B: "2"}
presets:
  p: {container: {env: {C: "3", <<: *env}}}
defaults: {container: {image: "example/app:1"}}
groups:
  a: {presets: [p], unset: [container.env.A]}
  b: {container: {env: *env}}
"""


def test_anchors_presets_and_unset_work_in_a_chart_that_wraps_ours(chart: Chart, tmp_path: Path) -> None:
    wrapper = routes.wrapper(chart.helm, tmp_path)
    indented = "".join(f"  {line}\n" for line in ANCHORED.splitlines())
    (wrapper / "values.yaml").write_text(f"global: {{x: 1}}\nreplica-operation:\n{indented}")
    plain = Objects(manifests.read(chart.attempt_text(ANCHORED).stdout))
    assert rendered(chart.helm, wrapper) == plain
    assert (set(plain.env("a")), set(plain.env("b"))) == ({"B", "C"}, {"A", "B"})


GROUPS = operation({"a": {"container": {"env": {"A": "own"}}}, "b": {}})
GROUPS["defaults"]["container"]["env"] = {"A": "1", "B": "2"}
FLAGS: dict[str, tuple[tuple[str, ...], Values]] = {
    "integer": (("--set", "groups.a.replicas=3"), nested("groups.a.replicas", 3)),
    "boolean": (("--set", "groups.a.environment.hostIPC=true"), nested("groups.a.environment", {"hostIPC": True})),
    "text": (("--set-string", "groups.a.container.env.A=8"), nested("groups.a.container.env.A", "8")),
    "literal": (("--set-literal", "groups.a.container.env.A=a,b"), nested("groups.a.container.env.A", "a,b")),
    "list": (("--set", "groups.a.unset={container.env.B}"), nested("groups.a.unset", ["container.env.B"])),
    "list of maps": (
        ("--set", "groups.b.container.env[0].name=C,groups.b.container.env[0].value=three"),
        nested("groups.b.container.env", [{"name": "C", "value": "three"}]),
    ),
    "key with dots": (
        ("--set", r"groups.a.environment.nodeSelector.example\.org/zone=z"),
        {"groups": {"a": {"environment": {"nodeSelector": {"example.org/zone": "z"}}}}},
    ),
    "null": (("--set", "groups.a.container.env.A=null"), nested("groups.a.container.env.A", None)),
    "null group": (("--set", "groups.b=null"), nested("groups.b", None)),
    "json": (
        ("--set-json", 'groups.b={"replicas":2,"cmd":null}'),
        nested("groups.b", {"replicas": 2, "cmd": None}),
    ),
    "number as large as bytes": (
        ("--set", "groups.a.resources.limits.memory=34359738368"),
        nested("groups.a.resources.limits.memory", 34359738368),
    ),
}


@pytest.mark.parametrize(("given", "values"), FLAGS.values(), ids=FLAGS)
def test_a_flag_is_as_a_file(chart: Chart, tmp_path: Path, given: tuple[str, ...], values: Values) -> None:
    base, above = routes.write(tmp_path / "base.yaml", GROUPS), routes.write(tmp_path / "above.yaml", values)
    by_flag = rendered(chart.helm, CHART, "-f", base, *given)
    assert by_flag == rendered(chart.helm, CHART, "-f", base, "-f", above)
    assert by_flag != chart.render(base)


def test_a_file_of_text_may_be_set_from_a_file(chart: Chart, tmp_path: Path) -> None:
    script = "#!/bin/sh\nexec app --list a,b=1\n"
    (tmp_path / "run.sh").write_text(script)
    given = ("--set-file", rf"files.launcher.content.run\.sh={tmp_path}/run.sh")
    values = operation({"a": {"files": {"launcher": "/launch"}}})
    base = routes.write(tmp_path / "base.yaml", values)
    whole = {**values, "files": {"launcher": {"content": {"run.sh": script}}}}
    assert rendered(chart.helm, CHART, "-f", base, *given) == chart.render(whole)


def test_a_number_by_a_flag_where_text_is_wanted_is_refused_as_in_a_file(chart: Chart) -> None:
    values = {"defaults": {"container": {"image": "example/app:1"}}, "groups": {"a": {}}}
    done = chart.attempt(values, "--set", "groups.a.container.env.A=8")
    assert "groups.a.container.env.A: 8 is a number where Kubernetes wants text; quote it" in done.stderr


@pytest.mark.parametrize("above", [{"A": "3"}, [{"name": "C", "value": "3"}]], ids=["map", "list"])
@pytest.mark.parametrize("below", [{"A": "own"}, [{"name": "D", "value": "4"}]], ids=["map", "list"])
def test_lists_and_maps_meet_alike_in_a_chart_that_wraps_ours(
    chart: Chart, tmp_path: Path, below: object, above: object
) -> None:
    wrapper = routes.wrapper(chart.helm, tmp_path)
    lower, upper = GROUPS | nested("groups.a.container.env", below), nested("groups.a.container.env", above)
    paths = routes.write(tmp_path / "lower.yaml", lower), routes.write(tmp_path / "upper.yaml", upper)
    routes.write(wrapper / "values.yaml", routes.wrapped(lower))
    over = routes.write(tmp_path / "over.yaml", routes.wrapped(upper))
    assert rendered(chart.helm, wrapper, "-f", over) == rendered(chart.helm, CHART, "-f", paths[0], "-f", paths[1])


NULLS = {
    "own": nested("groups.a.container.env.A", None),
    "lower": nested("groups.a.container.env.B", None),
    "group": nested("groups.b", None),
}


@pytest.mark.parametrize("name", NULLS)
def test_a_null_over_a_chart_that_wraps_ours_deletes(chart: Chart, tmp_path: Path, name: str) -> None:
    wrapper = routes.wrapper(chart.helm, tmp_path)
    base, null = routes.write(tmp_path / "base.yaml", GROUPS), routes.write(tmp_path / "null.yaml", NULLS[name])
    routes.write(wrapper / "values.yaml", routes.wrapped(GROUPS))
    over = routes.write(tmp_path / "over.yaml", routes.wrapped(NULLS[name]))
    assert rendered(chart.helm, wrapper, "-f", over) == rendered(chart.helm, CHART, "-f", base, "-f", null)


def test_helm_4_drops_a_null_of_a_chart_that_wraps_ours_and_unset_stays(chart: Chart, tmp_path: Path) -> None:
    wrapper = routes.wrapper(chart.helm, tmp_path)
    values = GROUPS | {"groups": {"a": {"container": {"env": {"A": None}}}, "b": {"unset": ["container.env.A"]}}}
    routes.write(wrapper / "values.yaml", routes.wrapped(values))
    found = rendered(chart.helm, wrapper)
    assert set(found.env("a")) == ({"B"} if chart.helm.major == 3 else {"A", "B"})
    assert set(found.env("b")) == {"B"}


def test_our_command_line_refuses_a_null_of_a_chart_that_wraps_ours(
    roster: Runner, helm: Runner, tmp_path: Path
) -> None:
    wrapper = routes.wrapper(helm, tmp_path)
    values = GROUPS | nested("groups.a.container.env.A", None)
    routes.write(wrapper / "values.yaml", routes.wrapped(values))
    done = roster.attempt("template", "rl", "--chart", wrapper)
    assert done.stderr == (
        f"Error: replica-operation.groups.a.container.env.A: null ({wrapper}/values.yaml:1): Helm 4 drops nulls from "
        "the values of a chart that wraps another; write replica-operation.groups.a.unset: [container.env.A]\n"
    )
