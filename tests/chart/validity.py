"""Holds rendered objects against the strict schema of Kubernetes, all of one kind at once, since to begin costs."""

from __future__ import annotations

import functools
from itertools import groupby
from typing import Any

import kubernetes_validate
from kubernetes_validate import utils

from helm_roster import constants

from tests.chart import custom

utils.schema_contents = functools.cache(utils.schema_contents)  # it would read two megabytes for each check
CARRIERS = {constants.CARRIER_KIND, constants.RESOLVED_KIND}


def check(objects: list[dict[str, Any]]) -> None:
    """Fail on an object that the API server would not take, and on a kind that it does not know; carriers are ours."""
    whole = (entry for entry in objects if entry["kind"] not in CARRIERS)
    served = sorted((part for entry in whole for part in custom.parts(entry)), key=lambda entry: str(entry["kind"]))
    assert served
    for (version, kind), entries in groupby(served, key=lambda entry: (entry["apiVersion"], entry["kind"])):
        batch = {"apiVersion": version, "kind": f"{kind}List", "items": list(entries)}
        kubernetes_validate.validate(batch, "1.37", strict=True)
