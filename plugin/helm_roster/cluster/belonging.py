"""Tells what belongs to the operation that is being cancelled from what is made anew under its name meanwhile.

Ours is what was there at the first look over all kinds, and what it owns, directly or through others. Anything newer
is somebody else's: of an operation that was installed again it must not lose a pod. Names and labels cannot tell the
two apart; uids can.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from helm_roster import constants
from helm_roster.cluster.client import SERVICES
from helm_roster.cluster.leftovers import Leftover
from helm_roster.manifests import walk
from helm_roster.policy import pods

# Hooks that only an uninstall makes, so they are of the operation that ends although they are newer.
_ENDING_HOOKS: Final = frozenset({"pre-delete", "post-delete"})
# Made by a controller beside each Service, with its name and labels and without an owner.
_SHADOW: Final = ("v1", "endpoints")


@dataclass(frozen=True, kw_only=True)
class Shares:
    """One look, sorted: ``ours``; ``ending``, whose owners are gone, so that they go too; ``others``, made anew."""

    ours: Sequence[Leftover]
    ending: Sequence[Leftover]
    others: Sequence[Leftover]

    @property
    def awaited(self) -> list[Leftover]:
        """Return what will be gone when the cancellation is done."""
        return [*self.ours, *self.ending]


@dataclass
class Belongings:
    """The uids of what belongs to the operation; grows as its controllers make more."""

    uids: set[str] = field(default_factory=set)

    def begin(self, found: Iterable[Leftover]) -> None:
        """Take what was found at the first look as the operation's."""
        self.uids |= {one.uid for one in found}

    def sort(self, found: Sequence[Leftover]) -> Shares:
        """Sort what was found. A look over some kinds only may take newer objects for ``ending``, never for ours."""
        owners = {one.uid: _owners(one, found) for one in found}
        self.uids |= {one.uid for one in found if _ENDING_HOOKS & set(_hooks(one))}
        newer = [one for one in found if one.uid not in self.uids]
        self.uids |= _closure(newer, owners, self.uids)
        roots = {one.uid for one in newer if not (one.uid in self.uids or owners[one.uid] or _is_leaving(one))}
        others = roots | _closure(found, owners, roots)
        return Shares(
            ours=[one for one in found if one.uid in self.uids - others],
            ending=[one for one in found if one.uid not in self.uids | others],
            others=[one for one in found if one.uid in others],
        )


def under(found: Sequence[Leftover], owners: AbstractSet[str]) -> set[str]:
    """Return the uids of what ``owners`` (uids) own of ``found``, directly or through others."""
    return _closure(found, {one.uid: _owners(one, found) for one in found}, owners)


def _closure(found: Sequence[Leftover], owners: dict[str, set[str]], start: AbstractSet[str]) -> set[str]:
    """Return the uids of what those in ``start`` own, directly or through others."""
    reached: set[str] = set()
    while more := {one.uid for one in found if owners[one.uid] & (start | reached)} - reached - start:
        reached |= more
    return reached


def _owners(one: Leftover, found: Sequence[Leftover]) -> set[str]:
    if (one.resource.api_version, one.resource.plural) != _SHADOW:
        return one.owners
    service = f"{SERVICES.kind} {walk.get(one.manifest, 'metadata', 'name')}"
    # Without its Service an owner that is not there: it is about to go.
    return {entry.uid for entry in found if entry.name == service} or {service}


def _hooks(one: Leftover) -> list[str]:
    text = str(walk.get(one.manifest, "metadata", "annotations", constants.HOOK_ANNOTATION, default=""))
    return [word.strip() for word in text.split(",")]


def _is_leaving(one: Leftover) -> bool:
    return pods.is_terminating(one.manifest)
