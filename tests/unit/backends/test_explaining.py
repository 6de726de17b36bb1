"""What holds for what every backend says of gangs: of Jobs that are over, and of odd objects."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest

from helm_roster import all_backends, constants
from helm_roster.manifests.walk import Manifest
from helm_roster.model.live import Live, LiveGroup
from helm_roster.policy import gang_specs, health, restarting, takers

from tests.unit import builders
from tests.unit.asks import NOW, Asked

GANGS = [name for name, backend in all_backends.PLACEMENT.items() if backend.MEMBERSHIPS]
MADE = (NOW - timedelta(seconds=60)).isoformat()
FIRST = {"type": "PodGroupInitiallyScheduled", "status": "False", "message": "no", "lastTransitionTime": MADE}
CONDITIONS = [FIRST, {"type": "Unschedulable", "status": "True", "message": "no", "lastTransitionTime": MADE}]


def pod(name: str, node: str) -> Manifest:
    said = {"type": "PodScheduled", "status": str(bool(node)), "message": "no", "lastTransitionTime": MADE}
    containers = [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}}]
    return {
        "metadata": {"name": name, "namespace": "default", "uid": name, "creationTimestamp": MADE},
        "spec": {"containers": containers, **({"nodeName": node} if node else {})},
        "status": {"phase": "Running" if node else "Pending", "conditions": [said]},
    }


def document(backend: str, kind: str) -> Manifest:
    """Return all objects of a gang of two members, of which one pod waits, as plain data that can be mangled."""
    groups = {name: builders.group(2, kind=kind, accelerators=1) for name in "ab"}
    plan = builders.plan(groups, {"step": builders.gang(a=(2, False), b=(2, False))}, backend=backend)
    placing, (gang,) = all_backends.PLACEMENT[backend], plan.operation.gangs
    grouping = placing.objects(plan)
    for entry in grouping:
        entry["metadata"].setdefault("labels", {})[constants.GANG_LABEL] = "step"
        spec = gang_specs.text(gang_specs.of(plan, gang))
        entry["metadata"]["annotations"] = {constants.GANG_SPEC_ANNOTATION: spec}
        entry["status"] = {"conditions": CONDITIONS, "schedulingConditions": CONDITIONS}
    workloads: dict[str, Manifest] = {}
    for name in groups:
        workloads[name] = copy.deepcopy(plan.workloads[name])
        workloads[name]["metadata"]["annotations"] = {constants.GANG_ANNOTATION: "step"}
        workloads[name]["status"] = {"conditions": [{"type": "Progressing", "status": "True"}]}
        placing.stamp(workloads[name], plan.operation.groups[name], plan)
    pods = {name: [pod(f"{name}-0", "n1"), pod(f"{name}-1", "")] for name in groups}
    nodes = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "spec": {}, "status": {}}]
    return copy.deepcopy({"grouping": grouping, "workloads": workloads, "pods": pods, "nodes": nodes})


def live(made: Manifest) -> Live:
    groups = {name: LiveGroup(name=name, workload=made["workloads"][name], pods=made["pods"][name]) for name in "ab"}
    return Live(name="op", namespace="default", groups=groups, grouping=made["grouping"])


def explained(backend: str, made: Manifest) -> dict[str, str]:
    return {one.group: one.state for one in all_backends.PLACEMENT[backend].explain(live(made), Asked([]))}


@pytest.mark.parametrize("backend", GANGS)
@pytest.mark.parametrize("is_gone", [False, True], ids=["there", "gone"])
@pytest.mark.parametrize("end", ["Complete", "Failed"])
def test_nothing_is_said_of_a_job_that_is_over(backend: str, end: str, is_gone: bool) -> None:  # noqa: FBT001
    made = document(backend, "Job")
    assert explained(backend, made) == {"a": "waiting", "b": "waiting"}
    made["pods"] = {"a": [], "b": made["pods"]["b"]}
    made["workloads"]["a"]["status"]["conditions"] = [{"type": end, "status": "True"}]
    if is_gone:
        made["grouping"] = []
    assert explained(backend, made).keys() == {"b"}


def fields(data: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of all fields and entries within."""
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in entries:
        yield (*path, key)
        yield from fields(value, *path, key)


def mangled(made: Manifest) -> Iterator[tuple[str, Manifest]]:
    """Yield the objects without each of their fields, and with null in the place of each; what it was comes along."""
    for path in fields(made):
        if len(path) <= 1 + (path[0] in {"workloads", "pods"}) or (path[0] in {"grouping", "nodes"} and len(path) == 2):
            continue  # not within an object
        if path[0] == "pods" and len(path) == 3:
            continue
        for without in (True, False):
            found = copy.deepcopy(made)
            above = _at(found, path[:-1])
            if without:
                del above[path[-1]]
            else:
                above[path[-1]] = None
            yield f"{'.'.join(map(str, path))} {'gone' if without else 'null'}", found


def _at(data: Any, path: Sequence[str | int]) -> Any:
    for step in path:
        data = data[step]
    return data


@pytest.mark.parametrize("kind", ["Job", "StatefulSet"])
@pytest.mark.parametrize("backend", GANGS)
def test_objects_that_lack_a_field_or_hold_null_are_told_of_without_an_error(backend: str, kind: str) -> None:
    placing = all_backends.PLACEMENT[backend]
    for what, made in mangled(document(backend, kind)):
        found = live(made)
        try:
            placing.explain(found, Asked([]))
            health.assess(found)
            list(restarting.stuck(found, placing.MEMBERSHIPS))
            for held in takers.waiting(found).values():
                takers.has_survivors(found, "step", held)
                takers.told(found, held, made["pods"]["a"], made["nodes"])
        except Exception as error:  # noqa: BLE001
            pytest.fail(f"{what}: {error!r}")


@pytest.mark.parametrize("backend", GANGS)
def test_objects_that_say_nothing_but_their_names_are_told_of_without_an_error(backend: str) -> None:
    made = document(backend, "Job")
    made["grouping"] = [{key: entry[key] for key in ("apiVersion", "kind", "metadata")} for entry in made["grouping"]]
    assert explained(backend, made).keys() == {"a", "b"}
    for entry in made["grouping"]:
        entry["spec"], entry["status"] = {"subGroups": [{}, None]}, {"conditions": [None], "schedulingConditions": [{}]}
    assert explained(backend, made).keys() == {"a", "b"}
