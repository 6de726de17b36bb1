"""Helm 3 and Helm 4 by turns, for the cases of a test that differ by other things than Helm."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest


def by_turns(name: str, cases: Iterable[object], ids: Iterable[object] | None = None) -> pytest.MarkDecorator:
    """Parametrize a test by its cases, with Helm 3 for the first, Helm 4 for the second and so on."""
    cases = list(cases)
    named = zip(itertools.cycle((3, 4)), cases, cases if ids is None else ids, strict=False)
    pairs = [pytest.param(major, case, id=f"helm{major}-{label}") for major, case, label in named]
    return pytest.mark.parametrize(("helm", name), pairs, indirect=["helm"])
