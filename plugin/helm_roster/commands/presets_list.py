"""``helm roster presets list``: the presets of the library and of given files, with what each selects.

As JSON: ``{"apiVersion": "helm-roster.dev/v1alpha1", "kind": "PresetList", "presets": [{"name", "file", "line",
"library", "about", "selects"}]}``. ``library`` tells whether it comes with the tool; ``about`` is the head of its file.
``selects`` has only the keys that say something: ``model``; ``resource`` or ``deviceClass`` and ``selectors``;
``perNode``, ``topology``; ``nodeSelector``, ``requireNodes``, ``tolerations`` (keys of taints); ``devices``,
``networks``, ``claims`` (names); ``fillsNode``; ``role``, ``router`` of profiles; ``sets``, its fields; ``levels``, by
which files without presets name the levels of a topology; these have the file's name.
"""

from __future__ import annotations

from collections.abc import Sequence

from helm_roster import assets, constants
from helm_roster.presets import library, selects
from helm_roster.report import console, preset_tables


def run(words: Sequence[str], files: Sequence[str], *, output: str) -> None:
    """Print the presets that all ``words`` fit; none is no error.

    Raises:
        BadInputError: A file is not there, or is no values file.
    """
    folder = assets.presets()
    found = [one for one in library.definitions(library.read(folder, files)) if selects.is_like(one, tuple(words))]
    document = {
        "apiVersion": constants.API_VERSION,
        "kind": "PresetList",
        "presets": [
            {
                "name": one.name,
                "file": str(one.file.path) if one.file.is_ours else one.file.name,
                "line": one.line,
                "library": one.file.is_ours,
                "about": one.file.head.about,
                "selects": selects.summary(one),
            }
            for one in sorted(found, key=lambda one: one.name)
        ],
    }
    if output != "table":
        console.document(document, output)
    elif found:
        console.show(preset_tables.listed(document), "", f"files of the library: {folder}")
    else:
        console.say(f"no preset is like {' '.join(words)}" if words else "there are no presets")
