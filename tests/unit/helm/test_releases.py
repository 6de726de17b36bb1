"""What Helm keeps of a release, with a program that stands in for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_roster.helm import releases

LABELLED = 'apiVersion: v1\nkind: Service\nmetadata: {labels: {"helm-roster.dev/operation": op}}\n'
MENTIONED = "apiVersion: v1\nkind: ConfigMap\ndata:\n  labels: |\n    helm-roster.dev/operation: op\n"
UNREADABLE = "helm-roster.dev/operation: [\n"


@pytest.mark.parametrize(
    ("documents", "ours"),
    [
        ([MENTIONED, LABELLED], True),
        ([LABELLED.replace("{labels", '{"labels"')], True),
        ([MENTIONED], False),
        ([UNREADABLE, LABELLED], True),
        ([UNREADABLE], False),
        ([], False),
    ],
    ids=["labelled", "quoted", "only mentioned", "beside what cannot be read", "cannot be read", "empty"],
)
def test_a_release_is_an_operation_where_one_of_its_objects_is_labelled_so(
    documents: list[str],
    ours: bool,  # noqa: FBT001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    helm = tmp_path / "helm"
    (tmp_path / "manifest").write_text("---\n".join(["", *documents]))
    helm.write_text(f'#!/bin/sh\n[ "$1" = version ] && exec echo v4.3.1\nexec cat {tmp_path}/manifest\n')
    helm.chmod(0o755)
    monkeypatch.setenv("HELM_BIN", str(helm))
    assert releases.is_operation("op") is ours


def test_helm_is_asked_once_which_revision_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    helm, asked = tmp_path / "helm", tmp_path / "asked"
    revisions = '[{"revision": 3, "status": "deployed"}, {"revision": 4, "status": "failed"}]'
    helm.write_text(f"#!/bin/sh\n[ $1 = version ] && exec echo v4.3.1\necho $1 >> {asked}\necho '{revisions}'\n")
    helm.chmod(0o755)
    monkeypatch.setenv("HELM_BIN", str(helm))
    releases.running_values("op")
    assert releases.running_revision("op") == 3
    assert asked.read_text().split() == ["history", "get"]
