"""What template, install and upgrade share: render first, ask the cluster, then let Helm do it."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from helm_roster import constants, errors
from helm_roster.cluster import capabilities, client, faults, preflight, remains
from helm_roster.cluster.client import Client
from helm_roster.commands import doctor_cluster, ending, outages, rendering, value_files
from helm_roster.commands.rendering import Rendering
from helm_roster.commands.value_files import Given
from helm_roster.helm import find, flags, hints, plugins, releases
from helm_roster.helm import run as helm_run
from helm_roster.model.wording import few
from helm_roster.render import pipeline
from helm_roster.report import console

# Of an object or record that was there when the upgrade began; a kind that is not served is told in other words.
_NOT_FOUND: Final = re.compile(r'"[^"]+" not found|release: not found|status: NotFound')
_UNINSTALL_SECONDS: Final = 10.0
_INSTALLS: Final = ("--install", "-i")
_TAKES_BACK: Final = ("--atomic", "--rollback-on-failure")


class Checked(NamedTuple):
    """What a check found: that no pod is to be placed (``settled``), and that the user may leave out all others."""

    settled: bool = False
    may_skip: bool = True


# Given the release and what was rendered.
Check = Callable[[str, Rendering], Checked]


def apply(
    verb: str,
    release: str,
    helm_args: Sequence[str],
    chart: str,
    *,
    check: Check | None = None,
    skip_checks: bool = False,
) -> None:
    """Run ``helm <verb>``, after the renderer in this process and the cluster have had nothing against it.

    ``check`` is asked too, with the release and what was rendered. With ``skip_checks`` the cluster is asked only about
    what is there of the operation.

    Raises:
        BadInputError: The values or the chart are wrong.
        RefusedError: A backend cannot keep what was asked, or the cluster cannot take it now, or the release is being
            cancelled.
        OperationFailedError: The cluster cannot be reached, or Helm fails (its own words are shown before).
    """
    flags.refuse_post_renderer(helm_args)
    with value_files.opened(helm_args) as given:
        if verb == "upgrade" and not flags.has(helm_args, *_INSTALLS) and not flags.is_dry_run(helm_args):
            ending.refuse(release)
        with _all_values(verb, release, given) as known:
            if known is not None:
                _check(verb, release, known, chart, check, skip_checks=skip_checks)
        helm(verb, release, given.args, chart)


def helm(verb: str, release: str, args: Sequence[str], chart: str, *, results: bool = True) -> None:
    """Run ``helm <verb>`` with our post-renderer and its output shown as it comes; without ``results``, only its talk.

    Raises:
        OperationFailedError: Helm fails; the message adds what to do, where we know.
        CancelledError: It fails since somebody uninstalled the release meanwhile.
    """
    renderer = plugins.post_renderer(find.find())
    command = [verb, release, chart, *args, *renderer.args]
    was_there = verb == "upgrade" and _runs(release)
    try:
        helm_run.stream(command, environment=renderer.environment, results=results)
    except helm_run.HelmError as error:
        if was_there and _is_gone(release, args, error.stderr):
            msg = f"{release} was cancelled or uninstalled meanwhile"
            raise errors.CancelledError(msg) from error
        advice = hints.hint(error.stderr, release) or _way_out(release)
        msg = f"{error}{f'; {advice}' if advice else ''}"
        raise errors.OperationFailedError(msg) from error


def _way_out(release: str) -> str:
    """Return what to do where Helm failed in the midst; empty where it applied nothing, or cannot say so."""
    found = None
    with contextlib.suppress(helm_run.HelmError):
        found = releases.revisions_now(release)
    if found is None or found.status != "failed":
        return ""
    again = f"mend what it names, then helm roster upgrade {release}"
    if found.newest == found.running:
        return f"{release} is installed in part: {again}, or helm roster cancel {release}"
    return f"revision {found.newest} of {release} is applied in part: {again}, or helm rollback {release}"


def _runs(release: str) -> bool:
    """Return whether Helm has a release to upgrade; not where its record cannot be read."""
    with contextlib.suppress(helm_run.HelmError):
        return releases.running_revision(release) is not None
    return False


def _is_gone(release: str, args: Sequence[str], said: str) -> bool:
    """Return whether an upgrade failed since its release was uninstalled, and not by Helm taking it back.

    An uninstallation takes the objects first, and the record when they are gone: a little later.
    """
    if not _NOT_FOUND.search(said) or flags.has(args, *_TAKES_BACK):
        return False
    deadline = time.monotonic() + _UNINSTALL_SECONDS
    with contextlib.suppress(helm_run.HelmError):
        while releases.revisions_now(release) is not None:
            if time.monotonic() > deadline:
                return False
            time.sleep(outages.POLL_SECONDS)
        return True
    return False


@contextlib.contextmanager
def _all_values(verb: str, release: str, given: Given) -> Iterator[Given | None]:
    """Yield the flags with the values that an upgrade goes on from; None where Helm's record cannot be read."""
    with contextlib.ExitStack() as files:
        known: Given | None = given
        if verb == "upgrade":
            try:
                known = files.enter_context(value_files.upgraded(release, given))
            except helm_run.HelmError as error:
                why = f"the values of {release} that run cannot be read ({error.said})"
                console.say(f"{why}: Helm alone checks this upgrade")
                known = None
        yield known


def _check(
    verb: str, release: str, given: Given, chart: str, check: Check | None, *, skip_checks: bool = False
) -> None:
    made = rendering.render(release, given, chart)
    plan = made.plan
    if not flags.is_dry_run(given.args):
        cluster = client.connect()
        if verb == "install" or flags.has(given.args, *_INSTALLS):
            _refuse_absent(cluster, plan.operation.namespace, given.args)
        checked = Checked() if check is None else check(release, made)
        kinds = rendering.kinds(made.text)
        served = [] if _may_bring_kinds(chart) else kinds
        backend = pipeline.backend_of(plan.operation)
        tell_skipped(skip_checks=skip_checks)
        for warning in preflight.check(
            cluster,
            plan.operation.namespace,
            plan,
            backend,
            preflight.Made(served, lambda kind: rendering.groups_with(made.text, kind)),
            skip=skip_checks,
            may_skip=checked.may_skip,
            settled=checked.settled,
        ):
            console.say(f"warning: {warning}")
        remains.refuse(cluster, plan.operation.namespace, release, kinds, lambda: rendering.objects(made.text))
        if not skip_checks:
            _refuse_faults(cluster, made)
            _tell_absent(cluster, made)


def tell_skipped(*, skip_checks: bool) -> None:
    """Say that the cluster is not asked, where it is so."""
    if skip_checks:
        console.say(f"warning: the cluster is not asked whether it can take this ({constants.SKIP_CHECKS})")


def _refuse_faults(cluster: Client, made: Rendering) -> None:
    """Refuse objects that the API server would not take, before Helm applies those that it would."""
    found = faults.find(cluster, made.plan.operation.namespace, rendering.objects(made.text))
    if found:
        groups = [f'"{group}"' for group in dict.fromkeys(fault.group for fault in found) if group]
        where = f" of group {few(groups)}" if groups else ""
        msg = (
            f"the API server would not take {few([str(fault) for fault in found], by='; ')}: correct the values{where} "
            "(helm roster template shows the objects); nothing is applied"
        )
        raise errors.RefusedError(msg)


def _tell_absent(cluster: Client, made: Rendering) -> None:
    """Tell of objects that the values name and that are not there: pods wait for them, and they may yet come."""
    for finding in doctor_cluster.named(cluster, made, made.plan.operation.namespace):
        if finding.state in {"failed", "warning"}:
            console.say(f"warning: {finding.found}; {finding.remedy}")


def _may_bring_kinds(chart: str) -> bool:
    """Return whether the chart, or one that it depends on, may have definitions of kinds, which Helm applies first."""
    folder = Path(chart)
    return not folder.is_dir() or any(folder.glob("**/crds")) or any(folder.glob("**/charts/*.tgz"))


def _refuse_absent(cluster: Client, namespace: str, args: Sequence[str]) -> None:
    """Refuse to install into a namespace that is not there, unless Helm is asked to make it."""
    if not flags.has(args, "--create-namespace") and capabilities.has_namespace(cluster, namespace) is False:
        msg = f'namespace "{namespace}" is not there: pass --create-namespace, or choose another with -n'
        raise errors.BadInputError(msg)
