"""``doctor --smoke-test``: does the scheduler hold half of a gang? No API tells of its feature gates; so it is tried.

In a namespace of its own, with the chart and the backend that the values ask for: a gang of two pods must be placed,
which shows that the scheduler runs and that such pods have room; then half of another must be held. The pods request
nothing, and go to the nodes that a gang of the values may use. All of it is deleted again, however this ends.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from helm_roster import all_backends, assets, constants, errors
from helm_roster.cluster import asking
from helm_roster.cluster.client import PODS, ApiError, Client, Resource
from helm_roster.commands import rendering
from helm_roster.commands.rendering import Rendering
from helm_roster.commands.value_files import Given
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.plan import Plan, pod_template
from helm_roster.pairs import Pair
from helm_roster.policy import diagnosis
from helm_roster.policy.diagnosis import Finding, Tried
from helm_roster.render import pipeline
from helm_roster.report import console

_NAMESPACE: Final = Resource(api_version="v1", kind="Namespace", plural="namespaces")
_NAME, _LABEL = "roster-smoke", f"{constants.API_GROUP}/smoke-test"
# Whether a pod gets a node is all that is looked at: nothing is pulled, and nothing runs.
_IMAGE: Final = {"image": "nothing", "imagePullPolicy": "Never"}
_WHOLE, _HALF = "whole", "half"
# What is held is looked at for as long as what was placed took, and some times longer.
_PLACED_SECONDS: Final = 60.0
_HELD_SECONDS: Final = 3.0
_TIMES: Final = 3
_GONE_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.25
_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_Object: TypeAlias = tuple[Resource, Manifest]


def run(client: Client, made: Rendering | None) -> list[Finding]:
    """Try the backends that the values ask for, or Kubernetes' own gangs; say what is made before it is."""
    plan = made.plan if made else None
    if plan and not pipeline.backend_of(plan.operation).KEEPS:
        return [diagnosis.untried(plan.operation.placement_backend)]
    placement = {"placement": _named(plan.operation.placement) if plan else {"backend": _of_the_cluster()}}
    found = [_try(client, plan, placement)]
    if plan and plan.operation.asks_for_quota and found[0].state == "ok":
        found.append(_try(client, plan, {**placement, "admission": _named(plan.operation.admission)}))
    return found


def _of_the_cluster() -> str:
    """Return the backend whose gangs are placed by the scheduler that every cluster has."""
    return next(name for name, backend in all_backends.PLACEMENT.items() if backend.KEEPS and not backend.MARKS_ALL)


def _named(scheduling: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a placement or admission what says who does it, and in which queue."""
    return {key: scheduling[key] for key in ("backend", "queue") if scheduling.get(key)}


def _try(client: Client, plan: Plan | None, scheduling: Mapping[str, Any]) -> Finding:
    """Make two gangs and look how they fare."""
    name = f"{_NAME}-{secrets.token_hex(4)}"
    made = _rendered(name, _values(plan, scheduling))
    backend = pipeline.backend_of(made.plan.operation)
    own = {(kind.api_version, kind.kind) for kind in backend.GROUPING_KINDS}
    objects = rendering.objects(made.text)
    beside = [one for one in objects if (str(one.get("apiVersion")), str(one.get("kind"))) in own]
    if isinstance(backend, Pair) and plan is not None:
        beside += backend.admission.lent(plan, asking.Asker(client))
    workloads = {str(walk.get(one, "metadata", "name")): one for one in objects if one.get("kind") == "StatefulSet"}
    pods = {gang: list(_pods(made.plan, workloads, gang)) for gang in (_WHOLE, _HALF)}
    with _namespace(client, name, list(_served(client, beside))):
        tried = _Trial(client, name).run(pods[_WHOLE], pods[_HALF][:1])
    called = " with ".join(
        [made.plan.operation.placement_backend, *([backend.admission.NAME] if isinstance(backend, Pair) else [])]
    )
    gates = list(dict.fromkeys(gate for need in backend.needs(made.plan) for gate in need.gates))
    return diagnosis.smoke_test(called, tried, gates)


def _rendered(namespace: str, values: Mapping[str, Any]) -> Rendering:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "values.json"
        path.write_text(json.dumps(values))
        return rendering.render(
            "smoke", Given(["-f", str(path), "--namespace", namespace], [str(path)]), assets.chart(None)
        )


def _values(plan: Plan | None, scheduling: Mapping[str, Any]) -> dict[str, Any]:
    """Return two gangs of two pods: of two members where a gang of the values has several."""
    several = plan is not None and any(len(gang.members) > 1 for gang in plan.operation.gangs)
    members = {gang: [f"{gang}-a", f"{gang}-b"] if several else [gang] for gang in (_WHOLE, _HALF)}
    size = 1 if several else 2
    group = {
        "replicas": size,
        "container": {
            **_IMAGE,
            "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        },
        "environment": {
            "terminationGracePeriodSeconds": 0,
            "automountServiceAccountToken": False,
            "securityContext": {
                "runAsNonRoot": True, "runAsUser": 65535, "seccompProfile": {"type": "RuntimeDefault"},
            },
            **(_nodes(plan) if plan else {}),
        },
    }  # fmt: skip
    gangs = {gang: {"members": {name: {"min": size} for name in names}} for gang, names in members.items()}
    groups = {name: group for names in members.values() for name in names}
    return {"operation": {"kind": "service"}, "groups": groups, "scheduling": {**scheduling, "gangs": gangs}}


def _nodes(plan: Plan) -> dict[str, Any]:
    """Return what leads pods to the nodes of the first gang, or of the first group where there is none."""
    names = [member.group for gang in plan.operation.gangs for member in gang.members] or sorted(plan.operation.groups)
    spec = plan.pod_specs(names[0])[0]
    affinity = walk.mapping(spec, "affinity", "nodeAffinity")
    found = {"nodeSelector": spec.get("nodeSelector"), "tolerations": spec.get("tolerations")}
    found |= {"affinity": {"nodeAffinity": affinity} if affinity else None}
    return {key: value for key, value in found.items() if value}


def _pods(plan: Plan, workloads: Mapping[str, Manifest], gang: str) -> Iterator[Manifest]:
    """Yield the pods of a gang as its StatefulSets would make them."""
    for member in next(found.members for found in plan.operation.gangs if found.name == gang):
        workload = plan.operation.groups[member.group].workload.name
        template = pod_template(workloads[workload])
        for index in range(member.minimum):
            metadata = {**walk.mapping(template, "metadata"), "name": f"{workload}-{index}"}
            yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


class _Trial:
    """Makes pods in a namespace and looks which of them get a node."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client, self._namespace = client, namespace

    def run(self, whole: Sequence[Manifest], half: Sequence[Manifest]) -> Tried:
        """Make a whole gang and wait until it is placed; then half of one, and see whether it is held."""
        for pod in whole:
            self._make(pod)
        seconds = _until(lambda: self._placed(whole) == len(whole), _PLACED_SECONDS)
        if seconds is None:
            return Tried(placed=None, said=self._said(whole), gates=self._gates(whole))
        for pod in half:
            self._make(pod)
        held = max(_HELD_SECONDS, _TIMES * seconds)
        broken = _until(lambda: self._placed(half) > 0, held)
        return Tried(placed=seconds, held=held if broken is None else None)

    def _make(self, pod: Manifest) -> None:
        """Make a pod; its namespace's service account may be made a moment later than that."""
        deadline = time.monotonic() + _PLACED_SECONDS
        while True:
            try:
                _create(self._client, PODS, self._namespace, pod)
            except ApiError as error:
                if "serviceaccount" not in error.said or time.monotonic() > deadline:
                    raise
                time.sleep(_POLL_SECONDS)
            else:
                return

    def _placed(self, pods: Sequence[Manifest]) -> int:
        return sum(bool(walk.get(pod, "spec", "nodeName")) for pod in self._read(pods))

    def _said(self, pods: Sequence[Manifest]) -> str:
        """Return why a pod has no node, in the scheduler's words; empty where it says nothing."""
        for pod in self._read(pods):
            for entry in walk.sequence(pod, "status", "conditions"):
                if entry.get("type") == "PodScheduled" and entry.get("status") == "False":
                    return " ".join(str(entry.get("message", "")).split())
        return ""

    def _gates(self, pods: Sequence[Manifest]) -> list[str]:
        """Return what keeps pods from the scheduler."""
        gates = (gate for pod in self._read(pods) for gate in walk.sequence(pod, "spec", "schedulingGates"))
        return list(dict.fromkeys(str(gate.get("name")) for gate in gates))

    def _read(self, pods: Sequence[Manifest]) -> list[Manifest]:
        names = {pod["metadata"]["name"] for pod in pods}
        there = self._client.select(PODS, self._namespace)
        return [pod for pod in there if walk.get(pod, "metadata", "name") in names]


def _until(look: Callable[[], bool], seconds: float) -> float | None:
    """Return after how many seconds what is looked at was so; None where it never was."""
    started = time.monotonic()
    while not look():
        if time.monotonic() - started > seconds:
            return None
        time.sleep(_POLL_SECONDS)
    return time.monotonic() - started


def _create(client: Client, resource: Resource, namespace: str, manifest: Manifest) -> None:
    what = f"make {resource.kind} {walk.get(manifest, 'metadata', 'name')}"
    client.post(resource.path(namespace), manifest, what=what)


def _served(client: Client, manifests: Sequence[Manifest]) -> Iterator[_Object]:
    """Yield objects with the kind that serves them.

    Raises:
        RefusedError: It is not served.
    """
    for manifest in manifests:
        api_version, kind = str(manifest["apiVersion"]), str(manifest["kind"])
        resource = client.find(api_version, kind)
        if resource is None:
            msg = f"the cluster does not serve {kind} ({api_version}), so there is nothing to try"
            raise errors.RefusedError(msg)
        yield resource, manifest


@contextlib.contextmanager
def _namespace(client: Client, name: str, objects: Sequence[_Object]) -> Iterator[None]:
    """Make a namespace with ``objects``, and delete it after the block, also where somebody interrupts it."""
    made = [f"{resource.kind} {walk.get(one, 'metadata', 'name')}" for resource, one in objects]
    console.say(f"smoke test: making namespace {name} with three pods, {', '.join(made)}; all of it is deleted again")
    manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {_LABEL: "true"}}}
    is_there = False
    with _interrupting():
        try:
            with _undisturbed():
                _create(client, _NAMESPACE, "", manifest)
                is_there = True
            for resource, one in objects:
                _create(client, resource, name, one)
            yield
        finally:
            if is_there:
                with _undisturbed():
                    _delete(client, name, objects)


def _delete(client: Client, name: str, objects: Sequence[_Object]) -> None:
    """Delete the namespace and wait until it is gone; pods first, since some grouping objects wait for them."""
    try:
        for pod in client.select(PODS, name, metadata_only=True):
            client.delete(PODS, name, str(walk.get(pod, "metadata", "name")))
        for resource, one in objects:
            client.delete(resource, name, str(walk.get(one, "metadata", "name")))
        client.delete(_NAMESPACE, "", name)
        gone = _until(lambda: client.get(_NAMESPACE, "", name) is None, _GONE_SECONDS)
    except errors.OperationFailedError as error:
        console.say(f"warning: namespace {name} may be left ({error}): kubectl delete namespace {name}")
        return
    if gone is None:
        console.say(f"warning: namespace {name} is still being deleted: look at it with kubectl get namespace {name}")


@contextlib.contextmanager
def _interrupting() -> Iterator[None]:
    """Take a request to end for an interruption, so that what was made is deleted."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = {one: signal.signal(one, interrupt) for one in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        _restore(before)


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Put off an interruption until what was made is deleted, which takes a minute at most."""
    heard: list[int] = []
    before = {one: signal.signal(one, lambda number, _: heard.append(number)) for one in _SIGNALS}
    try:
        yield
    finally:
        _restore(before)
    if heard:
        raise KeyboardInterrupt


def _restore(handlers: Mapping[signal.Signals, Any]) -> None:
    for one, handler in handlers.items():
        signal.signal(one, handler)
