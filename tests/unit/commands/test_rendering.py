"""What is read of the manifests that a chart made."""

from __future__ import annotations

import pytest

from helm_roster.commands import rendering

SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"
HOOK = "apiVersion: batch/v1\nkind: Job\nmetadata: {annotations: {helm.sh/hook: pre-install}}\n"
NESTED = 'kind: "Thing"\nspec:\n  text: |\n    apiVersion: no/v1\napiVersion: "x.y/v1"\n'


LIST = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret}\n- {apiVersion: x/v1, kind: Herd}\n"


@pytest.mark.parametrize(
    ("documents", "kinds"),
    [
        ([SERVICE, SERVICE, HOOK], [("v1", "Service")]),
        ([NESTED], [("x.y/v1", "Thing")]),
        (["{apiVersion: a/v1, kind: B}\n", "# nothing\n"], [("a/v1", "B")]),
        ([LIST], [("v1", "Secret"), ("x/v1", "Herd")]),
        (["apiVersion: v1\nkind: List\n"], [("v1", "List")]),
    ],
    ids=["each once, and no hooks", "quoted", "in flow style", "in a list", "a list of nothing"],
)
def test_the_kinds_of_a_stream_are_known(documents: list[str], kinds: list[tuple[str, str]]) -> None:
    assert rendering.kinds("---\n".join(["", *documents])) == kinds


def test_the_kinds_of_hooks_are_known_where_they_are_asked_for() -> None:
    assert rendering.kinds(HOOK, hooks=True) == [("batch/v1", "Job")]
