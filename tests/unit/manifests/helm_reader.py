"""Helm as a judge of YAML that needs no cluster: a scratch chart that reads files and prints what it saw.

``fromYaml`` is sigs.k8s.io/yaml, the reader of kubectl and of the API server's clients.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.runner import Runner

_CHART = "apiVersion: v2\nname: scratch\nversion: 0.1.0\n"
_READ = """apiVersion: v1
kind: ConfigMap
metadata: {name: read}
data:
{{- range $path, $_ := .Files.Glob "cases/*" }}
  {{ base $path | quote }}: {{ $.Files.Get $path | fromYaml | toJson | toJson }}
{{- end }}
"""
_PRINT = '{{- range $path, $_ := .Files.Glob "cases/*" }}\n---\n{{ $.Files.Get $path }}\n{{- end }}\n'
_ENTRY = re.compile(r'^  "(.+?)": (".*")$', re.MULTILINE)


def reads(helm: Runner, folder: Path, texts: Mapping[str, str]) -> dict[str, Any]:
    """Return what ``fromYaml`` makes of each text, numbers as floats; {"Error": …} where it refuses."""
    printed = helm("template", "read", _chart(folder, _READ, texts)).stdout
    return {name: numbers_as_floats(json.loads(text)) for name, text in _ENTRY.findall(printed)}


def printing_chart(folder: Path, texts: Mapping[str, str]) -> Path:
    """Return a chart whose manifests are the texts, word for word."""
    return _chart(folder, _PRINT, texts)


def numbers_as_floats(text: str) -> Any:
    """Parse JSON as Helm holds it in memory: every number is a float64."""
    return json.loads(text, parse_int=float)


def _chart(folder: Path, template: str, texts: Mapping[str, str]) -> Path:
    chart = folder / "scratch"
    for part in ("cases", "templates"):
        (chart / part).mkdir(parents=True)
    (chart / "Chart.yaml").write_text(_CHART)
    (chart / "templates" / "out.yaml").write_text(template)
    for name, text in texts.items():
        (chart / "cases" / name).write_bytes(text.encode())
    return chart
