"""Entry of the post-renderer ``roster-postrender``: manifests on stdin, manifests on stdout.

Helm 3 starts it as an executable and shows its stderr. Helm 4 starts it as a plugin (``--helm4`` stands in the
plugin's manifest) and swallows stderr; there an error is printed as one block scalar, which Helm 4 refuses to
parse and quotes word for word. Either way a failure fails the install, and never an empty stream goes out.
Only what rendering needs is imported: this starts once for every ``helm`` call.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from helm_roster import __version__, errors
from helm_roster.render import pipeline, stream

_USAGE = (
    "roster-postrender takes manifests on stdin and no argument but --helm4 (found {found}); "
    "with Helm 3: helm install … --post-renderer roster-postrender"
)
_BUG_EXIT = 3


def main() -> None:
    """Run as a console script."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Render stdin to stdout and return the exit code."""
    helm4 = "--helm4" in arguments
    try:
        text = _render(arguments)
    except errors.RosterError as error:
        return _fail(str(error), error.exit_code, helm4=helm4)
    except Exception:  # noqa: BLE001  (the boundary: a bug must fail the install, in words, on both Helms)
        import traceback  # noqa: PLC0415  (imports cost every render)

        return _fail(
            f"bug in helm-roster {__version__}, please report it:\n{traceback.format_exc()}", _BUG_EXIT, helm4=helm4
        )
    stream.write_stdout(text)
    return 0


def _render(arguments: Sequence[str]) -> str:
    if unknown := [argument for argument in arguments if argument != "--helm4"]:
        raise errors.UsageError(_USAGE.format(found=" ".join(unknown)))
    if sys.stdin.isatty():
        raise errors.UsageError(_USAGE.format(found="a terminal on stdin"))
    return pipeline.render(stream.read_stdin()).text


def _fail(message: str, exit_code: int, *, helm4: bool) -> int:
    lines = [f"roster-postrender: {line}" for line in message.splitlines()]
    if not helm4:
        print(*lines, sep="\n", file=sys.stderr)  # noqa: T201  (stderr is where Helm 3 reads the reason)
        return exit_code
    stream.write_stdout("|\n" + "".join(f"  {line}\n" for line in lines))
    return 0


if __name__ == "__main__":
    main()
