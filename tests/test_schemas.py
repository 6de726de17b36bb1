"""The published schemas of our JSON: there is one for every kind, it is valid, and it is linked.

That what commands print fits is checked wherever a test runs our command line (``support.roster.Cli``).
"""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator

from tests.support import schemas
from tests.support.roster import ROOT

PACKAGE = ROOT / "plugin" / "helm_roster"
# A result starts with its version and kind, so those two lines tell the kinds that are printed.
RESULT = re.compile(r'"apiVersion": constants\.API_VERSION,\s+"kind": "(\w+)"')
KINDS = sorted({kind for path in PACKAGE.rglob("*.py") for kind in RESULT.findall(path.read_text())})


def test_every_kind_that_is_printed_has_a_schema_and_no_other() -> None:
    assert {"Plan", "Status"} <= set(KINDS)
    assert sorted(path.name for path in schemas.FOLDER.glob("*")) == [f"{kind.lower()}.schema.json" for kind in KINDS]


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_is_valid_names_its_kind_and_is_linked(kind: str) -> None:
    name = f"{kind.lower()}.schema.json"
    schema = json.loads((schemas.FOLDER / name).read_text())
    Draft202012Validator.check_schema(schema)
    assert (schema["title"], schema["properties"]["kind"]) == (kind, {"const": kind})
    assert f"schemas/{name}" in (ROOT / "docs" / "json.md").read_text()


def test_a_key_that_no_schema_knows_is_noticed() -> None:
    document = {"apiVersion": "helm-roster.dev/v1alpha1", "kind": "Cancellation", "name": "op", "namespace": "team"}
    document |= {"gone": True, "deleted": 0, "kept": [], "volumes": [], "unseen": []}
    schemas.check(json.dumps(document))
    with pytest.raises(AssertionError, match="surprise"):
        schemas.check(json.dumps(document | {"surprise": 1}, indent=2))
