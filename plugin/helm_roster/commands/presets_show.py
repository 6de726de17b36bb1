"""``helm roster presets show``: one preset as a values file, or what a model group becomes under it.

As JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "Preset", "name", "file", "line", "library", "about",
"for", "needs", "source", "selects", "values", "example"}``. ``values`` is what a values file with it alone would hold:
the preset, the claims of its file that it uses, and the levels of a topology that the file names.
``selects`` is that of ``presets list``. ``example`` is null without ``--example``; else ``accelerators`` and ``pods``
of the model group, and ``diff``, a unified diff of the manifests without the preset and with it.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from helm_roster import assets, constants, errors
from helm_roster.commands import options, rendering, value_files
from helm_roster.commands.value_files import Given
from helm_roster.helm import values
from helm_roster.manifests import door, walk
from helm_roster.manifests.walk import Identity
from helm_roster.model.wording import counted
from helm_roster.presets import library, model_group, selects
from helm_roster.presets.library import Definition
from helm_roster.render import stream
from helm_roster.report import console

_NOISE: Final = re.compile(r"^(?:---|# Source: .*)\n", re.MULTILINE)


def run(name: str, files: Sequence[str], *, chart: str, output: str, example: bool) -> None:
    """Print the preset.

    Raises:
        BadInputError: There is none of that name; or, with ``example``, no group can be made with it.
    """
    found = library.find(name, list(library.definitions(library.read(assets.presets(), files))))
    if example and not found.is_preset:
        msg = f"{found.file.name} has no presets, so no group can take it: give it with -f, and leave out --example"
        raise errors.BadInputError(msg)
    shown = _example(found, chart) if example else None
    if output != "table":
        console.document(_document(found, shown), output)
    elif shown:
        console.say(_told(name, shown))
        console.write(shown["diff"])
    else:
        console.write(f"{found.file.head.text}{door.dump(alone(found))}")


def alone(found: Definition) -> dict[str, Any]:
    """Return the values of a file with this definition alone."""
    if not found.is_preset:
        return dict(found.file.data)
    beside = {library.CLAIMS: found.claims} if found.claims else {}
    if found.file.levels:
        beside["scheduling"] = {"topology": {"levels": found.file.levels}}
    return {**beside, library.PRESETS: {found.name: found.value}}


def _document(found: Definition, shown: dict[str, Any] | None) -> dict[str, Any]:
    head = found.file.head
    return {
        "apiVersion": constants.API_VERSION,
        "kind": "Preset",
        "name": found.name,
        "file": str(found.file.path),
        "line": found.line,
        "library": found.file.is_ours,
        "about": head.about,
        **{section.lower(): head.sections.get(section, "") for section in ("For", "Needs", "Source")},
        "selects": selects.summary(found),
        "values": door.to_plain(alone(found)),
        "example": shown,
    }


def _example(found: Definition, chart: str) -> dict[str, Any]:
    preset = found.plain
    without, with_it = (
        _rendered(found, model_group.values(found.name, preset, taken=taken), chart) for taken in (False, True)
    )
    counts = model_group.counts(preset)
    diff = "\n".join(_diff(found.name, without, with_it)) or f"{found.name} changes nothing of it"
    return {"accelerators": counts.accelerators, "pods": counts.pods, "diff": diff}


def _told(name: str, shown: dict[str, Any]) -> str:
    pods, each = counted(shown["pods"], "pod"), counted(shown["accelerators"], "accelerator")
    of = f", each with {each}" if shown["accelerators"] else ""
    return f"a model group of {pods}{of}: without {name}, and with it"


def _diff(name: str, without: dict[Identity, str], with_it: dict[Identity, str]) -> Iterator[str]:
    """Yield the lines of a unified diff, object by object."""
    for identity in dict.fromkeys([*with_it, *without]):
        before, after = (made.get(identity, "").splitlines() for made in (without, with_it))
        names = (f"{identity} without {name}", f"{identity} with {name}")
        yield from difflib.unified_diff(before, after, *names, lineterm="")


def _rendered(found: Definition, operation: dict[str, Any], chart: str) -> dict[Identity, str]:
    """Return the objects of a model operation that is given after the preset's file, without Helm's comments."""
    with value_files.as_file(json.dumps(operation).encode()) as path:
        args = ["-f", values.joined([str(found.file.path)]), "-f", path]
        given = Given(args, [found.file.name, "the model group"])
        text = rendering.render(options.NO_RELEASE, given, chart).text
    parts = [(one.load(), one.text) for one in stream.split(text) if not one.is_blank]
    return {walk.identity(data): _NOISE.sub("", text).strip() for data, text in parts if isinstance(data, dict)}
