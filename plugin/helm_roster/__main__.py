"""``helm-roster`` and ``python -m helm_roster``: the command line, whose import ^C may break off too."""

import sys

_INTERRUPTED = 130


def main() -> None:
    """Run the command line and end the process with its exit code."""
    try:
        from helm_roster import cli  # noqa: PLC0415  (what it imports takes most of the start)
    except KeyboardInterrupt:
        sys.stderr.write("Error: interrupted\n")
        sys.exit(_INTERRUPTED)
    cli.main()


if __name__ == "__main__":
    main()
