"""What ``helm roster scale`` makes sure of before Helm: nothing but the named groups' counts changes.

What would change is looked at twice: against the manifests of the revision that runs, and by a dry run against what is
in the cluster, since Helm sets back what was changed by hand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

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
from helm_roster.model.plan import TEMPLATE_PATHS
from helm_roster.policy import changes, scaling
from helm_roster.policy.drift import REPLICAS
from helm_roster.policy.scaling import Step
from helm_roster.report import console

_UPGRADE = "helm roster upgrade {release} --reset-then-reuse-values"
_SHOWN = 3


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
    msg = f"{release} runs chart {runs}, and {which} is {used}, which may change more than counts: pass "
    if used.name == runs.name and not Path(reference).exists():
        msg += f"--chart {reference} --version {runs.version}"
    else:
        msg += f"--chart {runs.name}-{runs.version}.tgz"
    if used.name == runs.name:
        msg += f", or upgrade first ({_UPGRADE.format(release=release)})"
    raise errors.RefusedError(msg)


def refuse_more(release: str, held: Running, base: Rendering, made: Rendering, asked: Collection[str]) -> None:
    """Refuse where the manifests of the release would change in more than the counts of the groups ``asked``.

    ``base`` is what the chart makes of the release's values without the new counts.

    Raises:
        RefusedError: They would.
    """
    grouping = {resource.kind for resource in live.grouping_resources()}
    after, before = (rendering.objects(one.text) for one in (made, base))
    more = scaling.beyond(changes.compare(held.objects, after, release), asked, grouping)
    if not more:
        return
    if already := scaling.beyond(changes.compare(held.objects, before, release), (), ()):
        msg = (
            f"the chart makes something else of the values of {release} than what runs ({already}): "
            f"upgrade first ({_UPGRADE.format(release=release)})"
        )
    else:
        msg = (
            f"the count of {', '.join(asked)} changes more than replicas: {more}; "
            f"helm roster upgrade {release} does it, and helm roster plan --against {release} shows it"
        )
    raise errors.RefusedError(msg)


def applies_server_side(args: Sequence[str], metadata: Metadata) -> bool:
    """Return whether Helm will apply server-side: Helm 4, which goes on as the release began unless it is told."""
    asked = flags.value(args, "--server-side") or "auto"
    return find.find().is_helm4 and (asked == "true" or (asked == "auto" and metadata.server_side))


def taken_over(cluster: Client, release: str, made: Rendering, steps: Sequence[Step], *, server_side: bool) -> bool:
    """Say which counts somebody set by hand, and return whether Helm must be told to take one over.

    Raises:
        RefusedError: Helm would set back something else that was changed by hand.
    """
    asked = {step.group.name: step for step in steps}
    trials = trial.run(cluster, made.plan.operation.namespace, rendering.objects(made.text), server_side=server_side)
    if refusals := list(_set_back(trials, asked, release)):
        raise errors.RefusedError("\n".join(refusals))
    own = {_group(one): one for one in trials if _is_workload(one)}
    for name, step in asked.items():
        if step.before != step.released:
            console.say(
                f'group "{name}" was set to {step.before}{_by(own[name], REPLICAS)}, and the release has '
                f"{step.released}: taken over"
            )
    return any(REPLICAS in own[name].conflicts for name in asked)


def _set_back(trials: Sequence[Trial], asked: Collection[str], release: str) -> Iterator[str]:
    grouping = {resource.kind for resource in live.grouping_resources()}
    upgrade = _UPGRADE.format(release=release)
    for one in trials:
        name = "{0.kind} {0.name}".format(walk.identity(one.manifest))
        if one.live is None:
            yield f"{name} is gone, and Helm would make it again: do that first ({upgrade})"
        elif one.manifest.get("kind") in grouping or not (paths := _paths(one, asked)):
            continue
        elif paths == [REPLICAS]:
            yield _other_count(one)
        else:
            yield (
                f"{name} was changed{_by(one, paths[0])} ({_few(paths)}), and Helm would set that back: "
                f"take it into the values, or undo it ({upgrade}), then scale"
            )


def _paths(one: Trial, asked: Collection[str]) -> list[str]:
    """Return what Helm would set back, or fail on, besides the counts that are asked for."""
    spared = {REPLICAS} if _is_workload(one) and _group(one) in asked else set()
    changed = [difference.path for difference in one.differences if difference.path not in spared]
    return changed or [field for field in one.conflicts if field not in spared]


def _other_count(one: Trial) -> str:
    runs, released = (walk.get(side, "spec", "replicas") for side in (one.live, one.manifest))
    group = _group(one)
    return (
        f'group "{group}": {runs} replicas run and the release has {released} (set{_by(one, REPLICAS)}), which Helm '
        f"would set back: name it too, {group}={runs} keeps them and {group}={released} takes them back"
    )


def _by(one: Trial, path: str) -> str:
    manager = one.manager(path)
    return f" by {manager}" if manager else " by hand"


def _group(one: Trial) -> str:
    return str(walk.get(one.manifest, "metadata", "labels", constants.GROUP_LABEL, default=""))


def _is_workload(one: Trial) -> bool:
    return one.manifest.get("kind") in TEMPLATE_PATHS


def _few(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _SHOWN} more" if len(paths) > _SHOWN else ""
    return ", ".join(paths[:_SHOWN]) + more
