"""The init container in which pods wait for a connection to be filled."""

from __future__ import annotations

from helm_roster.policy import filled

POD = {"initContainers": [{"name": "models-filled"}]}


def test_pods_wait_for_the_connection_whose_container_they_have() -> None:
    assert filled.container("models") == "models-filled"
    assert [filled.waits([{}, spec], "models") for spec in (POD, {})] == [True, False]
    assert not filled.waits([POD], "data")


def test_such_a_container_is_known_by_its_name() -> None:
    assert [filled.is_one({"name": name}) for name in ("models-filled", "filled", "main")] == [True, False, False]
