"""How Helm keeps a release in its Secret: JSON, gzipped, in base64 (helm pkg/storage/driver/util.go, both majors)."""

from __future__ import annotations

import base64
import gzip
import json
import tarfile
from pathlib import Path
from typing import Any

import yaml


def size(part: object) -> int:
    """Return the bytes that a part of a release takes by itself."""
    return len(base64.b64encode(gzip.compress(json.dumps(part).encode(), 9)))


def read(secret: dict[str, Any]) -> dict[str, Any]:
    """Return the release that a Secret of Helm's holds."""
    stored = base64.b64decode(base64.b64decode(secret["data"]["release"]))
    found: dict[str, Any] = json.loads(gzip.decompress(stored))
    return found


def chart(package: Path) -> dict[str, Any]:
    """Return a packaged chart as releases hold it: without its subcharts."""
    with tarfile.open(package) as archive:
        members = [(name.partition("/")[2], archive.extractfile(name)) for name in archive.getnames()]
        files = {name: file.read() for name, file in members if file and not name.startswith("charts/")}
    data = [{"name": name, "data": base64.b64encode(content).decode()} for name, content in files.items()]
    return {
        "metadata": yaml.load(files["Chart.yaml"], yaml.CSafeLoader),
        "lock": yaml.load(files["Chart.lock"], yaml.CSafeLoader),
        "values": yaml.load(files["values.yaml"], yaml.CSafeLoader),
        "schema": base64.b64encode(files["values.schema.json"]).decode(),
        "templates": [entry for entry in data if entry["name"].startswith("templates/")],
        "files": [entry for entry in data if entry["name"].startswith(".")],
    }
