"""Where output goes: results to stdout, talk to stderr. Colours only on a terminal, and never with NO_COLOR.

What writes results is imported when one is written: `--help` must be fast.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.console import RenderableType

_PLUGIN: Final = "roster"
_RED: Final = "\x1b[31m"
_RESET: Final = "\x1b[0m"
# Wide enough that nothing is cut or wrapped where no person reads along.
_PIPE_WIDTH: Final = 1000


def prepare() -> None:
    """Make stdout and stderr take all that may be written.

    A character that their encoding has not is written as an escape. Where one was closed, what goes there is dropped;
    else the next file or connection to be opened would get its number, and the words with it.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w" if number else "r", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif number and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write(text: str) -> None:
    """Print a result."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    sys.stdout.flush()


def document(content: Mapping[str, object], form: str) -> None:
    """Print a result for programs: as ``json`` or as ``yaml``."""
    write(_dumped(content, form, indent=2))


def stream(content: Mapping[str, object], form: str) -> None:
    """Print one of many results for programs: ``json`` one a line, ``yaml`` with ``---`` before each."""
    separator = "---\n" if form == "yaml" else ""
    write(separator + _dumped(content, form))


def show(*parts: RenderableType) -> None:
    """Print tables and lines of a result, lines as ``as_called``. Nothing in them is markup."""
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    sys.stdout.flush()
    terminal = Console(file=sys.stdout, highlight=False, markup=False, soft_wrap=False)
    if not terminal.is_terminal:
        terminal = Console(file=sys.stdout, highlight=False, markup=False, width=_PIPE_WIDTH, no_color=True)
    for part in parts:
        terminal.print(Text(as_called(part)) if isinstance(part, str) else part)


def as_called(text: str) -> str:
    """Return words of ours with the command as the person called it.

    Our texts have ``helm roster``. That is right where Helm started us, which names the plugin in HELM_PLUGIN_NAME;
    elsewhere people called ``helm-roster``, and the plugin may not be there.
    """
    return text if os.environ.get("HELM_PLUGIN_NAME") == _PLUGIN else text.replace("helm roster", "helm-roster")


def say(text: str) -> None:
    """Tell the person something that is no result."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def error(text: str) -> None:
    """Tell of an error, each line with its prefix, as ``as_called``."""
    red, reset = (_RED, _RESET) if is_coloured(sys.stderr) else ("", "")
    for line in as_called(text).splitlines() or [""]:
        say(f"{red}Error:{reset} {line}")


def is_coloured(stream: IO[str]) -> bool:
    """Return whether to write colours to it."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def _dumped(content: Mapping[str, object], form: str, *, indent: int | None = None) -> str:
    if form == "yaml":
        from helm_roster.manifests import door  # noqa: PLC0415

        return door.dump(content)
    import json  # noqa: PLC0415

    return json.dumps(content, indent=indent)
