"""Names of grouping objects; what changes them is tested with the native backend."""

from __future__ import annotations

from helm_roster.model import operation as operations
from helm_roster.policy import names

from tests.unit.builders import carrier_spec, gang, group


def name_of(operation: str, gang_name: str) -> str:
    read = operations.read(carrier_spec({"w": group(2)}, {gang_name: gang(w=(2, False))}, name=operation))
    return names.gang_name(read, read.gangs[0])


def test_names_that_join_to_the_same_text_still_differ() -> None:
    assert name_of("a", "b-c") != name_of("a-b", "c")


def test_the_same_values_give_the_same_name() -> None:
    assert name_of("op", "train") == name_of("op", "train")


def test_the_name_begins_with_operation_and_gang() -> None:
    assert name_of("op", "train").startswith("op-train-")
