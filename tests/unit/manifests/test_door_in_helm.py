"""The door judged by Helm's own YAML reader, and carried through Helm's post-rendering; no cluster is needed."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from helm_roster import errors
from helm_roster.manifests import door
from helm_roster.render import stream

from tests.support.runner import Runner
from tests.unit.manifests import cases, helm_reader

READABLE = cases.readable()
# Helm trims a manifest, and so unhinges a root that is indented.
UNHINGED_BY_HELM = frozenset({"indented-root"})
# Whatever the post-renderer does: Helm 4 takes a List apart and then misses the anchor (helm/helm#32203), and its
# kyaml adds a line break to folded text each time that a deeper line follows.
BROKEN_BY_HELM4 = frozenset({"list-with-anchor", "folded-deeper"})
THROUGH_THE_DOOR = """#!{python}
from helm_roster.render import stream
documents = stream.split(stream.read_stdin())
stream.write_stdout("".join(d.text if d.is_blank else stream.with_data(d, d.load()).text for d in documents))
"""
AS_IT_IS = "#!/bin/sh\nexec cat\n"
PLUGIN = """apiVersion: v1
type: postrenderer/v1
name: pass
version: 0.1.0
runtime: subprocess
runtimeConfig:
  platformCommand:
    - command: {program}
"""


def as_helm_holds(text: str) -> Any:
    return helm_reader.numbers_as_floats(json.dumps(door.to_plain(door.load(text))))


def test_what_the_door_writes_helm_reads_as_it_reads_the_original(helm: Runner, tmp_path: Path) -> None:
    written = {name: door.dump(door.load(text)) for name, text in READABLE.items()}
    assert helm_reader.reads(helm, tmp_path / "written", written) == helm_reader.reads(helm, tmp_path, READABLE)


def test_plain_data_is_what_helm_reads(helm: Runner, tmp_path: Path) -> None:
    assert {name: as_helm_holds(text) for name, text in READABLE.items()} == helm_reader.reads(helm, tmp_path, READABLE)


def test_what_helm_cannot_read_the_door_refuses(helm: Runner, tmp_path: Path) -> None:
    refused = {name: cases.document(name, text) for name, text in cases.REFUSED.items()}
    assert [name for name, found in helm_reader.reads(helm, tmp_path, refused).items() if "Error" not in found] == []
    for text in refused.values():
        with pytest.raises(errors.BadInputError, match=r"^line \d+: the YAML cannot be read: .+\Z"):
            door.load(text)


def test_a_pass_through_the_door_changes_nothing_in_a_release(helm: Runner, tmp_path: Path) -> None:
    broken = UNHINGED_BY_HELM | (BROKEN_BY_HELM4 if helm.major == 4 else set())
    texts = {name: text for name, text in READABLE.items() if name not in broken}
    chart = helm_reader.printing_chart(tmp_path, texts)
    wanted = by_name(post_rendered(helm, chart, tmp_path / "cat", AS_IT_IS))
    found = by_name(post_rendered(helm, chart, tmp_path / "door", THROUGH_THE_DOOR.format(python=sys.executable)))
    assert len(wanted) == len(texts)
    assert found == wanted


def post_rendered(helm: Runner, chart: Path, folder: Path, script: str) -> str:
    """Return the release as ``script`` leaves it: an executable to Helm 3, a plugin to Helm 4."""
    program, plugin = folder / "program", folder / "plugins" / "pass" / "plugin.yaml"
    plugin.parent.mkdir(parents=True)
    plugin.write_text(PLUGIN.format(program=program))
    program.write_text(script)
    program.chmod(0o755)
    if helm.major == 3:
        return helm("template", "r", chart, "--post-renderer", program).stdout
    return helm.with_env(HELM_PLUGINS=str(folder / "plugins"))("template", "r", chart, "--post-renderer", "pass").stdout


def by_name(text: str) -> Mapping[str, Any]:
    documents = [document for document in stream.split(text) if not document.is_blank]
    plain = [door.to_plain(document.load()) for document in documents]
    return {(data.get("metadata") or {}).get("name", "list"): data for data in plain}
