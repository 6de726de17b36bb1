"""The values files of a command line: those that can be read only once become files, and all are checked together.

Helm runs twice, so stdin, pipes and ``<(…)`` go into files first.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from helm_roster import errors
from helm_roster.cluster import client
from helm_roster.commands import nulls
from helm_roster.helm import flags, releases, values
from helm_roster.model.written import Written

_STDIN: Final = "-"


@dataclass(frozen=True)
class Given:
    """Helm's flags, with files that can be read again, and the names of the values files for people.

    There are as many ``names`` as ``args`` name values files (``helm.values.files``), in the same order.
    """

    args: list[str]
    names: list[str]

    def over(self, path: str, name: str) -> Given:
        """Return the flags with one more values file below all others."""
        return Given(["-f", path, *self.args], [name, *self.names])

    @functools.cached_property
    def written(self) -> Written:
        """Return the values with their sources."""
        return values.read(self.args, self.names)


@contextlib.contextmanager
def opened(args: Sequence[str]) -> Iterator[Given]:
    """Yield Helm's flags with every values file that is no ordinary file replaced by a copy, while the copy is there.

    Raises:
        BadInputError: A file is no YAML, two files define one preset, or a file would be read otherwise by Helm 3 than
            by Helm 4.
    """
    with contextlib.ExitStack() as copies:
        tokens = [token for flag in flags.read(args) for token in _tokens(flag, copies)]
        given = Given(tokens, _names(list(values.files(args))))
        _check(given)
        yield given


@contextlib.contextmanager
def upgraded(release: str, given: Given) -> Iterator[Given]:
    """Yield the flags as ``helm upgrade`` reads them: where it reuses the running values, those come first.

    For ``--reuse-values`` this leaves out the defaults of the chart that runs, which those of the chart replace.

    Raises:
        HelmError: Helm cannot read its record of the release.
        BadInputError: Helm would lose a null that deletes something; or there is no such kubeconfig or context.
    """
    running = _running(release) if flags.reuses_values(given.args) else None
    if running is None:
        yield given
        return
    with as_file(running.encode(errors="surrogateescape")) as path:
        name = f"the values of {release}"
        nulls.refuse_reused(given.args, given.written, values.read(["-f", path], [name]))
        yield given.over(path, name)


def _running(release: str) -> str | None:
    client.connect()  # says in our words which cluster is meant and not there
    return releases.running_values(release)


@contextlib.contextmanager
def as_file(content: bytes) -> Iterator[str]:
    """Yield the path of a file with that content."""
    with tempfile.NamedTemporaryFile(suffix=".yaml") as file:
        file.write(content)
        file.flush()
        yield file.name


def _check(given: Given) -> None:
    for found in given.written.doubled:
        msg = (
            f'presets.{found.name}: {found.first} and {found.second} both define the preset "{found.name}"; '
            "rename one, or put what differs into the groups or into another preset that they list after it"
        )
        raise errors.BadInputError(msg)


def _names(paths: Sequence[str]) -> list[str]:
    """Return the files' names as the user knows them; a file that is given twice has its first name twice."""
    known: dict[str, str] = {}
    return [known.setdefault(os.path.abspath(path), _named(path)) for path in paths]  # noqa: PTH100  (".." goes too)


def _named(path: str) -> str:
    """Return a file's name, from the current folder on where it lies below that."""
    if path == _STDIN:
        return "standard input"
    here, full = Path.cwd(), Path(os.path.abspath(path))  # noqa: PTH100
    return str(full.relative_to(here)) if full.is_relative_to(here) and "://" not in path else path


def _tokens(flag: flags.Flag, copies: contextlib.ExitStack) -> Sequence[str]:
    paths = values.paths(flag.value or "") if flag.name in values.FILES else []
    if not any(map(_is_read_once, paths)):
        return flag.tokens
    return [flag.name, values.joined([_copy(path, copies) if _is_read_once(path) else path for path in paths])]


def _is_read_once(path: str) -> bool:
    place = Path(path)
    return path == _STDIN or (bool(path) and place.exists() and not place.is_file() and not place.is_dir())


def _copy(path: str, copies: contextlib.ExitStack) -> str:
    content = sys.stdin.buffer.read() if path == _STDIN else Path(path).read_bytes()
    return copies.enter_context(as_file(content))
