"""Reading and changing manifests by the names of their fields; absent and null are the same here.

Values may be ``Raw`` or ``str`` (see ``door``): they are equal when their text is.
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn, TypeAlias

from helm_roster import constants, errors

Manifest: TypeAlias = dict[str, Any]


class Identity(NamedTuple):
    """What tells one object from another; "" where the manifest says nothing."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        """Return ``Kind name`` or ``Kind namespace/name``, for messages."""
        where = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind or 'object'} {where}{self.name or '(no name)'}"


def get(data: object, *path: str | int, default: Any = None) -> Any:  # noqa: ANN401  (the shape is the document's)
    """Return what stands at ``path`` (keys, and indexes into lists), else ``default``."""
    for step in path:
        match data, step:
            case dict(), str() if step in data:
                data = data[step]
            case list(), int() if step < len(data):
                data = data[step]
            case _:
                return default
    return default if data is None else data


def mapping(data: object, *path: str | int) -> Manifest:
    """Return the mapping at ``path`` itself (not a copy), or a new empty one.

    Raises:
        BadInputError: Something else stands there.
    """
    found = get(data, *path, default={})
    if not isinstance(found, dict):
        _refuse(data, path, "a mapping", found)
    return found


def sequence(data: object, *path: str | int) -> list[Any]:
    """Return the list at ``path`` itself (not a copy), or a new empty one.

    Raises:
        BadInputError: Something else stands there.
    """
    found = get(data, *path, default=[])
    if not isinstance(found, list):
        _refuse(data, path, "a list", found)
    return found


def mappings(data: object, *path: str | int) -> list[Manifest]:
    """Return those entries of the list at ``path`` that are mappings; a cluster's objects may hold others, as null.

    Raises:
        BadInputError: Something other than a list stands there.
    """
    return [entry for entry in sequence(data, *path) if isinstance(entry, dict)]


def ensure(manifest: Manifest, *path: str) -> Manifest:
    """Return the mapping at ``path``, making it and those above it where they are absent or null.

    Raises:
        BadInputError: Something other than a mapping is in the way.
    """
    node = manifest
    for depth, key in enumerate(path, start=1):
        if node.get(key) is None:
            node[key] = {}
        node = node[key]
        if not isinstance(node, dict):
            _refuse(manifest, path[:depth], "a mapping", node)
    return node


def identity(manifest: Manifest) -> Identity:
    """Return the object's identity as plain text."""
    name, namespace = (get(manifest, "metadata", key, default="") for key in ("name", "namespace"))
    api_version, kind = (get(manifest, key, default="") for key in ("apiVersion", "kind"))
    return Identity(str(api_version), str(kind), str(namespace), str(name))


def flat(manifest: Manifest) -> list[Manifest]:
    """Return the objects that a manifest holds: those of a ``List`` or ``SecretList``, as Helm applies it, else itself.

    An item of a list of one kind need not say it (apimachinery, ``unstructuredJSONScheme``).
    """
    kind, items = str(get(manifest, "kind")), get(manifest, "items")
    if not kind.endswith("List") or not isinstance(items, list):
        return [manifest]
    said = {"apiVersion": get(manifest, "apiVersion"), "kind": kind.removesuffix("List")} if kind != "List" else {}
    return [found for item in items if isinstance(item, dict) for found in flat(said | item)]


def is_within(path: str, above: str) -> bool:
    """Return whether a path, parts joined by dots, is ``above`` or leads on from there."""
    return path == above or path.startswith(f"{above}.")


def is_hook(manifest: Manifest) -> bool:
    """Return whether Helm takes the object for a hook: the annotation is there, whatever it says."""
    annotations = get(manifest, "metadata", "annotations")
    return isinstance(annotations, dict) and constants.HOOK_ANNOTATION in annotations


def is_kept(manifest: Manifest) -> bool:
    """Return whether the object is marked to outlive its release, as Helm reads it."""
    return str(get(manifest, "metadata", "annotations", constants.KEEP_ANNOTATION)) == "keep"


def _refuse(data: object, path: tuple[str | int, ...], wanted: str, found: object) -> NoReturn:
    subject = f"{identity(data)}: " if isinstance(data, dict) and "kind" in data else ""
    msg = f"{subject}{'.'.join(map(str, path))} is {found!r}, not {wanted}"
    raise errors.BadInputError(msg)
