"""A terminal for tests of what is drawn on one, seen from the side of the person."""

from __future__ import annotations

import contextlib
import os
import pty
from collections.abc import Iterator
from typing import IO


@contextlib.contextmanager
def opened() -> Iterator[tuple[IO[str], int]]:
    """Give a terminal: what a program writes to, and the descriptor at which a person reads."""
    theirs, ours = pty.openpty()
    with os.fdopen(ours, "w") as stream:
        yield stream, theirs
    os.close(theirs)


def whole(reader: int) -> str:
    """Read what was written to a terminal whose other side is closed; its end is an error (EIO) on Linux."""
    parts = []
    with contextlib.suppress(OSError):
        while part := os.read(reader, 65536):
            parts.append(part)
    return b"".join(parts).decode()
