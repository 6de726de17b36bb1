"""Files of presets for tests."""

from __future__ import annotations

from pathlib import Path

from helm_roster.presets import library
from helm_roster.presets.library import Definition

H200 = """# NVIDIA H200.
#
# For: anybody.
# Needs: the operator.
# Source: its docs.
claims: {imex: {computeDomain: {}}, other: {claim: x}}
presets:
  roster/h200: &h200
    accelerator: &model {model: NVIDIA H200, resource: nvidia.com/gpu, perNode: 8}
    environment: {nodeSelector: {nvidia.com/gpu.product: NVIDIA-H200}}
  roster/h200-rack:
    <<: *h200
    claims: [imex]
"""
LEVELS = "scheduling: {topology: {levels: {rack: example.com/rack}}}\n"


def folder(path: Path, **texts: str) -> Path:
    """Write a library: a file for each text."""
    path.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (path / f"{name}.yaml").write_text(text)
    return path


def definitions(path: Path, **texts: str) -> list[Definition]:
    """Return what the files of a library with these texts define."""
    return list(library.definitions(library.read(folder(path, **texts))))
