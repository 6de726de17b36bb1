"""What somebody changed behind Helm's back, and who."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.manifests.walk import Manifest
from helm_roster.policy import drift


def live(*entries: tuple[str, str, dict[str, Any]]) -> Manifest:
    """Return an object whose fields these managers set, each at its time."""
    fields = [{"manager": name, "time": time, "fieldsV1": of} for name, time, of in entries]
    return {"metadata": {"managedFields": fields}, "spec": {"replicas": 5}, "status": {"replicas": 4}}


REPLICAS = {"f:spec": {"f:replicas": {}}}
IMAGE = {"f:spec": {"f:template": {"f:spec": {"f:containers": {'k:{"name":"main"}': {"f:image": {}}}}}}}


def test_what_stands_in_metadata_and_status_is_no_difference() -> None:
    (found,) = drift.differences(live(), {"metadata": {"name": "x"}, "spec": {"replicas": 3}})
    assert (found.path, found.before, found.after) == ("spec.replicas", 5, 3)


@pytest.mark.parametrize(
    ("path", "expected"),
    [("spec.replicas", "kubectl"), ("spec.template.spec.containers.main.image", "edit"), ("spec.paused", "")],
)
def test_the_manager_is_the_one_that_set_the_field(path: str, expected: str) -> None:
    found = live(("helm", "3", REPLICAS), ("kubectl", "1", REPLICAS), ("edit", "2", IMAGE))
    assert drift.manager(found, path, but="helm") == expected


def test_of_several_managers_it_is_the_last() -> None:
    found = live(("kubectl", "1", REPLICAS), ("autoscaler", "2", REPLICAS))
    assert drift.manager(found, "spec.replicas", but="helm") == "autoscaler"


@pytest.mark.parametrize(
    ("entries", "others"),
    [
        ([{"manager": "helm"}], False),
        ([{"manager": "helm"}, {"manager": "kube-controller-manager", "subresource": "status"}], False),
        ([{"manager": "helm"}, {"manager": "kubectl", "subresource": "scale"}], True),
        ([{"manager": "helm"}, {"manager": "kubectl-edit"}], True),
    ],
    ids=["Helm alone", "a status", "a count", "an edit"],
)
def test_whoever_writes_more_than_a_status_may_have_changed_an_object(
    entries: list[dict[str, str]], *, others: bool
) -> None:
    assert drift.is_written_by_others({"metadata": {"managedFields": entries}}, "helm") == others
