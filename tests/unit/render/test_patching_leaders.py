"""Patches of replicas that span pods: target pod is leader and workers alike, target leader the leaders alone."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster import errors
from helm_roster.manifests import door
from helm_roster.render import pipeline

from tests.unit.builders import carrier_spec, group, workload

PAUSE = {"containers": [{"name": "main", "image": "pause"}, {"name": "proxy", "image": "proxy:1"}]}
GROUPS = {
    "decode": group(2, kind="LeaderWorkerSet", podsPerReplica=4, leaderPod=PAUSE),
    "web": group(1, kind="Deployment"),
}


def patched(patches: dict[str, Any], of: str = "decode") -> Any:
    """Return the group's spec with the patches, which change nothing of the other group."""
    spec = carrier_spec(GROUPS, backend="default") | {"patches": {of: patches}}
    carrier = {"apiVersion": "helm-roster.dev/v1alpha1", "kind": "PostRendererRequired", "spec": spec}
    made = [workload(f"op-{name}", entry) for name, entry in GROUPS.items()]
    text = pipeline.render("".join(f"---\n{door.dump(one)}" for one in (carrier, *made))).text
    found = {one["metadata"]["name"]: one for one in map(door.to_plain, map(door.load, text.split("---\n")[1:]))}
    return found[f"op-{of}"]["spec"]


def image(value: str, container: str = "main", **target: str) -> dict[str, Any]:
    return {"json": [{"op": "replace", "path": f"/spec/containers/{container}/image", "value": value}], **target}


def images(spec: Any) -> list[str]:
    template = spec["leaderWorkerTemplate"]
    return [template[key]["spec"]["containers"][0]["image"] for key in ("leaderTemplate", "workerTemplate")]


def test_a_patch_of_the_pods_changes_leaders_and_workers() -> None:
    assert images(patched({"x": image("e:2")})) == ["e:2", "e:2"]


def test_a_patch_of_the_leader_changes_leaders_alone() -> None:
    assert images(patched({"x": image("e:2", target="leader")})) == ["e:2", "pause"]


def test_a_patch_of_the_workload_begins_at_it() -> None:
    found = patched({"x": {"merge": {"spec": {"startupPolicy": "LeaderReady"}}, "target": "workload"}})
    assert found["startupPolicy"] == "LeaderReady"


REFUSED = [
    pytest.param(
        image("p:2", "proxy"),
        "decode",
        r'in the pod template of the workers: .* there is no "proxy" .*\(target leader changes',
        id="only leaders have it",
    ),
    pytest.param(image("e:2", target="leader"), "web", "a Deployment has none: use pod", id="no leaders"),
    pytest.param(
        {"merge": {"spec": {"leaderWorkerTemplate": {"size": 5}}}, "target": "workload"},
        "decode",
        "it changes /spec/leaderWorkerTemplate/size, which no patch may: counts are said in the values",
        id="its size",
    ),
    pytest.param(
        {"merge": {"spec": {"containers": [{"name": "main", "volumeMounts": [{"name": "x", "mountPath": "/x"}]}]}}},
        "decode",
        'leader, container "main", volumeMounts /x: there is no volume "x"',
        id="a mount of nothing",
    ),
    pytest.param({"merge": {"spec": {"hostUser": True}}, "target": "leader"}, "decode", "hostUsers", id="misspelt"),
]


@pytest.mark.parametrize(("patch", "of", "expected"), REFUSED)
def test_what_does_not_fit_is_refused(patch: dict[str, Any], of: str, expected: str) -> None:
    with pytest.raises(errors.BadInputError, match=expected):
        patched({"x": patch}, of)
