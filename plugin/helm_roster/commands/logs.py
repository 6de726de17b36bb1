"""``helm roster logs``: the logs of an operation's pods, one pod after the other, or as they come with ``--follow``."""

from __future__ import annotations

from helm_roster import errors
from helm_roster.cluster.client import ApiError
from helm_roster.commands import following
from helm_roster.commands.log_scope import Scope, Wanted
from helm_roster.commands.observing import Observer
from helm_roster.report import log_lines


def run(name: str, *, wanted: Wanted, follow: bool, printer: log_lines.Printer) -> None:
    """Print the logs of the operation whose release (or which itself) is called ``name``.

    Raises:
        BadInputError: There is no such operation, group or container.
        OperationFailedError: No log could be read, or the cluster refuses.
    """
    scope = Scope(Observer(name), wanted)
    if follow:
        following.follow(scope, printer)
    else:
        _print(scope, printer)


def _print(scope: Scope, printer: log_lines.Printer) -> None:
    """Print what is there, pod by pod; say of which containers nothing is."""
    present, failures = scope.present(scope.look()), []
    for target in present:
        query = scope.wanted.query(target, several=len(present) > 1)
        try:
            for line in scope.client.lines(scope.path(target, query), what="read logs"):
                printer.line(target, *log_lines.split(line))
        except ApiError as error:
            if error.is_refused:
                raise
            failures.append(f"{target.label}: {error}")
        printer.flush()
    if failures:
        raise errors.OperationFailedError("\n".join(failures))
