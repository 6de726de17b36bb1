"""Nulls that Helm loses before the chart sees them; what they would have deleted would silently stay.

Helm keeps nulls of values files and ``--set`` while it lays those over each other, but (run on 3.19 and 4.3)

* ``--reuse-values`` takes the value that runs for a null over it, and Helm 3 loses the nulls that run;
* ``--reset-then-reuse-values`` drops a null together with the value that runs under its key, on Helm 3 a null too;
* Helm 4 drops the nulls of the values.yaml of a chart that wraps another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from helm_roster import constants, errors
from helm_roster.helm import find, flags, values
from helm_roster.model.written import Map, Source, Written, get

_REUSE: Final = "--reuse-values"
_RESET: Final = "--reset-then-reuse-values"
_UNSET: Final = "unset"
# Where a layer, a patch or a manifest begins; a null further down deletes, one above is what is not given.
_DEPTHS: Final = {"defaults": 1, "extraObjects": 2, "groups": 2, "patches": 4, "presets": 2}
_INSTEAD: Final = {"extraObjects": "leave the key out", "patches": "delete by `$patch: delete` or by json"}
_READ_APART: Final = frozenset({_UNSET, "patchStrategy"})

_Path = tuple[str, ...]


class _Null(NamedTuple):
    """A null at ``path``; ``source`` is its file and line, or its flag. ``chart``: steps down to the values of ours."""

    path: _Path
    source: Source | None
    chart: int

    def __str__(self) -> str:
        return f"{'.'.join(self.path)}: null ({self.source})"

    @property
    def deletes(self) -> bool:
        """Whether it is more than a value that is not given."""
        within = self.path[self.layer :]
        return bool(within) and (len(within) > 1 or within[0] not in _READ_APART)

    @property
    def layer(self) -> int:
        """How many steps lead to the layer that it stands in; all of them where it is in none."""
        depth = _DEPTHS.get("".join(self.path[self.chart : self.chart + 1]))
        return len(self.path) if depth is None else self.chart + depth

    @property
    def unset(self) -> str:
        """What deletes the same by `unset` in its layer."""
        return ".".join(self.path[self.layer :])

    @property
    def instead(self) -> str:
        """What to write instead."""
        layer = self.path[: self.layer]
        return _INSTEAD.get(layer[self.chart]) or f"write {'.'.join(layer)}.{_UNSET}: [{self.unset}]"


def refuse_reused(args: Sequence[str], given: Written, running: Written) -> None:
    """Refuse nulls that Helm loses when it goes on from the values of the ``running`` release.

    Raises:
        BadInputError: There is one that deletes something.
    """
    if flags.has(args, _REUSE):
        _refuse_reuse(given, running)
    elif flags.has(args, _RESET):
        _refuse_reset(given, running)


def refuse_wrapped(chart: Path | str) -> None:
    """Refuse nulls in the values.yaml of a chart that wraps ours.

    Raises:
        BadInputError: There is one that deletes something.
    """
    for null in _nulls(values.of_chart(chart)):
        if null.chart and null.deletes:
            msg = f"{null}: Helm 4 drops nulls from the values of a chart that wraps another; {null.instead}"
            raise errors.BadInputError(msg)


def _refuse_reuse(given: Written, running: Written) -> None:
    for null in _nulls(given):
        if get(running.values, *null.path) is not None:
            msg = f"{null}: Helm goes on with the value that runs; pass {_RESET}, or all values with -f alone"
            raise errors.BadInputError(msg)
    for null in _nulls(running):
        if null.deletes and not _has(given.values, null.path) and not find.find().is_helm4:
            msg = f"{null}: Helm 3 loses it with {_REUSE}; pass {_RESET}, or all values with -f alone"
            raise errors.BadInputError(msg)


def _refuse_reset(given: Written, running: Written) -> None:
    for null in _nulls(given):
        if null.deletes and _is_dropped(running.values, null.path) and not _is_unset(given.values, null):
            msg = (
                f"{null}: with {_RESET} Helm drops it, and what lower layers set comes back; "
                f"{null.instead} too, or pass all values with -f alone"
            )
            raise errors.BadInputError(msg)


def _nulls(written: Written) -> Iterator[_Null]:
    """Yield the nulls of all maps; those in lists Helm keeps."""
    return _below(written, written.values, ())


def _below(written: Written, node: object, at: _Path) -> Iterator[_Null]:
    if isinstance(node, Map):
        for key, value in node.items():
            path = (*at, key)
            if value is None:
                yield _Null(path, written.source(*path), int(path[0] == constants.CHART))
            yield from _below(written, value, path)


def _is_dropped(running: Map, path: _Path) -> bool:
    return get(running, *path) is not None or (_has(running, path) and not find.find().is_helm4)


def _is_unset(given: Map, null: _Null) -> bool:
    """Return whether the layer deletes the value by `unset` too."""
    unset = get(given, *null.path[: null.layer], _UNSET)
    return isinstance(unset, list) and null.unset in unset


def _has(values: Map, path: _Path) -> bool:
    above = get(values, *path[:-1])
    return isinstance(above, Map) and path[-1] in above
