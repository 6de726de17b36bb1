"""What composing costs: `python -m bench.composition`, the first part of `make bench`.

Three ways to the same groups of 40 variables. In one, groups take 20 from `defaults`, 20 from a preset, and state 20
of the latter again, so 60 are merged into 40. In another, every group states all 40, so the chart has nothing to merge.
The last is a chart that prints what is written, without layers or checks. One thread each: processor time is compared,
by the byte that Helm prints. Exit code 1: a bound is broken.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench import measure
from bench.renderers import Helm, Renderer, environment
from tests.support.roster import CHART

COMPOSED, STATED, PLAIN = "composed", "stated", "plain chart"
_PLAIN_CHART = Path(__file__).parent / "plain"
_COMMON = {f"COMMON_{index:02d}": str(index) for index in range(20)}
_OWN = {f"OWN_{index:02d}": str(index) for index in range(20)}
_ACCELERATOR = {"resource": "nvidia.com/gpu", "model": "NVIDIA H200"}
# How many times the processor time of having nothing to merge the merging may take, by the byte.
_BOUND = 1.15


def main(arguments: Sequence[str]) -> int:
    """Run the comparison and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.composition", description=__doc__)
    parser.add_argument("--groups", type=int, nargs="+", default=(100, 1000), help="how many groups")
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which all take turns")
    asked = parser.parse_args(arguments)
    lines = []
    for groups in asked.groups:
        found = compare(groups, asked.rounds)
        print(_table(groups, found), flush=True)
        lines += broken(groups, found)
    print(*(lines or ["all bounds hold"]), sep="\n")
    return 1 if lines else 0


def _table(groups: int, found: dict[str, tuple[float, int]]) -> str:
    lines = [f"\nComposition, Helm 4, {groups} groups", f"  {'':12}{'CPU ms':>9}{'bytes':>10}{'us a byte':>11}"]
    for name, (cpu, size) in found.items():
        times = _by_byte(found[COMPOSED]) / _by_byte((cpu, size))
        lines.append(f"  {name:12}{cpu * 1000:>9.0f}{size:>10}{cpu / size * 1e6:>11.2f}   composed is {times:.2f} x")
    return "\n".join(lines)


def _by_byte(figures: tuple[float, int]) -> float:
    cpu, size = figures
    return cpu / size


def compare(groups: int, rounds: int) -> dict[str, tuple[float, int]]:
    """Return seconds of processor time, the least of all rounds, and bytes printed of each way."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        ways = [_way(folder, COMPOSED, CHART, composed(groups)), _way(folder, STATED, CHART, stated(groups))]
        ways.append(_way(folder, PLAIN, _PLAIN_CHART, stated(groups)))
        sizes = {way.name: len(_printed(way)) for way in ways}
        runs = measure.by_turns(ways, "", rounds)
    return {name: (min(run.cpu for run in found), sizes[name]) for name, found in runs.items()}


def broken(groups: int, found: dict[str, tuple[float, int]]) -> Iterator[str]:
    """Yield a line if merging takes more than it may."""
    times = _by_byte(found[COMPOSED]) / _by_byte(found[STATED])
    if times > _BOUND:
        yield f"{groups} groups: composed takes {times:.2f} times stated, at most {_BOUND}"


def composed(groups: int) -> dict[str, Any]:
    """Return values in which defaults, a preset and the group are merged."""
    own = {"container": {"env": _OWN, "ports": {"http": 80}}}
    return {
        "defaults": {"container": {"image": "example/app:1", "env": _COMMON}},
        "presets": {"gpu": {"accelerator": _ACCELERATOR, "container": {"env": _OWN}}},
        "groups": _groups(groups, own),
    }


def stated(groups: int) -> dict[str, Any]:
    """Return values of the same objects, in which every group states all of its container."""
    own = {"container": {"image": "example/app:1", "env": {**_COMMON, **_OWN}, "ports": {"http": 80}}}
    return {"presets": {"gpu": {"accelerator": _ACCELERATOR}}, "groups": _groups(groups, own)}


def _groups(count: int, own: dict[str, Any]) -> dict[str, Any]:
    return {f"g{index:04d}": {"accelerators": 1, "presets": ["gpu"], **own} for index in range(count)}


def _way(folder: Path, name: str, chart: Path, values: dict[str, Any]) -> Renderer:
    file = folder / f"{name}.json"
    file.write_text(json.dumps(values))
    command = (str(Helm.of(4).program), "template", "rl", str(chart), "--values", str(file))
    return Renderer(name, command, environment(folder, GOMAXPROCS="1"))


def _printed(way: Renderer) -> bytes:
    return subprocess.run(way.command, env=way.env, capture_output=True, check=True).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
