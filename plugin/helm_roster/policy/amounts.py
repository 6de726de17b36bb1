"""Which quantities the API takes for one, though they are written otherwise; pure, by kind.

Measured on Kubernetes 1.37 by ReplicaSets and ControllerRevisions, applied on the client's and on the server's side:
1.5, "1.5" and 1500m are stored as one text, and nothing rolls. 1Gi and 1073741824 are one amount and two texts: a
Deployment compares amounts and rolls nothing, a StatefulSet compares texts and rolls, also that of a LeaderWorkerSet.
"""

from __future__ import annotations

import functools
from typing import Final

from helm_roster import errors
from helm_roster.manifests import quantities, walk
from helm_roster.manifests.lists import Field
from helm_roster.model.plan import TEMPLATE_PATHS
from helm_roster.policy.differences import Same

_BY_RESOURCE: Final = frozenset({"limits", "requests"})
_ALONE: Final = frozenset({Field("emptyDir", "sizeLimit"), Field("resourceFieldRef", "divisor")})
_KINDS: Final = frozenset({*TEMPLATE_PATHS, "PersistentVolumeClaim"})
_BY_TEXT: Final = {"StatefulSet": "spec.template", "LeaderWorkerSet": "spec.leaderWorkerTemplate"}


def rule(kind: str) -> Same:
    """Return what tells of two values in an object of this kind whether they are one to the API."""
    return functools.partial(_is_same, kind)


def _is_same(kind: str, field: Field, path: str, before: object, after: object) -> bool:
    if kind not in _KINDS or not (field.parent in _BY_RESOURCE or field in _ALONE):
        return False
    try:
        was, becomes = quantities.form(before), quantities.form(after)
    except errors.BadInputError:
        return False
    by_text = kind in _BY_TEXT and walk.is_within(path, _BY_TEXT[kind])
    return was == becomes if by_text else was[0] == becomes[0]
