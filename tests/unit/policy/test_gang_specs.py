"""What grouping objects keep of a gang, in the words of the values."""

from __future__ import annotations

import json

import pytest

from helm_roster.policy import gang_specs

from tests.unit.builders import gang, group, plan

LABELS = {"helm-roster.dev/gang": "train"}


def test_a_gang_says_its_backend_members_and_priority() -> None:
    urgent = {"priorityClassName": "urgent"}
    asked = plan({"a": group(2, pod=urgent), "b": group(4, pod=urgent)}, {"train": gang(a=(2, False), b=(1, True, 3))})
    members = {"a": {"min": 2}, "b": {"min": 1, "elastic": True, "order": 3}}
    assert gang_specs.of(asked, asked.operation.gangs[0]) == {
        "backend": "native", "members": members, "priority": "urgent",
    }  # fmt: skip


def test_what_was_written_is_read_back_by_gang() -> None:
    spec = {"members": {"a": {"min": 2}}}
    metadata = {"labels": LABELS, "annotations": {"helm-roster.dev/gang-spec": gang_specs.text(spec)}}
    assert gang_specs.read([{"metadata": metadata}, {"metadata": {}}]) == {"train": spec}


@pytest.mark.parametrize("said", ["", "{", "[]", json.dumps("text")])
def test_an_annotation_that_somebody_broke_says_nothing(said: str) -> None:
    metadata = {"labels": LABELS, "annotations": {"helm-roster.dev/gang-spec": said}}
    assert gang_specs.read([{"metadata": metadata}]) == {}
