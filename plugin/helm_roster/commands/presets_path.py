"""``helm roster presets path``: the folder of the library, or the file of a preset, for ``-f``."""

from __future__ import annotations

from collections.abc import Sequence

from helm_roster import assets, errors
from helm_roster.presets import library
from helm_roster.report import console


def run(name: str | None, files: Sequence[str]) -> None:
    """Print one path; ``name`` is a preset's, or a file's of the library with or without its ending.

    Raises:
        BadInputError: There is none of that name.
    """
    folder = assets.presets()
    if name is None:
        console.write(str(folder))
        return
    known = library.read(folder, files)
    stem = name.removesuffix(".yaml")
    try:
        found = library.find(name, list(library.definitions(known))).file
    except errors.BadInputError:
        of_file = next((file for file in known if file.path.stem == stem), None)
        if of_file is None:
            raise
        found = of_file
    console.write(str(found.path))
