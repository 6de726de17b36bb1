"""Values that can be read only once: stdin, pipes, ``<(…)``. Helm runs twice, so they go into files first."""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from helm_roster.helm import flags

_VALUES: Final = frozenset({"-f", "--values"})
_STDIN: Final = "-"


@contextlib.contextmanager
def seekable(args: Sequence[str]) -> Iterator[list[str]]:
    """Yield Helm's flags with every values file that is no ordinary file replaced by a copy, while the copy is there.

    Helm takes several files in one flag, with commas between them, and ``-`` for stdin.
    """
    with contextlib.ExitStack() as copies:
        yield [token for flag in flags.read(args) for token in _tokens(flag, copies)]


@contextlib.contextmanager
def written(content: bytes) -> Iterator[str]:
    """Yield the path of a file with that content."""
    with tempfile.NamedTemporaryFile(suffix=".yaml") as file:
        file.write(content)
        file.flush()
        yield file.name


def _tokens(flag: flags.Flag, copies: contextlib.ExitStack) -> Sequence[str]:
    paths = (flag.value or "").split(",") if flag.name in _VALUES else []
    if not any(map(_is_read_once, paths)):
        return flag.tokens
    return [flag.name, ",".join(_copy(path, copies) if _is_read_once(path) else path for path in paths)]


def _is_read_once(path: str) -> bool:
    place = Path(path)
    return path == _STDIN or (bool(path) and place.exists() and not place.is_file() and not place.is_dir())


def _copy(path: str, copies: contextlib.ExitStack) -> str:
    content = sys.stdin.buffer.read() if path == _STDIN else Path(path).read_bytes()
    return copies.enter_context(written(content))
