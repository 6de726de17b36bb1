"""Writes the table of fields and types by which patches are checked, from the OpenAPI schemas of kubernetes-validate.

``kinds`` leads from an apiVersion and kind to a type. A type is a map of fields to what they hold: another type by its
name, a plain one in small letters, ``[`` before that of a list's entries, ``{`` before that of a map's values.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import kubernetes_validate

VERSION: Final = "1.37"
TABLE: Final = Path(__file__).parent.parent / "plugin" / "helm_roster" / "patches" / "fields.json"

_SCHEMAS: Final = Path(kubernetes_validate.__file__).parent / "kubernetes-json-schema" / f"v{VERSION}.0-local-strict"
# What the chart makes for a group, and a patch may name.
_KINDS: Final = (
    "apps.v1.Deployment", "apps.v1.StatefulSet", "batch.v1.Job", "core.v1.ConfigMap", "core.v1.Service",
    "core.v1.ServiceAccount", "core.v1.PersistentVolumeClaim", "autoscaling.v2.HorizontalPodAutoscaler",
    "policy.v1.PodDisruptionBudget", "rbac.v1.Role", "rbac.v1.RoleBinding",
)  # fmt: skip
_PLAIN: Final = {"Quantity": "quantity", "IntOrString": "integer or text", "Time": "text", "MicroTime": "text"}
_WORDS: Final = {"string": "text", "integer": "integer", "number": "number", "boolean": "boolean"}


def text() -> str:
    """Return the table as it is written: a line a type."""
    known = json.loads((_SCHEMAS / "_definitions.json").read_text())["$defs"]
    types: dict[str, dict[str, str]] = {}
    kinds = {}
    for name in _KINDS:
        properties = known[f"io.k8s.api.{name}"]["properties"]
        kind = name.rpartition(".")[2]
        kinds[f"{properties['apiVersion']['enum'][0]} {kind}"] = kind
        _add(f"io.k8s.api.{name}", known, types, without="status")
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(types[name], sort_keys=True)}" for name in sorted(types))
    return f'{{"version": "{VERSION}",\n"kinds": {json.dumps(kinds, sort_keys=True)},\n"types": {{\n{lines}\n}}}}\n'


def _add(name: str, known: dict[str, Any], types: dict[str, dict[str, str]], *, without: str = "") -> str:
    """Add the type ``name`` of the schemas, and those that it refers to; return how the table calls it."""
    short = name.rpartition(".")[2]
    found = known[name].get("properties")
    if short in _PLAIN or not found:
        return _PLAIN.get(short, "any")
    if short not in types:
        types[short] = {}
        types[short] |= {key: _holds(value, known, types) for key, value in found.items() if key != without}
    return short


def _holds(schema: dict[str, Any], known: dict[str, Any], types: dict[str, dict[str, str]]) -> str:
    if "$ref" in schema:
        return _add(schema["$ref"].removeprefix("#/$defs/"), known, types)
    if "items" in schema:
        return f"[{_holds(schema['items'], known, types)}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"{{{_holds(schema['additionalProperties'], known, types)}"
    said = schema.get("type", "any")
    plain = [word for word in ([said] if isinstance(said, str) else said) if word != "null"]
    return _WORDS.get(plain[0], "any")


if __name__ == "__main__":
    TABLE.write_text(text())
