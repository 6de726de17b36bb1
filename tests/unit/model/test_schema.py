"""The chart's schema as advice reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_roster.model.schema import Schema

from tests.support.roster import CHART

SCHEMA = Schema.of(CHART)


@pytest.mark.parametrize(
    ("path", "merged"),
    [
        ("groups.a.container.env", True),
        ("defaults.environment.tolerations", True),
        ("presets.platform/h200.volumes", True),
        ("groups.a.container.args", False),
        ("groups.a.container.image", False),
    ],
)
def test_lists_that_merge_by_key_are_known(path: str, merged: object) -> None:
    assert SCHEMA.is_merged_list(path.split(".")) is merged


@pytest.mark.parametrize(("path", "closed"), [("groups.a", True), ("groups.a.environment.affinity", False)])
def test_maps_of_ours_are_closed_and_those_of_kubernetes_open(path: str, closed: object) -> None:
    assert SCHEMA.is_closed(path.split(".")) is closed


def test_a_path_that_nothing_describes_has_no_node() -> None:
    assert SCHEMA.node(["groups", "a", "nothing", "below"]) == {}


def test_a_chart_that_is_no_folder_describes_nothing(tmp_path: Path) -> None:
    assert Schema.of(tmp_path / "chart.tgz").nearest(["groups"], "a") is None


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("image", "groups.a.container.image"),
        ("replica", "groups.a.replicas"),
        ("waitFor", "groups.a.init.NAME.waitFor"),
    ],
)
def test_a_key_in_the_wrong_place_is_found_where_it_belongs(key: str, meant: str) -> None:
    assert SCHEMA.nearest(["groups", "a"], key) == meant
