"""What is surprising in how groups are told of each other, and their pods of themselves, one line each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from helm_roster.model.operation import Operation
from helm_roster.model.plan import Plan, groups_of


def alike(plan: Plan) -> Iterator[str]:
    """Yield the groups whose replicas span pods that all run the same, as far as their values tell."""
    for group in groups_of(plan):
        runs = [json.dumps(spec["containers"]) for spec in plan.pod_specs(group.name)]
        if group.pods_per_replica > 1 and len(set(runs)) == 1 and "LWS_" not in runs[0]:
            yield (
                f'group "{group.name}": the {group.pods_per_replica} pods of a replica run the same, and nothing tells '
                "them apart: refer to $(LWS_WORKER_INDEX) and the like in args (roster/sglang-spanning does), or set "
                f"groups.{group.name}.leader, unless the image reads those variables itself"
            )


def empty(plan: Plan) -> Iterator[str]:
    """Yield the groups that are given the names of replicas of a group that has none."""
    for group in groups_of(plan):
        for read, forms in group.reads.items():
            named = [form for form in forms if form in {"hosts", "urls"}]
            if named and group.replicas and not plan.operation.groups[read].replicas:
                yield f'group "{group.name}" is told no {" and no ".join(named)}: "{read}" has no replicas'


def repeated(operation: Operation, composed: Mapping[str, Any]) -> Iterator[str]:
    """Yield the flags that are given once by a reference and once as they stand."""
    for at, container in _containers(operation, composed):
        arguments = [*(container.get("args") or []), *(container.get("extraArgs") or [])]
        wired = {entry["flag"]: entry for entry in arguments if isinstance(entry, dict) and entry.get("flag")}
        for argument in arguments:
            if isinstance(argument, str) and (entry := wired.get(argument.partition("=")[0])):
                source = next(key for key in ("fromPort", "fromRole", "fromGroup") if entry.get(key))
                yield (
                    f"{at}: {argument} repeats {entry['flag']} of {source} {entry[source]}, and probes, Services and "
                    "other groups do not learn of it: change what that stands for, or give args anew without it"
                )


def _containers(operation: Operation, composed: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield all containers of all groups and leaders as they were composed, by where they stand."""
    for name, values in composed.items():
        parts = {f"groups.{name}": values, f"groups.{name}.leader": values.get("leader") or {}}
        for at, part in parts.items():
            yield operation.at(f"{at}.container"), part.get("container") or {}
            for field in ("init", "sidecars"):
                for key, container in (part.get(field) or {}).items():
                    if key != "@order":
                        yield operation.at(f"{at}.{field}.{key}"), container or {}
