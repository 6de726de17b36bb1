"""Writes the catalogue of the library: what each preset selects and sets, what its file needs, and its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from helm_roster.manifests import walk
from helm_roster.presets import heads, library, selects
from helm_roster.presets.library import Definition, PresetFile
from helm_roster.report import preset_tables

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "presets.md"
FOLDER = ROOT / "presets"
KINDS: Final = {
    "Accelerators": "One of these says what a group's `accelerators` are. Variants of a model differ by platform or "
    "machine, and some bring more, such as its network.",
    "Fabrics": "What pods need to reach each other fast, beside a preset of the accelerator.",
    "Pools": "Nodes of other kinds; they go with any of the others.",
    "Topology": "Names of levels for `locality`. A file, not a preset: given with `-f`, it is chosen.",
    "Profiles": "Engines and routers; [profiles](profiles.md) has more.",
}
_PROFILE: Final = ("router", "serving", "startup")
_FABRIC: Final = ("devices", "networks", "claims", "fillsNode", "container")
_HEAD = """# The library of presets

Written by `make docs` from the files in [presets](../presets), which come with the tool. Which one to take is told in
[Choosing presets](choosing-presets.md), how to write your own in [Writing presets](writing-presets.md). A group lists
presets by name; the file is given with `-f`: `-f "$(helm-roster presets path roster/h200)"`.
`helm-roster presets show NAME --example` shows what a group becomes under one.
"""


def page() -> str:
    """Return the page."""
    files = library.read(FOLDER)
    known = list(library.definitions(files))
    parts = [_section(kind, [one for one in known if kind_of(one) == kind]) for kind in KINDS]
    return "\n".join([_HEAD, *parts])


def kind_of(definition: Definition) -> str:
    """Return under which heading a definition stands."""
    preset = definition.plain
    if not definition.is_preset:
        return "Topology"
    if preset.get("accelerator"):
        return "Accelerators"
    if any(key in preset for key in _PROFILE):
        return "Profiles"
    return "Fabrics" if any(key in preset for key in _FABRIC) else "Pools"


def _section(kind: str, known: Sequence[Definition]) -> str:
    rows = [(f"`{one.name}`", *_row(one), _link(one.file)) for one in known]
    files = {definition.file.path: definition.file for definition in known}.values()
    tables = (
        _table(("preset", "selects", "sets", "file"), rows),
        _table(("file", "what", *map(str.lower, heads.SECTIONS)), map(_told, files)),
    )
    return "\n".join([f"## {kind}\n\n{KINDS[kind]}\n", *tables])


def _told(file: PresetFile) -> tuple[str, ...]:
    return _link(file), file.head.about, *(file.head.sections.get(name, "") for name in heads.SECTIONS)


def _row(definition: Definition) -> tuple[str, str]:
    found = selects.summary(definition)
    chosen = [f"`{key}={value}`" for key, value in found.get("nodeSelector", {}).items()]
    chosen += [_requirement(one) for one in found.get("requireNodes", {}).values()]
    chosen += [f"`{expression}`" for expression in found.get("selectors", ())]
    selected = preset_tables.selected(found) if definition.is_preset else ""
    selected = "" if selected.startswith("sets ") else selected  # the next column says what it sets
    return "; ".join(filter(None, [selected.removeprefix("-"), *chosen])), ", ".join(_sets(definition))


def _requirement(one: Mapping[str, Any]) -> str:
    among = f" {', '.join(one['values'])}" if one.get("values") else ""
    return f"`{one['key']} {one['operator']}{among}`"


def _sets(definition: Definition) -> Iterator[str]:
    preset = definition.plain
    if not definition.is_preset:
        yield from (f"`{name}`: `{level['label']}`" for name, level in definition.file.levels.items())
    accelerator = walk.mapping(preset, "accelerator")
    yield from (f"{accelerator[key]} {word}" for key, word in _FACTS.items() if key in accelerator)
    yield from _rates("devices", {**walk.mapping(preset, "devices"), **_companions(accelerator)})
    yield from _rates("networks", walk.mapping(preset, "networks"))
    yield from (f"claim `{name}`" for name in preset.get("claims") or ())
    yield from ["takes whole nodes"] if preset.get("fillsNode") else []
    yield from ["role " + preset["serving"]["role"]] if preset.get("serving") else []
    yield from _some("labels of pods that serve", walk.mapping(preset, "serving", "labels"))
    yield from (f"{part} `{name}`" for part in ("init", "sidecars") for name in walk.mapping(preset, part))
    yield from _container(walk.mapping(preset, "container"))
    yield from _environment(walk.mapping(preset, "environment"))
    yield from (f"`/dev/shm` {size} {_PER[per]}" for per, size in walk.mapping(preset, "shm").items())


_FACTS: Final = {"perNode": "a node", "topology": "slice"}
_PER: Final = {"perAccelerator": "an accelerator", "perPod": "a pod", "size": ""}


def _companions(accelerator: dict[str, Any]) -> dict[str, Any]:
    found = walk.mapping(accelerator, "claim", "devices").values()
    return {f"class {companion['deviceClassName']}": companion for companion in found}


def _rates(part: str, entries: Mapping[str, Any]) -> Iterator[str]:
    word = "networks by " if part == "networks" else ""
    for name, entry in entries.items():
        per = next(key for key in ("perAccelerator", "perPod") if key in entry)
        yield f"{word}`{name}` {entry[per]} {_PER[per]}"


def _container(container: Mapping[str, Any]) -> Iterator[str]:
    rights = walk.mapping(dict(container), "securityContext")
    added = [*(["privileged"] if rights.get("privileged") else []), *(walk.get(rights, "capabilities", "add") or ())]
    yield from (f"`{key}`" for key in ("command", "args", "extraArgs") if key in container)
    yield from _some("ports", walk.mapping(dict(container), "ports"))
    yield from _some("env", walk.mapping(dict(container), "env"))
    yield from _some("rights", added)
    yield from _some("mounts", walk.mapping(dict(container), "volumeMounts"))
    probes = [key.removesuffix("Probe") for key in container if key.endswith("Probe")]
    yield from _some("probes", probes)


def _environment(environment: Mapping[str, Any]) -> Iterator[str]:
    taints = walk.mapping(dict(environment), "tolerations").values()
    yield from _some("tolerates", dict.fromkeys(str(entry["key"]) for entry in taints))
    yield from _some("annotations", walk.mapping(dict(environment), "annotations"))
    yield from _some("labels", walk.mapping(dict(environment), "labels"))
    yield from ["the host's network"] if environment.get("hostNetwork") else []


def _some(word: str, names: Iterable[str]) -> Iterator[str]:
    found = " ".join(f"`{name}`" for name in names)
    if found:
        yield f"{word} {found}"


def _link(file: PresetFile) -> str:
    return f"[{file.path.name}](../presets/{file.path.name})"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    PAGE.write_text(page())
