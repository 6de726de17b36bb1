"""What must fit together in a pod once all patches of its group are in.

The chart checks mounts and probes of groups without patches only, as a patch may bring what is missing; so they are
checked here, in the chart's words, and with them what the chart checks in values alone: requests against limits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final, TypeAlias

from helm_roster.manifests import quantities, walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model import nearest
from helm_roster.model.plan import TEMPLATE_PATHS

# A port of a pod: its number and protocol.
Port: TypeAlias = tuple[str, str]

# Where a workload has its claim templates.
_CLAIMS: Final = (("spec",), ("spec", "leaderWorkerTemplate"))
_LISTS: Final = ("initContainers", "containers")
_MOUNTS: Final = {"volumeMounts": "mountPath", "volumeDevices": "devicePath"}
_PROBES: Final = (
    ("livenessProbe",), ("readinessProbe",), ("startupProbe",), ("lifecycle", "postStart"), ("lifecycle", "preStop"),
)  # fmt: skip


def faults(workload: Manifest) -> Iterator[str]:
    """Yield, in words, what does not fit together in a pod template of ``workload`` (plain data).

    These are mounts of no volume, devices of no claim, probes and hooks that ask a port by a name of nobody's, requests
    that are above their limits (of extended resources and huge pages: other than these), and parts of an extended
    resource; then what pods of this kind of workload cannot be.
    """
    claims = [name for place in _CLAIMS for name in _names(workload, *place, "volumeClaimTemplates")]
    for whose, pod in _pods(workload).items():
        volumes = [*_names(pod, "volumes"), *claims]
        for container in _containers(pod):
            at = f'{f"{whose}, " if whose else ""}container "{container.get("name")}"'
            lost = _claims(container, _names(pod, "resourceClaims"))
            for fault in (*_mounts(container, volumes), *_probes(container), *_resources(container), *lost):
                yield f"{at}, {fault}"
        yield from _ending(str(workload["kind"]), pod)


def lost_ports(before: Manifest, after: Manifest) -> set[Port]:
    """Return the ports that the pods of a workload declared and now do not."""
    return _ports(before) - _ports(after)


def unknown_port(service: Manifest, workload: Manifest) -> str | None:
    """Return, in words, that a Service sends to a port by a name of nobody's in the pods of ``workload``."""
    pod = next(iter(_pods(workload).values()))  # a leader's: a Service of pods that serve selects none but leaders
    known = [name for container in _containers(pod) for name in _names(container, "ports")]
    for entry in walk.sequence(service, "spec", "ports"):
        asked = entry.get("targetPort")
        if isinstance(asked, str) and asked not in known:
            at, instead = f"{walk.identity(service)}, targetPort: there is no port", "give the number unquoted"
            return _unknown(at, asked, " of the pods", known, instead)
    return None


def port(entry: Mapping[str, Any], number: str) -> Port:
    """Return the port of an entry of a list of ports, whose field ``number`` says which."""
    return str(entry.get(number)), str(entry.get("protocol") or "TCP")


def _ports(workload: Manifest) -> set[Port]:
    return {
        port(entry, "containerPort")
        for pod in _pods(workload).values()
        for container in _containers(pod)
        for entry in walk.sequence(container, "ports")
    }


def _pods(workload: Manifest) -> Mapping[str, Manifest]:
    """Return the pod specs of a workload by whose they are."""
    paths = TEMPLATE_PATHS[str(workload["kind"])]
    return {name: walk.mapping(workload, *path, "spec") for name, path in paths.items()}


def _containers(pod: Manifest) -> Iterator[Manifest]:
    for field in _LISTS:
        yield from walk.sequence(pod, field)


def _names(data: object, *path: str) -> list[str]:
    """Return the names of the entries of a list, which may stand in their metadata."""
    found = walk.sequence(data, *path)
    return [str(walk.get(entry, "name") or walk.get(entry, "metadata", "name")) for entry in found]


def _mounts(container: Manifest, volumes: list[str]) -> Iterator[str]:
    for field, path in _MOUNTS.items():
        for mount in walk.sequence(container, field):
            if mount.get("name") not in volumes:
                at = f"{field} {mount.get(path)}: there is no volume"
                yield _unknown(at, mount.get("name"), "", volumes, "give it under volumes")


def _claims(container: Manifest, claims: list[str]) -> Iterator[str]:
    for name in _names(container, "resources", "claims"):
        if name not in claims:
            yield _unknown("resources.claims: the pod has no claim", name, "", claims, "give it under resourceClaims")


def _probes(container: Manifest) -> Iterator[str]:
    known = _names(container, "ports")
    for path in _PROBES:
        for way in ("httpGet", "tcpSocket"):
            asked = walk.get(container, *path, way, "port")
            if isinstance(asked, str) and asked not in known:
                at, instead = f"{'.'.join(path)}.{way}.port: there is no port", "name one, or give the number unquoted"
                yield _unknown(at, asked, " of this container", known, instead)


def _ending(kind: str, pod: Manifest) -> Iterator[str]:
    """Yield what says that pods end, where their workload keeps them up, and the other way round."""
    policy = pod.get("restartPolicy")
    allowed = ("Never", "OnFailure") if kind == "Job" else ("Always",)
    if policy is not None and policy not in allowed:
        yield f"restartPolicy: {policy}; of pods of a {kind} the API takes {' or '.join(allowed)} only"
    if kind != "Job" and pod.get("activeDeadlineSeconds") is not None:
        yield f"activeDeadlineSeconds: given, but pods of a {kind} have no end; the API takes it of a Job's pods only"


def _unknown(at: str, name: object, where: str, known: list[str], instead: str) -> str:
    hint = nearest.hint(str(name), known, ' (did you mean "{}"?)')
    return f'{at} "{name}"{where}{hint}; known: {", ".join(sorted(known)) or f"none; {instead}"}'


def _resources(container: Manifest) -> Iterator[str]:
    requests, limits = (walk.mapping(container, "resources", side) for side in ("requests", "limits"))
    for side, amounts in (("requests", requests), ("limits", limits)):
        for name, amount in amounts.items():
            if quantities.is_extended(name) and _amount(name, amount).denominator != 1:
                yield f"resources.{side}.{name}: {amount}, but devices are not divided; give a whole number"
    for name, asked in requests.items():
        limit = limits.get(name)
        if quantities.is_extended(name) or name.startswith("hugepages-"):
            if limit is None or _amount(name, asked) != _amount(name, limit):
                given = f"a container is given as much of it as limits say ({'nothing' if limit is None else limit})"
                yield f"resources.requests.{name}: {asked}, but {given}; patch both, or set both in the values"
        elif limit is not None and _amount(name, asked) > _amount(name, limit):
            yield f"resources.requests.{name}: {asked}, but the limit is {limit}; allowed: up to that"


def _amount(name: str, amount: object) -> Fraction:
    return quantities.parse(amount, f"resources of {name}")
