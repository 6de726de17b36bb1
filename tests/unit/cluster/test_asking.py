"""What is read of a cluster beyond the operation's own objects."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.backend_base import ApiKind
from helm_roster.cluster import asking, client

from tests.unit import api_servers
from tests.unit.asks import Asked, nothing


def priority_class(name: str, value: int, **more: Any) -> dict[str, Any]:
    made = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
    return {**made, "value": value, **more}


@pytest.mark.parametrize(("more", "default"), [({}, 0), ({"globalDefault": True}, -5)], ids=["none", "one"])
def test_pods_without_a_class_are_worth_what_the_default_class_is_else_nothing(
    more: dict[str, Any], default: int
) -> None:
    found = asking.priorities(Asked(["PriorityClass"], priority_class("high", 9), priority_class("low", -5, **more)))
    assert found == {"": default, "high": 9, "low": -5}


def test_priorities_that_may_not_be_read_are_not_known() -> None:
    assert asking.priorities(nothing()) is None


@pytest.mark.parametrize(
    ("status", "told"),
    [(500, 'failed calling webhook "mpod"'), (422, 'failed calling webhook "mpod"'), (403, ""), (201, "")],
)
def test_why_an_object_would_be_refused_is_told_in_the_api_servers_words_unless_you_may_not_make_it(
    status: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(path: str) -> tuple[int, dict[str, Any]]:
        if path == "/api/v1":
            return 200, {"resources": [{"kind": "Pod", "name": "pods", "namespaced": True}]}
        return status, {"message": 'failed calling webhook "mpod"'}

    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    with api_servers.serving(answer, monkeypatch):
        assert asking.Asker(client.connect()).refusal(pod, "team") == told


def test_objects_of_one_namespace_are_listed_there_and_once_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def answer(path: str) -> tuple[int, dict[str, Any]]:
        if path == "/api/v1":
            return 200, {"resources": [{"kind": "Pod", "name": "pods", "namespaced": True}]}
        asked.append(path.partition("?")[0])
        return (403, {"message": "no"}) if "/other/" in path else (200, {"items": [{"metadata": {"name": "p"}}]})

    kind = ApiKind(api_version="v1", kind="Pod", plural="pods")
    with api_servers.serving(answer, monkeypatch):
        ask = asking.Asker(client.connect())
        found = [ask.here(kind, "team"), ask.here(kind, "team"), ask.here(kind, "other")]
        absent = ask.here(kind.replace(kind="Gone"), "team")
    assert [one and len(one) for one in found] == [1, 1, None]
    assert absent is None
    assert asked == ["/api/v1/namespaces/team/pods", "/api/v1/namespaces/other/pods"]


def test_what_was_refused_is_not_asked_again_to_tell_why(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def answer(path: str) -> tuple[int, dict[str, Any]]:
        if path == "/api/v1":
            return 200, {"resources": [{"kind": "Pod", "name": "pods", "namespaced": True}]}
        asked.append(path)
        return 500, {"message": "timeout"}

    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    with api_servers.serving(answer, monkeypatch):
        asker = asking.Asker(client.connect())
        assert (asker.stored(pod, "team"), asker.refusal(pod, "team"), len(asked)) == (None, "timeout", 1)
