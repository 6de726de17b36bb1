"""Holds what our commands print as JSON against the published schemas (``docs/schemas``).

The schemas are open for readers: a new key breaks nobody. Here they are closed: a key that no schema knows is an error.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"


def check(printed: str) -> None:
    """Fail where ``printed`` is a result of ours as JSON, one or one a line, that does not fit its schema."""
    for document in _documents(printed):
        trouble = [f"{error.json_path}: {error.message}" for error in validator(document["kind"]).iter_errors(document)]
        assert trouble == [], f"{document['kind']} does not fit docs/schemas: {trouble}"


@functools.cache
def validator(kind: str) -> Draft202012Validator:
    """Return the closed validator of a kind."""
    return Draft202012Validator(_closed(json.loads((FOLDER / f"{kind.lower()}.schema.json").read_text())))


def _documents(printed: str) -> list[Any]:
    """Return the results of ours in it; anything else is none."""
    for text in ([printed], printed.splitlines()):
        try:
            found = [json.loads(part) for part in text]
        except ValueError:
            continue
        return [one for one in found if isinstance(one, dict) and _is_ours(one)]
    return []


def _is_ours(document: dict[str, Any]) -> bool:
    return str(document.get("apiVersion", "")).startswith("helm-roster.dev/")


def _closed(node: Any) -> Any:
    """Return the schema with ``additionalProperties: false`` wherever it lists properties."""
    if isinstance(node, list):
        return [_closed(entry) for entry in node]
    if not isinstance(node, dict):
        return node
    shut = {"additionalProperties": False} if "properties" in node and isinstance(node.get("type"), (str, list)) else {}
    return shut | {key: _closed(value) for key, value in node.items()}
