"""``scale`` as JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "Scaling", …}``.

| key | value |
|---|---|
| `release`, `namespace` | the operation's |
| `applied` | false where nothing had to be done, and with `--dry-run` |
| `groups` | `[{name, before, after, by}]`: replicas in the cluster before, and those asked for |
| `values` | what to keep in the values, as they are written there; empty where an autoscaler has the word |

`by` in them is `values`, or `autoscaler`: the count was set beside the values, and the autoscaler may change it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from helm_roster import constants
from helm_roster.manifests import door
from helm_roster.model.wording import counted
from helm_roster.policy.scaling import Step

_KEEP: Final = "keep this in your values, or the next upgrade takes it back:"
_WOULD_KEEP: Final = "the values would say then:"


def document(
    release: str, namespace: str, steps: Sequence[Step], values: Mapping[str, Any], *, applied: bool
) -> dict[str, Any]:
    """Return the result, ready for ``json.dumps``."""
    return {
        "apiVersion": constants.API_VERSION,
        "kind": "Scaling",
        "release": release,
        "namespace": namespace,
        "applied": applied,
        "groups": [
            {
                "name": step.group.name,
                "before": step.before,
                "after": step.after,
                "by": "autoscaler" if step.by_autoscaler else "values",
            }
            for step in steps
        ],
        "values": dict(values),
    }


def lines(found: Mapping[str, Any], steps: Sequence[Step]) -> Iterator[str]:
    """Yield the result for people."""
    for step in steps:
        yield f"{step.group.name}: {_told(step)}"
    if not found["applied"]:
        yield "nothing is applied"
    if found["values"] and not all(step.is_done for step in steps):
        yield _KEEP if found["applied"] else _WOULD_KEEP
        yield door.dump(found["values"]).rstrip()


def _told(step: Step) -> str:
    after = counted(step.after, "replica")
    if step.is_done:
        return f"{after} already"
    told = f"{step.before} → {after}" if step.before != step.after else after
    owner = step.group.autoscaling
    return f"{told}; its autoscaler ({owner.owner}) may change it again" if owner else told
