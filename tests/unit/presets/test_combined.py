"""Which presets are looked at together."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_roster import errors
from helm_roster.presets import combined

from tests.unit.presets.files import definitions

FILE = """claims: {imex: {computeDomain: {}}}
presets:
  t/gpu: {accelerator: {resource: r.com/gpu}, environment: {nodeSelector: {a: b}}}
  t/tpu: {accelerator: {resource: r.com/tpu}}
  t/nic: {devices: {r.com/nic: {perAccelerator: 1}}, claims: [imex]}
  t/spot: {environment: {nodeSelector: {spot: "true"}}}
"""


@pytest.mark.parametrize(
    ("names", "seen"),
    [
        ([], []),
        (["t/nic"], ["t/nic"]),
        (["t/gpu", "t/gpu"], ["t/gpu"]),
        (["t/gpu", "t/nic"], ["t/gpu", "t/gpu+t/nic"]),
        (["t/nic", "t/gpu", "t/tpu"], ["t/gpu+t/nic", "t/tpu+t/nic", "t/gpu", "t/tpu"]),
        (["t/gpu", "t/spot"], ["t/gpu", "t/spot"]),
        (["t/gpu+t/spot", "t/nic"], ["t/gpu+t/spot", "t/gpu+t/spot+t/nic"]),
        (["t/nic+t/spot", "t/gpu"], ["t/gpu+t/nic+t/spot", "t/gpu"]),
    ],
)
def test_a_fabric_is_beside_accelerators_that_are_named_and_others_by_a_plus(
    tmp_path: Path, names: list[str], seen: list[str]
) -> None:
    assert [one.name for one in combined.asked(names, definitions(tmp_path, a=FILE))] == seen


def test_what_is_taken_together_says_what_all_of_them_say(tmp_path: Path) -> None:
    (one,) = combined.asked(["t/gpu+t/spot+t/nic"], definitions(tmp_path, a=FILE))
    assert one.plain["environment"] == {"nodeSelector": {"a": "b", "spot": "true"}}
    assert (one.plain["accelerator"], list(one.claims)) == ({"resource": "r.com/gpu"}, ["imex"])


def test_a_name_in_it_that_is_not_there_is_told_alone(tmp_path: Path) -> None:
    with pytest.raises(errors.BadInputError, match=r'there is no preset "t/nix" \(did you mean "t/nic"'):
        combined.asked(["t/gpu+t/nix"], definitions(tmp_path, a=FILE))
