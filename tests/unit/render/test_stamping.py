"""What a backend sets in pod templates never overwrites, without a word, what the values set there."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from helm_roster import all_backends, constants, errors
from helm_roster.manifests import door, walk
from helm_roster.render import pipeline, stream

from tests.unit.builders import carrier_spec, gang, group, workload

PLACING = [name for name in all_backends.PLACEMENT if name != "default"]
PARTS = ("labels", "annotations")


def rendered(backend: str, metadata: dict[str, Any], **placement: Any) -> dict[str, Any]:
    """Return the pod template of a gang's member that had ``metadata`` before the backend marked it."""
    made = workload("op-worker", group(4))
    made["spec"]["template"]["metadata"] = metadata
    spec = carrier_spec({"worker": group(4)}, {"train": gang(worker=(4, False))}, backend=backend, **placement)
    carrier = {"apiVersion": "helm-roster.dev/v1alpha1", "kind": "PostRendererRequired", "metadata": {}, "spec": spec}
    text = pipeline.render(f"---\n{door.dump(made)}---\n{door.dump(carrier)}").text
    found: dict[str, Any] = door.to_plain(door.load(stream.split(text)[0].text))["spec"]["template"]
    return found


SET = [
    (backend, part, key, value)
    for backend in PLACING
    for part in PARTS
    for key, value in walk.mapping(rendered(backend, {}), "metadata", part).items()
]


@pytest.mark.parametrize(("backend", "part", "key", "value"), SET, ids=[f"{entry[0]}-{entry[2]}" for entry in SET])
def test_another_value_of_what_the_backend_sets_is_refused_by_its_path(
    backend: str, part: str, key: str, value: str
) -> None:
    said = f'group "worker": environment.{part} sets {key} to other, but scheduling decides it ({value}): remove it'
    with pytest.raises(errors.RefusedError, match=f"^{re.escape(said)}$"):
        rendered(backend, {part: {key: "other"}})
    assert rendered(backend, {part: {key: value}})["metadata"][part][key] == value


def test_what_the_backend_does_not_set_stays_also_beside_its_own() -> None:
    theirs = {"kai.scheduler/node-pool": "a", "scheduling.k8s.io/group-name": "b", "team": "c"}
    assert rendered("kai", {"labels": dict(theirs)})["metadata"]["labels"].items() >= theirs.items()


def annotations_of(kind: str, placement: str = "native", gangs: Any = None) -> dict[str, str]:
    """Return the annotations of a workload of that kind, in no gang unless one is given, that was admitted."""
    groups, admission = {"w": group(2, kind=kind)}, {"backend": "kueue", "queue": "team", "priorityClass": "high"}
    spec = carrier_spec(groups, gangs, backend=placement, admission=admission)
    carrier = {"apiVersion": "helm-roster.dev/v1alpha1", "kind": "PostRendererRequired", "metadata": {}, "spec": spec}
    text = pipeline.render(f"---\n{door.dump(workload('op-w', groups['w']))}---\n{door.dump(carrier)}").text
    found: dict[str, str] = walk.mapping(
        door.to_plain(door.load(stream.split(text)[0].text)), "metadata", "annotations"
    )
    return found


def test_a_workload_names_each_backend_that_marked_it_and_no_other() -> None:
    assert annotations_of("Deployment") == {"helm-roster.dev/admission": "kueue"}
    assert annotations_of("Deployment", "kai") == {
        "helm-roster.dev/admission": "kueue", "helm-roster.dev/placement": "kai",
    }  # fmt: skip


def test_a_job_says_how_it_is_admitted_which_is_fixed_while_it_runs() -> None:
    said = annotations_of("Job")["helm-roster.dev/admission-spec"]
    assert said == '{"priorityClass":"high","queue":"team"}'


def test_a_gang_that_has_no_grouping_object_is_described_on_its_workloads() -> None:
    one = {"x": {**gang(w=(2, False)), "locality": {"within": "rack", "required": True, "label": "example.com/rack"}}}
    said = annotations_of("StatefulSet", "default", one)[constants.GANG_SPEC_ANNOTATION]
    assert json.loads(said)["members"]["w"]["min"] == 2
    assert constants.GANG_SPEC_ANNOTATION not in annotations_of("StatefulSet", "native", one)
