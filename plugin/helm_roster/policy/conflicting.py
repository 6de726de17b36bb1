"""Presets of one group that ask for different nodes: no node may be both."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from helm_roster.manifests import door, walk
from helm_roster.model.plan import Plan, groups_of
from helm_roster.model.written import Written, get


def warnings(plan: Plan, written: Written) -> Iterator[str]:
    """Yield a line for each two presets of a group that select its nodes by different values, or twice over."""
    for group in groups_of(plan):
        known = {name: door.to_plain(get(written.values, "presets", name)) or {} for name in group.presets}
        chosen = [walk.mapping(spec, "nodeSelector") for spec in plan.pod_specs(group.name)]
        for name, key, value, now in _overridden(known, chosen):
            model = walk.get(known[name], "accelerator", "model", default="its accelerators")
            yield (
                f'group "{group.name}": preset "{name}" selects {model} by {key}={value}, but "{now}" is put over that'
                ", and the sums still count its model; take the preset of those nodes"
            )
        for (first, one), (second, other) in itertools.combinations(known.items(), 2):
            if told := list(_differing(one, other, chosen)):
                key, values, now = told[0]
                yield (
                    f'group "{group.name}": presets "{first}" and "{second}" select nodes by different values of {key} '
                    f'("{values[0]}", "{values[1]}"), of which "{now}" is left; keep one of them'
                )
            elif _both_select(one, other):
                model = walk.get(one, "accelerator", "model", default="an accelerator")
                yield (
                    f'group "{group.name}": presets "{first}" and "{second}" both select {model}, each by its own '
                    "labels, and its pods need nodes that have all of them; keep the one of your platform"
                )


def _overridden(known: Mapping[str, Any], chosen: list[dict[str, Any]]) -> Iterator[tuple[str, str, Any, Any]]:
    """Yield the presets of accelerators whose label the pods have with a value that no preset says."""
    for name, preset in known.items():
        for key, value in _selector(preset).items() if preset.get("accelerator") else ():
            said = [None, *(_selector(other).get(key) for other in known.values())]
            now = next((selector[key] for selector in chosen if selector.get(key) not in said), None)
            if value is not None and now is not None:
                yield name, key, value, now


def _differing(
    one: Mapping[str, Any], other: Mapping[str, Any], chosen: list[dict[str, Any]]
) -> Iterator[tuple[str, tuple[Any, Any], Any]]:
    """Yield labels that both set, to different values, one of which the pods have; else the group says its own."""
    mine, theirs = _selector(one), _selector(other)
    for key in mine.keys() & theirs.keys():
        values = (mine[key], theirs[key])
        now = next((selector.get(key) for selector in chosen if selector.get(key) in values), None)
        if None not in values and values[0] != values[1] and now is not None:
            yield key, values, now


def _both_select(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether both select an accelerator and nodes, neither of them all that the other asks for."""
    mine, theirs = (_asked(preset) for preset in (one, other))
    both = one.get("accelerator") and other.get("accelerator")
    return bool(both and mine and theirs and not mine <= theirs and not theirs <= mine)


def _selector(preset: Mapping[str, Any]) -> dict[str, Any]:
    return walk.mapping(dict(preset), "environment", "nodeSelector")


def _asked(preset: Mapping[str, Any]) -> set[str]:
    """Return all that the preset asks of nodes' labels, as texts."""
    required = walk.get(dict(preset), "environment", "requireNodes", default={})
    entries = required.values() if isinstance(required, dict) else required
    return {f"{key}={value}" for key, value in _selector(preset).items()} | {door.dump(entry) for entry in entries}
