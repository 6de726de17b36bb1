"""Nulls that Helm would lose are refused where they delete something, and pass where they mean "not given"."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from helm_roster import errors
from helm_roster.commands import nulls
from helm_roster.model.written import Written

from tests.chart.rendering import nested
from tests.support.runner import Runner

REUSE, RESET = "--reuse-values", "--reset-then-reuse-values"
ENV = "groups.a.container.env.X"


def written(name: str, data: dict[str, Any]) -> Written:
    found = Written()
    found.lay(name, data)
    return found


def refusal(flag: str, given: dict[str, Any], running: dict[str, Any]) -> str:
    """Return why the values are refused."""
    with pytest.raises(errors.BadInputError) as caught:
        check(flag, given, running)
    return str(caught.value)


def check(flag: str, given: dict[str, Any], running: dict[str, Any]) -> None:
    nulls.refuse_reused([flag], written("new.yaml", given), written("what runs", running))


@pytest.fixture(autouse=True)
def found(helm4: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the Helm that is looked for be Helm 4."""
    monkeypatch.setenv("HELM_BIN", str(helm4.program))


@pytest.mark.parametrize("path", [ENV, "groups.a", "operation.name", "scheduling.gangs.g", "x-any.y"])
def test_reuse_refuses_a_null_over_what_runs(path: str) -> None:
    assert refusal(REUSE, nested(path, None), nested(path, "1")) == (
        f"{path}: null (new.yaml): Helm goes on with the value that runs; "
        "pass --reset-then-reuse-values, or all values with -f alone"
    )


@pytest.mark.parametrize("running", [{}, {"groups": {"b": {}}}, nested("groups.a.container.env", ["X"])])
def test_a_null_where_nothing_runs_is_kept_by_helm(running: dict[str, Any]) -> None:
    check(REUSE, nested(ENV, None), running)
    check(RESET, nested(ENV, None), running)


@pytest.mark.parametrize(
    ("path", "instead"),
    [
        (ENV, "write groups.a.unset: [container.env.X]"),
        ("replica-operation.groups.a.cmd", "write replica-operation.groups.a.unset: [cmd]"),
        ("defaults.environment", "write defaults.unset: [environment]"),
        ("presets.p.environment.nodeSelector.zone", "write presets.p.unset: [environment.nodeSelector.zone]"),
        ("patches.a.p.merge.spec", "delete by `$patch: delete` or by json"),
        ("extraObjects.o.data", "leave the key out"),
    ],
)
def test_reset_refuses_a_null_that_deletes_and_says_what_to_write(path: str, instead: str) -> None:
    found = refusal(RESET, nested(path, None), nested(path, "1"))
    assert found.startswith(f"{path}: null (new.yaml): with --reset-then-reuse-values Helm drops it")
    assert found.endswith(f"; {instead} too, or pass all values with -f alone")


@pytest.mark.parametrize(
    "path",
    [
        *("defaults", "defaults.unset", "groups.a", "groups.a.unset", "presets.p.patchStrategy", "patches.a.p"),
        *("patches.a.p.target", "connections.c.readOnly", "operation.kind", "scheduling.gangs.g", "extraObjects.o"),
    ],
)
def test_reset_admits_a_null_that_only_means_not_given(path: str) -> None:
    check(RESET, nested(path, None), nested(path, "1"))


def test_reset_admits_a_null_beside_an_unset_of_the_same() -> None:
    given = nested(ENV, None)
    given["groups"]["a"]["unset"] = ["container.env.X"]
    check(RESET, given, nested(ENV, "1"))


def test_a_null_over_a_null_is_lost_by_helm_3_only(helm3: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    check(REUSE, nested(ENV, None), nested(ENV, None))
    check(RESET, nested(ENV, None), nested(ENV, None))
    monkeypatch.setenv("HELM_BIN", str(helm3.program))
    check(REUSE, nested(ENV, None), nested(ENV, None))
    assert refusal(RESET, nested(ENV, None), nested(ENV, None)).startswith(f"{ENV}: null (new.yaml): with")


def test_helm_3_loses_the_nulls_that_run(helm3: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    check(REUSE, {}, nested(ENV, None))
    monkeypatch.setenv("HELM_BIN", str(helm3.program))
    assert refusal(REUSE, {}, nested(ENV, None)) == (
        f"{ENV}: null (what runs): Helm 3 loses it with --reuse-values; "
        "pass --reset-then-reuse-values, or all values with -f alone"
    )
    check(REUSE, nested(ENV, "1"), nested(ENV, None))
    check(RESET, {}, nested(ENV, None))


@pytest.mark.parametrize("args", [[], ["--reset-values", "-f", "new.yaml"], ["--reuse-values=false"]])
def test_without_reuse_helm_loses_nothing(args: list[str]) -> None:
    nulls.refuse_reused(args, written("new.yaml", nested(ENV, None)), written("what runs", nested(ENV, "1")))


def test_a_wrapping_chart_may_not_delete_by_null(tmp_path: Path) -> None:
    folder = tmp_path / "a, b"
    folder.mkdir()
    path = folder / "values.yaml"
    path.write_text("other: {x: null}\nreplica-operation:\n  groups:\n    a: null\n    b:\n      cmd: null\n")
    with pytest.raises(errors.BadInputError) as caught:
        nulls.refuse_wrapped(folder)
    assert str(caught.value) == (
        f"replica-operation.groups.b.cmd: null ({path}:6): Helm 4 drops nulls from the values of a chart that wraps "
        "another; write replica-operation.groups.b.unset: [cmd]"
    )


def test_a_chart_that_cannot_be_read_here_is_helms_business(tmp_path: Path) -> None:
    nulls.refuse_wrapped(tmp_path / "chart.tgz")
