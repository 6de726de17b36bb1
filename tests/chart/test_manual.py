"""values.yaml is the manual: it explains every key of the schema and no other, and its samples are good values."""

from __future__ import annotations

import re

from jsonschema import Draft202012Validator

from tests.chart import manual, reference, schema
from tests.support.roster import CHART

# Names of the user, and fields that are explained elsewhere.
SAMPLES = {
    "h200",
    "environment",
    "worker",
    "step",
    "decode",
    "hugepages",
    "prepare",
    "container",
    "proxy",
    "cmd",
    "image",
    "ports",
    "settings",
    "models",
    "launcher",
    "imex",
    "nics",
    "arch",
    "rack",
    "block",
    "rdma",
    "k8s",
}


def test_the_manual_explains_every_key_of_the_schema() -> None:
    assert sorted(set(schema.documented()) - set(manual.paths(manual.uncommented()))) == []


def test_the_manual_has_no_key_that_the_schema_lacks() -> None:
    Draft202012Validator(schema.SCHEMA).validate(manual.uncommented())


def test_every_key_of_the_manual_is_explained_above_it() -> None:
    keys = [re.match(r"\s*([\w-]+)", line) for line in manual.unexplained()]
    assert [key[1] for key in keys if key and key[1] not in SAMPLES] == []


def test_explanations_say_type_and_default() -> None:
    begun = [line for before, line in zip(["", *manual.lines()], manual.lines(), strict=False)
             if manual.PROSE.match(line) and not manual.PROSE.match(before)]  # fmt: skip
    assert [line for line in begun if not re.match(r"\s*# -- \([^)]+\) [A-Z`]", line)] == []


def test_the_reference_in_the_readme_is_that_of_the_schema() -> None:
    text = (CHART / "README.md").read_text()
    assert reference.table() in text, "run `python -m tests.chart.reference`"


def test_no_patch_of_the_readme_writes_what_a_field_says() -> None:
    text = (CHART / "README.md").read_text()
    said = {key for path, _ in schema.walk() if path[0] == "defaults" for key in path[-1:]}
    found = re.findall(r"merge: \{spec: \{(\w+)", text)
    assert found
    assert not said & set(found)
