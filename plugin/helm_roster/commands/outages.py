"""Outages of a cluster that is looked at again and again: they are told once, and borne until it answers again."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

from helm_roster import errors
from helm_roster.cluster import client
from helm_roster.report import console

T = TypeVar("T")

# Between two looks of who only waits for the cluster to answer or to delete.
POLL_SECONDS: Final = 0.5


class OutageError(errors.OperationFailedError):
    """The cluster does not answer, or not as it should, though it did before."""


class Outages:
    """Remembers whether the cluster ``answered`` once, and whether it is away now."""

    def __init__(self, *, answered: bool = False) -> None:
        self._answered, self._away = answered, False

    def bear(self, ask: Callable[[], T]) -> T:
        """Return what ``ask`` returns, an error of a cluster that answered before and does not now as OutageError."""
        try:
            found = ask()
        except errors.OperationFailedError as error:
            if not self._answered or not (self._away or client.is_passing(error)):
                raise
            if not self._away:
                console.say(f"{error}; looking again until it answers")
            self._away = True
            raise OutageError(str(error)) from error
        if self._away:
            console.say("the cluster answers again")
        self._answered, self._away = True, False
        return found


class Patience(Outages):
    """Bears outages of a cluster that has answered until ``deadline``; ``unknown`` is what nobody knows then."""

    def __init__(self, deadline: float, unknown: str) -> None:
        super().__init__(answered=True)
        self.deadline, self._unknown = deadline, unknown

    def insist(self, ask: Callable[[], T]) -> T:
        """Return what ``ask`` returns, once the cluster answers.

        Raises:
            DeadlineError: It did not in time.
        """
        while True:
            try:
                return self.bear(ask)
            except OutageError as error:
                self.pause(error)

    def pause(self, error: OutageError) -> None:
        """Wait a moment after an outage was met.

        Raises:
            DeadlineError: There is no time left for that.
        """
        if time.monotonic() > self.deadline:
            msg = f"the time is over, and {self._unknown}: {error}"
            raise errors.DeadlineError(msg) from error
        time.sleep(POLL_SECONDS)
