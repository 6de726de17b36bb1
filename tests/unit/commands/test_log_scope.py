"""Which logs are read, and how they are asked for."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import pytest

from helm_roster.commands import log_scope
from helm_roster.commands.log_scope import Wanted
from helm_roster.policy.logs import Target

TARGET = Target(group="web", pod="w", container="main", uid="u", run=0, state="running")
ALWAYS = {"container": ["main"], "timestamps": ["true"]}


@pytest.mark.parametrize(
    ("wanted", "several", "query"),
    [
        ({}, False, {}),
        ({}, True, {"tailLines": ["10"]}),
        ({"tail": -1}, True, {}),
        ({"tail": 0}, False, {"tailLines": ["0"]}),
        ({"since": 0.2}, False, {"sinceSeconds": ["1"]}),
        ({"since": 90.5}, False, {"sinceSeconds": ["91"]}),
        ({"previous": True}, False, {"previous": ["true"]}),
    ],
)
def test_of_several_logs_less_is_asked_for(wanted: dict[str, Any], several: bool, query: dict[str, Any]) -> None:  # noqa: FBT001
    assert parse_qs(Wanted(**wanted).query(TARGET, several=several)) == ALWAYS | query


@pytest.mark.parametrize(
    ("last", "since"),
    [
        (b"2026-11-30T01:02:03.999999999Z", {"sinceTime": ["2026-11-30T01:02:03Z"]}),
        (b"2026-11-30T01:02:03.999999999+02:00", {"sinceTime": ["2026-11-30T01:02:03+02:00"]}),
        (b"", {}),
    ],
)
def test_what_follows_is_asked_for_from_the_second_of_the_last_line(last: bytes, since: dict[str, Any]) -> None:
    found = parse_qs(log_scope.query_of_what_follows(TARGET, last))
    assert found == ALWAYS | {"follow": ["true"]} | since


@pytest.mark.parametrize(
    ("state", "previous", "words"),
    [
        ("running", False, ""),
        ("waiting", False, "container main has not begun: ImagePullBackOff"),
        ("running", True, "container main was not restarted"),
    ],
)
def test_why_there_is_no_log_is_told(state: Any, previous: bool, words: str) -> None:  # noqa: FBT001
    target = Target(group="web", pod="w", container="main", uid="u", run=0, state=state, why="ImagePullBackOff")
    assert log_scope._absent(target, previous=previous) == words
