"""What ``helm roster scale`` makes sure of before Helm: nothing but the named groups' counts changes.

What would change is looked at twice: against the manifests of the revision that runs, and by a dry run against what is
in the cluster, since Helm sets back what was changed by hand.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from helm_roster import constants, errors
from helm_roster.cluster import live, trial
from helm_roster.cluster.client import Client
from helm_roster.cluster.trial import Trial
from helm_roster.commands import rendering
from helm_roster.commands.against import Running
from helm_roster.commands.rendering import Rendering
from helm_roster.helm import find, flags, releases
from helm_roster.helm import run as helm
from helm_roster.helm.releases import Chart, Metadata
from helm_roster.manifests import walk
from helm_roster.model.plan import TEMPLATE_PATHS, Plan
from helm_roster.model.wording import few
from helm_roster.policy import changes, crowding, scaling, warnings
from helm_roster.policy.drift import REPLICAS
from helm_roster.policy.scaling import Step
from helm_roster.render import pipeline
from helm_roster.report import console


def refuse_other_chart(release: str, runs: Chart, reference: str, args: Sequence[str], *, given: bool) -> None:
    """Refuse another chart than the one that made what runs; ``given``: whether the user named it.

    Raises:
        BadInputError: Helm does not find the chart.
        RefusedError: It has another name or version.
    """
    try:
        used = releases.chart(reference, args)
    except helm.HelmError as error:
        msg = f"the chart {reference} cannot be read: {error.said}"
        raise errors.BadInputError(msg) from error
    if used == runs:
        return
    which = reference if given else "the bundled chart"
    msg = f"{release} runs chart {runs}, and {which} is {used}, which may change more than counts: "
    msg += _way_to(runs, "" if Path(reference).exists() or used.name != runs.name else reference)
    if used.name == runs.name:
        msg += f", or upgrade first ({scaling.upgrade(release)})"
    raise errors.RefusedError(msg)


def _way_to(runs: Chart, reference: str) -> str:
    """Return how to get the chart that runs; ``reference`` is where its other versions are, if that is known."""
    if reference.startswith("oci://"):
        # A version beside a tag or a digest would contradict it.
        folder, _, name = reference.rpartition("/")
        reference = f"{folder}/{re.split('[:@]', name)[0]}"
    if reference:
        return f"pass --chart {reference} --version {runs.version}"
    if runs.name == constants.CHART:
        package = f"{runs.name}-{runs.version}.tgz"
        return f"use helm-roster {runs.version}, which bundles it, or pass --chart with its package ({package})"
    return f"pass --chart with {runs}, from where you keep it"


def refuse_unsettled(release: str) -> None:
    """Refuse while Helm is at work on the release, or where its newest revision failed beside one that is deployed.

    Raises:
        RefusedError: It is so.
    """
    found = releases.revisions(release)
    if found is None:
        return
    if found.status.startswith("pending"):
        msg = (
            f"{release} is in {found.status}: another Helm works on it, or was killed in the midst: "
            f"wait, or helm roster cancel {release}"
        )
        raise errors.RefusedError(msg)
    if found.status == "failed" and found.newest != found.running:
        msg = (
            f"revision {found.newest} of {release} failed, and what it changed so far would be set back to revision "
            f"{found.running}: upgrade or roll back first (helm roster upgrade {release}, helm rollback {release})"
        )
        raise errors.RefusedError(msg)


def refuse_moved(release: str) -> None:
    """Refuse where somebody upgraded the release since it was looked at, or tried to and failed.

    Raises:
        OperationFailedError: Somebody did.
    """
    if releases.revisions_now(release) != releases.revisions(release):
        msg = f"{release} was upgraded meanwhile, so nothing is applied: look at it and scale again"
        raise errors.OperationFailedError(msg)


def refuse_more(
    held: Running,
    base: Rendering,
    made: Rendering,
    asked: Collection[str],
    sets: Sequence[str],
    *,
    dependents: Collection[str] = (),
) -> dict[str, set[str]]:
    """Refuse where the manifests of the release would change in more than the counts of the groups ``asked``.

    ``base`` is what the chart makes of the release's values without the new counts, which ``sets`` give to Helm. Where
    the pods of ``dependents`` change too, it returns in which paths, by the name of their workload.

    Raises:
        RefusedError: They would.
    """
    release = made.plan.operation.release
    grouping, ways = _grouping_kinds(), changes.ways(made.plan.operation)
    after, before = (rendering.objects(one.text) for one in (made, base))
    found = changes.compare(held.objects, after, ways)
    more = scaling.beyond(found, asked, grouping, dependents)
    if not more:
        changed = [change for group, change in found.by_group() if group in dependents and change.action == "rolls"]
        return {change.name: {difference.path for difference in change.differences} for change in changed}
    if already := scaling.beyond(changes.compare(held.objects, before, ways), (), ()):
        msg = (
            f"the chart makes something else of the values of {release} than what runs ({already}): "
            f"upgrade first ({scaling.upgrade(release)})"
        )
    else:
        msg = (
            f"the count of {', '.join(asked)} changes more than replicas: {more}; "
            f"{scaling.upgrade(release, sets)} does it, and helm roster plan --against {release} with the same flags "
            "shows it"
        )
    raise errors.RefusedError(msg)


def warn(before: Plan, after: Plan) -> None:
    """Say what is surprising about the new counts and was not so before."""
    priorities = crowding.Priorities(condition=pipeline.backend_of(after.operation).PREEMPTS_WHERE)
    known = warnings.of_plan(before, priorities)
    for warning in warnings.of_plan(after, priorities):
        if warning not in known:
            console.say(f"warning: {warning}")


def applies_server_side(args: Sequence[str], metadata: Metadata) -> bool:
    """Return whether Helm will apply server-side: Helm 4, which goes on as the release began unless it is told."""
    asked = flags.value(args, "--server-side") or "auto"
    return find.find().is_helm4 and (asked == "true" or (asked == "auto" and metadata.server_side))


def taken_over(
    cluster: Client,
    release: str,
    made: Rendering,
    steps: Sequence[Step],
    *,
    server_side: bool,
    wanted: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> bool:
    """Say which counts somebody set by hand, and return whether Helm must be told to take one over.

    ``wanted`` are paths that are meant to change, by the name of a workload.

    Raises:
        RefusedError: Helm would set back something else that was changed by hand.
    """
    asked = {step.group.name: step for step in steps}
    trials = trial.run(cluster, made.plan.operation.namespace, rendering.objects(made.text), server_side=server_side)
    if refusals := list(_set_back(trials, asked, release, wanted)):
        raise errors.RefusedError("\n".join(refusals))
    own = {_group(one): one for one in trials if _is_workload(one)}
    for name, step in asked.items():
        if step.before != step.released:
            console.say(
                f'group "{name}" was set to {step.before}{_by(own[name], REPLICAS)}, and the release has '
                f"{step.released}: taken over"
            )
    return any(REPLICAS in own[name].conflicts for name in asked)


def _set_back(
    trials: Sequence[Trial], asked: Collection[str], release: str, wanted: Mapping[str, Collection[str]]
) -> Iterator[str]:
    grouping = _grouping_kinds()
    upgrade = scaling.upgrade(release)
    for one in trials:
        name = "{0.kind} {0.name}".format(walk.identity(one.manifest))
        if one.live is None and wanted and one.manifest.get("kind") == scaling.COUNTING:
            continue
        if one.live is None:
            yield f"{name} is gone, and Helm would make it again: do that first ({upgrade})"
        elif one.manifest.get("kind") in grouping or not (paths := _paths(one, asked, wanted)):
            continue
        elif paths == [REPLICAS]:
            yield _other_count(one) if _group(one) else _own_count(one, name, upgrade)
        else:
            yield (
                f"{name} was changed{_by(one, paths[0])} ({few(paths)}), and Helm would set that back: "
                f"take it into the values, or undo it ({upgrade}), then scale"
            )


def _paths(one: Trial, asked: Collection[str], wanted: Mapping[str, Collection[str]]) -> list[str]:
    """Return what Helm would set back, or fail on, besides the counts that are asked for and what depends on them."""
    spared = {REPLICAS} if _is_workload(one) and _group(one) in asked else set()
    if _is_workload(one):
        spared |= set(wanted.get(one.manifest["metadata"]["name"], ()))
    changed = [difference.path for difference in one.differences if difference.path not in spared]
    return changed or [field for field in one.conflicts if field not in spared]


def _other_count(one: Trial) -> str:
    runs, released = _counts(one)
    group = _group(one)
    return (
        f'group "{group}": {runs} replicas run and the release has {released} (set{_by(one, REPLICAS)}), which Helm '
        f"would set back: name it too, {group}={runs} keeps them and {group}={released} takes them back"
    )


def _own_count(one: Trial, name: str, upgrade: str) -> str:
    """Return the refusal for a workload of no group, which is one of ``extraObjects``."""
    runs, released = _counts(one)
    return (
        f"{name} has {runs} replicas and the release {released} (set{_by(one, REPLICAS)}), which Helm would set back: "
        f"say {runs} in extraObjects, or leave replicas out there where an autoscaler sets them ({upgrade}), then scale"
    )


def _counts(one: Trial) -> tuple[object, object]:
    """Return a workload's replicas in the cluster and in the release."""
    return walk.get(one.live, "spec", "replicas"), walk.get(one.manifest, "spec", "replicas")


def _by(one: Trial, path: str) -> str:
    manager = one.manager(path)
    return f" by {manager}" if manager else " by hand"


def _group(one: Trial) -> str:
    return str(walk.get(one.manifest, "metadata", "labels", constants.GROUP_LABEL, default=""))


def _is_workload(one: Trial) -> bool:
    return one.manifest.get("kind") in TEMPLATE_PATHS


def _grouping_kinds() -> set[str]:
    return {resource.kind for resource in live.grouping_resources()}
