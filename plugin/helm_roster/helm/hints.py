"""What to do about errors of Helm that people meet often. Helm's own text is shown before; this adds one line."""

from __future__ import annotations

from typing import Final

# Part of Helm's message -> what to do. ``{release}`` is put in.
_HINTS: Final = (
    (
        "a name that is still in use",
        "a release {release} is there already: helm roster upgrade {release}, or cancel it first",
    ),
    (
        "another operation (install/upgrade/rollback) is in progress",
        "another Helm works on {release} or was killed in the midst: wait, or helm roster cancel {release}",
    ),
    (
        "release: already exists",
        "somebody else changed {release} at the same moment, and nothing of this is applied: look at theirs first",
    ),
    (
        "has no deployed releases",
        "{release} never ran: helm roster install {release}, after helm roster cancel {release} if an install failed",
    ),
    (
        "field is immutable",
        (
            "this change needs new objects: a new run of a job, else helm roster cancel {release}, then install it "
            "again (helm roster plan --against {release} with the same flags tells more)"
        ),
    ),
    (
        "updates to statefulset spec for fields other than",
        "this change needs a new StatefulSet: helm roster cancel {release}, then install it again",
    ),
    (
        "conflict occurred while applying",
        (
            "somebody else set these fields: helm roster scale {release} GROUP=COUNT takes over a count, and "
            "--force-conflicts all of them"
        ),
    ),
    (
        "unable to find api field in struct podspec",
        "this Helm cannot move pods into another gang: helm roster cancel {release}, then install it again",
    ),
    (
        'failed to create: namespaces "',
        "make the namespace first (kubectl create namespace), or pass --create-namespace",
    ),
    ("cluster unreachable", "check --kube-context and KUBECONFIG"),
    ("imed out waiting", "helm roster status {release} says what it waits for"),
    ("context deadline exceeded", "helm roster status {release} says what it waits for"),
)


def hint(stderr: str, release: str) -> str | None:
    """Return one line on what to do about Helm's error, or None where its own words have to do."""
    lowered = stderr.lower()
    return next((advice.format(release=release) for part, advice in _HINTS if part.lower() in lowered), None)
