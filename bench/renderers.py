"""The ways to render that are compared: Helm alone, and Helm with each post-renderer, in the form it wants."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import yaml

from bench.operations import Mix, write_kustomization
from tests.support import clients
from tests.support.roster import CHART, HELM4_PLUGINS, POSTRENDER
from tests.support.runner import SHORT_LIVED, isolated

ALONE = "helm template"
CAT = "cat"
NOOP = "no-op Python"
KUSTOMIZE = "kustomize"
OURS = "roster-postrender"
HELM4 = 4
NAMES = (ALONE, CAT, NOOP, KUSTOMIZE, OURS)

# Reads and writes as ours does, imports what ours cannot do without, and does nothing.
_NOOP_PROGRAM = "import sys, yaml; sys.stdout.buffer.write(sys.stdin.buffer.read())"


@dataclass(frozen=True)
class Helm:
    """A Helm program of one major version."""

    program: Path
    major: int

    @classmethod
    def of(cls, major: int) -> Helm:
        """Return the Helm that the tests use too."""
        return cls(clients.ensure({3: "helm-3.19", 4: "helm-4.3"}[major]), major)


@dataclass(frozen=True)
class Renderer:
    """One way to render: the command of `helm template` and its environment; values come on standard input."""

    name: str
    command: tuple[str, ...]
    env: dict[str, str]


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return a user's environment, with homes in a folder: without what makes the programs of tests quicker."""
    found = isolated(folder, **more)
    return {key: value for key, value in found.items() if key not in SHORT_LIVED}


def all_of(helm: Helm, folder: Path, groups: int, mix: Mix) -> list[Renderer]:
    """Return all ways to render an operation, with what they need written to ``folder``."""
    scripts = {
        CAT: "exec cat",
        NOOP: f'exec "{sys.executable}" -c "{_NOOP_PROGRAM}"',
        KUSTOMIZE: f'cat > "{folder}/all.yaml" && exec "{clients.ensure("kubectl")}" kustomize "{folder}"',
    }
    write_kustomization(folder, groups, mix)
    env = environment(folder, HELM_ROSTER_POSTRENDER=str(POSTRENDER))
    template = (str(helm.program), "template", "rl", str(CHART), "--values", "-")
    made = [Renderer(ALONE, template, env)]
    for number, (name, script) in enumerate(scripts.items()):
        program = _script(folder / f"renderer-{number}.sh", script)
        flags, more = _named(helm, program, folder)
        made.append(Renderer(name, (*template, *flags), {**env, **more}))
    return [*made, _ours(helm, template, env)]


def _ours(helm: Helm, template: tuple[str, ...], env: dict[str, str]) -> Renderer:
    if helm.major != HELM4:
        return Renderer(OURS, (*template, "--post-renderer", str(POSTRENDER)), env)
    return Renderer(OURS, (*template, "--post-renderer", POSTRENDER.name), {**env, "HELM_PLUGINS": str(HELM4_PLUGINS)})


def _script(path: Path, line: str) -> Path:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
    return path


def _named(helm: Helm, program: Path, folder: Path) -> tuple[tuple[str, str], dict[str, str]]:
    """Return the flags that name a program as post-renderer, and their environment: Helm 4 takes plugins only."""
    if helm.major != HELM4:
        return ("--post-renderer", str(program)), {}
    plugins = folder / program.stem
    (plugins / "it").mkdir(parents=True)
    command = [{"command": "sh", "args": [str(program)]}]
    fixed = {"apiVersion": "v1", "type": "postrenderer/v1", "version": "0.1.0", "runtime": "subprocess"}
    manifest = {**fixed, "name": program.stem, "runtimeConfig": {"platformCommand": command}}
    (plugins / "it" / "plugin.yaml").write_text(yaml.safe_dump(manifest))
    return ("--post-renderer", program.stem), {"HELM_PLUGINS": os.fspath(plugins)}
