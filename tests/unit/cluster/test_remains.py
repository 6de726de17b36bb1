"""Nothing is applied onto what is being deleted."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from helm_roster import constants, errors
from helm_roster.cluster import client, remains
from helm_roster.manifests.walk import Manifest

from tests.unit import api_servers

CLAIM = ("v1", "PersistentVolumeClaim")
LABELS = {constants.INSTANCE_LABEL: "op", constants.OPERATION_LABEL: "op"}
ENDING = {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["example.org/hold"]}


def claim(name: str, **more: Any) -> Manifest:
    return {"metadata": {"name": name, "namespace": "team", "uid": name, "labels": LABELS, **more}}


def record() -> Manifest:
    labels = {"owner": "helm", "name": "op", "status": "deployed", "version": "1"}
    return {"metadata": {"name": "r", "uid": "r", "labels": labels}}


def refuse(monkeypatch: pytest.MonkeyPatch, cluster: api_servers.Cluster) -> None:
    """Apply a claim called ``data``."""
    made = [dict(zip(("apiVersion", "kind"), CLAIM, strict=True), **claim("data"))]
    with api_servers.serving(cluster, monkeypatch):
        remains.refuse(client.connect(), "team", "op", [CLAIM], lambda: made)


@pytest.mark.parametrize(
    ("there", "refused"),
    [([claim("data", **ENDING)], True), ([claim("data")], False), ([claim("other", **ENDING)], False), ([], False)],
    ids=["ending", "staying", "another one", "nothing"],
)
def test_what_would_be_applied_onto_an_object_that_is_being_deleted_is_refused(
    monkeypatch: pytest.MonkeyPatch, there: list[Manifest], *, refused: bool
) -> None:
    cluster = api_servers.Cluster()
    cluster.objects["persistentvolumeclaims"] = there
    expected = pytest.raises(errors.RefusedError, match="PersistentVolumeClaim data of op is still being deleted, and ")
    with expected if refused else contextlib.nullcontext():
        refuse(monkeypatch, cluster)


@pytest.mark.parametrize(
    ("held", "way"),
    [([], "until that is gone (helm roster wait op --for deleted); Per"), ([record()], "until that is gone; Per")],
    ids=["cancelled", "running"],
)
def test_it_is_told_what_holds_it_and_how_to_wait(
    monkeypatch: pytest.MonkeyPatch, held: list[Manifest], way: str
) -> None:
    cluster = api_servers.Cluster()
    cluster.objects = {"persistentvolumeclaims": [claim("data", **ENDING)], "secrets": held}
    with pytest.raises(errors.RefusedError) as refusal:
        refuse(monkeypatch, cluster)
    assert way in str(refusal.value)
    assert "waits for its finalizer example.org/hold; if nobody removes that any more: kubectl patch" in str(
        refusal.value
    )


def test_kinds_that_may_not_be_listed_are_let_be(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = api_servers.Cluster()
    cluster.forbidden = {"persistentvolumeclaims"}
    refuse(monkeypatch, cluster)
