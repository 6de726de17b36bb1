"""What happens to one group leaves every byte of the others: as rendered, and after the post-renderer.

Only grouping objects, which belong to gangs, may change with a member.
"""

from __future__ import annotations

import copy
import dataclasses
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from helm_roster import all_backends, constants
from helm_roster.render import pipeline, stream

from tests.chart.rendering import Chart, Values
from tests.support.roster import CHART, EXAMPLES

FILES = [*sorted(CHART.glob("ci*/*.yaml")), *sorted(EXAMPLES.glob("0[36]-*/values.yaml"))]
LOADED = {f"{file.parent.name}-{file.stem}": yaml.load(file.read_text(), yaml.CSafeLoader) for file in FILES}
GROUPS = [(file, group) for file, values in LOADED.items() for group in values["groups"]]
every_group = pytest.mark.parametrize(("file", "group"), GROUPS, ids=map("-".join, GROUPS))
GROUPING = {kind.kind for backend in all_backends.PLACEMENT.values() for kind in backend.GROUPING_KINDS}
Found = dict[str, "Text"]


@dataclasses.dataclass(frozen=True)
class Text:
    """The bytes of one object, and the group that it belongs to; "" for what all share."""

    group: str
    text: str


def rendered(chart: Chart, values: Values) -> tuple[Found, Found]:
    """Return the objects by kind and name, as the chart and as the post-renderer print them."""
    text = chart.text(values)
    return _read(text), _read(pipeline.render(text).text)


def _read(text: str) -> Found:
    found = {}
    for document in stream.split(text):
        made: Any = document.load()
        if made and made["kind"] not in GROUPING | {constants.CARRIER_KIND}:
            metadata = made["metadata"]
            group = metadata["labels"].get(constants.GROUP_LABEL, "")
            found[f"{made['kind']}/{metadata['name']}"] = Text(group, document.text.strip())
    return found


def others(found: Found, *groups: str) -> Found:
    return {name: entry for name, entry in found.items() if entry.group not in groups}


_BEFORE: dict[str, tuple[Found, Found]] = {}


def before(chart: Chart, file: str) -> tuple[Found, Found]:
    """Return what the file renders, which is looked at once."""
    if file not in _BEFORE:
        _BEFORE[file] = rendered(chart, LOADED[file])
    return _BEFORE[file]


def with_groups(file: str, change: Callable[[Values], None]) -> Values:
    values = copy.deepcopy(LOADED[file])
    change(values["groups"])
    return values


def changed(group: Values | None) -> Values:
    """Return a group with another image, one more variable, and one more replica, but for a router of one."""
    made = copy.deepcopy(group or {})
    container = made.setdefault("container", {})
    container["image"] = "example/new:9"
    new = {"NEW": "1"}
    if isinstance(container.get("env"), list):
        container["env"] = [*container["env"], *({"name": name, "value": value} for name, value in new.items())]
    else:
        container["env"] = {**container.get("env", {}), **new}
    if made.get("router") is not True:
        made["replicas"] = made.get("replicas", made.get("autoscaling", {}).get("min", 1)) + 1
    return made


@every_group
def test_a_changed_group_changes_its_own_objects_alone(chart4: Chart, file: str, group: str) -> None:
    values = with_groups(file, lambda groups: groups.update({group: changed(groups[group])}))
    for was, now in zip(before(chart4, file), rendered(chart4, values), strict=True):
        assert others(now, group) == others(was, group)
        assert now != was


@pytest.mark.parametrize("file", LOADED)
def test_an_added_group_changes_no_other(chart4: Chart, file: str) -> None:
    image = {"image": "example/new:1"}
    new = {"aaa": {"container": image}, "zzz-z": {"replicas": 2, "container": {**image, "ports": {"new": 1}}}}
    values = with_groups(file, lambda groups: groups.update(copy.deepcopy(new)))
    for was, now in zip(before(chart4, file), rendered(chart4, values), strict=True):
        assert others(now, *new) == was
        assert {entry.group for entry in now.values()} >= set(new)


@every_group
def test_a_removed_group_changes_no_other_or_is_still_needed(chart4: Chart, file: str, group: str) -> None:
    values = with_groups(file, lambda groups: groups.pop(group))
    done = chart4.known(values)
    if done.returncode:
        assert f'"{group}"' in done.stderr or "at least one is primary" in done.stderr
        return
    for was, now in zip(before(chart4, file), rendered(chart4, values), strict=True):
        assert now == {name: entry for name, entry in others(was, group).items() if entry.group or name in now}


@every_group
def test_a_renamed_group_changes_none_but_those_that_name_it(chart4: Chart, file: str, group: str) -> None:
    made = rendered(chart4, renamed(LOADED[file], group))
    requiring = naming(file, group)
    bound = [*requiring, *mates(file, group)]  # another member makes another gang, which the pods then name
    for was, now, spared in zip(before(chart4, file), made, (requiring, bound), strict=True):
        assert others(now, "other", *spared) == others(was, group, *spared)
        assert "other" in {entry.group for entry in now.values()}


def renamed(values: Values, group: str) -> Values:
    """Return the values with a group called "other", wherever it is named."""
    made = copy.deepcopy(values)
    gangs = made.get("scheduling", {}).get("gangs", {}).values()
    for names in [made["groups"], made.get("patches", {}), *(gang["members"] for gang in gangs)]:
        if group in names:
            names["other"] = names.pop(group)
    for name, settings in made["groups"].items():
        made["groups"][name] = json.loads(re.sub(f'"{group}"(?!:)', '"other"', json.dumps(settings)))
    return made


def naming(file: str, group: str) -> list[str]:
    """Return the groups that require, serve, read or wait for this one."""
    groups = LOADED[file]["groups"].items()
    return [name for name, settings in groups if re.search(f'"{group}"(?!:)', json.dumps(settings))]


def mates(file: str, group: str) -> list[str]:
    """Return the members of the group's gang."""
    gangs = LOADED[file].get("scheduling", {}).get("gangs", {}).values()
    return [name for gang in gangs if group in gang["members"] for name in gang["members"]]
