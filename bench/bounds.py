"""What the post-renderer may cost on Helm 4, as ratios of processor time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bench.renderers import CAT, KUSTOMIZE, NOOP, OURS

# (mix, groups) to the candidate and how many times its time ours may take.
_BOUNDS = {
    ("two", 13): ((NOOP, 1.25),),
    ("two", 100): ((NOOP, 1.25),),
    ("two", 1000): ((CAT, 1.2),),
    **{("all", groups): ((NOOP, 1.5),) for groups in (3, 13, 100, 1000)},
}


def broken(case: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each bound that the case breaks."""
    bounds = [*_BOUNDS.get((case["mix"], case["groups"]), ())]
    if case["mix"] == "two":
        bounds.append((KUSTOMIZE, 1.0))
    for name, bound in bounds:
        found = ratio(case, name)
        if found > bound:
            yield f"{case['groups']} groups, {case['mix']}: {found:.2f} times {name}, at most {bound}"


def ratio(case: Mapping[str, Any], name: str) -> float:
    """Return how many times the processor time of another candidate ours takes."""
    medians = case["medians"]
    return float(medians[OURS]["cpu"] / medians[name]["cpu"])
