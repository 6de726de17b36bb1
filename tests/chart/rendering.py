"""Renders the chart from values and finds its objects; shared by all tests of the chart.

Values go to Helm as JSON on standard input. A refusal by the chart is one line, which Helm wraps in its own words.
"""

from __future__ import annotations

import dataclasses
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from helm_roster import constants

from tests.support import manifests
from tests.support.renderer import Renderer
from tests.support.roster import CHART, EXAMPLES, given
from tests.support.runner import Done, Runner

Values = dict[str, Any]
Manifest = dict[str, Any]
RESOLVED = ("--api-versions", "helm-roster.dev/v1alpha1/ResolvedOperation")
VALUES_FILES = [*sorted(EXAMPLES.glob("*/values.yaml")), *sorted(CHART.glob("ci*/*.yaml"))]
RENDERING_FILES = [path for path in VALUES_FILES if not path.parent.name.startswith("04-")]
GPU = {"accelerator": {"resource": "nvidia.com/gpu", "model": "NVIDIA H200"}}
# Of as many renderings by the library one is done by Helm itself too.
SAMPLE = 16
# What came out already, by Helm, release, flags and values.
_KNOWN: dict[tuple[object, ...], Done] = {}


def operation(groups: Values, **root: Any) -> Values:
    """Return values with these groups and an image for all of them."""
    return {"defaults": {"container": {"image": "example/app:1"}}, "groups": groups, **root}


def written(file: Path) -> Values:
    """Return the values of a file, over those of the files that are given before it."""
    values: Values = {}
    for word in given(file)[1::2]:
        values = merged(values, yaml.load(Path(word).read_text(), yaml.CSafeLoader))
    return values


def merged(below: Values, above: Values) -> Values:
    """Return values over others, as Helm lays files over each other."""
    both = {key: merged(below[key], above[key]) for key in below if isinstance(above.get(key), dict) and below[key]}
    return {**below, **above, **both}


def layered(group: Values, *, defaults: Values | None = None, **presets: Values) -> Values:
    """Return values of one group `a` that lists the presets in order, over `defaults`."""
    image = {"container": {"image": "example/app:1"}}
    return {
        "defaults": defaults or {},
        "presets": {"image": image, **presets},
        "groups": {"a": {"presets": ["image", *presets], **group}},
    }


@dataclasses.dataclass(frozen=True)
class Objects:
    """The objects of one rendering."""

    all: list[Manifest]

    def get(self, kind: str, name: str) -> Manifest:
        """Return the object of this kind and name, which must be there once."""
        (found,) = (entry for entry in self.all if (entry["kind"], entry["metadata"]["name"]) == (kind, name))
        return found

    def kinds(self) -> set[str]:
        """Return the kinds that were rendered."""
        return {entry["kind"] for entry in self.all}

    def workload(self, group: str = "a") -> Manifest:
        """Return a group's workload."""
        (found,) = (entry for entry in self.workloads() if group_of(entry) == group)
        return found

    def workloads(self) -> list[Manifest]:
        """Return the workloads of all groups."""
        return [
            entry
            for entry in self.all
            if entry["kind"] in {"Deployment", "StatefulSet", "LeaderWorkerSet", "Job"}
            and constants.GROUP_LABEL in entry["metadata"]["labels"]
        ]

    def template(self, group: str = "a", *, leader: bool = False) -> Manifest:
        """Return the pod template of a group, of workers where its replicas have several pods, or of their leaders."""
        spec = self.workload(group)["spec"]
        return spec.get("template") or spec["leaderWorkerTemplate"]["leaderTemplate" if leader else "workerTemplate"]

    def pod(self, group: str = "a", *, leader: bool = False) -> Manifest:
        """Return the pod spec of a group."""
        return self.template(group, leader=leader)["spec"]

    def container(self, group: str = "a", *, leader: bool = False) -> Manifest:
        """Return the main container of a group."""
        found: Manifest = self.pod(group, leader=leader)["containers"][0]
        assert found["name"] == "main"
        return found

    def env(self, group: str = "a", *, leader: bool = False) -> dict[str, Any]:
        """Return a group's environment by name, with plain values as strings."""
        env = self.container(group, leader=leader)["env"]
        return {entry["name"]: entry.get("value", entry.get("valueFrom")) for entry in env}


def paths(node: object, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path of every key of a tree; places in lists count as keys."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield (*at, str(key))
        yield from paths(child, (*at, str(key)))


def nested(path: str, value: Any) -> Values:
    """Return a map with the value at a dotted path."""
    for key in reversed(path.split(".")):
        value = {key: value}
    return value


def group_of(entry: Manifest) -> str:
    """Return the group that an object belongs to."""
    return entry["metadata"]["labels"]["helm-roster.dev/group"]


def alike(done: Done, by_helm: Done) -> None:
    """Compare what the renderer brought with what Helm did: objects equal as data, the same lines in any order."""
    assert done.returncode == by_helm.returncode, done.stderr + by_helm.stderr
    assert _said(done) == _said(by_helm)
    assert manifests.read(done.stdout) == manifests.read(by_helm.stdout)


def _said(done: Done) -> list[str]:
    """Return what a Helm said, without the words by which Helm 4 logs it."""
    return sorted(re.sub('^level=[A-Z]+ msg="(.*)"$', r"\1", line) for line in done.stderr.splitlines())


@dataclasses.dataclass(frozen=True)
class Chart:
    """The chart under one Helm, or by a renderer where there is one."""

    helm: Runner
    renderer: Renderer | None = None

    def text(self, values: Values | Path, *flags: str, release: str = "rl") -> str:
        """Return what `helm template` prints; it is run once for the same values."""
        done = self.known(values, *flags, release=release)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def known(self, values: Values | Path, *flags: str, release: str = "rl") -> Done:
        """Return what came out of `helm template` when it had these values first."""
        text = values.read_text() if isinstance(values, Path) else json.dumps(values)
        asked = (self.helm.program, self.renderer, release, flags, text)
        if asked not in _KNOWN:
            _KNOWN[asked] = self.attempt(values, *flags, release=release)
        return _KNOWN[asked]

    def texts(self, values: Values, group: str) -> list[str]:
        """Return the objects of a group as they are printed, byte for byte."""
        found = re.split("^---$", self.text(values), flags=re.MULTILINE)
        label = re.compile(f'^    helm-roster.dev/group: "?{group}"?$', re.MULTILINE)
        return [text.strip() for text in found if label.search(text)]

    def render(self, values: Values | Path, *flags: str, release: str = "rl") -> Objects:
        """Return the rendered objects, which hold nothing that the chart wrote for itself."""
        objects = manifests.read(self.text(values, *flags, release=release))
        assert [path for path in paths(objects) if path[-1].startswith("@")] == []
        return Objects(objects)

    def resolved(self, values: Values) -> Manifest:
        """Return the spec of the resolved operation, with its layers."""
        (found,) = (entry for entry in self.render(values, *RESOLVED).all if entry["kind"] == "ResolvedOperation")
        return found["spec"]

    def refusal(self, values: Values, *, release: str = "rl") -> str:
        """Return the line with which the chart refuses the values."""
        done = self.known(values, release=release)
        found = re.search(r"execution error at \([^)]*\): (.*)", done.stderr)
        assert done.returncode == 1, f"rendered: {done.stdout}"
        assert found, done.stderr
        return found[1]

    def schema_refusal(self, values: Values) -> str:
        """Return Helm's words about values that the schema refuses."""
        done = self.known(values)
        assert done.returncode == 1, f"rendered: {done.stdout}"
        assert "values don't meet the specifications of the schema" in done.stderr, done.stderr
        return done.stderr

    def attempt(self, values: Values | Path, *flags: str, release: str = "rl") -> Done:
        """Run `helm template` and return what came out."""
        if isinstance(values, Path):
            return self._attempt(given(values), "", *flags, release=release)
        return self.attempt_text(json.dumps(values), *flags, release=release)

    def attempt_text(self, text: str, *flags: str, release: str = "rl") -> Done:
        """Run `helm template` with values as a person writes them, and return what came out."""
        return self._attempt(["-f", "-"], text, *flags, release=release)

    def _attempt(self, files: Sequence[str], text: str, *flags: str, release: str) -> Done:
        """Ask the renderer, and Helm too for one in so many; Helm alone where a flag is none that both know."""
        if self.renderer is None or flags not in {(), RESOLVED}:
            return self.helm.attempt("template", release, CHART, *files, *flags, text=text)
        done = self.renderer.render(text if "-" in files else files[1::2], release, flags[1:])
        if zlib.crc32("".join([text, *files]).encode()) % SAMPLE == 0:
            alike(done, self.helm.attempt("template", release, CHART, *files, *flags, text=text))
        return done
