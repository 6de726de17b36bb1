"""What template, install and upgrade share: render first, ask the cluster, then let Helm do it."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Sequence

from helm_roster import errors
from helm_roster.cluster import client, preflight
from helm_roster.commands import rendering
from helm_roster.helm import find, flags, hints, plugins
from helm_roster.helm import run as helm_run
from helm_roster.model.plan import Plan
from helm_roster.render import pipeline


def apply(verb: str, release: str, helm_args: Sequence[str], chart: str) -> None:
    """Run ``helm <verb>``, after the renderer in this process and the cluster have had nothing against it.

    Raises:
        BadInputError: The values or the chart are wrong.
        RefusedError: A backend cannot keep what was asked, or the cluster cannot take it now.
        OperationFailedError: The cluster cannot be reached, or Helm fails (its own words are shown before).
    """
    flags.refuse_post_renderer(helm_args)
    with seekable_values(helm_args) as args:
        if not flags.reuses_values(args):
            plan = rendering.render(release, args, chart).plan
            if not flags.is_dry_run(args):
                _ask_cluster(plan)
        helm(verb, release, args, chart)


def helm(verb: str, release: str, args: Sequence[str], chart: str) -> None:
    """Run ``helm <verb>`` with our post-renderer and its output shown as it comes.

    Raises:
        OperationFailedError: Helm fails; the message adds what to do, where we know.
    """
    renderer = plugins.post_renderer(find.find())
    command = [verb, release, chart, *args, *renderer.args]
    try:
        helm_run.stream(command, environment=renderer.environment)
    except helm_run.HelmError as error:
        advice = hints.hint(error.stderr, release)
        msg = f"{error}{f'; {advice}' if advice else ''}"
        raise errors.OperationFailedError(msg) from error


@contextlib.contextmanager
def seekable_values(args: Sequence[str]) -> Iterator[list[str]]:
    """Yield ``args`` with values from stdin (``-f -``) in a file: Helm runs twice, and stdin can be read once."""
    if "-" not in [flag.value for flag in flags.read(args) if flag.name in {"-f", "--values"}]:
        yield list(args)
        return
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8", errors="surrogateescape") as file:
        file.write(sys.stdin.read())
        file.flush()
        yield list(_without_stdin(args, file.name))


def _without_stdin(args: Sequence[str], path: str) -> Iterator[str]:
    for flag in flags.read(args):
        if flag.name in {"-f", "--values"} and flag.value == "-":
            yield from (flag.name, path)
        else:
            yield from flag.tokens


def _ask_cluster(plan: Plan) -> None:
    backend = pipeline.backend_of(plan.operation)
    namespace = plan.operation.namespace
    preflight.check(client.connect(), namespace, plan, backend)
