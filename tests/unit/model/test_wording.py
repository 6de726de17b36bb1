"""Words that many messages share."""

from __future__ import annotations

import pytest

from helm_roster.model import wording


@pytest.mark.parametrize(
    ("words", "told"),
    [([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c", "d"], "a, b and 2 more")],
)
def test_a_few_are_named_and_the_rest_counted(words: list[str], told: str) -> None:
    assert wording.few(words, 2) == told


@pytest.mark.parametrize(
    ("number", "noun", "told"),
    [(1, "pod", "1 pod"), (2, "pod", "2 pods"), (2, "NetworkPolicy", "2 NetworkPolicies"), (1, "Ingress", "1 Ingress"),
     (2, "Ingress", "2 Ingresses"), (2, "Endpoints", "2 Endpoints"), (0, "Job", "0 Jobs"),
     (2, "Gateway", "2 Gateways")],
)  # fmt: skip
def test_several_are_told_in_the_plural(number: int, noun: str, told: str) -> None:
    assert wording.counted(number, noun) == told


def test_a_verb_goes_with_its_number() -> None:
    assert [wording.agreed(number, "wait") for number in (1, 2)] == ["waits", "wait"]


VICTIMS = "pod group preemption: No preemption victims found for incoming preemptor"


@pytest.mark.parametrize("between", [", ", ". ", " ", "; "])
def test_a_phrase_that_is_repeated_on_end_is_told_once(between: str) -> None:
    said = between.join(["0/4 nodes are available: 4 Insufficient cpu", *[VICTIMS] * 4, "more"])
    assert wording.once(said) == between.join(["0/4 nodes are available: 4 Insufficient cpu", VICTIMS, "more"])


@pytest.mark.parametrize("said", ["", "no, no, no", f"{VICTIMS}s. {VICTIMS}", f"{VICTIMS}, then {VICTIMS}"])
def test_what_is_not_the_same_phrase_on_end_stays(said: str) -> None:
    assert wording.once(said) == said
