"""Every error that a user may see, each with its own exit code.

The text of an error is one line: what is wrong, where (file, line or path), what to do. Only the outermost
boundary (``cli.main`` and ``postrender.main``) turns errors into output; anything else that escapes is a bug.
"""

from __future__ import annotations

from typing import ClassVar


class RosterError(Exception):
    """The root: something that the user can act upon."""

    exit_code: ClassVar[int] = 1


class BadInputError(RosterError):
    """What was given cannot be read or does not fit together; nothing was applied."""


class RefusedError(RosterError):
    """What was asked cannot be kept, so it is not begun."""


class UsageError(RosterError):
    """The command line itself is wrong."""

    exit_code: ClassVar[int] = 2


class OperationFailedError(RosterError):
    """Something was begun and failed: Helm, the API server, or the operation itself."""

    exit_code: ClassVar[int] = 4


class DeadlineError(RosterError):
    """The time that was allowed is over."""

    exit_code: ClassVar[int] = 5


class CancelledError(RosterError):
    """The operation was deleted while something else of it was waited for."""

    exit_code: ClassVar[int] = 6
