"""What is drawn anew in its own place, on a terminal that can do that; rich is imported only then."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

    Draw = Callable[..., None]


def is_possible(stream: IO[str]) -> bool:
    """Return whether ``stream`` is a terminal on which lines can be written over."""
    return stream.isatty() and os.environ.get("TERM", "dumb") not in {"dumb", "unknown"}


@contextlib.contextmanager
def place(stream: IO[str], *, stays: bool) -> Iterator[Draw]:
    """Give a function that draws lines and tables over those of the last time; the last ones are kept if ``stays``."""
    from rich.console import Console, Group  # noqa: PLC0415
    from rich.live import Live  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    terminal = Console(file=stream, highlight=False, markup=False)
    with Live(console=terminal, auto_refresh=False, transient=not stays) as live:

        def draw(*parts: RenderableType) -> None:
            live.update(Group(*(Text(part) if isinstance(part, str) else part for part in parts)), refresh=True)

        yield draw
