"""Reads the values that Helm is given, in the order in which Helm lays them over each other.

Files first, as given; then ``--set-json``, ``--set``, ``--set-string``, ``--set-file``, ``--set-literal``, each kind
in its own order (pkg/cli/values ``MergeValues``, the same in Helm 3.14 to 4.3).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from helm_roster import errors
from helm_roster.helm import flags, strvals
from helm_roster.manifests import door
from helm_roster.model.written import Written
from helm_roster.render import stream

FILES: Final = frozenset({"-f", "--values"})
_SETTING: Final = ("--set-json", "--set", "--set-string", "--set-file", "--set-literal")
_SHOWN: Final = 100
_LINE: Final = re.compile(r"^, line ([0-9]+)(?=:)")


def files(args: Sequence[str]) -> Iterator[str]:
    """Yield the paths of the values files."""
    for flag in flags.read(args):
        if flag.name in FILES:
            yield from paths(flag.value or "")


def paths(value: str) -> list[str]:
    """Return the paths in one flag: Helm reads its value as a line of CSV (pflag ``StringSlice``)."""
    return next(csv.reader([value]), [])


def joined(several: Sequence[str]) -> str:
    """Return the value of a flag with these paths."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(several)
    return line.getvalue()


def read(args: Sequence[str], names: Sequence[str]) -> Written:
    """Return the values of ``args``. ``names`` are those of the files for people, in the same order.

    Raises:
        BadInputError: A file is no YAML, or holds several documents.
    """
    written = Written()
    for name, path in zip(names, files(args), strict=True):
        text = text_of(path)
        if text is None:
            written.unread.append(name)
        elif isinstance(data := data_of(name, text), door.Mapping):
            written.lay(name, data)
    for wanted in _SETTING:
        for flag in flags.read(args):
            if flag.name == wanted and flag.value is not None:
                _set(written, flag.name, flag.value)
    return written


def of_chart(chart: Path | str) -> Written:
    """Return the values.yaml of a chart; nothing of one that is no folder here.

    Raises:
        BadInputError: It is no YAML, or holds several documents.
    """
    path = str(Path(chart) / "values.yaml")
    return read(["-f", joined([path])], [path])


def text_of(path: str) -> str | None:
    """Return the text of a values file; None for one that only Helm can read (a URL), or that is not there."""
    try:
        return stream.decode(Path(path).read_bytes())
    except OSError:
        return None


def refuse_several(name: str, text: str) -> None:
    """Refuse a values file of several documents: Helm 3 reads the first, Helm 4 all of them.

    Raises:
        BadInputError: There are several.
    """
    filled = [document for document in stream.split(text) if not document.is_blank]
    if len(filled) > 1:
        msg = (
            f"{name}:{filled[1].line}: a second YAML document begins, which Helm 3 leaves out and Helm 4 reads; "
            "put each into a file of its own"
        )
        raise errors.BadInputError(msg)


def data_of(name: str, text: str) -> object:
    """Return the values in the text of the file ``name``, with lines.

    Raises:
        BadInputError: It is no YAML, or holds several documents.
    """
    refuse_several(name, text)
    try:
        return next((document for document in door.load_all(text) if document is not None), None)
    except errors.BadInputError as cause:
        said = _LINE.sub(r":\1", f", {cause}")
        msg = f"{name}{said}"
        raise errors.BadInputError(msg) from cause


def _set(written: Written, flag: str, text: str) -> None:
    shown = f"{flag} {text}" if len(text) <= _SHOWN else f"{flag} {text[:_SHOWN]}…"
    for path, value in strvals.parse(flag, text):
        if path:
            written.assign(shown, path, value)
        elif isinstance(value, dict):
            written.lay(shown, value)
