"""What groups know of each other by the chart's wiring: who reads whose count, and who is rolled out together; pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from helm_roster.model.operation import Operation
from helm_roster.model.wording import agreed
from helm_roster.policy.changes import Changes

# The forms of a reference that change with the count of the group that it is to.
COUNTED: Final = frozenset({"count", "hosts", "pods", "urls"})


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


def rolled(operation: Operation, found: Changes) -> Iterator[str]:
    """Yield of groups that are rolled out together and do roll that it is so, and why."""
    rolling = {group.group for group in found.groups if group.action == "rolls"}
    for router, groups in together(operation):
        if rolling.intersection(groups):
            yield sentence(router, groups)


def sentence(router: str, groups: Sequence[str]) -> str:
    """Return what rolling out together means, in words."""
    return (
        f"{' and '.join(groups)} are rolled out together (rollout.coordinated): a change of one gives all of them, and "
        f"{router}, new pods, and each pod of {router} finds those of one revision only"
    )
