"""Strict validation: the real API server, with the real definitions, judges an object field by field."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from tests.cluster import projects, raw, schedulers
from tests.cluster.api import Json
from tests.cluster.control_plane import ControlPlane
from tests.cluster.namespaces import Namespace

VOLCANO = {
    "apiVersion": "scheduling.volcano.sh/v1beta1",
    "kind": "PodGroup",
    "metadata": {"name": "step", "namespace": "anywhere"},
    "spec": {"minMember": 6, "minTaskMember": {"learner": 4, "rollout": 2}, "queue": "default"},
}
KAI = {
    "apiVersion": "scheduling.run.ai/v2alpha2",
    "kind": "PodGroup",
    "metadata": {"name": "step", "namespace": "anywhere"},
    "spec": {"queue": "default-queue", "subGroups": [{"name": "learner", "minMember": 4}]},
}
TOPOLOGY = raw.topology("racks", "rack", "kubernetes.io/hostname")
GOOD = [
    raw.pod_group("step", 2), VOLCANO, KAI, schedulers.kai_queue("team"), raw.hyper_node("rack-1", 1, ["a"]), TOPOLOGY,
]  # fmt: skip
Strict = Callable[[Iterable[Json]], None]


def name(manifest: Json) -> str:
    return f"{manifest['kind']}.{manifest['apiVersion'].partition('/')[0]}"


@pytest.mark.parametrize("manifest", GOOD, ids=name)
def test_what_the_kinds_know_passes(strict: Strict, manifest: Json) -> None:
    strict([manifest])


@pytest.mark.parametrize("manifest", GOOD, ids=name)
def test_a_field_that_a_kind_does_not_know_is_named(strict: Strict, manifest: Json) -> None:
    wrong = {**manifest, "spec": {**manifest["spec"], "minimumMembers": 4}}
    with pytest.raises(pytest.fail.Exception, match=r'^\w+/\S+: 400 BadRequest: .*unknown field "spec.minimumMembers"'):
        strict([manifest, wrong])


def test_a_value_of_the_wrong_type_is_named(strict: Strict) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"spec.minMember: Invalid value"):
        strict([{**VOLCANO, "spec": {**VOLCANO["spec"], "minMember": "six"}}])


def test_a_kind_that_is_not_served_is_named(strict: Strict) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"does not serve scheduling\.volcano\.sh/v1beta1 Gang"):
        strict([{**VOLCANO, "kind": "Gang"}])


def test_a_namespace_is_where_the_kinds_are_served(second_cluster: ControlPlane, namespace: Namespace) -> None:
    if reason := projects.why_no_definitions("volcano"):
        pytest.skip(reason)
    namespace.create(VOLCANO | {"metadata": {"name": "step"}})
    assert namespace.api is second_cluster.api
    assert namespace.everything() == ["PodGroup/step"]
