"""No leaf of a merge may be without an effect: tables and random patches made from the object itself."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helm_roster import errors
from helm_roster.manifests import lists
from helm_roster.manifests.lists import ROOT, Field
from helm_roster.patches import pointers

from tests.unit.patches.objects import LABELS, POD, WORKLOAD, Json, changed, patch

STRATEGY = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
ROLLED = copy.deepcopy(WORKLOAD) | {"spec": {**WORKLOAD["spec"], "strategy": STRATEGY}}
# In these the patch states all that stays, so a value of theirs may stay as it is.
ALONE = {Field("spec", "volumes"), Field("spec", "strategy"), Field("containers", "env")}


def leaves(data: Any, field: Field = ROOT, at: str = "", *, alone: bool = False) -> Iterator[tuple[str, Any]]:
    """Yield the pointer of every value of an object, and the merge that says this value and nothing else."""
    if field in lists.SETS:
        yield from ((f"{at}/{word}", [word]) for word in data)
    elif isinstance(data, list) and (keys := lists.keys(field)):
        for entry in data:
            named = {key: entry[key] for key in keys if key in entry}
            here = f"{at}{pointers.text([entry[keys[0]]])}"
            rest = {key: value for key, value in entry.items() if key not in named}
            below = leaves(rest, field.entry, here, alone=field in ALONE) if rest else [(here, {})]
            yield from ((path, [{**named, **body}]) for path, body in below)
    elif isinstance(data, dict) and data:
        for key, value in data.items():
            inside = leaves(value, field.below(key), f"{at}{pointers.text([key])}", alone=field.below(key) in ALONE)
            for path, body in inside:
                yield (at if alone and not isinstance(value, dict) else path), {key: body}
    else:
        yield at, data


OF_PODS = dict(leaves(POD))
OF_WORKLOADS = {path: body for path, body in leaves(ROLLED) if path.startswith("/spec/strategy/")}
OF_WORKLOADS["/spec/strategy"] = {"spec": {"strategy": STRATEGY}}
LIVE: Json = {"metadata": {"annotations": {"new": "x"}}, "spec": {"hostPID": True}}


def refused(body: Any, target: str = "pod") -> str:
    with pytest.raises(errors.BadInputError, match=r"^patches\.decode\.x: merge") as caught:
        changed(patch("merge", body, target), ROLLED)
    return str(caught.value)


@pytest.mark.parametrize("path", OF_PODS)
def test_a_value_that_is_there_already_is_refused_by_its_path(path: str) -> None:
    assert f"merge ({path}): it is " in refused(OF_PODS[path])


@pytest.mark.parametrize("path", OF_PODS)
def test_a_value_that_is_there_already_is_refused_beside_one_that_is_not(path: str) -> None:
    body = OF_PODS[path]
    both = {key: {**LIVE.get(key, {}), **body.get(key, {})} for key in LIVE}
    assert f"merge ({path}): it is " in refused(both)


def test_the_table_holds_values_of_every_kind_of_list() -> None:
    paths = " ".join(OF_PODS)
    kinds = ("/args ", "/env/A", "/env/B/valueFrom/fieldRef/fieldPath", "/ports/8000/name", "/~1cache/name",
             "/add/IPC_LOCK", "/volumes/cache/emptyDir/medium", "/tolerations/gpu", "/labels/team")  # fmt: skip
    assert [kind for kind in kinds if kind not in paths] == []


ALSO: list[tuple[Json, str]] = [
    ({"spec": {}}, "/spec"),
    ({"spec": {"containers": []}}, "/spec/containers"),
    ({"spec": {"containers": [{"name": "main"}]}}, "/spec/containers/main"),
    ({"spec": {"volumes": [{"$patch": "replace"}, *POD["spec"]["volumes"]]}}, "/spec/volumes"),
    ({"metadata": {"$patch": "replace", **POD["metadata"]}}, "/metadata"),
    ({"spec": {"hostPID": None}}, "/spec/hostPID"),
    ({"spec": {"affinity": {"$patch": "delete"}}}, "/spec/affinity"),
    ({"spec": {"volumes": [{"name": "x", "$patch": "delete"}]}}, "/spec/volumes/x"),
    ({"metadata": {"annotations": {"a/b": None}}}, "/metadata/annotations/a~1b"),
]


@pytest.mark.parametrize(("body", "path"), ALSO)
def test_what_says_nothing_is_refused_by_its_path(body: Json, path: str) -> None:
    assert f"merge ({path}): it is " in refused(body)


@pytest.mark.parametrize("path", OF_WORKLOADS)
def test_a_strategy_that_is_there_already_is_refused(path: str) -> None:
    said = refused(OF_WORKLOADS[path], "workload")
    assert re.search(rf"merge \({path}[^)]*\): it is ", said)


def test_what_is_stated_only_to_keep_it_is_no_dead_leaf() -> None:
    slower = {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 2}}}}
    assert changed(patch("merge", slower, "workload"), ROLLED)["spec"]["strategy"]["type"] == "RollingUpdate"


def test_the_whole_in_place_of_itself_is_refused() -> None:
    assert "merge: it is " in refused({"$patch": "replace", **POD})


def test_an_empty_merge_is_refused() -> None:
    assert "merge: it is empty: say what to change" in refused({})


def test_two_entries_that_mean_one_are_refused() -> None:
    twice = [{"name": "A", "value": "2"}, {"name": "A", "value": "3"}]
    said = refused({"spec": {"containers": [{"name": "main", "env": twice}]}})
    assert '(/spec/containers/main/env): two of its entries mean one, the second of them {"name": "A"' in said


def test_an_entry_may_be_deleted_and_made_anew() -> None:
    anew = [{"name": "fetch", "$patch": "delete"}, {"name": "fetch", "image": "fetch:2"}]
    spec = changed(patch("merge", {"spec": {"initContainers": anew}}))["spec"]["template"]["spec"]
    assert spec["initContainers"] == [{"name": "fetch", "image": "fetch:2"}]


def some(values: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries({}, optional=values).filter(bool)


def named(values: dict[str, st.SearchStrategy[Any]], *names: str) -> st.SearchStrategy[list[Json]]:
    entries = [some(values).map(lambda entry, name=name: {"name": name, **entry}) for name in names]
    return st.lists(st.one_of(entries), unique_by=lambda entry: str(entry["name"]), min_size=1, max_size=len(names))


def seldom(dead: Any, live: list[Any]) -> st.SearchStrategy[Any]:
    """Draw a value that changes the object, and one time in many one that is there (or is not there) already."""
    return st.sampled_from([*live * (12 // len(live)), dead])


CONTAINERS = named(
    {
        "image": seldom("engine:1", ["engine:2", "engine:3"]),
        "args": seldom(["--tp=1"], [["--tp=2"], ["--tp=3"]]),
        "env": named({"value": seldom("1", ["2", "3"])}, "A", "C"),
        "ports": seldom([{"containerPort": 8000, "name": "http"}], [[{"containerPort": 8000, "hostPort": 1}]]),
        "securityContext": some(
            {"capabilities": some({"add": seldom(["IPC_LOCK"], [["SYS_TIME"]])}), "privileged": seldom(None, [True])}
        ),
    },
    "main",
    "proxy",
)
VOLUMES = named({"emptyDir": some({"medium": st.just("Memory"), "sizeLimit": seldom("1Gi", ["2Gi"])})}, "cache", "b")
BODIES = some(
    {
        "metadata": some({"labels": some({"team": seldom("a", ["b", None]), "z": seldom(None, ["1"])})}),
        "spec": some(
            {
                "containers": CONTAINERS,
                "hostPID": seldom(None, [True]),
                "volumes": VOLUMES,
                "tolerations": seldom([{"key": "gpu", "operator": "Exists"}], [[{"key": "x"}]]),
            }
        ),
    }
)
UNSELECTED = WORKLOAD | {"spec": WORKLOAD["spec"] | {"selector": {"matchLabels": LABELS}}}


def attempt(body: Json) -> Json | str:
    """Return the patched object, or why it is not."""
    try:
        return changed(patch("merge", body), UNSELECTED)
    except errors.BadInputError as cause:
        return str(cause)


def without_a_leaf(body: Any) -> Iterator[Any]:
    """Yield the patch without each of its leaves in turn; what an entry is called is none."""
    steps = body.items() if isinstance(body, dict) else enumerate(body) if isinstance(body, list) else ()
    for step, value in steps:
        if step == "name":
            continue
        less = copy.copy(body)
        if isinstance(value, dict | list) and value and any(map(lambda key: key != "name", value)):  # noqa: C417
            for inner in without_a_leaf(value):
                less[step] = inner
                yield copy.deepcopy(less)
        else:
            del less[step]
            yield less


@given(BODIES)
def test_no_leaf_of_a_merge_that_is_taken_may_be_missing(body: Json) -> None:
    made = attempt(body)
    assume(not isinstance(made, str))
    for less in without_a_leaf(body):
        assert attempt(less) != made, less
