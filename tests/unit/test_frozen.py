"""Frozen values with named fields."""

from __future__ import annotations

import pytest

from helm_roster.frozen import Frozen


class Point(Frozen):
    """A place."""

    x: int
    y: int = 0


def test_a_record_has_its_fields_and_their_defaults() -> None:
    assert (Point(x=1).x, Point(x=1).y, repr(Point(x=1))) == (1, 0, "Point(x=1, y=0)")


def test_records_are_equal_by_what_they_hold() -> None:
    assert Point(x=1) == Point(x=1, y=0) != Point(x=2)
    assert len({Point(x=1), Point(x=1), Point(x=2)}) == 2


@pytest.mark.parametrize("values", [{}, {"x": 1, "z": 1}], ids=["missing", "unknown"])
def test_a_record_takes_its_own_fields_only(values: dict[str, int]) -> None:
    with pytest.raises(TypeError, match=r"Point has the fields x, y; missing or unknown: [xz]"):
        Point(**values)


def test_a_record_cannot_be_changed_but_replaced() -> None:
    point = Point(x=1, y=2)
    with pytest.raises(AttributeError, match="frozen"):
        point.x = 3  # type: ignore[misc]
    assert (point.replace(x=3), point) == (Point(x=3, y=2), Point(x=1, y=2))
