"""Helm 3 and Helm 4 by turns, for the cases of a test that differ by other things than Helm."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import pytest


def by_turns(
    names: str | tuple[str, ...], cases: Iterable[Any], ids: Iterable[object] | None = None
) -> pytest.MarkDecorator:
    """Parametrize a test by its cases, with Helm 3 for the first, Helm 4 for the second and so on.

    A case of several names is a tuple, and called by its number unless `ids` calls it otherwise.
    """
    several, cases = isinstance(names, tuple), list(cases)
    labels = ids or (range(len(cases)) if several else cases)
    turns = zip(itertools.cycle((3, 4)), cases, labels, strict=False)
    pairs = [
        pytest.param(major, *(case if several else [case]), id=f"helm{major}-{label}") for major, case, label in turns
    ]
    return pytest.mark.parametrize(("helm", *(names if several else [names])), pairs, indirect=["helm"])
