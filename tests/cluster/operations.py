"""Small operations for tests of the command line: values, the CLI as a user runs it, and its JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.cluster import fates
from tests.cluster.api import Json
from tests.cluster.namespaces import Namespace
from tests.cluster.schedulers import Scheduler
from tests.support.roster import CHART, PlainHelm
from tests.support.runner import Runner

MODEL = "Test GPU"


def group(
    namespace: Namespace, replicas: int, *, gpus: int = 0, fate: Mapping[str, str] | None = None, **more: Any
) -> Json:
    """Return a group on the test's own nodes, whose pods have the fate (see ``fates.annotate``)."""
    return {
        "replicas": replicas,
        "container": {"image": "registry.example/engine:1", "ports": {"http": 8000}},
        "environment": {
            "nodeSelector": dict(namespace.node_selector),
            "annotations": dict(fate or fates.annotate()),
            "terminationGracePeriodSeconds": 1,
        },
        **({"presets": ["gpu"], "accelerators": gpus} if gpus else {}),
        **more,
    }


def values(
    groups: Json, *, kind: str = "service", gangs: Json | None = None, placer: Scheduler | None = None, **more: Any
) -> Json:
    """Return the values of an operation; with ``gangs`` (members by gang) placed by the scheduler, natively if none."""
    scheduling = {
        "placement": placer.placement if placer else {"backend": "native"},
        "gangs": {name: {"members": of} for name, of in (gangs or {}).items()},
    }
    return {
        "operation": {"kind": kind},
        "presets": {"gpu": {"accelerator": {"resource": "nvidia.com/gpu", "model": MODEL}}},
        "groups": groups,
        **({"scheduling": scheduling} if gangs else {}),
        **more,
    }


def install(run: Runner, name: str, values: Path, *flags: str) -> None:
    """Install by plain Helm, which takes half the time of the command line; with the post-renderer if it has work.

    Helm's own look at every field takes as long as the rest, and the API server looks too.
    """
    helm = Runner(Path(run.env["HELM_BIN"]), run.env, run.major)
    written = yaml.load(values.read_text(), yaml.CSafeLoader)
    program = PlainHelm(helm) if written.keys() & {"patches", "scheduling"} else helm
    program("install", name, CHART, "-f", values, "--disable-openapi-validation", *flags)


def router(namespace: Namespace, *requires: str) -> Json:
    """Return a router group that requires others."""
    probe = {"httpGet": {"path": "/readiness", "port": "http"}}
    return group(namespace, 1, router=True, readiness={"requires": list(requires), "probe": probe})


def write(folder: Path, content: Json) -> Path:
    """Write values into a file (JSON is YAML) and return its path."""
    path = folder / "values.yaml"
    path.write_text(json.dumps(content, indent=2))
    return path


def status(run: Runner, name: str) -> Json:
    """Return the status of an operation as its JSON says."""
    found: Json = json.loads(run("status", name, "-o", "json").stdout)
    return found


def health(found: Json, name: str) -> Json:
    """Return one group of a status."""
    return next(entry for entry in found["groups"] if entry["name"] == name)
