"""The operations for people."""

from __future__ import annotations

from typing import Any

import pytest
from rich.console import Console

from helm_roster.report import list_table

RELEASE = {"name": "rl", "state": "deployed", "revision": 3}


def entry(**more: Any) -> dict[str, Any]:
    pods = {"desired": 4, "ready": 2, "succeeded": 0}
    known = {"name": "rl", "operation": "rl", "namespace": "team", "operationKind": "service", "verdict": "Degraded"}
    return {**known, "ready": True, "groups": ["a", "b"], "pods": pods, "release": RELEASE, "gitops": None, **more}


def printed(found: dict[str, Any], *, everywhere: bool = False) -> str:
    terminal = Console(width=200, no_color=True)
    with terminal.capture() as text:
        terminal.print(list_table.table({"operations": [found]}, with_namespace=everywhere))
    return text.get()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "Helm release, revision 3 deployed"),
        ({"gitops": "Flux Kustomization apps/shop"}, "Flux Kustomization apps/shop"),
        ({"release": None}, " -"),
        ({"release": {**RELEASE, "revision": 0}}, "not known: you may not list Helm's records"),
    ],
)
def test_the_owner_is_a_gitops_object_before_a_helm_release(more: dict[str, Any], words: str) -> None:
    assert printed(entry(**more)).rstrip().endswith(words)


def test_an_own_name_stands_behind_the_releases_and_a_namespace_only_where_there_are_several() -> None:
    text = printed(entry(operation="own"), everywhere=True)
    assert "rl (own)  team" in text
    assert "team" not in printed(entry())


def test_pods_of_a_job_that_ended_well_are_told_apart() -> None:
    done = {"desired": 4, "ready": 1, "succeeded": 3}
    assert "1, 3 done of 4" in printed(entry(pods=done))
