"""``helm roster plan --against REL``: what an upgrade would do to each group of a release that runs."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from helm_roster import constants, errors
from helm_roster.cluster import client, live
from helm_roster.cluster.client import ApiError
from helm_roster.commands import by_hand, ending, options, regrouped, rendering, value_files
from helm_roster.commands.rendering import Rendering
from helm_roster.commands.value_files import Given
from helm_roster.helm import find, releases, run
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.plan import Plan, groups_of
from helm_roster.policy import changes, handover, pods, regrouping, wiring
from helm_roster.policy.changes import Changes
from helm_roster.policy.regrouping import Restart


@contextlib.contextmanager
def values(release: str, given: Given) -> Iterator[Given]:
    """Yield the values with which ``helm upgrade`` would go on.

    Raises:
        OperationFailedError: The cluster or Helm's record of the release cannot be read.
    """
    with contextlib.ExitStack() as files:
        with _readable(release):
            known = files.enter_context(value_files.upgraded(release, given))
        yield known


class Running(NamedTuple):
    """The revision that an upgrade goes on from, and the objects that it holds, as plain data."""

    revision: int
    objects: list[Manifest]


def running(release: str) -> Running | None:
    """Return what runs of ``release``; None where there is no such release.

    Raises:
        BadInputError: There is no such kubeconfig or context.
        OperationFailedError: The cluster or Helm's record of the release cannot be read.
    """
    client.connect()  # says in our words which cluster is meant and not there
    with _readable(release):
        revision = releases.running_revision(release)
        if revision is None:
            return None
        return Running(revision, rendering.objects(releases.manifest(release, revision)))


class Compared(NamedTuple):
    """The revision that runs, what changes of it, gangs that restart, and what may surprise, one line each."""

    revision: int
    changes: Changes
    restarts: Sequence[Restart]
    warnings: list[str]


def compare(release: str, made: Rendering) -> Compared:
    """Return the revision that runs, what an upgrade to ``made`` changes of it, and warnings about that.

    Raises:
        BadInputError: There is no such release.
        RefusedError: It is being cancelled.
        OperationFailedError: The cluster or Helm's record of the release cannot be read.
    """
    held = running(release)
    if held is None:
        ending.refuse(release)
        msg = f'there is no release "{release}" in namespace "{run.namespace()}"; choose another with -n'
        raise errors.BadInputError(msg)
    found = changes.compare(held.objects, rendering.objects(made.text), changes.ways(made.plan.operation))
    gangs = regrouped.find(release, made, held.objects)
    told = [gangs.warning] if gangs.warning else []
    told += warnings(found, held.objects, made.plan, replicas(release, made.plan), gangs.restarts)
    by_helm4 = functools.partial(_applies_server_side, release, held.revision)
    cluster, namespace = client.connect(), made.plan.operation.namespace
    told += by_hand.warnings(cluster, namespace, release, held=held.objects, found=found, server_side=by_helm4)
    return Compared(held.revision, found, gangs.restarts, told)


def _applies_server_side(release: str, revision: int) -> bool:
    with _readable(release):
        return find.find().is_helm4 and releases.metadata(release, revision).server_side


def warnings(
    found: Changes, before: Sequence[Manifest], plan: Plan, now: Mapping[str, int], restarts: Sequence[Restart]
) -> list[str]:
    """Return what may surprise about ``found``, the changes that ``plan`` makes to the manifests ``before``.

    ``now`` are the replicas that groups have in the cluster (see ``replicas``), ``restarts`` the gangs that restart.
    """
    return [*_surprises(found), *_restarted(restarts, plan), *_refusals(before, plan, now)]


def replicas(release: str, plan: Plan) -> dict[str, int]:
    """Return the replicas that the groups have in the cluster now, where ``plan`` lets an autoscaler set some.

    Without one nobody has to know, and the cluster is not asked; of what may not be listed nothing is known.
    """
    if not any(group.autoscaling for group in groups_of(plan)):
        return {}
    selector, _ = live.selectors(release)
    try:
        found = live.workloads(client.connect(), plan.operation.namespace, selector)
    except ApiError as error:
        if not error.is_forbidden:
            raise
        return {}
    running = [(walk.get(one, "metadata", "labels", constants.GROUP_LABEL), one) for one in found]
    return {
        str(name): int(walk.get(one, "spec", "replicas", default=0))
        for name, one in running
        if name and not pods.is_terminating(one)
    }


@contextlib.contextmanager
def _readable(release: str) -> Iterator[None]:
    """Say what could not be read when Helm fails within.

    Raises:
        OperationFailedError: The cluster or Helm's record of the release cannot be read.
    """
    try:
        yield
    except run.HelmError as error:
        msg = f"what runs of {release} cannot be read: {error.said}"
        raise errors.OperationFailedError(msg) from error


def _surprises(found: Changes) -> Iterator[str]:
    for group in found.groups:
        if group.action == "recreated":
            yield (
                f'group "{group.group}": its workload is recreated ({group.objects[0].reason}): its pods end before '
                "new ones are ready"
            )
        for count in changes.raised(group):
            yield f'group "{group.group}": its autoscaler goes, and replicas become {count} at once'


def _restarted(restarts: Sequence[Restart], plan: Plan) -> Iterator[str]:
    """Yield what becomes of the gangs that restart, and that ``helm roster upgrade`` refuses it without being told."""
    for restart in restarts:
        if refused := regrouping.refusals([restart], plan, recreate=True):
            yield f"helm roster upgrade will refuse this: {refused[0]}"
        else:
            yield (
                f'gang "{restart.gang}" restarts ({restart.what}): helm roster upgrade {plan.operation.release} '
                f"{constants.RECREATE} deletes all pods of {', '.join(restart.groups)} at once, and an upgrade "
                f"without it is refused{regrouping.otherwise(restart)}"
            )


def _refusals(before: Sequence[Manifest], plan: Plan, now: Mapping[str, int]) -> Iterator[str]:
    """Yield why ``helm roster upgrade`` will refuse: it asks the same of what runs."""
    for refusal in wiring.mixing(plan.operation, wiring.toggles(before, plan.workloads)):
        yield f"helm roster upgrade will refuse this, and plain helm upgrade would mix versions: {refusal}"
    for refusal in handover.resets(before, plan, now, way_out=options.ACCEPT_RESET):
        yield f"helm roster upgrade will refuse this, and plain helm upgrade would do it: {refusal}"
