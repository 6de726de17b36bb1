"""What every backend says of the gangs of a plan, in the same order and with the same words before it."""

from __future__ import annotations

import pytest

from helm_roster import backend_base
from helm_roster.backend_base import TOPICS, Topic

from tests.unit.builders import gang, group, plan

KEEPS: dict[Topic, str] = {topic: f"its word on {topic}" for topic in TOPICS}
GROUPS = {"learner": group(4), "rollout": group(8), "scorer": group(2)}


def topics(lines: list[str]) -> list[str]:
    return [line.partition(":")[0] for line in lines]


def test_topics_come_once_for_all_gangs_and_in_one_order() -> None:
    gangs = {"a": gang(learner=(4, False)), "b": gang(rollout=(2, True))}
    assert topics(backend_base.promises(KEEPS, plan(GROUPS, gangs))) == list(TOPICS)


def test_the_first_placement_names_the_minima_of_each_gang() -> None:
    gangs = {"a": gang(learner=(4, False), rollout=(2, True)), "b": gang(scorer=(2, False))}
    first = backend_base.promises(KEEPS, plan(GROUPS, gangs))[0]
    assert first == "first placement: its word on first placement (a: 4 learner, 2 rollout; b: 2 scorer)"


@pytest.mark.parametrize("where", ["gang", "member"])
def test_locality_of_fixed_members_is_spoken_of(where: str) -> None:
    entry = gang(learner=(4, False))
    (entry if where == "gang" else entry["members"]["learner"])["locality"] = {"within": "rack"}
    assert "extras and locality" in topics(backend_base.promises(KEEPS, plan(GROUPS, {"a": entry})))


def test_without_elastic_members_and_locality_nothing_is_said_of_extras() -> None:
    said = topics(backend_base.promises(KEEPS, plan(GROUPS, {"a": gang(learner=(4, False))})))
    assert said == [topic for topic in TOPICS if topic != "extras and locality"]


def test_jobs_alone_have_no_rolling_update() -> None:
    asked = plan({"worker": group(4, kind="Job")}, {"train": gang(worker=(4, False))}, kind="job")
    assert "rolling update" not in topics(backend_base.promises(KEEPS, asked))


def test_without_gangs_nothing_is_promised() -> None:
    assert backend_base.promises(KEEPS, plan(GROUPS)) == []
