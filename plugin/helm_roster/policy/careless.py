"""What layers give pods with few words, and more than was meant: all taints borne, the host's network, all rights."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from helm_roster.manifests import door, walk
from helm_roster.model.operation import Operation
from helm_roster.model.plan import Plan, groups_of
from helm_roster.model.written import Written, get

_TOLERATIONS: Final = ("environment", "tolerations")
# Words of the merge, and the handles of entries of a list without key, which nobody takes for one.
_NOT_NAMES: Final = ("@", "/")
_POWERS: Final = {
    "environment.hostNetwork": "the host's network",
    "container.securityContext.privileged": "a privileged container",
}


def keyless(operation: Operation, composed: Mapping[str, Any], layers: Mapping[str, Any]) -> Iterator[str]:
    """Yield the tolerations that have a name and no key, by the values of each group and the layers of these."""
    told = {}
    for group, values in composed.items():
        for name, entry in walk.mapping(values, *_TOLERATIONS).items():
            if not name.startswith(_NOT_NAMES) and "key" not in entry:
                path = f"environment.tolerations.{name}"
                layer = layers[group].get(f"{path}.operator", f"groups.{group}")
                told[f"{operation.at(layer)}.{path}"] = name
    for path, name in told.items():
        yield f'{path}: no key, so it bears every taint; say key: {name}, or, if every one is meant, key: ""'


def inherited(plan: Plan, resolved: Mapping[str, Any], written: Written) -> Iterator[str]:
    """Yield what presets of defaults give groups without accelerators that pods should not have by chance."""
    for group in groups_of(plan):
        if group.accelerators:
            continue
        own = {f"presets.{name}" for name in door.to_plain(get(written.values, "groups", group.name, "presets")) or ()}
        for path, what in _POWERS.items():
            layer = resolved["layers"][group.name].get(path, "")
            if layer.startswith("presets.") and layer not in own and _is_on(resolved, group.name, path):
                preset = layer.partition(".")[2]
                yield (
                    f'group "{group.name}" asks for no accelerators, and preset "{preset}" of defaults gives it {what}'
                    "; list that preset in the groups that need it"
                )


def _is_on(resolved: Mapping[str, Any], group: str, path: str) -> bool:
    return walk.get(json.loads(resolved["composed"][group]), *path.split(".")) is True
