"""What Volcano and KAI bring to a test from outside: their programs and their CustomResourceDefinitions, in folders.

Neither can be built as a Go module's dependency, so nothing here builds them: users get the programs from the
projects' releases. Whoever has none still gets the definitions, if they are there, and with them the strict validation
of what we render.
"""

from __future__ import annotations

import functools
import http.client
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.api import Api, ApiError, Json, wait_for
from tests.support.clients import cache_root

ROOT = Path(__file__).parents[2]
NAMES = {"volcano": "Volcano", "kai": "KAI"}
PROGRAMS = {"volcano": ("scheduler", "controller-manager"), "kai": ("scheduler", "binder")}
GROUPS = {
    "scheduling.volcano.sh": "volcano",
    "topology.volcano.sh": "volcano",
    "scheduling.run.ai": "kai",
    "kai.scheduler": "kai",
}
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_LACK = re.compile(r"\bno (?P<what>programs|CRDs) of (?P<project>Volcano|KAI) are here")


def programs_folder() -> Path:
    """Return the folder of the projects' programs: volcano/scheduler, volcano/controller-manager, kai/…."""
    given = os.environ.get("ROSTER_CLUSTER_BIN")
    return Path(given) if given else cache_root().with_name("helm-roster-binaries")


def definitions_folder() -> Path:
    """Return the folder of the projects' CustomResourceDefinitions: volcano/*.yaml and kai/*.yaml."""
    given = os.environ.get("ROSTER_CLUSTER_CRDS")
    return Path(given) if given else ROOT.parent / "shared" / "crds"


def programs(project: str) -> dict[str, Path]:
    """Return the project's programs by name."""
    return {name: programs_folder() / project / name for name in PROGRAMS[project]}


def why_no_programs(project: str) -> str | None:
    """Return why the project's programs cannot be run, or None."""
    for path in programs(project).values():
        if not os.access(path, os.X_OK) or path.is_dir():
            return (
                f"no programs of {NAMES[project]} are here: {path} is no program; ROSTER_CLUSTER_BIN names the folder"
            )
    return None


def why_no_definitions(project: str) -> str | None:
    """Return why the API server cannot get the project's definitions, or None."""
    folder = definitions_folder() / project
    if not any(folder.glob("*.yaml")):
        return f"no CRDs of {NAMES[project]} are here: {folder} holds none; ROSTER_CLUSTER_CRDS names the folder"
    return None


def define(api: Api) -> None:
    """Give the API server the definitions that are here, and wait until it serves them."""
    files = [path for project in NAMES for path in sorted((definitions_folder() / project).glob("*.yaml"))]
    add(api, *(item for path in files for item in yaml.load_all(path.read_text(), yaml.CSafeLoader) if item))


def add(api: Api, *definitions: Json) -> None:
    """Create definitions and wait until the API server serves them; those that are there already are left alone."""
    for definition in definitions:
        if not api.find(f"{DEFINITIONS}/{definition['metadata']['name']}"):
            api.post(DEFINITIONS, definition)
    for name in (definition["metadata"]["name"] for definition in definitions):
        served = functools.partial(api.get, f"{DEFINITIONS}/{name}")
        wait_for(served, 30, f"{name} to be served", until=_established)
    for path in (path for definition in definitions for path in _collections(definition)):
        wait_for(functools.partial(_listed, api, path), 30, f"{path} to be listed")


def _collections(definition: Json) -> Iterator[str]:
    """Yield the path of a kind's collection in each of its served versions."""
    spec = definition["spec"]
    for version in spec["versions"]:
        if version["served"]:
            yield f"/apis/{spec['group']}/{version['name']}/{spec['names']['plural']}"


def _listed(api: Api, path: str) -> bool:
    """Tell whether a collection can be listed: of a new kind the API server first says 404, then 429."""
    try:
        api.get(path, limit="1")
    except ApiError as error:
        if error.status in {http.client.NOT_FOUND, http.client.TOO_MANY_REQUESTS}:
            return False
        raise
    return True


def placeholder(group: str, version: str, kind: str) -> Json:
    """Return a definition that takes anything, for a kind that a program lists though no test has one."""
    names = {"kind": kind, "plural": f"{kind.lower()}s"}
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names['plural']}.{group}"},
        "spec": {
            "group": group,
            "names": names,
            "scope": "Namespaced",
            "versions": [{"name": version, "served": True, "storage": True, "schema": schema}],
        },
    }


def _established(definition: Json) -> bool:
    conditions = definition.get("status", {}).get("conditions") or []
    return any(item["type"] == "Established" and item["status"] == "True" for item in conditions)


def validate(api: Api, manifest: Json) -> None:
    """Let the API server judge a manifest as it would a new one, field by field; raises ApiError in its words.

    Nothing is stored. The namespace is `default`, whatever the manifest says: the one that is always there.
    """
    metadata = {key: value for key, value in manifest["metadata"].items() if key != "namespace"}
    path = api.path(manifest["apiVersion"], manifest["kind"], "default")
    query = {"dryRun": "All", "fieldValidation": "Strict"}
    api.request("POST", path, query=query, body={**manifest, "metadata": metadata})


def project_of(manifest: Json) -> str:
    """Return the project that defines a manifest's kind; empty for Kubernetes' own."""
    return GROUPS.get(str(manifest["apiVersion"]).partition("/")[0], "")


def lacking(reasons: Iterable[Any]) -> str:
    """Return one line on how many tests were skipped for lack of what a project brings; empty if none was."""
    found = (_LACK.search(str(reason)) for reason in reasons)
    counts = Counter((match["project"], match["what"]) for match in found if match)
    parts = [f"{count} for lack of {project}'s {what}" for (project, what), count in sorted(counts.items())]
    return f"tests skipped: {', '.join(parts)} (CONTRIBUTING.md, Volcano and KAI)" if parts else ""
