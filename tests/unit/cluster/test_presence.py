"""Whether what is named is there."""

from __future__ import annotations

import pytest

from helm_roster.cluster import client, presence
from helm_roster.manifests.walk import Manifest
from helm_roster.policy.references import Kind, Reference

from tests.unit import api_servers

DEFAULT, OLD_DEFAULT = (
    {"metadata": {"annotations": {f"storageclass.{prefix}kubernetes.io/is-default-class": "true"}}}
    for prefix in ("", "beta.")
)
STANDARD: Manifest = {"metadata": {}}


def found(
    monkeypatch: pytest.MonkeyPatch, kind: Kind, name: str, answers: dict[str, tuple[int, Manifest]]
) -> bool | None:
    """Return what is found by whom the API server answers so."""
    with api_servers.serving(lambda path: answers.get(path, (404, {})), monkeypatch):
        return presence.find(client.connect(), Reference(kind=kind, namespace="team", name=name, users=()))


@pytest.mark.parametrize(("status", "there"), [(200, True), (404, False), (403, None)])
def test_an_object_is_there_is_not_or_may_not_be_looked_for(
    monkeypatch: pytest.MonkeyPatch, status: int, *, there: bool | None
) -> None:
    answers = {"/api/v1/namespaces/team/secrets/s": (status, {})}
    assert found(monkeypatch, "Secret", "s", answers) is there


@pytest.mark.parametrize(
    ("known", "there"),
    [([STANDARD, DEFAULT], True), ([STANDARD, OLD_DEFAULT], True), ([STANDARD], False), ([], False)],
)
def test_a_storage_class_may_be_the_default(
    monkeypatch: pytest.MonkeyPatch, known: list[Manifest], *, there: bool
) -> None:
    answers = {"/apis/storage.k8s.io/v1/storageclasses": (200, {"items": known})}
    assert found(monkeypatch, "StorageClass", "", answers) is there
