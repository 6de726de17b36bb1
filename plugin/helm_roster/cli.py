"""The command line: the table of verbs, and the one place where errors become output.

Results go to stdout, talk to stderr. Exit codes: 0; 1 refused or bad input; 2 usage; 3 bug; 4 Helm, the
cluster or the operation failed; 5 timeout; 6 cancelled; 130 after ^C. The verbs stand in ``command_line``.
"""

from __future__ import annotations

import copy
import errno
import os
import sys
from typing import Final

import click

from helm_roster import __version__, errors
from helm_roster.command_line import machine, many, operations, presets, states, values
from helm_roster.commands import options
from helm_roster.report import console

_BUG: Final = 3
_INTERRUPTED: Final = 130
_WIDEST: Final = 120
# A reader that stopped, a full disk, a quota, a closed or broken device.
_UNWRITABLE: Final = frozenset({errno.EPIPE, errno.ENOSPC, errno.EDQUOT, errno.EBADF, errno.EIO})
_CONTEXT: Final = {"help_option_names": ["-h", "--help"], "max_content_width": _WIDEST}
_VERBS: Final = (
    *(values.plan, values.template, values.install, values.upgrade),
    *(many.list_, many.logs, states.status, states.wait, operations.scale, operations.cancel),
    *(operations.suspend, operations.resume),
    *(presets.presets, machine.doctor, machine.setup),
)


@click.group(context_settings=_CONTEXT)
@click.version_option(__version__, prog_name="helm-roster")
@options.cluster
def cli() -> None:
    """AI workloads as named replica groups, through Helm.

    \b
    helm roster plan -f values.yaml             what it will ask for
    helm roster install rl -f values.yaml       run it
    helm roster list                            what runs
    helm roster status rl                       what it waits for
    helm roster logs rl -f                      what its pods write
    helm roster wait rl                         return when it is ready
    helm roster cancel rl                       remove it, wholly
    """  # noqa: D301  (click reads \b as "do not rewrap")


for _verb in _VERBS:
    cli.add_command(_verb)


def main() -> None:
    """Run the command line and end the process with its exit code."""
    console.prepare()
    sys.exit(run(sys.argv[1:]))


def run(args: list[str]) -> int:
    """Run one command line and return its exit code; every error ends here."""
    name = console.as_called("helm roster")
    try:
        code = _as_called(cli).main(args, prog_name=name, standalone_mode=False, terminal_width=_width())
    except errors.RosterError as error:
        console.error(str(error))
        return error.exit_code
    except click.UsageError as error:
        error.show()
        return errors.UsageError.exit_code
    except (KeyboardInterrupt, click.Abort):
        console.error("interrupted")
        return _INTERRUPTED
    except Exception as error:  # noqa: BLE001  (the boundary: whatever is not foreseen is a bug, and is said so)
        return _unforeseen(error)
    return code if isinstance(code, int) else 0


def _unforeseen(error: Exception) -> int:
    """Return the exit code for what is no error of ours: output that goes nowhere, or a bug, which is told."""
    if isinstance(error, OSError) and error.errno in _UNWRITABLE:
        sys.stdout = None  # nothing to flush at the end
        if error.errno == errno.EPIPE:  # nobody reads any more
            return 1
        console.error(f"the output cannot be written: {error.strerror}")
        return errors.OperationFailedError.exit_code
    import platform  # noqa: PLC0415
    import traceback  # noqa: PLC0415

    console.say(traceback.format_exc())
    console.error(f"this is a bug in helm-roster {__version__} (Python {platform.python_version()}): please report it")
    return _BUG


def _width() -> int:
    """Return how wide help may be, as click finds it; that would load ``shutil`` and all kinds of compression."""
    try:
        columns = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size(1).columns
    except (OSError, ValueError):
        columns = 80
    return max(min(columns, _WIDEST) - 2, 50)


def _as_called(command: click.Command) -> click.Command:
    """Return a copy of the command whose help names it as the person called it."""
    made = copy.copy(command)
    made.help = console.as_called(command.help or "")
    if isinstance(made, click.Group):
        made.commands = {name: _as_called(verb) for name, verb in made.commands.items()}
    return made
