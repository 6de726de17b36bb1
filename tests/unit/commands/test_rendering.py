"""What is read of the manifests that a chart made."""

from __future__ import annotations

import pytest

from helm_roster.commands import rendering

SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"
HOOK = "apiVersion: batch/v1\nkind: Job\nmetadata: {annotations: {helm.sh/hook: pre-install}}\n"
NESTED = 'kind: "Thing"\nspec:\n  text: |\n    apiVersion: no/v1\napiVersion: "x.y/v1"\n'


@pytest.mark.parametrize(
    ("documents", "kinds"),
    [
        ([SERVICE, SERVICE, HOOK], [("v1", "Service"), ("batch/v1", "Job")]),
        ([NESTED], [("x.y/v1", "Thing")]),
        (["{apiVersion: a/v1, kind: B}\n", "# nothing\n"], [("a/v1", "B")]),
    ],
    ids=["each once, and hooks", "quoted", "in flow style"],
)
def test_the_kinds_of_a_stream_are_known(documents: list[str], kinds: list[tuple[str, str]]) -> None:
    assert rendering.kinds("---\n".join(["", *documents])) == kinds
