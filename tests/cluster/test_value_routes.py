"""Values of a release that runs, taken up again by an upgrade: equal to files in a row, and where Helm loses nulls.

What an upgrade would apply is read from Helm's own record of it, so it need not be waited for.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.chart import routes
from tests.chart.rendering import Objects, Values, nested, operation
from tests.cluster.api import Json
from tests.cluster.namespaces import Namespace
from tests.support import manifests, releases
from tests.support.roster import CHART, PlainHelm
from tests.support.runner import Runner

# All but those of kinds that only the control plane of `test_lws*.py` serves.
CI = sorted(path for path in CHART.glob("ci*/*.yaml") if path.stem != "spanning-values")
REUSE, RESET = "--reuse-values", "--reset-then-reuse-values"
both_flags = pytest.mark.parametrize("flag", [REUSE, RESET])


Program = Runner | PlainHelm


def program(helm: Runner, values: Values) -> Program:
    """Return Helm, with the post-renderer where a carrier is due, since its start takes time."""
    return PlainHelm(helm) if "scheduling" in values else helm


def upgraded(helm: Program, *flags: str | Path) -> list[Json]:
    """Return the objects that an upgrade would apply."""
    told = helm("upgrade", "op", CHART, *flags, "--dry-run=server", "-o", "json").stdout
    return manifests.read(json.loads(told)["manifest"])


def templated(helm: Program, *flags: str | Path) -> list[Json]:
    return manifests.read(helm("template", "op", CHART, *flags).stdout)


@pytest.mark.usefixtures("namespace")
@pytest.mark.parametrize("file", CI, ids=[file.stem for file in CI])
def test_values_that_run_are_as_a_file_below(helm: Runner, tmp_path: Path, file: Path) -> None:
    values = yaml.safe_load(file.read_text())
    run = program(helm, values)
    groups = {name: {"container": {"image": "example/new:9"}} for name in values["groups"]}
    change = {"annotations": {"example.org/x": "1"}, "groups": groups}
    again = routes.write(tmp_path / "again.yaml", routes.halves(values)[1])
    above = routes.write(tmp_path / "above.yaml", change)
    run("install", "op", CHART, "-f", file)
    expected = templated(run, "-f", file, "-f", above)
    assert upgraded(run, REUSE, "-f", again, *routes.flags(change)) == expected
    assert upgraded(run, RESET, "-f", again, "-f", above) == expected


@pytest.mark.usefixtures("namespace")
def test_all_fields_may_come_with_the_upgrade(helm: Runner, tmp_path: Path) -> None:
    below = routes.write(tmp_path / "below.yaml", operation({"below": {"replicas": 0}}))
    helm("install", "op", CHART, "-f", below)
    for file in (file for file in CI if file.stem in {"pods-values", "service-values"}):
        expected = templated(helm, "-f", below, "-f", file)
        assert [upgraded(helm, flag, "-f", file) for flag in (REUSE, RESET)] == [expected] * 2, file


@pytest.mark.usefixtures("namespace")
@both_flags
def test_an_upgrade_is_recorded_as_it_was_foretold(helm: Runner, tmp_path: Path, flag: str) -> None:
    path = CHART / "ci" / "service-values.yaml"
    helm("install", "op", CHART, "-f", path)
    above = routes.write(tmp_path / "above.yaml", nested("groups.cpu.replicas", 2))
    helm("upgrade", "op", CHART, flag, "-f", above)
    assert manifests.read(helm("get", "manifest", "op").stdout) == templated(helm, "-f", path, "-f", above)


BELOW: Values = operation({"a": {"replicas": 0, "container": {"env": {"A": "own", "N": None}}}, "b": {"replicas": 0}})
BELOW["defaults"]["container"]["env"] = {"A": "1", "B": "2", "N": "3"}
# What a null makes of a variable with files in a row, with REUSE and with RESET, where need be by Helm's major.
NULLS: dict[str, tuple[Values, Any, Any, Any]] = {
    "over a value that runs": (nested("groups.a.container.env.A", None), None, "own", "1"),
    "over a null that runs": (nested("groups.a.container.env.N", None), None, None, {3: "3", 4: None}),
    "over nothing that runs": (nested("groups.a.container.env.B", None), None, None, None),
}


@pytest.mark.usefixtures("namespace")
def test_helm_loses_nulls_as_the_readme_says(helm: Runner, tmp_path: Path) -> None:
    below = routes.write(tmp_path / "below.yaml", BELOW)
    helm("install", "op", CHART, "-f", below)
    for name, (values, *expected) in NULLS.items():
        above = routes.write(tmp_path / "above.yaml", values)
        (*_, variable) = next(routes.leaves(values))[0]
        found = [
            templated(helm, "-f", below, "-f", above),
            *(upgraded(helm, flag, "-f", above) for flag in (REUSE, RESET)),
        ]
        wanted = [entry[helm.major] if isinstance(entry, dict) else entry for entry in expected]
        assert [Objects(entry).env().get(variable) for entry in found] == wanted, name


@pytest.mark.usefixtures("namespace")
def test_helm_3_loses_the_nulls_that_run_with_reuse_values_alone(helm: Runner, tmp_path: Path) -> None:
    helm("install", "op", CHART, "-f", routes.write(tmp_path / "below.yaml", BELOW))
    above = ("--set", "groups.b.replicas=1")
    assert Objects(upgraded(helm, REUSE, *above)).env().get("N") == ("3" if helm.major == 3 else None)
    assert "N" not in Objects(upgraded(helm, RESET, *above)).env()


@pytest.mark.usefixtures("namespace")
def test_a_group_goes_by_null_with_reset_then_reuse_values_only(helm: Runner, tmp_path: Path) -> None:
    helm("install", "op", CHART, "-f", routes.write(tmp_path / "below.yaml", BELOW))
    names = [
        {entry["metadata"]["name"] for entry in upgraded(helm, flag, "--set", "groups.b=null")}
        for flag in (REUSE, RESET)
    ]
    assert names == [{"op-a", "op-b"}, {"op-a"}]


@pytest.mark.usefixtures("namespace")
def test_unset_deletes_by_every_way(helm: Runner, tmp_path: Path) -> None:
    below = routes.write(tmp_path / "below.yaml", BELOW)
    helm("install", "op", CHART, "-f", below)
    above = routes.write(tmp_path / "above.yaml", nested("groups.b.unset", ["container.env.A"]))
    found = [templated(helm, "-f", below, "-f", above), *(upgraded(helm, flag, "-f", above) for flag in (REUSE, RESET))]
    assert [set(Objects(entry).env("b")) for entry in found] == [{"B", "N"}] * 3


REFUSED = {
    REUSE: ("groups.b=null", "groups.b: null (--set groups.b=null): Helm goes on with the value that runs"),
    RESET: (
        "groups.a.container.env.A=null",
        "groups.a.container.env.A: null (--set groups.a.container.env.A=null): with",
    ),
}


def test_our_upgrade_and_plan_refuse_a_null_that_helm_would_lose(
    namespace: Namespace, helm: Runner, roster: Runner, tmp_path: Path
) -> None:
    helm("install", "op", CHART, "-f", routes.write(tmp_path / "below.yaml", BELOW))
    for flag, (setting, words) in REFUSED.items():
        for verb in (("upgrade", "op"), ("plan", "--against", "op")):
            done = roster.attempt(*verb, flag, "--set", setting)
            assert (done.returncode, done.stdout) == (1, ""), (verb, flag)
            assert done.stderr.startswith(f"Error: {words}"), (verb, flag)
    assert len(namespace.items("v1", "Secret", "owner=helm")) == 1


def test_what_helm_keeps_of_the_chart_is_what_the_test_of_its_size_counts(
    namespace: Namespace, helm: Runner, tmp_path: Path
) -> None:
    helm("install", "op", CHART, "-f", routes.write(tmp_path / "below.yaml", BELOW))
    helm("package", CHART, "--destination", tmp_path)
    (secret,) = namespace.items("v1", "Secret", "owner=helm")
    kept, counted = (
        releases.size(part) for part in (releases.read(secret)["chart"], releases.chart(*tmp_path.glob("*.tgz")))
    )
    assert abs(kept - counted) < 1_000
