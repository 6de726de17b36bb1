"""What Helm keeps of a release: the values that an upgrade goes on from, and whether it is an operation."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from helm_roster import constants, errors
from helm_roster.helm import flags, run
from helm_roster.manifests import door, walk
from helm_roster.render import stream

_ABSENT: Final = "release: not found"
# Helm 4's word for it; Helm 3 has none (helm pkg/release/v1, ApplyMethod).
_SERVER_SIDE: Final = "ssa"


def running_values(release: str) -> str | None:
    """Return, as YAML, the values that users gave to the revision that an upgrade of ``release`` goes on from.

    None where there is no such release.

    Raises:
        HelmError: Helm cannot read its record.
    """
    revision = running_revision(release)
    if revision is None:
        return None
    return run.capture(["get", "values", release, "--revision", str(revision), "-o", "yaml"])


def running_revision(release: str) -> int | None:
    """Return the revision that an upgrade goes on from; None where there is no such release.

    Raises:
        HelmError: Helm cannot read its record.
    """
    found = revisions(release)
    return found.running if found else None


class Revisions(NamedTuple):
    """The revision that an upgrade goes on from, and the newest one with its status, which is another after a failure.

    The first is the deployed one, or the newest where none is (helm pkg/action/upgrade.go, ``prepareUpgrade``).
    """

    running: int
    newest: int
    status: str


@functools.cache
def revisions(release: str) -> Revisions | None:
    """Return where a release stands; None where there is no such release.

    Helm is asked once a process, so the values and the manifests that one upgrade is checked by are of one revision.

    Raises:
        HelmError: Helm cannot read its record.
    """
    return revisions_now(release)


def revisions_now(release: str) -> Revisions | None:
    """Return what ``revisions`` does, as it is now.

    Raises:
        HelmError: Helm cannot read its record.
    """
    found = _history(release)
    if not found:
        return None
    deployed = [entry for entry in found if entry["status"] == "deployed"] or found
    newest = found[-1]
    return Revisions(int(deployed[-1]["revision"]), int(newest["revision"]), str(newest["status"]))


class Chart(NamedTuple):
    """What a chart calls itself."""

    name: str
    version: str

    def __str__(self) -> str:
        """Return ``name version``, for messages."""
        return f"{self.name} {self.version}"


class Metadata(NamedTuple):
    """The chart of a revision, and whether Helm applied it server-side, as its next one will."""

    chart: Chart
    server_side: bool


def metadata(release: str, revision: int) -> Metadata:
    """Return what made a revision of ``release``.

    Raises:
        HelmError: Helm cannot read its record.
    """
    found = json.loads(run.capture(["get", "metadata", release, "--revision", str(revision), "-o", "json"]))
    return Metadata(Chart(found["chart"], found["version"]), found.get("applyMethod") == _SERVER_SIDE)


def chart(reference: str, args: Sequence[str]) -> Chart:
    """Return the chart that Helm takes for ``reference``, with those of its flags ``args`` that say where it is.

    Raises:
        HelmError: There is none.
    """
    found = door.to_plain(door.load(run.capture(["show", "chart", reference, *flags.for_show(args)])))
    return Chart(str(walk.get(found, "name", default="")), str(walk.get(found, "version", default="")))


def manifest(release: str, revision: int) -> str:
    """Return the manifests that a revision of ``release`` applied, without hooks.

    Raises:
        HelmError: Helm cannot read its record.
    """
    return run.capture(["get", "manifest", release, "--revision", str(revision)])


def failure(release: str) -> str:
    """Return why the newest revision of ``release`` failed, in Helm's words on one line.

    Empty where it did not fail, and where Helm cannot say it.
    """
    try:
        newest = (_history(release) or [{}])[-1]
    except errors.RosterError:
        return ""
    return " ".join(str(newest.get("description", "")).split()) if newest.get("status") == "failed" else ""


def is_operation(release: str) -> bool:
    """Return whether an object that the newest revision of ``release`` applied, or was about to, carries our labels.

    Raises:
        HelmError: Helm cannot read its record, or has none.
    """
    return holds_operation(run.capture(["get", "manifest", release]))


def holds_operation(manifests: str) -> bool:
    """Return whether one of the manifests in a stream carries our labels."""
    split = stream.split(manifests)
    return any(_is_labelled(document) for document in split if constants.OPERATION_LABEL in document.text)


def _is_labelled(document: stream.Document) -> bool:
    try:
        return walk.get(document.load(), "metadata", "labels", constants.OPERATION_LABEL) is not None
    except errors.BadInputError:
        return False  # no manifest of ours: those can be read


def _history(release: str) -> Sequence[Any]:
    """Return the revisions as Helm lists them, oldest first."""
    try:
        found: Sequence[Any] = json.loads(run.capture(["history", release, "-o", "json"]))
    except run.HelmError as error:
        if error.said == _ABSENT:
            return []
        raise
    return found
