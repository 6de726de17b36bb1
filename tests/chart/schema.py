"""Walks the schema of the values; the manual, the README and the null tests are held against it.

A path is a tuple of keys. Fields that all groups share stand under `defaults`; maps by name use the names of NAMES.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.support.roster import CHART

Node = dict[str, Any]
Path = tuple[str, ...]
SCHEMA: Node = json.loads((CHART / "values.schema.json").read_text())
NAMES = {
    "presets": "h200",
    "groups": "worker",
    "gangs": "step",
    "levels": "rack",
    "members": "worker",
    "patches": "decode",
    "decode": "hugepages",
    "init": "prepare",
    "sidecars": "proxy",
    "connections": "models",
    "mounts": "/opt/engine",
    "files": "launcher",
    "claims": "imex",
    "claim.devices": "nics",
    "devices": "rdma/ib",
    "networks": "k8s.v1.cni.cncf.io/networks",
}
GROUPS = {"defaults", "groups", "presets"}
CONTAINERS = {"init", "sidecars"}
# Maps that may be written as lists, whose entries then have names.
LISTED = {*CONTAINERS, "files"}
NOT_OURS = {"global", "replica-group"}


def resolve(node: Node) -> Node:
    """Follow a reference."""
    return SCHEMA["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node


def exists(path: str, node: Node = SCHEMA) -> bool:
    """Tell whether a dotted path leads to a place below the node; <name> in it stands for a name of the user's."""
    key, _, rest = path.partition(".")
    children = _children(resolve(node), key.replace("<name>", "name"))
    return any(child is True or not rest or exists(rest, child) for child in children)


def _children(node: Node, key: str) -> list[Any]:
    """Return the node of a key, True where anything may stand, nothing where the key may not."""
    if key in node.get("properties", {}):
        return [node["properties"][key]]
    by_pattern = [child for pattern, child in node.get("patternProperties", {}).items() if re.search(pattern, key)]
    others = node.get("additionalProperties", "object" in node.get("type", []))
    return by_pattern or ([others] if others is not False else [])


def walk(node: Node = SCHEMA, at: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Yield every key of the values with its node, maps by name under their example name."""
    for key, child in node.get("properties", {}).items():
        yield from _visit((*at, key), child)
    for child in node.get("patternProperties", {}).values():
        if name := _name(at):
            yield from _visit((*at, name), child)


def _name(at: Path) -> str | None:
    """Return the example name in a map by name, which the map's own name tells, or that of what it stands in too."""
    return NAMES.get(".".join(at[-2:])) or NAMES.get(at[-1] if at else "")


def _visit(at: Path, child: Node) -> Iterator[tuple[Path, Node]]:
    yield at, resolve(child)
    yield from walk(resolve(child), at)


def shown(values: Any, node: Node = SCHEMA, at: Path = ()) -> set[Path]:
    """Return the keys that some values use, as `walk` spells them."""
    if isinstance(values, list):
        return {path for entry in values for path in shown(entry, resolve(node.get("items", {})), at)}
    found: set[Path] = set()
    for key, value in values.items() if isinstance(values, dict) else ():
        name = key if key in node.get("properties", {}) else _name(at) or key
        found.add((*at, name))
        for child in _children(node, key):
            found |= shown(value, resolve(child), (*at, name)) if child is not True else set()
    return found


def documented() -> dict[Path, Node]:
    """Return the keys that the manual explains: shared fields once, under `defaults`; names of the user never."""
    shared = {path[1:] for path, _ in walk() if path[0] == "defaults" and len(path) > 1}
    return {path: node for path, node in walk() if _is_documented(path, shared)}


def _is_documented(path: Path, shared: set[Path]) -> bool:
    named = path[-1] == _name(path[:-1])
    repeated = path[0] in {"groups", "presets"} and path[2:] in shared
    listed = path[-1] == "name" and len(path) > 2 and path[-3] in LISTED
    led = "leader" in path and path[path.index("leader") + 1 :] in shared
    elsewhere = listed or repeated or led or _is_of_a_container(path, shared)
    return not (named or elsewhere or path[0] in NOT_OURS or _is_kubernetes(path))


def _is_of_a_container(path: Path, shared: set[Path]) -> bool:
    """Tell whether a key of an init container or a sidecar is explained elsewhere."""
    at = next((place for place, key in enumerate(path) if key in CONTAINERS), len(path))
    field = path[at + 2 :]
    known = (
        {field, ("container", *field), ("init", NAMES["init"], *field)}
        if path[0] == "connections"
        else {field, ("container", *field)}
    )
    return bool(field) and bool(known & shared)


def _is_kubernetes(path: Path) -> bool:
    """Tell whether a key lies inside an object of Kubernetes, which its own manual explains."""
    return any(key in {"securityContext", "resources", "env", "ports", "lifecycle"} for key in path[:-1])
