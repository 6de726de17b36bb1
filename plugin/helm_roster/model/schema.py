"""The chart's values.schema.json, as far as advice needs it: which node describes a path, and which keys it knows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from helm_roster.model.nearest import nearest

Node = Mapping[str, Any]

_FILE: Final = "values.schema.json"
# Stands for a name of the user's in a path.
_NAME: Final = "name"
_DEFINITIONS: Final = "#/$defs/"


class Schema:
    """One schema. Without a file (an archive, a chart of another make) it describes nothing."""

    def __init__(self, root: Node) -> None:
        self._root = root

    @classmethod
    def of(cls, chart: Path | str) -> Schema:
        """Return the schema of a chart."""
        try:
            root = json.loads((Path(chart) / _FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            root = {}
        return cls(root if isinstance(root, dict) else {})

    def node(self, path: Sequence[str]) -> Node:
        """Return the node that describes the value at ``path``; empty where none does."""
        node = self._root
        for step in path:
            node = self._resolved(self._below(node, step))
        return node

    def is_merged_list(self, path: Sequence[str]) -> bool:
        """Return whether the value at ``path`` may be a list or a map: then it is merged by key over the layers."""
        types = self.node(path).get("type") or ()
        return {"array", "object"}.issubset([types] if isinstance(types, str) else types)

    def is_closed(self, path: Sequence[str]) -> bool:
        """Return whether the map at ``path`` has the keys that the schema names and no others."""
        return self.node(path).get("additionalProperties") is False

    def nearest(self, path: Sequence[str], key: str) -> str | None:
        """Return the path of the key that ``key`` under ``path`` was meant to be, with dots; None where none is near.

        A key of the same name just below or above comes first: ``groups.a.image`` is ``groups.a.container.image``.
        """
        below = [(*path, name, key) for name in self._keys(path) if self._has((*path, name), key)]
        above = [(*path[:-1], key)] if path and key in self._keys(path[:-1]) else []
        if found := [*below, *above]:
            return ".".join(found[0])
        close = nearest(key, self._keys(path))
        deeper = [
            (*path, name, _NAME.upper(), key) for name in self._keys(path) if self._has((*path, name, _NAME), key)
        ]
        return ".".join((*path, close)) if close else ".".join(deeper[0]) if deeper else None

    def pattern(self, path: Sequence[str]) -> str | None:
        """Return the pattern that all keys of a map of names must match."""
        patterns = list(self.node(path).get("patternProperties") or ())
        return patterns[0] if len(patterns) == 1 and not self._keys(path) else None

    def told(self, path: Sequence[str]) -> str:
        """Return in a few words what stands at ``path``, or above it where only that is described, with its key."""
        described = self.node(path).get("description")
        if not described:
            return self.told(path[:-1]) if path else ""
        return f"{path[-1] if path else 'values'}: {re.split('[.;:] ', str(described).removesuffix('.'))[0]}"

    def _has(self, path: Sequence[str], key: str) -> bool:
        """Return whether the map at ``path`` names ``key``, or, where it is one of Kubernetes, an example does."""
        return key in self._keys(path) or any(key in example for example in self.node(path).get("examples") or ())

    def _keys(self, path: Sequence[str]) -> list[str]:
        return list(self.node(path).get("properties") or ())

    def _below(self, node: Node, step: str) -> Node:
        return next(self._candidates(node, step), {})

    @staticmethod
    def _candidates(node: Node, step: str) -> Iterator[Node]:
        properties = node.get("properties") or {}
        if step in properties:
            yield properties[step]
        for pattern, below in (node.get("patternProperties") or {}).items():
            if re.search(pattern, step):
                yield below
        if step.isdecimal() and isinstance(node.get("items"), dict):
            yield node["items"]
        if isinstance(node.get("additionalProperties"), dict):
            yield node["additionalProperties"]

    def _resolved(self, node: Node) -> Node:
        reference = str(node.get("$ref", ""))
        if not reference.startswith(_DEFINITIONS):
            return node
        found: Node = self._root.get("$defs", {}).get(reference.removeprefix(_DEFINITIONS), {})
        return self._resolved(found)
