"""``helm roster status``: the verdict on one operation, and what it waits for: quota, placement or readiness."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from helm_roster import errors
from helm_roster.commands.observing import Observer
from helm_roster.commands.outages import OutageError
from helm_roster.report import console, redrawing, status_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType

POLL_SECONDS: Final = 1.0


def run(name: str, *, output: str) -> None:
    """Print the status of the operation that is called ``name`` or whose release is, as a table, as JSON or as YAML.

    The shape of the JSON: ``report.status_json``. The exit code is 0 whatever the verdict.

    Raises:
        BadInputError: Nothing by that name is in the namespace.
    """
    observer = Observer(name)
    found = observer.look()
    if found is None:
        raise errors.BadInputError(observer.unknown())
    if output == "table":
        console.show(*_page(found.status))
    else:
        console.document(found.status, output)


def watch(name: str, *, output: str) -> None:
    """Print the status whenever it changes, until the operation is gone; an outage of the API server is borne.

    On a terminal the table is drawn anew in its place; a document of JSON is one line, one of YAML begins with ``---``.

    Raises:
        BadInputError: Nothing by that name is in the namespace.
    """
    observer = Observer(name)
    last: dict[str, Any] | None = None
    with _printer(output) as show:
        while True:
            began = time.monotonic()
            with contextlib.suppress(OutageError):
                found = observer.look()
                if found is None:
                    break
                if found.status != last:
                    last = found.status
                    show(last)
            time.sleep(max(POLL_SECONDS, time.monotonic() - began))
    if last is None:
        raise errors.BadInputError(observer.unknown())
    console.say(f"{name} is gone")


def _page(status: dict[str, Any]) -> list[RenderableType]:
    return [*status_table.head(status), "", status_table.table(status), *status_table.problems(status)]


@contextlib.contextmanager
def _printer(output: str) -> Iterator[Callable[[dict[str, Any]], None]]:
    if output != "table":
        yield lambda status: console.stream(status, output)
    elif redrawing.is_possible(sys.stdout):
        with redrawing.place(sys.stdout, stays=True) as draw:
            yield lambda status: draw(*_page(status))
    else:
        yield lambda status: console.show(*_page(status), "")
