"""``helm roster scale``: another number of replicas for some groups, and nothing else.

It goes through Helm, so that the release knows, with the chart of the release's own version and the release's values.
Only where an autoscaler has the word, the count goes to the workload's scale subresource, since the values hold none.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from helm_roster import assets, constants, errors
from helm_roster.cluster import client, live, preflight, records, remains
from helm_roster.cluster.client import WORKLOADS, Client
from helm_roster.cluster.live import Observed
from helm_roster.commands import against, applying, ending, rendering, scale_checks, suspending, value_files
from helm_roster.commands.against import Running
from helm_roster.commands.rendering import Rendering
from helm_roster.commands.value_files import Given
from helm_roster.helm import flags, releases
from helm_roster.helm import run as helm
from helm_roster.helm.releases import Metadata
from helm_roster.manifests import walk
from helm_roster.model.written import get
from helm_roster.policy import ownership, scaling, wiring
from helm_roster.policy.scaling import Path, Step
from helm_roster.render import pipeline
from helm_roster.report import console, scaling_report

_REUSE: Final = "--reset-then-reuse-values"
_COUNT: Final = re.compile(r"([^=]+)=([0-9]{1,9})")
# They give other values, or make Helm replace, adopt or install objects; Helm 3 says --force, Helm 4 --force-replace.
_NOT_OURS: Final = frozenset(
    {
        *(*flags.VALUES, "--reuse-values", "--reset-values", "--install", "-i"),
        *("--force", "--force-replace", "--take-ownership"),
    }
)
_FORCE: Final = "--force-conflicts"
# A hook of an upgrade, such as a migration, is more than a count.
_NO_HOOKS: Final = "--no-hooks"


def run(
    release: str,
    helm_args: Sequence[str],
    *,
    chart: str | None,
    output: str,
    skip_checks: bool = False,
    with_dependents: bool = False,
) -> None:
    """Scale groups; ``helm_args`` are ``GROUP=COUNT``, and flags of ``helm upgrade``.

    With ``skip_checks`` the cluster is not asked whether it can take the new counts; with ``with_dependents`` the pods
    of groups that read the counts of others may be replaced.

    Raises:
        UsageError: A word is no count, or a flag would change more than counts.
        BadInputError: There is no such release, or the chart makes nothing of the counts.
        RefusedError: A count cannot be, or something else would change.
        OperationFailedError: The cluster or Helm fails, or somebody upgraded the release meanwhile.
    """
    split = flags.split(helm_args, own=())
    asked = _asked(split.positionals)
    _refuse_flags(split.passed)
    flags.refuse_post_renderer(split.passed)
    skips = skip_checks and not flags.is_dry_run(split.passed)
    task = dataclasses.replace(_begin(release, split.passed, chart), skip_checks=skips, with_dependents=with_dependents)
    with value_files.opened([_REUSE, *task.passed]) as given, against.values(release, given) as known:
        base = rendering.render(release, known, task.chart)
        decided = scaling.decide(
            asked, base.plan, _replicas(task.observed), task.at,
            is_written=lambda path: get(known.written.values, *path) is not None,
        )  # fmt: skip
        if decided.refusals:
            raise errors.RefusedError("\n".join(decided.refusals))
        open_steps = [step for step in decided.steps if not step.is_done]
        through_helm = [step for step in open_steps if not step.by_autoscaler]
        if through_helm:
            _through_helm(task, known, base, through_helm)
    if not flags.is_dry_run(task.passed):
        _through_scale(task, [step for step in open_steps if step.by_autoscaler])
    _report(task, decided.steps, output)


@dataclass(frozen=True, kw_only=True)
class _Task:
    """One scaling: the release, what runs of it, and how Helm is called."""

    client: Client
    release: str
    namespace: str
    observed: Observed
    held: Running
    metadata: Metadata
    chart: str
    passed: Sequence[str]
    skip_checks: bool = False
    with_dependents: bool = False

    @property
    def at(self) -> Path:
        """Return where the chart's values stand in those of the release: below its name where another wraps it."""
        return () if self.metadata.chart.name == constants.CHART else (constants.CHART,)


def _begin(release: str, passed: Sequence[str], chart: str | None) -> _Task:
    records.refuse_outside()
    cluster, namespace = client.connect(), helm.namespace()
    observed = live.observe(cluster, namespace, release)
    held = against.running(release)
    ending.refuse_observed(release, observed)
    if observed is None or held is None:
        raise errors.BadInputError(_unknown(release, namespace, observed))
    _refuse_foreign(release, held)
    _refuse_owned(release, observed)
    _refuse_suspended(release, observed)
    scale_checks.refuse_unsettled(release)
    reference = assets.chart(chart)
    metadata = releases.metadata(release, held.revision)
    scale_checks.refuse_other_chart(release, metadata.chart, reference, passed, given=chart is not None)
    return _Task(
        client=cluster, release=release, namespace=namespace, observed=observed, held=held, metadata=metadata,
        chart=reference, passed=passed,
    )  # fmt: skip


def _asked(words: Sequence[str]) -> dict[str, int]:
    if not words:
        msg = "name a group and its count, as in decode=12"
        raise errors.UsageError(msg)
    asked: dict[str, int] = {}
    for word in words:
        found = _COUNT.fullmatch(word)
        if found is None or found[1] in asked:
            reason = "is no group and count, as in decode=12" if found is None else f"is the second count of {found[1]}"
            msg = f'"{word}" {reason}'
            raise errors.UsageError(msg)
        asked[found[1]] = int(found[2])
    return asked


def _refuse_flags(passed: Sequence[str]) -> None:
    for flag in flags.read(passed):
        hooks = flag.name == _NO_HOOKS and flag.value not in {None, "true"}
        if hooks or flag.name in _NOT_OURS:
            told = f"{_NO_HOOKS}={flag.value}" if hooks else flag.name
            msg = f"{told}: scale changes counts and nothing else: use helm roster upgrade"
            raise errors.UsageError(msg)


def _unknown(release: str, namespace: str, observed: Observed | None) -> str:
    if observed is None:
        return f'there is no release "{release}" in namespace "{namespace}"; choose another with -n'
    if observed.release != release and observed.record is not None:
        return f'no release "{release}"; the operation of that name belongs to release {observed.release}: scale that'
    return f'operation "{release}" was applied without Helm: change its counts where its values are, and apply them'


def _refuse_foreign(release: str, held: Running) -> None:
    if not any(walk.get(made, "metadata", "labels", constants.OPERATION_LABEL) for made in held.objects):
        msg = f'release "{release}" is no operation of Roster: use helm upgrade {release}'
        raise errors.RefusedError(msg)


def _refuse_owned(release: str, observed: Observed) -> None:
    owner = ownership.find(group.workload for group in observed.live.groups.values() if group.workload)
    if owner is not None:
        msg = f'operation "{release}" belongs to {owner.name}, which would set the count back: change it there'
        raise errors.RefusedError(msg)


def _refuse_suspended(release: str, observed: Observed) -> None:
    if suspending.is_marked(group.workload for group in observed.live.groups.values()):
        msg = f"{release} is suspended: resume it first (helm roster resume {release}), or say the counts in an upgrade"
        raise errors.RefusedError(msg)


def _replicas(observed: Observed) -> dict[str, int]:
    found = {name: walk.get(group.workload, "spec", "replicas") for name, group in observed.live.groups.items()}
    return {name: int(count) for name, count in found.items() if count is not None}


def _through_helm(task: _Task, known: Given, base: Rendering, steps: Sequence[Step]) -> None:
    dependents = _dependents(task, base, steps)
    sets = scaling.sets({(*task.at, *path): value for step in steps for path, value in step.settings.items()})
    made = rendering.render(task.release, Given([*known.args, *sets], known.names), task.chart)
    asked = [step.group.name for step in steps]
    wanted = scale_checks.refuse_more(task.held, base, made, asked, sets, dependents=dependents)
    plan = made.plan
    scale_checks.warn(base.plan, plan)
    applying.tell_skipped(skip_checks=task.skip_checks)
    preflight.check(task.client, task.namespace, plan, pipeline.backend_of(plan.operation), skip=task.skip_checks)
    kinds = rendering.kinds(made.text)
    remains.refuse(task.client, task.namespace, task.release, kinds, lambda: rendering.objects(made.text))
    server_side = scale_checks.applies_server_side(task.passed, task.metadata)
    force = scale_checks.taken_over(task.client, task.release, made, steps, server_side=server_side, wanted=wanted)
    if flags.is_dry_run(task.passed):
        return
    scale_checks.refuse_moved(task.release)
    more = [_FORCE] if force and not flags.has(task.passed, _FORCE) else []
    applied = [_REUSE, _NO_HOOKS, *sets, *task.passed, *more]
    applying.helm("upgrade", task.release, applied, task.chart, results=False)


def _dependents(task: _Task, base: Rendering, steps: Sequence[Step]) -> list[str]:
    """Return the groups whose pods change with the counts, and say so; refuse it unless it may be."""
    scaled = {step.group.name for step in steps if step.after != step.released}
    found = wiring.dependents(base.plan.operation, scaled)
    if found and not task.with_dependents:
        raise errors.RefusedError(wiring.refusal(found, constants.WITH_DEPENDENTS))
    for name, reads in found.items():
        console.say(f'group "{name}" reads {" and ".join(reads)}: its pods are replaced')
    return list(found)


def _through_scale(task: _Task, steps: Sequence[Step]) -> None:
    kinds = {resource.kind: resource for resource in WORKLOADS}
    for step in steps:
        workload = step.group.workload
        task.client.set_replicas(kinds[workload.kind], task.namespace, workload.name, step.after)


def _report(task: _Task, steps: Sequence[Step], output: str) -> None:
    applied = not flags.is_dry_run(task.passed) and not all(step.is_done for step in steps)
    document = scaling_report.document(task.release, task.namespace, steps, _values(task.at, steps), applied=applied)
    if output == "table":
        console.write("\n".join(scaling_report.lines(document, steps)))
    else:
        console.document(document, output)


def _values(at: Path, steps: Sequence[Step]) -> Mapping[str, Any]:
    """Return the steps' settings as the values say them."""
    values: dict[str, Any] = {}
    for step in steps:
        for path, value in step.settings.items():
            *above, last = (*at, *path)
            walk.ensure(values, *above)[last] = value
    return values
