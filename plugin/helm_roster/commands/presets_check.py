"""``helm roster presets check``: which presets fit this cluster, and what of it they select.

As JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "PresetCheck", "nodes", "presets": [{"name", "file",
"library", "fits", "selects", "takesOthers", "matching", "usable", "cordoned", "offers", "taints", "lacking", "fewer",
"examples", "classes", "unserved", "levels", "unmet", "refused"}]}``. ``nodes`` is how many the cluster has.
``matching`` of them have the labels that the preset asks for, or, where it asks for none, its devices; ``selects`` is
false where it asks for nothing of nodes. On the ``usable`` ones its pods may run, were all of it free. ``offers`` is
``[{resource, nodes, each}]``; ``taints`` that are not tolerated and resources ``lacking`` come with the number of
matching nodes, ``[{taint, nodes}]`` and ``[{resource, nodes}]``; with ``takesOthers`` another preset says which
accelerators there are, and tolerates the taints; ``fewer`` nodes have less than ``perNode``; ``examples`` has two names
of nodes for each taint and resource of these, for ``fewer`` and for ``cordoned``. ``classes`` are the device classes
that it names, ``[{name, exists, driver, devices, nodes}]``: ``devices`` are those that the class's driver publishes,
since selectors in CEL are not evaluated here; what is not known is null. ``unserved`` are kinds for claims that the API
server has not. ``levels`` of a file of topology are ``[{level, label, nodes, values}]``. Where nothing matches,
``unmet`` are labels and resources that no node has. ``name`` has several presets joined by + where they were looked at
together. ``refused`` is why no group can be made with it, else empty. Without names only presets that match some node
are there. The exit code is 1 where one that is named does not fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from helm_roster import assets, constants
from helm_roster.cluster import capabilities, client, inventory
from helm_roster.cluster.client import Client
from helm_roster.commands import preset_trials
from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest
from helm_roster.presets import combined, devices, fitting, library, model_group
from helm_roster.presets.fitting import Fit
from helm_roster.presets.library import Definition
from helm_roster.report import console, preset_fits


def run(names: Sequence[str], files: Sequence[str], *, chart: str, output: str) -> int:
    """Print how presets fit the cluster; return 1 where one of ``names`` does not.

    Raises:
        BadInputError: There is no preset of a name.
        OperationFailedError: The cluster cannot be reached, or you may not list its nodes.
    """
    known = list(library.definitions(library.read(assets.presets(), files)))
    asked = combined.asked(names, known) if names else known
    connected = client.connect()
    nodes = inventory.nodes(connected)
    entries = [_entry(one, fit, why) for one, fit, why in _looked(asked, nodes, connected, chart)]
    shown = [entry for entry in entries if names or entry["matching"]]
    document = {
        "apiVersion": constants.API_VERSION,
        "kind": "PresetCheck",
        "nodes": len(nodes),
        "presets": shown,
    }
    if output != "table":
        console.document(document, output)
    elif shown:
        apart = document if names else preset_fits.fitting(document)
        console.show(preset_fits.table(apart), *preset_fits.lines(apart))
    else:
        console.say(f"no preset selects any of the {len(nodes)} nodes")
    return 1 if names and not all(entry["fits"] for entry in shown) else 0


def _looked(
    asked: Sequence[Definition], nodes: Sequence[Manifest], connected: Client, chart: str
) -> Iterator[tuple[Definition, Fit | None, str]]:
    """Yield each preset that selects nodes with how it fits, or with why no group can be made with it."""
    tried = {}
    for batch in preset_trials.batches(one for one in asked if one.is_preset):
        made = preset_trials.tried(batch, chart)
        tried.update({(one.file.name, one.name): made for one in batch})
    published = _Published(connected)
    for one in asked:
        if not one.is_preset:
            yield one, fitting.levels(one.file.levels, nodes), ""
            continue
        found = tried[one.file.name, one.name]
        if one.name in found.refused:
            yield one, None, found.refused[one.name]
            continue
        rendered, group = found.made[one.name]
        spec = rendered.plan.pod_specs(group)[-1]
        classes, unserved = published.classes(one), published.unserved(one)
        others = model_group.takes_others(one.plain)
        accelerator = walk.mapping(one.plain, "accelerator")
        yield one, fitting.fit(spec, nodes, accelerator, classes, unserved, takes_others=others), ""


class _Published:
    """What the cluster says of claims, asked once and only where a preset has some."""

    def __init__(self, connected: Client) -> None:
        self._client = connected
        self._found: tuple[list[Manifest] | None, list[Manifest] | None] | None = None

    def classes(self, one: Definition) -> list[devices.ClassFound]:
        """Return what is known of the device classes that a preset names."""
        names = devices.named(one.plain, one.plain_claims)
        if names and self._found is None:
            self._found = inventory.device_classes(self._client), inventory.resource_slices(self._client)
        return [devices.find(name, *self._found) for name in names if self._found]

    def unserved(self, one: Definition) -> list[str]:
        """Return the kinds for the preset's claims that the API server has not."""
        return [
            capabilities.missing(self._client, api_version, kind, {})
            for api_version, kind in devices.kinds(one.plain, one.plain_claims)
            if kind not in capabilities.served(self._client, api_version)
        ]


def _entry(one: Definition, fit: Fit | None, why: str) -> dict[str, Any]:
    found = fit or Fit(matching=0, usable=0)
    return {
        "name": one.name,
        "file": str(one.file.path) if one.file.is_ours else one.file.name,
        "library": one.file.is_ours,
        "fits": found.fits and not why,
        "selects": found.selects,
        "takesOthers": found.takes_others,
        "matching": found.matching,
        "usable": found.usable,
        "cordoned": found.cordoned,
        "offers": [vars(offer) for offer in found.offers],
        "taints": [{"taint": taint, "nodes": count} for taint, count in found.taints],
        "lacking": [{"resource": resource, "nodes": count} for resource, count in found.lacking],
        "fewer": found.fewer,
        "examples": {reason: list(names) for reason, names in found.examples.items()},
        "classes": [vars(each) | {"nodes": None if each.nodes is None else len(each.nodes)} for each in found.classes],
        "unserved": list(found.unserved),
        "levels": [vars(level) for level in found.levels],
        "unmet": list(found.unmet),
        "refused": why,
    }
