"""Which pods stand together: what is refused whoever places them."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import all_backends

from tests.unit.builders import gang, group, plan

LEVELS = {
    name: {"within": name, "label": f"example.org/{name}", "tier": tier, "topology": "cluster"}
    for name, tier in (("rack", 1), ("block", 2))
}


def refused(backend: str, own: dict[str, Any], of_member: dict[str, Any]) -> list[str]:
    """Return what a backend refuses of a gang with a locality, one of whose members has another."""
    step = gang(learner=(2, False), actor=(2, False)) | {"locality": own}
    step["members"]["learner"]["locality"] = of_member
    asked = plan({"learner": group(2), "actor": group(2)}, {"step": step}, backend=backend, queue="team")
    return [refusal for refusal in all_backends.PLACEMENT[backend].check(asked) if "wider" in refusal]


@pytest.mark.parametrize("backend", ["volcano", "kai", "native"])
def test_a_level_wider_than_that_of_the_whole_gang_is_refused(backend: str) -> None:
    (refusal,) = refused(backend, LEVELS["rack"], LEVELS["block"])
    assert refusal == (
        'groups.learner.locality is within block (tier 2), wider than rack (tier 1), within which all of gang "step" '
        "is: remove it, or exchange the two"
    )


@pytest.mark.parametrize(
    ("own", "of_member"),
    [
        pytest.param(LEVELS["block"], LEVELS["rack"], id="narrower"),
        pytest.param(LEVELS["rack"] | {"required": False}, LEVELS["block"], id="the gang may leave its own"),
        pytest.param(LEVELS["rack"], LEVELS["block"] | {"tier": "block"}, id="the order is not known"),
        pytest.param(LEVELS["rack"], LEVELS["rack"], id="the same"),
    ],
)
def test_a_level_that_may_hold_less_is_not(own: dict[str, Any], of_member: dict[str, Any]) -> None:
    assert refused("volcano", own, of_member) == []
