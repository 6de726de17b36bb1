"""The library's presets in operations of model groups, one group a preset; what each becomes stands in `goldens`.

``make examples`` writes the goldens anew: a file for each file of presets.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml

from helm_roster.presets import library, model_group

from tests.chart.rendering import Chart, Manifest, Objects, Values
from tests.support import clients
from tests.support.roster import PRESETS
from tests.support.runner import Runner, isolated

GOLDENS = Path(__file__).parent / "goldens"
FILES = library.read(PRESETS)
DEFINITIONS = list(library.definitions(FILES))
KNOWN = {str(one.name): one for one in DEFINITIONS if one.is_preset}
LEVELS = [file for file in FILES if file.levels]
ACCELERATORS = [name for name, one in KNOWN.items() if one.plain.get("accelerator")]


def group_name(name: str) -> str:
    """Return a group's name for a preset: that of the preset, as a label."""
    return name.removeprefix("roster/").replace(".", "-")


def named(file: library.PresetFile) -> list[str]:
    """Return the presets of a file."""
    return [name for name, one in KNOWN.items() if one.file == file]


def operation(groups: Values, **presets: Values) -> Values:
    """Return values with these groups, the library's presets that they list, and the claims that come with those."""
    listed = dict.fromkeys(name for group in groups.values() for name in group.get("presets", ()))
    used = [KNOWN[name] for name in listed if name in KNOWN]
    claims = {name: plain(claim) for one in used for name, claim in one.claims.items()}
    ours = {str(one.name): one.plain for one in used}
    return {"presets": {**ours, **presets}, "groups": groups, **({"claims": claims} if claims else {})}


def plain(value: object) -> Any:
    """Return a value of a file as plain data."""
    return library.door.to_plain(value)


def models(names: Iterable[str]) -> Iterator[Values]:
    """Yield operations in which each preset has its model group: one for all that may stand together, then one each."""
    together: Values = {}
    presets: Values = {}
    for name in names:
        preset = KNOWN[name].plain
        made = model_group.values(name, preset, group=group_name(name))
        if not model_group.is_alone(preset):
            yield operation(made["groups"], **made.get("presets", {}))
            continue
        together |= made["groups"]
        presets |= made.get("presets", {})
    if together:
        yield operation(together, **presets)


def become(chart: Chart, file: library.PresetFile) -> Values:
    """Return what the model group of each preset of a file becomes, by the preset."""
    names = {group_name(name): name for name in named(file)}
    found: Values = {}
    for values in models(names.values()):
        objects = chart.render(values)
        found |= {names[group]: pods(objects, group) for group in values["groups"] if group in names}
    return dict(sorted(found.items()))


def pods(objects: Objects, group: str) -> Manifest:
    """Return what a group's pods are: annotations, spec, and the objects of their claims."""
    template = objects.template(group)
    claims = [claim_of(objects, claim) for claim in template["spec"].get("resourceClaims", ())]
    made = {"annotations": template["metadata"].get("annotations"), "spec": template["spec"], "claims": claims}
    return {key: value for key, value in made.items() if value}


def claim_of(objects: Objects, claim: Manifest) -> Manifest:
    """Return kind and spec of the object that a pod's claim comes from."""
    wanted = claim["resourceClaimTemplateName"]
    (found,) = (
        entry
        for entry in objects.all
        if (entry["kind"], entry["metadata"]["name"]) == ("ResourceClaimTemplate", wanted)
        or (entry["kind"] == "ComputeDomain" and entry["spec"]["channel"]["resourceClaimTemplate"]["name"] == wanted)
    )
    return {"kind": found["kind"], "spec": found["spec"]}


def written(found: Values) -> str:
    """Return a golden's text."""
    return yaml.safe_dump(found, width=120, allow_unicode=True)


def golden(file: library.PresetFile) -> Path:
    """Return where a file's golden stands."""
    return GOLDENS / file.path.name


def rewrite() -> None:
    """Write every golden from what Helm 4 renders now, and remove those of files that are gone."""
    program = clients.ensure("helm-4.3")
    GOLDENS.mkdir(exist_ok=True)
    for path in set(GOLDENS.glob("*.yaml")) - {golden(file) for file in FILES}:
        path.unlink()
    with tempfile.TemporaryDirectory() as home:
        chart = Chart(Runner(program, isolated(Path(home), HELM_BIN=str(program)), 4))
        for file in FILES:
            if named(file):
                golden(file).write_text(written(become(chart, file)))


if __name__ == "__main__":
    sys.exit(rewrite())
