"""What we know of Helm's flags, compared with the help of the real programs."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from helm_roster.helm import flags

from tests.support.runner import Runner

_LINE = re.compile(r"^\s+(?:-\w, )?(--[\w-]+)(?: (\S+))?  ", re.MULTILINE)
_VERBS = ("install", "upgrade", "template")


def documented(helm: Runner, verb: str) -> Iterator[tuple[str, bool]]:
    """Yield the flags of a verb, and whether each stands alone: it has no type, or its value is optional."""
    for name, kind in _LINE.findall(helm(verb, "--help").stdout):
        yield name, not kind or "[=" in kind


@pytest.mark.parametrize("verb", _VERBS)
def test_we_know_which_flags_stand_alone(helm: Runner, verb: str) -> None:
    found = {name: alone for name, alone in documented(helm, verb) if name != "--server-side"}
    wrong = {name for name, alone in found.items() if (name in flags.STANDALONE) != alone}
    assert len(found) > 30
    assert wrong == set()


@pytest.mark.parametrize("verb", ["install", "upgrade"])
def test_what_we_hand_to_template_it_knows(helm: Runner, verb: str) -> None:
    known = dict(documented(helm, "template"))
    words = [name if alone else f"{name}=x" for name, alone in documented(helm, verb)]
    handed = {word.partition("=")[0] for word in flags.for_template(words)}
    assert handed - set(known) == set()
