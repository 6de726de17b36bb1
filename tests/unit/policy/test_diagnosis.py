"""What doctor says of what it found."""

from __future__ import annotations

import pytest

from helm_roster.policy import diagnosis
from helm_roster.policy.diagnosis import Tried
from helm_roster.policy.references import Kind, Reference


@pytest.mark.parametrize(
    ("version", "state"),
    [((3, 14, 0), "ok"), ((3, 22, 0), "ok"), ((4, 1, 4), "warning"), ((4, 2, 0), "ok"), ((4, 3, 1), "ok")],
)
def test_the_first_helms_4_are_warned_of(version: tuple[int, int, int], state: str) -> None:
    assert diagnosis.helm(version, "/bin/helm").state == state


@pytest.mark.parametrize(
    ("installed", "state", "words"),
    [
        ({}, "ok", "helm-roster setup, if"),
        ({"roster": "0.2.0"}, "ok", ""),
        ({"roster": "0.2.0", "roster-postrender": "0.1.0"}, "warning", "helm-roster setup renews"),
    ],
)
def test_a_plugin_of_another_version_is_warned_of(installed: dict[str, str], state: str, words: str) -> None:
    found = diagnosis.plugin("roster", installed, "0.2.0")
    assert (found.state, found.remedy[: len(words)]) == (state, words)


@pytest.mark.parametrize(("version", "state"), [("v1.28.9", "failed"), ("v1.29.0", "ok"), ("v1.37.2+k3s1", "ok")])
def test_a_cluster_that_is_too_old_fails(version: str, state: str) -> None:
    assert diagnosis.kubernetes(version).state == state


@pytest.mark.parametrize(
    ("client", "server", "state"),
    [
        (None, "v1.37.2", "warning"),
        ("v1.36.0", "v1.37.2", "ok"),
        ("v1.35.0", "v1.37.2", "warning"),
        ("v1.20.0", None, "ok"),
    ],
)
def test_kubectl_should_be_near_the_cluster(client: str | None, server: str | None, state: str) -> None:
    assert diagnosis.kubectl(client, server).state == state


def test_a_missing_right_fails_and_is_named() -> None:
    found = diagnosis.rights(["create jobs.batch", "list pods"], "team")
    assert (found.state, found.found) == ("failed", 'in namespace "team" you may not create jobs.batch, list pods')


def test_records_outside_of_the_cluster_fail() -> None:
    found = diagnosis.driver("sql")
    assert (found.state, found.found[:15]) == ("failed", "HELM_DRIVER=sql")


def test_kinds_that_are_absent_share_a_remedy() -> None:
    found = diagnosis.kinds({"A (x/v1)": "install x", "B (x/v1)": "install x", "C (y/v1)": ""}, asked=5)
    assert (found.state, found.remedy) == ("failed", "install x")


@pytest.mark.parametrize(
    ("enabled", "state", "remedy"),
    [
        ({"One": True, "Two": True}, "ok", ""),
        ({"One": True, "Two": False}, "failed", "--feature-gates=Two=true on"),
        ({"One": True}, "failed", "--feature-gates=Two=true on"),
        (None, "skipped", "ask who runs the cluster for One, Two"),
    ],
)
def test_feature_gates_must_be_on(enabled: dict[str, bool] | None, state: str, remedy: str) -> None:
    found = diagnosis.gates(["One", "Two", "One"], enabled)
    assert (found.state, found.remedy[: len(remedy)]) == (state, remedy)


def test_no_gate_is_asked_for_where_none_is_needed() -> None:
    assert diagnosis.gates([], None).state == "ok"


def said(kind: Kind, name: str, *, there: bool | None, namespace: str = "", is_needed: bool = True) -> tuple[str, str]:
    """Return state and text of what is said of one object that a group names."""
    named = Reference(kind=kind, namespace=namespace, name=name, users=('group "a"',), is_needed=is_needed)
    (found,) = diagnosis.references([(named, there)])
    return found.state, found.found


@pytest.mark.parametrize(
    ("kind", "namespace", "name", "state", "text"),
    [
        ("Secret", "team", "s", "failed", 'there is no Secret s in namespace "team", which group "a" names'),
        ("PriorityClass", "", "p", "failed", 'there is no PriorityClass p, which group "a" names'),
        ("StorageClass", "", "", "warning", 'there is no default StorageClass, which group "a" needs'),
    ],
)
def test_an_object_that_is_named_and_not_there_is_told(
    kind: Kind, namespace: str, name: str, state: str, text: str
) -> None:
    assert said(kind, name, there=False, namespace=namespace) == (state, text)


def test_a_secret_without_which_pods_may_start_is_warned_of() -> None:
    assert said("Secret", "pull", there=False, is_needed=False)[0] == "warning"


def test_an_object_of_which_one_may_not_know_is_told_as_such() -> None:
    assert said("Secret", "s", there=None) == ("skipped", "you may not look for Secret s")


def test_of_many_objects_of_which_one_may_not_know_a_few_are_named() -> None:
    named = [Reference(kind="Secret", namespace="team", name=f"s{number}", users=()) for number in range(9)]
    (found,) = diagnosis.references([(one, None) for one in named])
    assert found.found == "you may not look for Secret s0, Secret s1, Secret s2 and 6 more"


def test_objects_that_are_there_are_counted() -> None:
    assert said("Secret", "s", there=True) == ("ok", "1 named, and there")


def test_backends_are_told_by_what_the_cluster_serves() -> None:
    found = diagnosis.backends({
        "placement": {"default": {}, "native": {"PodGroup": True, "Workload": False}, "kai": {"Queue": False}},
        "admission": {"kueue": {"LocalQueue": False, "Workload": False}},
    })  # fmt: skip
    assert (found.state, found.found) == (
        "ok",
        (
            "the cluster could serve placement default, native without Workload and admission none; kai has no Queue; "
            "kueue has no LocalQueue and 1 more"
        ),
    )


@pytest.mark.parametrize(
    ("tried", "gates", "state", "told", "remedy"),
    [
        (Tried(placed=1.04, held=5), [], "ok", "placed in 1.0 s, and half of another held for 5 s", ""),
        (
            Tried(placed=1, held=None), ["GenericWorkload"], "failed", "the scheduler does not hold gangs",
            "--feature-gates=GenericWorkload=true on the scheduler too",
        ),
        (Tried(placed=1, held=None), [], "failed", "but so was half of another", "look at the scheduler"),
        (Tried(placed=None, said="no nodes"), [], "failed", "was not placed: no nodes", "see that the scheduler runs"),
        (Tried(placed=None), [], "failed", "nobody said a word on them", "see that the scheduler runs"),
        (
            Tried(placed=None, said="gated", gates=["a/quota"]), [], "failed", "placed: held by a/quota, before",
            "see that who sets these gates runs",
        ),
    ],
    ids=["held", "not held, gates", "not held", "not placed", "nobody answers", "kept from the scheduler"],
)  # fmt: skip
def test_a_smoke_test_tells_whether_half_a_gang_is_held(
    tried: Tried, gates: list[str], state: str, told: str, remedy: str
) -> None:
    found = diagnosis.smoke_test("native", tried, gates)
    assert (found.state, told in found.found) == (state, True), found
    assert found.remedy.startswith(remedy) if remedy else not found.remedy
