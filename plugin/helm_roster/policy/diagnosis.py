"""What doctor says of what it found, without asking anybody anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from helm_roster.model.wording import agreed, few
from helm_roster.policy.references import Reference

State = Literal["ok", "warning", "failed", "skipped"]

SMOKE_TEST: Final = "smoke test"
# Kubernetes' first with native sidecars on by default; what the chart renders is validated from there on.
OLDEST_KUBERNETES: Final = (1, 29)
# Helm 4.0 and 4.1 split a manifest at a line of dashes inside of a text before a post-renderer sees it
# (rancher/fleet#5443; seen on 4.1.4, not on 4.3.1).
_FIRST_GOOD_HELM4: Final = (4, 2)
# Kubernetes' version skew policy: kubectl may be one minor version older or newer than the API server.
_SKEW: Final = 1


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One line of doctor: what was looked at, how it is, what was found, and what to do (empty: nothing)."""

    check: str
    state: State
    found: str
    remedy: str = ""


@dataclass(frozen=True, kw_only=True)
class Tried:
    """How gangs of a smoke test fared: the seconds in which one was ``placed`` and for which half of one was ``held``.

    None where it was not. ``said`` is why it was not placed, in whose words ever; ``gates`` kept it from the scheduler.
    """

    placed: float | None
    held: float | None = None
    said: str = ""
    gates: Sequence[str] = ()


def helm(version: tuple[int, int, int], path: str) -> Finding:
    """Return what is to be said of a Helm that is new enough."""
    told = f"{'.'.join(map(str, version))} at {path}"
    if (4, 0) <= version[:2] < _FIRST_GOOD_HELM4:
        why = "Helm 4.0 and 4.1 break texts that hold a line of dashes when a post-renderer is used: take 4.2 or newer"
        return Finding(check="helm", state="warning", found=told, remedy=why)
    return Finding(check="helm", state="ok", found=told)


def plugin(name: str, installed: Mapping[str, str], version: str) -> Finding:
    """Return what is to be said of our own plugins, by name with their versions, where Helm loads them."""
    old = [f"{each} {found}" for each, found in installed.items() if found != version]
    if old:
        what = f"{', '.join(old)}, but helm-roster is {version}"
        remedy = "helm-roster setup renews what it made; helm plugin update what helm plugin install did"
        return Finding(check="plugins", state="warning", found=what, remedy=remedy)
    if name not in installed:
        remedy = f"helm-roster setup, if you want to type helm {name}"
        return Finding(
            check="plugins", state="ok", found=f"no plugin {name}, and none that stops others", remedy=remedy
        )
    return Finding(check="plugins", state="ok", found=", ".join(f"{each} {found}" for each, found in installed.items()))


def kubernetes(version: str) -> Finding:
    """Return what is to be said of the API server's version, as in ``v1.37.2``."""
    oldest = ".".join(map(str, OLDEST_KUBERNETES))
    minor = numbers(version)
    if minor is not None and minor < OLDEST_KUBERNETES:
        remedy = f"Kubernetes {oldest} or newer is needed"
        return Finding(check="cluster", state="failed", found=f"Kubernetes {version}", remedy=remedy)
    return Finding(check="cluster", state="ok", found=f"Kubernetes {version}")


def kubectl(client: str | None, server: str | None) -> Finding:
    """Return what is to be said of kubectl: nothing of ours needs it, but people do."""
    if client is None:
        remedy = "nothing of helm-roster needs it; people do, to look closer"
        return Finding(check="kubectl", state="warning", found="not on PATH", remedy=remedy)
    ours, theirs = numbers(client), numbers(server or "")
    if ours and theirs and (ours[0] != theirs[0] or abs(ours[1] - theirs[1]) > _SKEW):
        remedy = f"take one within one minor version of the cluster's {server}"
        return Finding(check="kubectl", state="warning", found=client, remedy=remedy)
    return Finding(check="kubectl", state="ok", found=client)


def rights(denied: Sequence[str], namespace: str) -> Finding:
    """Return what is to be said of the rights that are missing, each as ``create jobs.batch``."""
    if denied:
        found = f'in namespace "{namespace}" you may not {", ".join(denied)}'
        return Finding(check="rights", state="failed", found=found, remedy="ask for a Role with these verbs")
    found = f'enough in namespace "{namespace}" to install, look at, scale, suspend and cancel'
    return Finding(check="rights", state="ok", found=found)


def driver(outside: str) -> Finding:
    """Return what is to be said of a storage driver that keeps Helm's records outside of the cluster."""
    found = f"HELM_DRIVER={outside} keeps Helm's records outside of the cluster: scale and cancel refuse"
    return Finding(check="records", state="failed", found=found, remedy="unset HELM_DRIVER, or set it to configmap")


def kinds(absent: Mapping[str, str], asked: int) -> Finding:
    """Return what is to be said of kinds that the API server does not serve, each with its remedy."""
    if absent:
        remedies = "; ".join(dict.fromkeys(remedy for remedy in absent.values() if remedy))
        return Finding(
            check="kinds", state="failed", found=f"not served: {', '.join(absent)}",
            remedy=remedies or "install what brings them, or leave out what asks for them",
        )  # fmt: skip
    return Finding(check="kinds", state="ok", found=f"all {asked} are served")


def inspected(
    check: str, backend: str, found: Sequence[tuple[Literal["stops", "warns", "unknown"], str]]
) -> list[Finding]:
    """Return what is to be said of what a backend found in the cluster, each with what it means."""
    states: Mapping[str, State] = {"stops": "failed", "warns": "warning", "unknown": "skipped"}
    told = [Finding(check=check, state=states[state], found=message) for state, message in found]
    return told or [Finding(check=check, state="ok", found=f"{backend}: nothing is missing that it looks for")]


def backends(found: Mapping[str, Mapping[str, Mapping[str, bool]]]) -> Finding:
    """Return which backends the cluster could serve; ``found``: by part and name, whether each kind is served."""
    could, absent = [], []
    for part, backends in found.items():
        names = []
        for name, kinds in backends.items():
            lacking = [kind for kind, served in kinds.items() if not served]
            if lacking and len(lacking) == len(kinds):
                absent.append(f"{name} has no {few(lacking, 1)}")
            else:
                names.append(f"{name} without {few(lacking)}" if lacking else name)
        could.append(f"{part} {', '.join(names) or 'none'}")
    told = "; ".join([f"the cluster could serve {' and '.join(could)}", *absent])
    return Finding(check="backends", state="ok", found=told)


def references(found: Sequence[tuple[Reference, bool | None]]) -> list[Finding]:
    """Return what is to be said of objects that the values name, each with whether it is there (None: not known)."""
    lost = [_lost(reference) for reference, there in found if there is False]
    unseen = [_called(reference) for reference, there in found if there is None]
    if unseen:
        what = f"you may not look for {few(unseen)}"
        lost.append(Finding(check="references", state="skipped", found=what))
    told = f"{len(found)} named, and there" if found else "the values name nothing beyond themselves"
    return lost or [Finding(check="references", state="ok", found=told)]


def _lost(reference: Reference) -> Finding:
    where = f' in namespace "{reference.namespace}"' if reference.namespace else ""
    found = f"there is no {_called(reference)}{where}, which {few(reference.users)}"
    needs, names = (f"{found} {agreed(len(reference.users), verb)}" for verb in ("need", "name"))
    if reference.kind == "StorageClass":
        remedy = "name one of kubectl get storageclass as storageClassName, unless volumes for it are made by hand"
        return Finding(check="references", state="warning", found=needs, remedy=remedy)
    first = "install the driver that brings it" if reference.kind == "DeviceClass" else "make it before you install"
    remedy = f"{first}, or correct the name"
    if not reference.is_needed:
        remedy = f"pods start without where their images are public: {remedy}"
    state: State = "failed" if reference.is_needed else "warning"
    return Finding(check="references", state=state, found=names, remedy=remedy)


def _called(reference: Reference) -> str:
    return f"{reference.kind} {reference.name}" if reference.name else f"default {reference.kind}"


def gates(needed: Iterable[str], enabled: Mapping[str, bool] | None) -> Finding:
    """Return what is to be said of the feature gates of the API server; ``enabled`` is None where they are not told."""
    wanted = list(dict.fromkeys(needed))
    if not wanted:
        return Finding(check="feature gates", state="ok", found="none is needed")
    if enabled is None:
        remedy = f"ask who runs the cluster for {', '.join(wanted)}"
        found = "the API server does not tell you its feature gates"
        return Finding(check="feature gates", state="skipped", found=found, remedy=remedy)
    off = [gate for gate in wanted if not enabled.get(gate)]
    if off:
        remedy = f"--feature-gates={','.join(f'{gate}=true' for gate in off)} on all parts of the control plane"
        found = f"off on the API server: {', '.join(off)}"
        return Finding(check="feature gates", state="failed", found=found, remedy=remedy)
    found = f"on at the API server: {', '.join(wanted)} (the scheduler's cannot be asked: --smoke-test tries it)"
    return Finding(check="feature gates", state="ok", found=found)


def smoke_test(backend: str, tried: Tried, gates: Sequence[str]) -> Finding:
    """Return what is to be said of gangs that were tried; ``gates`` are those that their objects need."""
    if tried.placed is None:
        return _unplaced(backend, tried)
    placed = f"{backend}: a gang of two was placed in {tried.placed:.1f} s"
    if tried.held is None:
        found = f"{placed}, but so was half of another: the scheduler does not hold gangs"
        flag = f"--feature-gates={','.join(f'{gate}=true' for gate in gates)}"
        remedy = f"{flag} on the scheduler too" if gates else "look at the scheduler's configuration"
        return Finding(check=SMOKE_TEST, state="failed", found=found, remedy=remedy)
    return Finding(check=SMOKE_TEST, state="ok", found=f"{placed}, and half of another held for {tried.held:.0f} s")


def _unplaced(backend: str, tried: Tried) -> Finding:
    why = tried.said or "nobody said a word on them: does the scheduler run?"
    remedy = "see that the scheduler runs, and that a node takes such pods"
    if tried.gates:
        why = f"held by {', '.join(tried.gates)}, before any scheduler"
        remedy = "see that who sets these gates runs, and that it and its queue take namespaces of any name and labels"
    found = f"{backend}: a gang of two pods that request nothing was not placed: {why}"
    return Finding(check=SMOKE_TEST, state="failed", found=found, remedy=remedy)


def untried(backend: str) -> Finding:
    """Return what is to be said of a backend that holds no gangs."""
    return Finding(check=SMOKE_TEST, state="skipped", found=f"{backend} holds no gangs: there is nothing to try")


def numbers(version: str) -> tuple[int, int] | None:
    """Return major and minor of ``v1.37.2``, or None where there are none."""
    found = re.match(r"v?(\d+)\.(\d+)", version)
    return (int(found[1]), int(found[2])) if found else None
