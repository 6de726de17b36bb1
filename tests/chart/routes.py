"""Takes values apart for other ways into Helm: two files, flags, a chart that wraps ours."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.roster import CHART
from tests.support.runner import Runner

Values = dict[str, Any]


def leaves(node: Values, at: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the path of every value that is no map, or an empty one; lists are whole."""
    for key, value in node.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*at, key))
        else:
            yield (*at, key), value


def halves(values: Values) -> tuple[Values, Values]:
    """Return two parts of the values, which share no leaf and most maps; by the path, so that it is always the same."""
    parts: tuple[Values, Values] = ({}, {})
    for path, value in leaves(values):
        node = parts[zlib.crc32(".".join(path).encode()) % 2]
        for step in path[:-1]:
            node = node.setdefault(step, {})
        node[path[-1]] = value
    return parts


def flags(values: Values) -> list[str]:
    """Return one flag of Helm for each leaf: --set, --set-string, and --set-json for lists and empty maps."""
    return [word for path, value in leaves(values) for word in _flag(".".join(map(_escaped, path)), value)]


def _flag(path: str, value: Any) -> tuple[str, str]:
    if isinstance(value, str):
        return "--set-string", f"{path}={_escaped(value)}" if not value.startswith("{") else f"{path}=\\{value}"
    if isinstance(value, list | dict):
        return "--set-json", f"{path}={json.dumps(value)}"
    return "--set", f"{path}={json.dumps(value)}"


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\.,=[]" else char for char in text)


def wrapper(helm: Runner, folder: Path) -> Path:
    """Make a chart in the folder that depends on ours, and build it; its values are still to be written."""
    dependency = {"name": "replica-operation", "version": "0.1.0", "repository": f"file://{CHART}"}
    chart = {"apiVersion": "v2", "name": "wrapper", "version": "1.0.0", "dependencies": [dependency]}
    (folder / "Chart.yaml").write_text(json.dumps(chart))
    helm("dependency", "build", folder)
    return folder


def wrapped(values: Values) -> Values:
    """Return the values as a wrapping chart has them."""
    return {"replica-operation": values}


def write(path: Path, values: Values) -> Path:
    """Write values into a file and return its path."""
    path.write_text(json.dumps(values))
    return path
