"""A second, plain composition of layers, written from the README of the chart, to hold the chart against.

A layer has an image and some of FIELDS by dotted paths, each a map by key, a list, or null, and may hold `unset` and
`patchStrategy`. Every entry has one value, so that merging an entry is replacing it.
"""

from __future__ import annotations

import random
from typing import Any

Layer = dict[str, Any]
# Path of each field: the key of its entries, and the field that holds an entry's value.
FIELDS = {
    "container.env": ("name", "value"),
    "container.ports": ("name", "containerPort"),
    "container.volumeMounts": ("mountPath", "name"),
    "environment.hostAliases": ("ip", "hostnames"),
    "volumes": ("name", "emptyDir"),
}
KEYS = {"container.volumeMounts": ("/a", "/b.c"), "environment.hostAliases": ("10.0.0.1", "10.0.0.2")}
STRATEGIES = ("isnull", "pre_merge", "post_merge", "replace")


def keys(path: str) -> tuple[str, ...]:
    """Return the keys that entries of a field may have."""
    return KEYS.get(path, ("b", "a", "c"))


def layer(chance: random.Random) -> Layer:
    """Return a random layer by dotted paths."""
    found = {path: _field(chance, path) for path in FIELDS if chance.random() < 0.5}
    nodes = [*FIELDS, *(f"{path}.{key}" for path in FIELDS for key in keys(path)), "environment"]
    return {"container.image": "example/app:1", **found, "unset": chance.sample(nodes, chance.choice((0, 0, 1, 2)))}


def _field(chance: random.Random, path: str) -> Any:
    entries = {key: _value(chance, path) for key in chance.sample(keys(path), chance.randint(0, len(keys(path))))}
    form = chance.choice(("map", "map", "list", "null"))
    if form == "null":
        return None
    if form == "list":
        name, field = FIELDS[path]
        return [{name: key, field: value} for key, value in entries.items()]
    return {key: chance.choice((None, value, value)) for key, value in entries.items()}


def _value(chance: random.Random, path: str) -> Any:
    number = chance.randint(1, 60000)
    values = {"container.ports": number, "environment.hostAliases": [str(number)]}
    return values.get(path, {"sizeLimit": str(number)} if path == "volumes" else str(number))


class Composition:
    """The entries of one group as its layers are laid over each other."""

    def __init__(self) -> None:
        self.entries: dict[str, dict[str, Any]] = {}
        self.order: dict[str, list[str]] = {}

    def delete(self, path: str) -> None:
        """Delete a field, what is under it, or one entry."""
        for field in list(self.entries):
            if field == path or field.startswith(f"{path}."):
                del self.entries[field], self.order[field]
            elif path.startswith(f"{field}."):
                self.entries[field].pop(path.removeprefix(f"{field}."), None)

    def lay(self, above: Layer) -> None:
        """Lay one layer over the others."""
        for path in above.get("unset", ()):
            self.delete(path)
        fields = {path: above[path] for path in FIELDS if path in above}
        if above.get("patchStrategy") == "replace":
            for top in {path.partition(".")[0] for path in above}:
                self.delete(top)
        for path, written in fields.items():
            if written is None:
                self.delete(path)
            else:
                self._merge(path, written)

    def _merge(self, path: str, written: Any) -> None:
        name, field = FIELDS[path]
        listed = isinstance(written, list)
        entries = {entry[name]: entry[field] for entry in written} if listed else dict(sorted(written.items()))
        self.order.setdefault(path, []).extend(entries)
        kept = self.entries.setdefault(path, {})
        for key, value in entries.items():
            kept.pop(key, None) if value is None else kept.update({key: value})

    def listed(self, path: str) -> list[dict[str, Any]] | None:
        """Return a field as Kubernetes writes it, None where nothing is left."""
        name, field = FIELDS[path]
        order = [key for key in dict.fromkeys(self.order.get(path, ())) if key in self.entries[path]]
        return [{name: key, field: self.entries[path][key]} for key in order] or None


def compose(defaults: Layer, presets: list[Layer], group: Layer) -> Composition:
    """Lay all layers in their ranks."""
    lower = [entry for entry in presets if entry["patchStrategy"] in {"isnull", "pre_merge"}]
    upper = [entry for entry in presets if entry not in lower]
    taken = _tops(defaults) | _tops(group)
    taken |= {top for entry in presets if entry["patchStrategy"] != "isnull" for top in _tops(entry)}
    found = Composition()
    for entry in [defaults, *lower, group, *upper]:
        given = entry
        if entry.get("patchStrategy") == "isnull":
            given = {path: value for path, value in entry.items() if path.partition(".")[0] not in taken}
            taken |= _tops(given)
        found.lay(given)
    return found


def _tops(entry: Layer) -> set[str]:
    """Return the whole fields that a layer sets; null sets none."""
    settings = {path: value for path, value in entry.items() if path not in {"unset", "patchStrategy"}}
    return {path.partition(".")[0] for path, value in settings.items() if "." in path or value is not None}
