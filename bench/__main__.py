"""Compares the post-renderer with doing nothing, and with kustomize: `python -m bench` (or `make bench`).

Every figure is a median over rounds in which all candidates take turns. The bounds are ratios of processor time on
Helm 4; Helm 3 is only told. Exit code 1: a bound is broken.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import bounds, measure, operations, renderers, report
from bench.operations import Mix
from tests.support.roster import ROOT

_SIZES = (3, 13, 100, 1000)
_MANY = 1000
_ROUNDS, _ROUNDS_OF_MANY = 7, 2


def main(arguments: Sequence[str]) -> int:
    """Run the bench and return the exit code."""
    asked = _parse(arguments)
    cases = [
        _case(renderers.Helm.of(major), groups, mix, asked.rounds)
        for major in asked.helm
        for groups in asked.groups
        for mix in asked.mix
    ]
    broken = [line for case in cases if case["helm"] == renderers.HELM4 for line in bounds.broken(case)]
    print(report.phases(cases), *(broken or ["all bounds hold"]), sep="\n")
    if asked.json:
        asked.json.write_text(json.dumps({"cases": cases, "broken": broken}, indent=2) + "\n")
    return 1 if broken else 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--helm", type=int, nargs="+", choices=(3, 4), default=(4, 3), help="majors of Helm")
    parser.add_argument("--groups", type=int, nargs="+", default=_SIZES, help="how many groups")
    parser.add_argument(
        "--mix", nargs="+", choices=operations.MIXES, default=operations.MIXES, help="which are members"
    )
    parser.add_argument("--rounds", type=int, help=f"rounds; {_ROUNDS}, or {_ROUNDS_OF_MANY} from {_MANY} groups on")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure there too")
    return parser.parse_args(arguments)


def _case(helm: renderers.Helm, groups: int, mix: Mix, rounds: int | None) -> dict[str, Any]:
    """Measure one operation in all ways, and tell it at once."""
    text = json.dumps(operations.values(groups, mix))
    with tempfile.TemporaryDirectory() as scratch:
        candidates = renderers.all_of(helm, Path(scratch), groups, mix)
        if mix == "all" and groups >= _MANY:  # a thousand patches take kustomize minutes
            candidates = [one for one in candidates if one.name != renderers.KUSTOMIZE]
        runs = measure.by_turns(candidates, text, rounds or (_ROUNDS_OF_MANY if groups >= _MANY else _ROUNDS))
        phases = _phases(candidates[0], text)
    medians = {name: asdict(measure.median(found)) for name, found in runs.items()}
    case = {"helm": helm.major, "groups": groups, "mix": mix, "medians": medians, "phases": phases}
    print(report.case(case), flush=True)
    return case


def _phases(alone: renderers.Renderer, text: str) -> Mapping[str, float]:
    """Return the renderer's milliseconds by phase, over what Helm prints without one."""
    stream = subprocess.run(alone.command, env=alone.env, input=text, capture_output=True, text=True, check=True).stdout
    command = [sys.executable, "-m", "bench.phases"]
    done = subprocess.run(command, cwd=ROOT, input=stream, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
