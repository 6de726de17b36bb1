"""What groups know of each other by the chart's wiring: who reads whose count, and who is rolled out together; pure.

Pods that are rolled out together are kept apart by the revision that a selector holds. Where that begins, selectors of
routers that run hold none yet; where it ends, those of new ones hold none any more: either finds all versions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from helm_roster import constants
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model.operation import Operation
from helm_roster.model.plan import TEMPLATE_PATHS, pod_templates
from helm_roster.model.wording import agreed
from helm_roster.policy import amounts
from helm_roster.policy.changes import Changes
from helm_roster.policy.differences import find

# The forms of a reference that change with the count of the group that it is to, and a ComputeDomain that counts pods.
COUNTED: Final = frozenset({"computeDomain", "count", "hosts", "pods", "urls"})
# The last label of a selector (chart, reference.labels): of a revision, else, where pods carry it, of those that serve.
_SELECTED: Final = re.compile(
    rf",?\b(?:{re.escape(constants.TOGETHER_LABEL)}=[0-9a-f]+|{re.escape(constants.LEADER_LABEL)}=true)"
)


class Together(NamedTuple):
    """Groups of a router that are rolled out together."""

    router: str
    groups: tuple[str, ...]


def dependents(operation: Operation, scaled: Collection[str]) -> dict[str, dict[str, list[str]]]:
    """Return which groups change with the counts of those ``scaled``: by name, of whom they read what."""
    found = {}
    for name, group in sorted(operation.groups.items()):
        reads = {to: sorted(COUNTED.intersection(forms)) for to, forms in group.reads.items() if to in scaled}
        if reads := {to: forms for to, forms in reads.items() if forms}:
            found[name] = reads
    return found


def refusal(found: Mapping[str, Mapping[str, Sequence[str]]], flag: str) -> str:
    """Return why counts on which others depend are not changed without the flag."""
    told = "; ".join(
        f"{name} reads {' and '.join(f'{to} ({_listed(forms)})' for to, forms in reads.items())}"
        for name, reads in found.items()
    )
    their = agreed(len(found), "depend")
    return (
        f"{' and '.join(found)} {their} on these counts ({told}), so the pods of {' and '.join(found)} would be "
        f"replaced too: add {flag} to have it so"
    )


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words)


def together(operation: Operation) -> Iterator[Together]:
    """Yield the groups that are rolled out together, by their router."""
    for name, group in sorted(operation.groups.items()):
        if group.router and group.coordinated:
            yield Together(name, group.coordinated)


class Toggle(NamedTuple):
    """That an upgrade begins or ends to roll a group out together with others, and whether its pods differ besides."""

    begins: bool
    differs: bool


def toggles(before: Sequence[Manifest], after: Mapping[str, Manifest]) -> dict[str, Toggle]:
    """Return, by group, where rolling out together begins or ends.

    ``before`` are the manifests that the release holds, ``after`` the workloads that it would hold, by group.
    """
    found = {}
    for old in before:
        new = after.get(str(walk.get(old, "metadata", "labels", constants.GROUP_LABEL, default="")))
        if new is None or old.get("kind") not in TEMPLATE_PATHS or (begins := _revised(new)) == _revised(old):
            continue
        kind = str(new.get("kind"))
        differs = kind != old.get("kind") or any(find(_neutral(old), _neutral(new), same=amounts.rule(kind)))
        found[str(walk.get(old, "metadata", "labels", constants.GROUP_LABEL))] = Toggle(begins, differs)
    return found


def _revised(workload: Manifest) -> bool:
    """Return whether pods of a workload say of which revision they are."""
    templates = pod_templates(workload).values()
    return any(constants.TOGETHER_LABEL in walk.mapping(template, "metadata", "labels") for template in templates)


def _neutral(workload: Manifest) -> Manifest:
    """Return what pods are made by, as if rolled out by themselves: also what selects others then says no revision."""
    key = next(iter(TEMPLATE_PATHS[str(workload["kind"])].values()))[1]
    return {"spec": {key: _unrevised(walk.get(workload, "spec", key))}}


def _unrevised(node: object) -> object:
    if isinstance(node, dict):
        return {key: _unrevised(value) for key, value in node.items() if key != constants.TOGETHER_LABEL}
    if isinstance(node, list):
        return [_unrevised(entry) for entry in node if not (isinstance(entry, str) and _SELECTED.fullmatch(entry))]
    return _SELECTED.sub("", node) if isinstance(node, str) else node


def mixing(operation: Operation, found: Mapping[str, Toggle]) -> Iterator[str]:
    """Yield why an upgrade would let a router find two versions together, though it should not."""
    for begins, (word, which) in {True: ("begins", "that run"), False: ("ends", "that are new")}.items():
        names = [name for name, toggle in sorted(found.items()) if toggle == Toggle(begins, differs=True)]
        if names:
            routers = " and ".join(sorted(_routers(operation, names))) or "who selects them"
            turned = "on in an upgrade of its own first" if begins else "off in an upgrade of its own"
            yield (
                f"{' and '.join(names)}: rollout.coordinated {word} while {'their' if len(names) > 1 else 'its'} pods "
                f"change otherwise too, so pods of {routers} {which} would find old and new ones together: "
                f"turn it {turned}, and let that finish"
            )


def _routers(operation: Operation, served: Sequence[str]) -> set[str]:
    return {name for name, group in operation.groups.items() if group.router and set(served).intersection(group.serves)}


def rolled(operation: Operation, found: Changes, toggled: Mapping[str, Toggle]) -> Iterator[str]:
    """Yield of groups that are rolled out together and do roll that it is so, and why, or that this begins."""
    rolling = {group.group for group in found.groups if group.action == "rolls"}
    for router, groups in together(operation):
        begin = [name for name in groups if name in toggled]
        if begin:
            yield (
                f"from now on {' and '.join(groups)} are rolled out together (rollout.coordinated): their pods and "
                f"those of {router} are replaced once for that; let it finish before you change one of them"
            )
        elif rolling.intersection(groups):
            yield sentence(router, groups)


def unknown(operation: Operation, release: str, newest: int, status: str) -> str:
    """Return that nobody knows of which versions the pods are that run, since the newest revision is not in force."""
    names = sorted({name for _, groups in together(operation) for name in groups})
    return (
        f"revision {newest} of {release} is {status}, so it is not known which pods of {' and '.join(names)} run, nor "
        "whether their router finds those of one revision only meanwhile"
    )


def sentence(router: str, groups: Sequence[str]) -> str:
    """Return what rolling out together means, in words."""
    return (
        f"{' and '.join(groups)} are rolled out together (rollout.coordinated): a change of one gives all of them, and "
        f"{router}, new pods, and each pod of {router} finds only those of the revision that it was given"
    )
