"""Which presets are tried together."""

from __future__ import annotations

from pathlib import Path

from helm_roster.commands import preset_trials

from tests.unit.presets.files import definitions

CLAIM = "claims: {{imex: {{claim: {}}}}}\npresets:\n  t/{}: {{claims: [imex]}}\n"


def test_presets_are_tried_together_unless_a_name_would_mean_two_things(tmp_path: Path) -> None:
    texts = {"a": CLAIM.format("x", "a"), "b": CLAIM.format("x", "b"), "c": CLAIM.format("y", "c")}
    texts["d"] = CLAIM.format("y", "a")
    found = preset_trials.batches(definitions(tmp_path, **texts))
    names = [[f"{one.file.path.stem}: {one.name}" for one in batch] for batch in found]
    assert names == [["a: t/a", "b: t/b"], ["c: t/c", "d: t/a"]]
