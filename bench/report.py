"""The bench's figures as tables, for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench import bounds
from bench.operations import TITLES
from bench.renderers import NAMES


def case(found: Mapping[str, Any]) -> str:
    """Return one case: a line for each candidate."""
    lines = [
        f"\nHelm {found['helm']}, {found['groups']} groups, {TITLES[found['mix']]}",
        f"  {'':18}{'CPU ms':>9}{'wall ms':>9}{'peak MiB':>10}{'ours is':>10}",
    ]
    for name in (name for name in NAMES if name in found["medians"]):
        run = found["medians"][name]
        figures = f"{run['cpu'] * 1000:>9.0f}{run['wall'] * 1000:>9.0f}{run['peak'] / 2**20:>10.0f}"
        lines.append(f"  {name:18}{figures}{bounds.ratio(found, name):>9.2f} x")
    return "\n".join(lines)


def phases(cases: Sequence[Mapping[str, Any]]) -> str:
    """Return the renderer's time by phase, a line for each operation."""
    shown = [found for found in cases if found["helm"] == cases[0]["helm"]]
    names = list(dict.fromkeys(name for found in shown for name in found["phases"]))
    widths = [max(len(name), 6) + 2 for name in names]
    head = "".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))
    lines = ["\nroster-postrender by phase, CPU ms", f"{'':14}{head}"]
    for found in shown:
        figures = zip(names, widths, strict=True)
        row = "".join(f"{found['phases'].get(name, 0):>{width}.1f}" for name, width in figures)
        lines.append(f"{found['groups']:>6} {found['mix']:7}{row}")
    return "\n".join(lines)
