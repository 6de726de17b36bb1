"""The kubernetes client without its models."""

from __future__ import annotations

import subprocess
import sys

import pytest

# The first ends in the midst of the import: a client that is built otherwise.
WAYS = {"as it is": "", "built otherwise": "transport._EMPTY = ('kubernetes', 'kubernetes.client')\n"}
LOAD = """
import sys
from helm_roster.cluster import transport
{}parts = transport.load()
parts.rest.RESTClientObject(parts.configuration())
"""


def run(program: str, *flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *flags, "-c", program], capture_output=True, check=True, text=True)


def test_no_models_are_imported() -> None:
    imported = run(LOAD.format(""), "-X", "importtime").stderr
    assert ("kubernetes.config.kube_config" in imported, "kubernetes.client.models" in imported) == (True, False)


@pytest.mark.parametrize("way", WAYS)
def test_whoever_imports_the_client_afterwards_gets_all_of_it(way: str) -> None:
    program = LOAD.format(WAYS[way]) + "from kubernetes import client\nprint(client.V1Pod(kind='Pod').kind)"
    assert run(program).stdout.split() == ["Pod"]


def test_a_client_that_is_imported_already_is_taken() -> None:
    before = "from kubernetes import client\n"
    assert run(LOAD.format(before) + "print(parts.configuration is client.Configuration)").stdout.split() == ["True"]
