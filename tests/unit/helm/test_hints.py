"""What we add to errors of Helm that are known."""

from __future__ import annotations

import pytest

from helm_roster.helm import hints


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("Error: INSTALLATION FAILED: cannot re-use a name that is still in use", "helm roster upgrade rl"),
        ("Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress", "helm roster cancel rl"),
        ("Error: UPGRADE FAILED: release: already exists", "somebody else changed rl at the same moment"),
        ('Error: create: failed to create: namespaces "team" not found', "or pass --create-namespace"),
        ("Kubernetes cluster unreachable: Get ...", "--kube-context"),
        ("Error: UPGRADE FAILED: timed out waiting for the condition", "helm roster status rl"),
        (
            'StatefulSet.apps "x" is invalid: spec: Forbidden: updates to statefulset spec for fields other than',
            "cancel rl",
        ),
        ('Job.batch "x" is invalid: spec.template: field is immutable', "a new run of a job, else helm roster"),
    ],
)
def test_a_known_error_gets_a_line_on_what_to_do(said: str, advice: str) -> None:
    assert advice in str(hints.hint(said, "rl"))


def test_an_unknown_error_gets_none() -> None:
    assert hints.hint("Error: something new", "rl") is None
