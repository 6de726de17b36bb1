"""What `doctor --smoke-test` makes, and that it deletes it: on an API server that only notes what it is asked."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import Any

import pytest

from helm_roster import errors
from helm_roster.commands import smoke_test
from helm_roster.manifests.walk import Manifest

from tests.unit.builders import gang, group, plan

NATIVE = {"placement": {"backend": "native"}}
SELECTED = {"nodeSelector": {"model": "h200"}, "tolerations": [{"key": "gpu", "operator": "Exists"}]}
GROUPS = {"learner": group(4, accelerators=1, pod=SELECTED), "rollout": group(2)}


def test_pods_go_to_the_nodes_of_a_gang_of_the_values_and_request_nothing() -> None:
    values = smoke_test._values(plan(GROUPS, {"step": gang(learner=(4, False))}), NATIVE)
    for entry in values["groups"].values():
        assert {key: entry["environment"][key] for key in SELECTED} == SELECTED
        assert "accelerators" not in entry
    assert set(values["groups"]) == {"whole", "half"}


def test_no_pod_pulls_an_image() -> None:
    container = smoke_test._values(None, NATIVE)["groups"]["whole"]["container"]
    assert container["imagePullPolicy"] == "Never"


def test_a_gang_of_several_groups_is_tried_as_one() -> None:
    asked = plan(GROUPS, {"step": gang(learner=(4, False), rollout=(2, False))})
    assert set(smoke_test._values(asked, NATIVE)["groups"]) == {"whole-a", "whole-b", "half-a", "half-b"}


def test_without_values_kubernetes_own_gangs_are_tried() -> None:
    assert set(smoke_test._values(None, NATIVE)["groups"]) == {"whole", "half"}


class Noting:
    """A client that notes what is made and deleted."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.refuses = ""

    def post(self, path: str, body: Manifest, *, what: str) -> Manifest:
        """Note what is made, or refuse it."""
        del body
        if self.refuses and self.refuses in path:
            raise errors.OperationFailedError(what)
        self.asked.append(f"make {path.rpartition('/')[2]}")
        return {}

    def select(self, *_: Any, **__: Any) -> list[Manifest]:
        """Return one pod."""
        return [{"metadata": {"name": "p"}}]

    def delete(self, resource: Any, namespace: str, name: str) -> None:
        """Note what is deleted."""
        del namespace, name
        self.asked.append(f"delete {resource.plural}")

    def get(self, *_: Any) -> None:
        """Return nothing: all is gone."""


@pytest.fixture
def client() -> Noting:
    return Noting()


@pytest.mark.parametrize("end", [KeyboardInterrupt, errors.OperationFailedError, None])
def test_all_is_deleted_however_it_ends(client: Any, end: type[BaseException] | None) -> None:
    def block() -> Iterator[None]:
        with smoke_test._namespace(client, "n", []):
            yield
            if end:
                raise end

    if end:
        with pytest.raises(end):
            list(block())
    else:
        list(block())
    assert client.asked == ["make namespaces", "delete pods", "delete namespaces"]


def test_a_request_to_end_is_an_interruption(client: Any) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), smoke_test._namespace(client, "n", []):
        signal.raise_signal(signal.SIGTERM)
    assert client.asked[-1] == "delete namespaces"
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("verb", ["post", "delete"], ids=["while it is made", "while it is deleted"])
@pytest.mark.parametrize("heard", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_that_was_put_off_is_heard_once_all_is_deleted(
    client: Any, monkeypatch: pytest.MonkeyPatch, verb: str, heard: signal.Signals
) -> None:
    does = getattr(client, verb)

    def interrupted(*given: Any, **named: Any) -> Any:
        signal.raise_signal(heard)
        return does(*given, **named)

    monkeypatch.setattr(client, verb, interrupted)
    with pytest.raises(KeyboardInterrupt), smoke_test._namespace(client, "n", []):
        pass
    assert client.asked == ["make namespaces", "delete pods", "delete namespaces"]


def test_who_may_make_no_namespace_leaves_nothing_to_delete(client: Any) -> None:
    client.refuses = "namespaces"
    with pytest.raises(errors.OperationFailedError), smoke_test._namespace(client, "n", []):
        pass
    assert client.asked == []


def test_pods_that_never_come_to_a_scheduler_are_told_by_their_gates(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smoke_test, "_PLACED_SECONDS", 0)
    pods = [{"metadata": {"name": name}, "spec": {"schedulingGates": [{"name": "a/quota"}]}} for name in ("p", "q")]
    monkeypatch.setattr(client, "select", lambda *_: pods)
    tried = smoke_test._Trial(client, "n").run(pods, pods[:1])
    assert (tried.placed, tried.gates) == (None, ["a/quota"])
    assert client.asked == ["make pods", "make pods"]
