"""Who depends on whose count, and who is rolled out together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from helm_roster import constants
from helm_roster.manifests.walk import Manifest
from helm_roster.policy import changes, wiring
from helm_roster.policy.changes import Changes, GroupChange
from helm_roster.policy.wiring import Toggle

from tests.unit.builders import group, plan

READS = {"decode": ["hosts", "labels"], "store": ["service"]}
TOGETHER = ["decode", "prefill"]
GROUPS = {
    "router": group(1, router=True, serves=TOGETHER, reads=READS, coordinated=TOGETHER),
    "prefill": group(2, reads={"decode": ["count"], "store": ["pods", "count"]}, coordinated=TOGETHER),
    "decode": group(2, coordinated=TOGETHER),
    "store": group(1),
}
OPERATION = plan(GROUPS).operation


def test_only_forms_that_change_with_a_count_make_a_dependent() -> None:
    assert wiring.dependents(OPERATION, {"decode"}) == {
        "prefill": {"decode": ["count"]},
        "router": {"decode": ["hosts"]},
    }
    assert wiring.dependents(OPERATION, {"prefill"}) == {}


def test_groups_whose_pods_one_domain_counts_depend_on_each_other_and_on_themselves() -> None:
    both = {"a": ["computeDomain"], "b": ["computeDomain"]}
    operation = plan({"a": group(1, reads=both), "b": group(1, reads=both)}).operation
    assert wiring.dependents(operation, {"a"}) == {"a": {"a": ["computeDomain"]}, "b": {"a": ["computeDomain"]}}


def test_a_refusal_names_them_and_what_they_read() -> None:
    told = wiring.refusal(wiring.dependents(OPERATION, {"store", "decode"}), "--with-dependents")
    assert told == (
        "prefill and router depend on these counts (prefill reads decode (count) and store (count, pods); router reads "
        "decode (hosts)), so the pods of prefill and router would be replaced too: add --with-dependents to have it so"
    )


def rolling(*names: str) -> Changes:
    groups: list[Any] = [GroupChange(group=name, action="rolls", objects=()) for name in names]
    return changes.Changes(groups=tuple(groups), objects=())


def test_groups_that_are_rolled_out_together_are_told_when_one_rolls() -> None:
    (told,) = wiring.rolled(OPERATION, rolling("decode"), {})
    assert told.startswith("decode and prefill are rolled out together (rollout.coordinated): a change of one gives")
    assert list(wiring.rolled(OPERATION, rolling("store"), {})) == []


def test_where_that_begins_nothing_is_promised_of_what_runs() -> None:
    (told,) = wiring.rolled(OPERATION, rolling("decode", "prefill"), {"decode": Toggle(begins=True, differs=False)})
    assert told.startswith("from now on decode and prefill are rolled out together (rollout.coordinated): their pods")
    assert "of the revision" not in told


LABEL = "helm-roster.dev/revision"


def workload(revision: str = "", *, image: str = "a:1", kind: str = "Deployment") -> Manifest:
    """Return decode's workload, which selects prefill, of this revision or none."""
    labels = {"helm-roster.dev/leader": "true", **({LABEL: revision} if revision else {})}
    args = ["--x", f"helm-roster.dev/group=prefill,{LABEL}={revision}" if revision else SELECTS]
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "m", "image": image, "args": args}]}}
    spanning = {"leaderWorkerTemplate": {"size": 2, "leaderTemplate": template, "workerTemplate": {}}}
    spec = spanning if kind == "LeaderWorkerSet" else {"replicas": 2, "template": template}
    return {"kind": kind, "metadata": {"name": "op-decode", "labels": {constants.GROUP_LABEL: "decode"}}, "spec": spec}


SELECTS = "helm-roster.dev/group=prefill,helm-roster.dev/leader=true"


@pytest.mark.parametrize("kind", ["Deployment", "LeaderWorkerSet"])
@pytest.mark.parametrize(
    ("before", "after", "toggle"),
    [
        (("",), ("abc",), Toggle(begins=True, differs=False)),
        (("",), ("abc", "a:2"), Toggle(begins=True, differs=True)),
        (("abc",), ("",), Toggle(begins=False, differs=False)),
        (("abc",), ("", "a:2"), Toggle(begins=False, differs=True)),
        (("abc",), ("def", "a:2"), None),
        (("",), ("", "a:2"), None),
    ],
)
def test_a_revision_alone_makes_no_other_pods(
    kind: str, before: Sequence[str], after: Sequence[str], toggle: Toggle | None
) -> None:
    old, new = (workload(one[0], image=[*one, "a:1"][1], kind=kind) for one in (before, after))
    service = {"kind": "Service", "metadata": old["metadata"]}
    assert wiring.toggles([service, old], {"decode": new}) == ({"decode": toggle} if toggle else {})


def test_a_revision_may_come_where_pods_had_no_label_of_their_own() -> None:
    old, new = workload(), workload("abc")
    for one in (old, new):
        del one["spec"]["template"]["metadata"]["labels"]["helm-roster.dev/leader"]
        one["spec"]["template"]["spec"]["containers"][0]["command"] = ["x", f"{LABEL}=abc"] if one is new else ["x"]
    old["spec"]["template"]["spec"]["containers"][0]["args"] = ["--x", "helm-roster.dev/group=prefill"]
    assert wiring.toggles([old], {"decode": new}) == {"decode": Toggle(begins=True, differs=False)}


def test_pods_of_another_kind_or_size_are_others() -> None:
    differs = {"decode": Toggle(begins=True, differs=True)}
    assert wiring.toggles([workload()], {"decode": workload("abc", kind="LeaderWorkerSet")}) == differs
    larger = workload("abc", kind="LeaderWorkerSet")
    larger["spec"]["leaderWorkerTemplate"]["size"] = 4
    assert wiring.toggles([workload(kind="LeaderWorkerSet")], {"decode": larger}) == differs


@pytest.mark.parametrize(
    ("begins", "words"),
    [
        (True, "begins while its pods change otherwise too, so pods of router that run would find old and new ones "),
        (
            False,
            "ends while its pods change otherwise too, so pods of router that are new would find old and new ones ",
        ),
    ],
)
def test_versions_would_mix_where_it_begins_or_ends_with_another_version(begins: bool, words: str) -> None:  # noqa: FBT001
    (told,) = wiring.mixing(
        OPERATION, {"decode": Toggle(begins, differs=True), "prefill": Toggle(begins, differs=False)}
    )
    assert told.startswith(f"decode: rollout.coordinated {words}together: turn it ")
    assert list(wiring.mixing(OPERATION, {"decode": Toggle(begins, differs=False)})) == []
