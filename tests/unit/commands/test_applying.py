"""What Helm's failures become, with a program that stands in for it."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from helm_roster import errors
from helm_roster.cluster import client
from helm_roster.commands import applying, rendering
from helm_roster.commands.applying import Checked
from helm_roster.commands.value_files import Given

from tests.unit import api_servers, builders

DEPLOYED = '[{"revision": 1, "status": "deployed"}]'


@pytest.fixture
def helm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder: what `said` holds is how Helm fails.

    An upgrade ends the release that `history` holds; an installation leaves the one that `left` holds, if any.
    """
    program = tmp_path / "helm"
    program.write_text(
        f"""#!/bin/sh
cd {tmp_path}
case $1 in
version) echo v4.3.1 ;;
history) cat history 2>/dev/null || {{ echo "Error: release: not found" >&2; exit 1; }} ;;
install) mv left history 2>/dev/null; cat said >&2; exit 1 ;;
upgrade) rm -f history; cat said >&2; exit 1 ;;
esac
"""
    )
    program.chmod(0o755)
    monkeypatch.setenv("HELM_BIN", str(program))
    return tmp_path


def test_a_release_that_goes_while_helm_upgrades_it_was_cancelled(helm: Path) -> None:
    (helm / "history").write_text(DEPLOYED)
    (helm / "said").write_text('Error: UPGRADE FAILED: deployments.apps "op-web" not found\n')
    with pytest.raises(errors.CancelledError, match="op was cancelled or uninstalled meanwhile"):
        applying.helm("upgrade", "op", [], "chart")


@pytest.mark.parametrize(
    ("status", "args", "refused"),
    [(404, [], True), (404, ["--create-namespace"], False), (200, [], False), (403, [], False)],
    ids=["absent", "made", "there", "not known"],
)
def test_an_installation_into_a_namespace_that_is_not_there_is_refused(
    monkeypatch: pytest.MonkeyPatch, status: int, args: list[str], *, refused: bool
) -> None:
    expected = pytest.raises(errors.BadInputError, match='"team" is not there: pass --create-namespace')
    with api_servers.serving(lambda _: (status, {}), monkeypatch), expected if refused else contextlib.nullcontext():
        applying._refuse_absent(client.connect(), "team", args)


def test_what_never_ran_was_not_cancelled(helm: Path) -> None:
    (helm / "said").write_text('Error: failed to create: namespaces "team" not found\n')
    with pytest.raises(errors.OperationFailedError, match="or pass --create-namespace"):
        applying.helm("upgrade", "op", ["--install"], "chart")


@pytest.mark.parametrize(
    ("left", "way"),
    [
        (
            '[{"revision": 1, "status": "failed"}]',
            "op is installed in part: mend what it names, then helm roster upgrade op, or helm roster cancel op",
        ),
        (
            '[{"revision": 1, "status": "deployed"}, {"revision": 2, "status": "failed"}]',
            "revision 2 of op is applied in part: mend what it names, then helm roster upgrade op, or helm rollback op",
        ),
        (DEPLOYED, ""),
        ("", ""),
    ],
    ids=["installed", "upgraded", "whole", "nothing"],
)
def test_who_is_left_with_half_an_operation_is_told_the_ways_out(helm: Path, left: str, way: str) -> None:
    (helm / "said").write_text("Error: INSTALLATION FAILED: no\n")
    if left:
        (helm / "left").write_text(left)
    with pytest.raises(errors.OperationFailedError) as failure:
        applying.helm("install", "op", [], "chart")
    assert str(failure.value) == f"helm install failed (exit code 1){way and f'; {way}'}"


def test_many_faults_are_one_line_with_the_first_three_and_a_count(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {"resources": [{"name": "services", "kind": "Service", "namespaced": True}]}
    causes = [{"field": f"spec.{letter}", "message": "no"} for letter in "pq"]
    answers = {"/api/v1": (200, kinds), "/api/v1/namespaces/default/services": (422, {"details": {"causes": causes}})}
    labels = "{helm-roster.dev/group: %s}"
    text = "".join(
        f"---\napiVersion: v1\nkind: Service\nmetadata: {{name: op-{group}, labels: {labels % group}}}\n"
        for group in "ab"
    )
    plan = builders.plan({"a": builders.group(1)})
    made = rendering.Rendering(plan=plan, text=text, resolved={})
    with (
        api_servers.serving(lambda path: answers.get(path.partition("?")[0], (404, {})), monkeypatch),
        pytest.raises(errors.RefusedError) as refusal,
    ):
        applying._refuse_faults(client.connect(), made)
    assert str(refusal.value) == (
        "the API server would not take Service op-a: spec.p: no; Service op-a: spec.q: no; Service op-b: spec.p: no "
        'and 1 more: correct the values of group "a", "b" (helm roster template shows the objects); nothing is applied'
    )


@pytest.mark.parametrize(("path", "may"), [("crds/x.yaml", True), ("charts/a/crds/x.yaml", True),
                                           ("charts/a-1.tgz", True), ("templates/x.yaml", False)])  # fmt: skip
def test_a_chart_with_definitions_may_bring_the_kinds_that_it_uses(tmp_path: Path, path: str, *, may: bool) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).touch()
    assert applying._may_bring_kinds(str(tmp_path)) == may
    assert applying._may_bring_kinds("oci://registry.example/chart")


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """An operation of one group, and a cluster that has nothing against it."""
    made = rendering.Rendering(plan=builders.plan({"a": builders.group(1)}), text="", resolved={})
    monkeypatch.setattr(rendering, "render", lambda *_: made)
    for of, name in ((client, "connect"), (applying.remains, "refuse"), (applying, "_refuse_faults")):
        monkeypatch.setattr(of, name, lambda *_: None)


@pytest.mark.usefixtures("rendered")
@pytest.mark.parametrize(
    ("checked", "told"),
    [
        (Checked(settled=True), (True, True)),
        (Checked(may_skip=False), (False, False)),
        (Checked(), (False, True)),
        (None, (False, True)),
    ],
)
def test_the_checks_of_a_cluster_know_that_no_pod_is_to_be_placed_and_whether_they_may_be_skipped(
    monkeypatch: pytest.MonkeyPatch, checked: Checked | None, told: tuple[bool, bool]
) -> None:
    known: list[object] = []

    def check(*_: object, settled: bool, may_skip: bool, **__: object) -> list[str]:
        known.append((settled, may_skip))
        return []

    monkeypatch.setattr(applying.preflight, "check", check)
    applying._check("upgrade", "op", Given([], []), "chart", checked and (lambda *_: checked))
    assert known == [told]


@pytest.mark.usefixtures("rendered")
def test_what_the_checks_of_a_cluster_warn_of_is_told_as_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(applying.preflight, "check", lambda *_, **__: ["queue is full"])
    applying._check("upgrade", "op", Given([], []), "chart", None)
    assert capsys.readouterr().err == "warning: queue is full\n"
