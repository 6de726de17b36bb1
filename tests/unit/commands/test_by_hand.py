"""What somebody changed by hand is told, as far as one may look; the real thing is in tests/cluster."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from helm_roster import constants
from helm_roster.cluster import client
from helm_roster.cluster.trial import Trial
from helm_roster.commands import by_hand
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import changes
from helm_roster.policy.differences import Difference

from tests.unit import api_servers

SERVED = {"resources": [{"name": "services", "kind": "Service", "namespaced": True}]}
SERVICE: Manifest = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "op-web"}, "spec": {"ports": []}}


def service(*managers: str) -> Manifest:
    """Return the Service in the cluster, to which these wrote."""
    labels = {constants.INSTANCE_LABEL: "op", constants.OPERATION_LABEL: "op"}
    fields = [{"manager": name} for name in managers]
    return {**SERVICE, "metadata": {"name": "op-web", "labels": labels, "managedFields": fields}}


def told(
    monkeypatch: pytest.MonkeyPatch,
    there: list[Manifest],
    *,
    after: list[Manifest],
    status: int = 200,
    server_side: Callable[[], bool] = bool,
) -> list[str]:
    """Return what is told before an upgrade to ``after``, where nobody may try anything."""

    def answer(path: str) -> tuple[int, Manifest]:
        if path == "/api/v1":
            return 200, SERVED
        if "/services?" in path:
            return status, {"items": there}
        return (200, there[0]) if there else (404, {})

    found = changes.compare([SERVICE], after, changes.Ways("op"))
    with api_servers.serving(answer, monkeypatch):
        return list(
            by_hand.warnings(client.connect(), "team", "op", held=[SERVICE], found=found, server_side=server_side)
        )


GONE = ["Service op-web is gone, which the release holds: an upgrade makes it again"]


@pytest.mark.parametrize(
    ("after", "status", "expected"),
    [([SERVICE], 200, GONE), ([], 200, []), ([SERVICE], 403, [])],
    ids=["goes on", "is taken out", "may not be listed"],
)
def test_an_object_that_is_gone_is_told_where_an_upgrade_makes_it_again(
    monkeypatch: pytest.MonkeyPatch, after: list[Manifest], status: int, expected: list[str]
) -> None:
    assert told(monkeypatch, [], after=after, status=status) == expected


def test_what_may_not_be_tried_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, [service("helm", "kubectl-edit")], after=[SERVICE]) == []


def test_where_only_helm_wrote_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    def never() -> bool:
        pytest.fail("Helm is asked how it applies")

    assert told(monkeypatch, [service("helm")], after=[SERVICE], server_side=never) == []


@pytest.mark.parametrize(
    ("planned", "told"),
    [({}, True), ({"spec.replicas": 7}, True), ({"spec.replicas": 5}, False), ({"spec.replicas": None}, False)],
    ids=["the same as before", "another value", "what was set by hand", "left to others"],
)
def test_only_what_an_upgrade_overwrites_is_told(planned: dict[str, object], *, told: bool) -> None:
    change = Difference(path="spec.replicas", before=5, after=3)
    one = Trial(manifest={}, live={}, differences=(change,))
    assert bool(by_hand._overwritten(one, planned)) == told
