"""A reference model of the composition, written from the rules in the chart's README alone.

A layer is a partial group as a person writes it. Keyed lists are kept as `Entries` until the pod is put together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Layer = dict[str, Any]
ENVS = ("container.env", "init.*.env", "sidecars.*.env")
# Fields by which lists merge; none where the entry itself is the key.
KEYS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys([*ENVS, "container.ports", "init", "sidecars", "volumes"], ("name",)),
    "container.envFrom": ("configMapRef", "secretRef", "prefix"),
    "container.securityContext.capabilities.drop": (),
    "container.volumeMounts": ("mountPath",),
    "environment.hostAliases": ("ip",),
    "environment.requireNodes": ("key", "operator", "values"),
    "environment.topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "environment.tolerations": ("key", "operator", "value", "effect"),
}
SHORT = dict.fromkeys(ENVS, "value") | {"container.ports": "containerPort", "container.volumeMounts": "name"}
SHORT["environment.hostAliases"] = "hostnames"
APPENDED = {"container.extraArgs", "init.*.extraArgs", "sidecars.*.extraArgs"}
HANDLERS = {"exec", "grpc", "httpGet", "tcpSocket"}
APART = {"presets", "unset", "patchStrategy"}


class Entries(dict[str, Any]):
    """The entries of a keyed list in the order of their first mention; a deleted one is None and keeps its place."""


def compose(defaults: Layer, presets: list[Layer], group: Layer) -> Layer:
    """Lay all layers in their ranks: defaults, isnull and pre_merge presets, the group, the other presets."""
    upper = [preset for preset in presets if preset.get("patchStrategy") in {"post_merge", "replace"}]
    lower = [preset for preset in presets if preset not in upper]
    others = [layer for layer in (defaults, group, *presets) if layer.get("patchStrategy") != "isnull"]
    taken = {field for layer in others for field in _fields(layer)}
    found: Layer = {}
    for layer in [defaults, *lower, group, *upper]:
        for path in layer.get("unset") or ():
            _delete(found, path)
        given = {field: value for field, value in layer.items() if field not in APART}
        if layer.get("patchStrategy") == "isnull":
            given = {field: value for field, value in given.items() if field not in taken}
            taken |= set(_fields(given))
        if layer.get("patchStrategy") == "replace":
            nodes = {"requireNodes": found.get("environment", {}).get("requireNodes")}
            found |= dict.fromkeys(given) | ({"environment": nodes} if "environment" in given else {})
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
            node[key] = node[key] if isinstance(node.get(key), Entries) else Entries()
            _enter(node[key], value, here)
        elif isinstance(value, dict):
            node[key] = node[key] if isinstance(node.get(key), dict) else {}
            if key.endswith("Probe") and HANDLERS & set(_fields(value)):
                node[key] = {field: kept for field, kept in node[key].items() if field not in HANDLERS - set(value)}
            _lay(node[key], value, f"{here}.")
        else:
            node[key] = [*node.get(key, ()), *value] if here in APPENDED else value


def _enter(entries: Entries, written: Any, path: str) -> None:
    for named, entry in _read(written, path):
        short = path in SHORT and not isinstance(entry, dict | None)
        given = {SHORT[path]: entry} if short else entry
        if given is None or path.endswith("env"):
            entries[named] = given
        else:
            known = entries[named] = {} if short else entries.get(named) or {}
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
        key = handle(entry, fields) if fields else entry
        yield key, {name: value for name, value in entry.items() if fields != (name,)} if fields else {}


def handle(entry: Layer, fields: tuple[str, ...]) -> str:
    """Return the key of a list's entry: its fields joined by slashes; of a reference its name, of a list its one."""
    found = [entry.get(field, "") for field in fields]
    return "/".join(part["name"] if isinstance(part, dict) else "".join(part) for part in found)


def _delete(node: Layer, path: str) -> None:
    if isinstance(node, Entries) and path in node:
        node[path] = None
    else:
        node.pop(path, None)
    for key, child in node.items():
        if isinstance(child, dict) and path.startswith(f"{key}."):
            _delete(child, path.removeprefix(f"{key}."))


def pod(group: Layer) -> Layer:
    """Return the pod spec of a composed group, as Kubernetes wants it."""
    written = _listed(group, "")
    resources = {"resources": written["resources"]} if written.get("resources") else {}
    container = {"name": "main", **_run(written["container"]), **resources}
    plain = [entry for entry in written.get("sidecars", ()) if entry.get("native") is False]
    native = [{"restartPolicy": "Always", **entry} for entry in written.get("sidecars", ()) if entry not in plain]
    starting = sorted([*written.get("init", ()), *native], key=lambda entry: entry.get("order", 0))
    init, beside = ([{"image": container["image"], **_run(entry)} for entry in found] for found in (starting, plain))
    environment = written.get("environment", {})
    if required := environment.pop("requireNodes", None):
        terms = {"nodeSelectorTerms": [{"matchExpressions": required}]}
        environment["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    extra = {"initContainers": init, "volumes": written.get("volumes")}
    return {**environment, "containers": [container, *beside], **{key: value for key, value in extra.items() if value}}


def _run(container: Layer) -> Layer:
    rest = {key: value for key, value in container.items() if key not in {"native", "order"}}
    args = [*rest.pop("args", ()), *rest.pop("extraArgs", ())]
    return {**rest, "args": args} if args else rest


def _listed(node: Any, path: str) -> Any:
    if isinstance(node, Entries):
        name = KEYS[path][0] if len(KEYS[path]) == 1 else ""
        kept = [(key, entry) for key, entry in node.items() if entry is not None]
        if not KEYS[path]:
            return [key for key, _ in kept]
        return [{**({name: key} if name else {}), **_listed(entry, f"{path}.*")} for key, entry in kept]
    if isinstance(node, dict):
        found = {key: _listed(value, f"{path}.{key}".removeprefix(".")) for key, value in node.items()}
        return {key: value for key, value in found.items() if not (isinstance(node[key], Entries) and not value)}
    return node
