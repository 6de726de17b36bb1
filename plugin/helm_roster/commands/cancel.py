"""``helm roster cancel``: remove an operation, running, waiting or half installed, and return when it is gone.

Helm's record goes first, through ``helm uninstall``; then everything that still carries the operation's labels, over
every kind that the cluster serves; then it waits, since a grouping object lives until its last pod is gone, and an
operation that is installed onto it would vanish with it. What somebody installs under the same name meanwhile is left
alone, and ends the wait with an error.

As JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "Cancellation", "name", "namespace", "gone", "deleted",
"kept", "volumes", "unseen"}``; ``deleted`` counts the objects that went, those that Helm deleted included; ``kept``
lists what Helm's or Kubernetes' rule holds, as ``"PersistentVolumeClaim x"``; ``volumes`` the volume claims that are
kept by rule or were deleted by ``--delete-data``, as ``{name, size, deleted}``; ``unseen`` the kinds that you may not
list, as ``"podgroups.scheduling.k8s.io"``. ``gone`` is true when nothing is left, null when nothing is left but
of kinds in ``unseen`` something may be, false with ``--no-wait`` while something may still be ending.
"""

from __future__ import annotations

import contextlib
import functools
import re
import time
from collections.abc import Sequence
from operator import itemgetter
from typing import Final

from helm_roster import constants, errors
from helm_roster.cluster import client, leftovers, live, records
from helm_roster.cluster.belonging import Shares
from helm_roster.cluster.client import Resource
from helm_roster.cluster.leftovers import Leftover
from helm_roster.cluster.records import Record
from helm_roster.commands import outages
from helm_roster.commands.cancelling import Task
from helm_roster.commands.outages import OutageError, Outages, Patience
from helm_roster.helm import releases
from helm_roster.helm import run as helm
from helm_roster.manifests import walk
from helm_roster.model.wording import agreed, counted
from helm_roster.policy import ownership, pods
from helm_roster.report import cancel_talk, console, wait_talk

# How Helm tells that the API server is away (net, net/http, and the server's own words while it starts or ends).
_AWAY: Final = re.compile(
    r"connection (refused|reset)|client connection lost|\bEOF\b|i/o timeout|TLS handshake timeout"
    r"|no route to host|currently unable to handle the request|etcdserver: |[Ss]ervice ?[Uu]navailable"
)
# Who gave quota to pods takes it back so soon after they are gone.
_QUOTA_SECONDS: Final = 3.0
# What the API server says, who is there then, of somebody else who is away.
_NOT_AWAY: Final = "webhook"


def run(name: str, *, timeout: float, wait: bool = True, delete_data: bool = False, output: str = "table") -> None:
    """Cancel the operation whose release (or which itself) is called ``name``.

    Args:
        name: The release's name, or the operation's.
        timeout: Seconds to wait until everything is gone.
        wait: False returns once everything is being deleted.
        delete_data: Delete the volume claims too that are kept by rule.
        output: ``table`` (a few lines), ``json`` or ``yaml``.

    Raises:
        BadInputError: Nothing by that name is in the namespace.
        RefusedError: The release is no operation; or a GitOps controller owns it and would make it again; or Helm's
            records are not in the cluster.
        DeadlineError: Something is still there when the time is over; it is named. Or the cluster is away then.
        OperationFailedError: Helm or the cluster refuses, or it was installed again meanwhile.
    """
    records.refuse_outside()
    started = time.monotonic()
    task = _begin(name, delete_data=delete_data)
    _refuse_owned(task, name)
    patience = Patience(started + timeout, f"whether {task.release} is gone is not known")
    _uninstall(task, patience)
    patience.insist(task.take_data)
    if wait:
        _wait(task, patience, timeout)
        _tell_quota(task, patience)
    else:
        patience.insist(functools.partial(_sweep, task))
    _report(task, patience.insist(task.claims), output=output, waited=wait)


def _begin(name: str, *, delete_data: bool) -> Task:
    """Find out what ``name`` means here: a release, else the own name of an operation that no release holds."""
    cluster, namespace = client.connect(), helm.namespace()
    resources = leftovers.kinds(cluster)
    for selector in live.selectors(name):
        first = leftovers.look(cluster, namespace, selector, resources)
        release = live.only_release([found.manifest for found in first.found], name)
        task = Task(
            client=cluster, namespace=namespace, release=release, selector=selector, resources=resources, first=first,
            delete_data=delete_data,
        )  # fmt: skip
        if first.found:
            _refuse_by_other_name(task, name)
            task.take_data()
            return task
    task.selector = live.selectors(name)[0]
    task.take_data()
    if not task.data:
        _refuse_unknown(task)
    return task


def _refuse_by_other_name(task: Task, name: str) -> None:
    """Refuse an operation's own name where a Helm release holds it: a release of that name may come and go beside."""
    if task.release != name and task.find_record() is not None:
        msg = (
            f'no release "{name}"; the operation of that name belongs to release {task.release}: cancel {task.release}'
        )
        raise errors.RefusedError(msg)


def _refuse_unknown(task: Task) -> None:
    """Refuse where there is no object of ours, unless Helm's record says that the release is an operation."""
    record, name = task.find_record(), task.release
    if record is None:
        count = len(leftovers.claims(task.client, task.namespace, name))
        kept = f" but its {count} volume claims, which helm roster cancel {name} --delete-data deletes" if count else ""
        msg = f'no operation "{name}" in namespace "{task.namespace}": there is nothing to cancel{kept}'
        raise errors.BadInputError(msg)
    if not record.is_readable:
        msg = (
            f'no object of an operation "{name}" can be seen in namespace "{task.namespace}", and you may not list '
            f"{records.storage().plural}, in which Helm keeps its record: somebody with that right has to cancel it"
        )
        raise errors.OperationFailedError(msg)
    if not releases.is_operation(name):
        msg = f'release "{name}" is no operation of Roster: use helm uninstall {name}'
        raise errors.RefusedError(msg)


def _refuse_owned(task: Task, name: str) -> None:
    owner = ownership.find(found.manifest for found in task.first.found)
    if owner is not None:
        msg = f'operation "{name}" belongs to {owner.name}, which would make it again: {owner.remedy}'
        raise errors.RefusedError(msg)


def _uninstall(task: Task, patience: Patience) -> None:
    """Let Helm delete what its record holds; where it cannot, delete by label first and try again without hooks."""
    record = task.record = patience.insist(task.find_record)
    if record is None:
        console.say(f"Helm has no record of {task.release}: deleting by label")
        return
    if reason := _why_not_helm(record):
        console.say(f"{reason}: deleting by label")
        return
    console.say(f"uninstalling {task.release} ({record.state}, revision {record.revision})")
    try:
        _by_helm(task, patience)
    except helm.HelmError as error:
        console.say(f"helm uninstall failed ({error.said}); deleting by label, then once more without hooks")
        patience.insist(functools.partial(_sweep, task))
        _uninstall_without_hooks(task, patience)


def _by_helm(task: Task, patience: Patience, *how: str) -> None:
    """Run ``helm uninstall``, again and whole where the cluster went away meanwhile.

    Raises:
        HelmError: It fails for another reason, or in the same words after the cluster answered in between.
        DeadlineError: The cluster did not come back in time.
        OperationFailedError: Somebody installed the release again in between.
    """
    told: set[str] = set()

    def uninstall() -> None:
        left = max(1, int(patience.deadline - time.monotonic()))
        try:
            helm.capture(["uninstall", task.release, "--timeout", f"{left}s", *how])
        except helm.HelmError as error:
            if error.said in told or _NOT_AWAY in error.said or not _AWAY.search(error.said):
                raise
            told.add(error.said)
            msg = f"helm uninstall: {error.said}"
            raise client.UnreachableError(msg) from error

    # An answer to the record ends an outage, so that what Helm fails of afterwards is no part of it.
    while (found := patience.insist(task.find_record)) is not None:
        _refuse_new_release(task, found)
        try:
            patience.bear(uninstall)
        except OutageError as error:
            patience.pause(error)
        else:
            return


def _refuse_new_release(task: Task, found: Record) -> None:
    """Refuse to uninstall another release than at first: it has no revision of that one. One that was upgraded has."""
    if task.record is not None and found.is_readable and found.uids.isdisjoint(task.record.uids):
        msg = (
            f"{task.release} was installed again meanwhile, and that is not uninstalled: if it has to go too, "
            f"helm roster cancel {task.release}"
        )
        raise errors.OperationFailedError(msg)


def _why_not_helm(record: Record) -> str:
    """Return why Helm must not or cannot uninstall the release; empty where it can."""
    if not record.is_readable:
        return f"you may not list {records.storage().plural}, so Helm's record of {record.name}, if any, stays"
    try:
        ours = releases.is_operation(record.name)
    except helm.HelmError:
        return ""  # whatever is wrong with the record: helm uninstall will say it
    return "" if ours else f"Helm's release {record.name} is no operation and is left alone"


def _uninstall_without_hooks(task: Task, patience: Patience) -> None:
    try:
        _by_helm(task, patience, "--no-hooks")
    except helm.HelmError as error:
        msg = (
            f"helm uninstall {task.release} failed twice: {error.said}; what carries the operation's labels is being "
            "deleted, and Helm's record is kept, since it may name more: try again, or delete that record (kubectl "
            f"delete {records.storage().kind.lower()} -n {task.namespace} -l owner=helm,name={task.release})"
        )
        raise errors.OperationFailedError(msg) from error


def _sweep(task: Task) -> None:
    for one in task.data.values():
        console.say(f"deleting {one.name} with its data ({leftovers.size(one)})")
    leftovers.delete(task.client, task.namespace, task.look().ours)


def _wait(task: Task, patience: Patience, timeout: float) -> None:
    """Delete what is there and what turns up, until nothing is left; that is decided on looks over all kinds only."""
    title = f"waiting for {task.release} to be gone, at most {wait_talk.duration(timeout)}"
    with cancel_talk.progress(title) as tell:
        _watch(task, patience, tell)


def _tell_quota(task: Task, patience: Patience) -> None:
    """Tell what still holds quota: whoever gave it deletes that within a second or two, if it runs."""
    deadline = time.monotonic() + _QUOTA_SECONDS
    while left := patience.insist(task.quota):
        if time.monotonic() > deadline:
            what = f"{left[0].resource.long_name} -n {task.namespace}"
            holds = f"{counted(len(left), left[0].resource.kind)} still {agreed(len(left), 'hold')} quota"
            console.say(f"warning: {holds}, until who gave it runs and deletes them: look by kubectl get {what}")
            return
        time.sleep(outages.POLL_SECONDS)


def _watch(task: Task, patience: Patience, tell: cancel_talk.Tell) -> None:
    resources: Sequence[Resource] = task.resources
    with contextlib.suppress(OutageError):  # then it is done below
        patience.bear(functools.partial(_sweep, task))
    reasons = functools.partial(_reasons, task, patience)
    while True:
        began = time.monotonic()
        try:
            shares, record = patience.bear(functools.partial(_step, task, resources))
        except OutageError as error:
            patience.pause(error)
            continue
        whole = resources is task.resources
        if whole:
            _refuse_others(task, shares.others, record)
        _refuse_new_record(task, record)
        if not shares.awaited and whole:
            return
        tell(shares.awaited, reasons)
        if time.monotonic() > patience.deadline:
            raise errors.DeadlineError(cancel_talk.left(task.release, shares.awaited, reasons, task.kept.values()))
        resources = _next(task, shares.awaited)
        time.sleep(max(outages.POLL_SECONDS, time.monotonic() - began) if shares.awaited else 0)


def _step(task: Task, resources: Sequence[Resource]) -> tuple[Shares, Record | None]:
    """Return what is there, and Helm's record; where all kinds are looked at, delete what turned up."""
    shares = task.look(resources)
    if resources is task.resources:
        leftovers.delete(task.client, task.namespace, shares.ours)
    return shares, task.find_record()


def _reasons(task: Task, outages: Outages, found: Sequence[Leftover]) -> list[str]:
    """Return what holds these objects, as far as the cluster tells it now."""
    try:
        return outages.bear(lambda: task.reasons(found))
    except OutageError as error:
        return [str(error)]


def _next(task: Task, awaited: Sequence[Leftover]) -> Sequence[Resource]:
    """Return which kinds to look at next: all of them, unless all that is left is on its way out."""
    if awaited and all(pods.is_terminating(one.manifest) for one in awaited):
        return sorted({one.resource for one in awaited})
    return task.resources


def _refuse_new_record(task: Task, found: Record | None) -> None:
    known = task.record.uids if task.record else frozenset()
    if found is not None and found.uids - known:
        msg = (
            f"{task.release} was installed again meanwhile: what is new is left alone, and what was there before is "
            "being deleted"
        )
        raise errors.OperationFailedError(msg)


def _refuse_others(task: Task, others: Sequence[Leftover], record: Record | None) -> None:
    if others:
        _refuse_new_record(task, record)
        msg = (
            f"objects of {task.release} were made meanwhile ({cancel_talk.names(others)}) and are left alone; what was "
            "there before is being deleted: cancel it again once nobody installs it any more"
        )
        raise errors.OperationFailedError(msg)


def _report(task: Task, found: Sequence[Leftover], *, output: str, waited: bool) -> None:
    claims = [one for one in found if not one.is_ending and one.uid not in task.data]
    volumes = [(one, False) for one in claims] + [(one, True) for one in task.data.values()]
    listed = [
        {"name": str(walk.get(one.manifest, "metadata", "name")), "size": leftovers.size(one), "deleted": deleted}
        for one, deleted in volumes
    ]
    document = {
        "apiVersion": constants.API_VERSION,
        "kind": "Cancellation",
        "name": task.release,
        "namespace": task.namespace,
        "gone": (None if task.first.unseen else True) if waited else False,
        "deleted": len(task.seen),
        "kept": sorted({one.name for one in [*claims, *task.kept.values()]}),
        "volumes": sorted(listed, key=itemgetter("name")),
        "unseen": sorted(task.first.unseen),
    }
    if output == "table":
        console.write(console.as_called("\n".join(cancel_talk.result(document))))
    else:
        console.document(document, output)
