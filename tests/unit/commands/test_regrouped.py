"""What the restarts of gangs aim at."""

from __future__ import annotations

from helm_roster.commands import regrouped
from helm_roster.commands.regrouped import Regrouped
from helm_roster.policy.regrouping import Restart

from tests.unit.builders import gang, group, plan

TEAM = {"backend": "kueue", "queue": "team"}


def test_all_members_are_to_be_placed_and_of_what_leaves_the_gang_nothing_but_its_old_pods_are_to_go() -> None:
    groups = {"learner": group(2), "scorer": group(1), "actor": group(4)}
    asked = plan(groups, {"step": gang(learner=(2, False), scorer=(1, False))}, admission=TEAM)
    stays = Restart(gang="step", reasons=("member actor removed",), groups=("learner",))
    leaves = Restart(gang="step", reasons=("actor leaves it",), groups=("actor",))
    found = {aim.group: (aim.minimum, bool(aim.name)) for aim in regrouped.aims(Regrouped((stays, leaves)), asked)}
    assert found == {"learner": (2, True), "scorer": (1, True), "actor": (0, False)}
