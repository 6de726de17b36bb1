"""The YAML door judged by kubectl: what it writes means to Kubernetes what the original meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from helm_roster.manifests import door

from tests.support.runner import Runner
from tests.unit.manifests import cases, helm_reader

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("namespace")]

# kubectl takes a List apart by itself and prints its items.
READABLE = {name: text for name, text in cases.readable().items() if "kind: List" not in text}


def test_kubectl_reads_what_the_door_writes_as_it_reads_the_original(kubectl: Runner, tmp_path: Path) -> None:
    written = {name: door.dump(door.load(text)) for name, text in READABLE.items()}
    assert reads(kubectl, tmp_path / "written.yaml", written) == reads(kubectl, tmp_path / "original.yaml", READABLE)


def test_plain_data_is_what_kubectl_reads(kubectl: Runner, tmp_path: Path) -> None:
    plain = [door.to_plain(door.load(text)) for text in READABLE.values()]
    assert floats(reads(kubectl, tmp_path / "original.yaml", READABLE)) == floats(plain)


def test_items_of_a_list_keep_shared_anchors(kubectl: Runner, tmp_path: Path) -> None:
    original = {"list": cases.WHOLE["list-with-anchor"]}
    written = {"list": door.dump(door.load(original["list"]))}
    assert reads(kubectl, tmp_path / "written.yaml", written) == reads(kubectl, tmp_path / "original.yaml", original)


def test_kubectl_refuses_what_the_door_refuses(kubectl: Runner) -> None:
    accepted = [
        name
        for name, text in cases.REFUSED.items()
        if create(kubectl.attempt, "-", text=cases.document(name, text)).returncode == 0
    ]
    assert accepted == []


def floats(data: object) -> Any:
    return helm_reader.numbers_as_floats(json.dumps(data))


def reads(kubectl: Runner, file: Path, texts: dict[str, str]) -> list[Any]:
    """Return the documents as kubectl would send them, all in one call."""
    file.write_bytes("".join(f"---\n{text}" for text in texts.values()).encode())
    return list(objects(create(kubectl, file).stdout))


def create(run: Any, file: Path | str, **more: str) -> Any:
    return run("create", "--dry-run=client", "--validate=false", "--output=json", "--filename", file, **more)


def objects(text: str) -> Any:
    """Yield the JSON documents that stand one after the other, each without the namespace that kubectl adds."""
    while text := text.strip():
        found, end = json.JSONDecoder().raw_decode(text)
        found["metadata"].pop("namespace", None)
        yield found
        text = text[end:]
