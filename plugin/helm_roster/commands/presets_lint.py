"""``helm roster presets lint``: what is wrong with files of presets, all of it at once.

As JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "PresetLint", "files", "presets", "findings": [{"file",
"line", "preset", "rule", "message"}]}``; ``files`` and ``presets`` are counts, ``preset`` is empty where it is about
the file. ``rule`` is ``file`` (no file of presets), ``head`` (its comment), ``name`` (not qualified), ``twice``
(another file has it too), ``count``, ``map`` (a list where a map by name would do), ``form`` (of labels and resources),
``shared`` (written twice instead of once with an anchor), ``schema`` or ``composition`` (the chart refuses it). The
exit code is 1 where something was found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from helm_roster import assets, constants, errors
from helm_roster.commands import preset_trials
from helm_roster.model.schema import Schema
from helm_roster.model.wording import counted
from helm_roster.model.written import Written
from helm_roster.presets import library, rules, shared
from helm_roster.presets.findings import Finding, of_file, of_preset
from helm_roster.presets.library import Definition, PresetFile
from helm_roster.report import console

# What makes the chart refuse a preset wherever it is, so that others could not be tried beside it.
_STOPS: Final = frozenset({"count", "schema", "map", "form"})
_SUFFIXES: Final = frozenset({".yaml", ".yml"})
_PLACE: Final = re.compile(r"(.+?):(\d+)?:? (.*)", re.DOTALL)


def run(paths: Sequence[str], *, chart: str, output: str) -> int:
    """Print all findings, one a line; return 1 where there are some. Of a folder all its files are looked at."""
    files, found = _opened([file for path in paths for file in _files(path)])
    defined = list(library.definitions(files))
    found += _empty(paths)
    found += [finding for file in files for finding in rules.of_text(file)]
    unsound = [finding for file in files for finding in _beside(file, chart)]
    found += unsound
    # A preset that uses what is wrong beside it would be blamed for that too.
    wrong = {finding.file for finding in unsound}
    sound = [one for one in defined if one.file.name not in wrong or not one.claims]
    found += _of_definitions(sound, [file.path for file in files], chart)
    order = {file.name: at for at, file in enumerate(files)}
    found = sorted(_once(found), key=lambda one: (order.get(one.file, -1), one.line, one.message))
    presets = sum(one.is_preset for one in defined)
    if output != "table":
        document = {
            "apiVersion": constants.API_VERSION,
            "kind": "PresetLint",
            "files": len(files),
            "presets": presets,
            "findings": [vars(finding) for finding in found],
        }
        console.document(document, output)
    elif found:
        console.write("\n".join(map(str, found)))
    told = f"{counted(presets, 'preset')} in {counted(len(files), 'file')}: {counted(len(found), 'finding')}"
    console.say(told)
    return 1 if found else 0


def _once(found: Sequence[Finding]) -> list[Finding]:
    """Return the findings without those of a line that an anchor brings into other presets too."""
    known: dict[tuple[str, int, str], Finding] = {}
    for one in found:
        known.setdefault((one.file, one.line, one.message.removeprefix(f"presets.{one.preset}")), one)
    return list(known.values())


def _files(path: str) -> list[str]:
    return (
        sorted(str(file) for file in Path(path).iterdir() if file.suffix in _SUFFIXES) if _is_folder(path) else [path]
    )


def _is_folder(path: str) -> bool:
    return Path(path).is_dir()


def _empty(paths: Sequence[str]) -> list[Finding]:
    """Return what to say of folders in which there is nothing to look at, as of a path that is wrong."""
    message = "a folder without any .yaml or .yml file; name one that has files of presets"
    return [Finding(file=path, line=1, rule="file", message=message) for path in paths if not _files(path)]


def _opened(paths: Sequence[str]) -> tuple[list[PresetFile], list[Finding]]:
    files, found = [], []
    ours = assets.presets().resolve()
    for path in dict.fromkeys(paths):
        try:
            files.append(library.open_file(path, is_ours=Path(path).resolve().parent == ours))
        except errors.BadInputError as error:
            place = _PLACE.fullmatch(str(error))
            name, line, message = place.groups() if place else (path, None, str(error))
            found.append(Finding(file=str(name), line=int(line or 1), rule="file", message=str(message)))
    return files, found


def _beside(file: PresetFile, chart: str) -> Iterator[Finding]:
    """Yield what the chart has against claims, levels and the like of a file, each on its own line."""
    written = Written()
    written.lay(file.name, file.data)
    for path, text in preset_trials.beside(file, chart):
        sources = (written.source(*path[:length]) for length in range(len(path), 0, -1))
        yield of_file(file, "schema", text, next((found.line for found in sources if found and found.line), 1))


def _of_definitions(defined: Sequence[Definition], own: Sequence[Path], chart: str) -> list[Finding]:
    """Return what is wrong with presets: by their texts, then by the schema, then by the chart's composition."""
    schema = Schema.of(chart)
    others = [one for one in library.definitions(library.read(assets.presets())) if one.file.path not in own]
    presets = [one for one in defined if one.is_preset]
    found = [finding for one in presets for finding in rules.of_definition(one, schema)]
    found += [*rules.twice(presets, others), *shared.findings(presets)]
    found += [finding for batch in preset_trials.batches(presets) for finding in _unfit(batch, chart)]
    stopped = {(finding.file, finding.preset) for finding in found if finding.rule in _STOPS}
    sound = [one for one in presets if (one.file.name, one.name) not in stopped]
    for batch in preset_trials.batches(sound):
        refused = preset_trials.tried(batch, chart).refused
        found += [
            of_preset(one, "composition", f"presets.{one.name}: a group that takes it is refused: {refused[one.name]}")
            for one in batch
            if one.name in refused
        ]
    return found


def _unfit(batch: Sequence[Definition], chart: str) -> Iterator[Finding]:
    """Yield what the schema has against presets of a batch, each on its own line of their files."""
    by_name = {one.name: one for one in batch}
    for path, text in preset_trials.complaints(batch, chart):
        one = by_name.get(path[1]) if len(path) > 1 and path[0] == library.PRESETS else None
        if one:
            yield of_preset(one, "schema", text, rules.line_of(one, path[2:]))
        elif batch:
            yield of_preset(batch[0], "schema", text)
