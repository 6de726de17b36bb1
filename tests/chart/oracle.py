"""A reference model of the composition, written from the rules in the chart's README alone.

A layer is a partial group as a person writes it. Keyed lists are kept as `Entries` until the pod is put together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Layer = dict[str, Any]
# Fields by which lists merge; none where the entry itself is the key.
KEYS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(["container.env", "container.ports", "init", "init.*.env", "volumes"], ("name",)),
    "container.securityContext.capabilities.drop": (),
    "container.volumeMounts": ("mountPath",),
    "environment.hostAliases": ("ip",),
    "environment.tolerations": ("key", "operator", "value", "effect"),
}
SHORT = {
    "container.env": "value",
    "container.ports": "containerPort",
    "container.volumeMounts": "name",
    "environment.hostAliases": "hostnames",
    "init.*.env": "value",
}
APPENDED = {"container.extraArgs", "init.*.extraArgs"}
HANDLERS = {"exec", "grpc", "httpGet", "tcpSocket"}
APART = {"presets", "unset", "patchStrategy"}


class Entries(dict[str, Any]):
    """The entries of a keyed list, and every key that any layer named, in the order of the first mention."""

    def __init__(self) -> None:
        super().__init__()
        self.order: list[str] = []


def compose(defaults: Layer, presets: list[Layer], group: Layer) -> Layer:
    """Lay all layers in their ranks: defaults, isnull and pre_merge presets, the group, the other presets."""
    upper = [preset for preset in presets if preset.get("patchStrategy") in {"post_merge", "replace"}]
    lower = [preset for preset in presets if preset not in upper]
    taken = {
        field
        for layer in (defaults, group, *presets)
        if layer.get("patchStrategy") != "isnull"
        for field in _fields(layer)
    }
    found: Layer = {}
    for layer in [defaults, *lower, group, *upper]:
        for path in layer.get("unset") or ():
            _delete(found, path)
        given = {field: value for field, value in layer.items() if field not in APART}
        if layer.get("patchStrategy") == "isnull":
            given = {field: value for field, value in given.items() if field not in taken}
            taken |= set(_fields(given))
        if layer.get("patchStrategy") == "replace":
            for field in given:
                found.pop(field, None)
        _lay(found, given, "")
    return found


def _fields(layer: Layer) -> Iterator[str]:
    yield from (field for field, value in layer.items() if field not in APART and value is not None)


def _lay(node: Layer, layer: Layer, path: str) -> None:
    for key, value in layer.items():
        here = path + key
        if value is None:
            node.pop(key, None)
        elif here in KEYS:
            if not isinstance(node.get(key), Entries):
                node[key] = Entries()
            _enter(node[key], value, here)
        elif isinstance(value, dict):
            node[key] = node[key] if isinstance(node.get(key), dict) else {}
            if key.endswith("Probe") and HANDLERS & set(_fields(value)):
                for handler in HANDLERS - set(value):
                    node[key].pop(handler, None)
            _lay(node[key], value, f"{here}.")
        else:
            node[key] = [*node.get(key, ()), *value] if here in APPENDED else value


def _enter(entries: Entries, written: Any, path: str) -> None:
    for handle, entry in _read(written, path):
        if handle not in entries.order:
            entries.order.append(handle)
        given = {SHORT[path]: entry} if path in SHORT and not isinstance(entry, dict | None) else entry
        if given is None:
            entries.pop(handle, None)
        elif path.endswith("env"):
            entries[handle] = given
        else:
            known = entries.setdefault(handle, {})
            if path == "volumes" and set(_fields(given)):
                for source in set(known) - set(given):
                    del known[source]
            _lay(known, given, f"{path}.*.")


def _read(written: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield keys and entries of either form: lists keep their order, maps go by the alphabet."""
    if isinstance(written, dict):
        yield from sorted(written.items())
    for entry in () if isinstance(written, dict) else written:
        fields = KEYS[path]
        key = "/".join(entry.get(field, "") for field in fields) if fields else entry
        yield key, {name: value for name, value in entry.items() if fields != (name,)} if fields else {}


def _delete(node: Layer, path: str) -> None:
    node.pop(path, None)
    for key, child in node.items():
        if isinstance(child, dict) and path.startswith(f"{key}."):
            _delete(child, path.removeprefix(f"{key}."))


def pod(group: Layer) -> Layer:
    """Return the pod spec of a composed group, as Kubernetes wants it."""
    written = _listed(group, "")
    container = {"name": "main", **_run(written["container"])}
    if written.get("resources"):
        container["resources"] = written["resources"]
    init = [{"image": container["image"], **_run(entry)} for entry in written.get("init", ())]
    extra = {"initContainers": init, "volumes": written.get("volumes")}
    kept = {key: value for key, value in extra.items() if value}
    return {**written.get("environment", {}), "containers": [container], **kept}


def _run(container: Layer) -> Layer:
    rest = dict(container)
    args = [*rest.pop("args", ()), *rest.pop("extraArgs", ())]
    return {**rest, "args": args} if args else rest


def _listed(node: Any, path: str) -> Any:
    if isinstance(node, Entries):
        name = KEYS[path][0] if len(KEYS[path]) == 1 else ""
        kept = [(key, node[key]) for key in node.order if key in node]
        if not KEYS[path]:
            return [key for key, _ in kept]
        return [{**({name: key} if name else {}), **_listed(entry, f"{path}.*")} for key, entry in kept]
    if isinstance(node, dict):
        found = {key: _listed(value, f"{path}.{key}".removeprefix(".")) for key, value in node.items()}
        return {key: value for key, value in found.items() if not (isinstance(node[key], Entries) and not value)}
    return node
