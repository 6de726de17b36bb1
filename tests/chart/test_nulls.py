"""null at every key of the values: it counts as absent, or it is refused in words.

Keys of a group and of a preset are tried in one rendering, one group for each, since groups do not know each other.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from tests.chart import manual, schema, validity
from tests.chart.rendering import Chart, Values, layered
from tests.support.roster import CHART
from tests.support.runner import Runner

Path = tuple[str, ...]
SAMPLE: Values = manual.uncommented()  # type: ignore[assignment]
# The manual shows the keys of all kinds side by side.
SAMPLE["connections"] = {"models": {"kind": "volumeClaim", "claim": "models"}}
SAMPLE["claims"] = {"imex": {"computeDomain": {}}}
CLAIM = SAMPLE["presets"]["h200"]["accelerator"].pop("claim")
PATHS = sorted({path for path, _ in schema.walk()})
# Without these the manual's group is refused, which the tests of the fields hold.
NEEDED_BY_FIELDS = {("autoscaling", "max"), ("autoscaling", "owner"), ("files", "launcher", "mountPath")}
NEEDED_BY_FIELDS |= {("locality", "within"), ("spread", "among")}
NEEDED_BY_FIELDS |= {("networks", "k8s.v1.cni.cncf.io/networks", field) for field in ("each", "perAccelerator")}
# An operation has one router, and a locality is for members of a gang, so they are tried apart.
IN_GANGS = {("locality",), ("locality", "required"), ("locality", "segment")}
APART_FROM_ALL = {
    (),
    ("router", "stateless"),
    ("serves",),
    *NEEDED_BY_FIELDS,
    *IN_GANGS,
}
# A leader is a partial group, so what lies deeper is tried as the group's own.
PATHS = [path for path in PATHS if "leader" not in path or path[-1] in {"accelerators", "leader"}]
GROUP_PATHS = [path[1:] for path in PATHS if path[0] == "defaults" and path[1:] not in APART_FROM_ALL]
# A preset never says how much, not by null either, which tests of presets hold.
COUNTED = {
    ("accelerators",),
    *((*at, "accelerators") for at in (("init", "prepare"), ("sidecars", "proxy"))),
    *(("leader", *at, "accelerators") for at in (("init", "prepare"), ("sidecars", "proxy"))),
    ("leader", "accelerators"),
    ("podsPerReplica",),
    ("replicas",),
    ("autoscaling",),
    ("autoscaling", "max"),
    ("autoscaling", "min"),
}
PRESET_PATHS = [path[2:] for path in PATHS if path[0] == "presets" and path[2:] not in APART_FROM_ALL | COUNTED]
# Helm itself refuses null at the name of a subchart.
ROOT_PATHS = [
    path for path in PATHS if path[0] in {"operation", "scheduling"} or (len(path) == 1 and path[0] != "replica-group")
]
GANGS: Values = yaml.load((CHART / "ci-with-renderer" / "gang-values.yaml").read_text(), yaml.CSafeLoader)
# The keys that the rest of the sample needs, and how their absence is refused.
NEEDED = {
    "defaults": "groups.worker.container.image: no layer gives an image",
    "groups": "groups: none; an operation has at least one named group; give values with -f",
    "operation.kind": 'operation.run: "2", but kind is service',
    "presets": 'groups.worker.presets: there is no preset "h200"',
    "scheduling.admission.backend": 'scheduling.admission.maxRunTime: "12h", but scheduling.admission.backend',
    "scheduling.gangs.step.locality.within": "scheduling.gangs.step.locality.within: missing beside required, segment",
    "scheduling.gangs.step.members": "scheduling.gangs.step.members: none; name the groups",
    "scheduling.gangs.step.members.worker": "scheduling.gangs.step.members.worker: null; write {} for a member",
    "scheduling.placement.backend": 'scheduling.placement.queue: "research", but scheduling.placement.backend is',
    "scheduling.topology": "scheduling.gangs.step.locality.within: there is no level",
    "scheduling.topology.levels": "scheduling.gangs.step.locality.within: there is no level",
}


def with_null(values: Values, path: Path) -> Values:
    """Return a copy with null at a path."""
    found = copy.deepcopy(values)
    node: Any = found
    for key in path[:-1]:
        node = node.setdefault(key, {})
    if isinstance(node, dict):
        node[path[-1]] = None
    return found


def without_nulls(node: Any) -> Any:
    """Return a tree without the keys whose value is null."""
    if not isinstance(node, dict):
        return node
    return {key: without_nulls(value) for key, value in node.items() if value is not None}


# The manual's fields, cleared of what it shows side by side.
FIELDS = {
    field: value for field, value in SAMPLE["defaults"].items() if field not in {"cmd", "router", "serves", "unset"}
}
for field in ("coordinated", "partition"):
    FIELDS["rollout"].pop(field)
FIELDS["environment"].pop("serviceAccount")
FIELDS["expose"].pop("port")
FIELDS["fillsNode"] = False
FIELDS["devices"]["rdma/ib"].pop("perPod")
FIELDS["networks"]["k8s.v1.cni.cncf.io/networks"].pop("perPod")
FIELDS["init"]["prepare"].pop("waitFor")
FIELDS.pop("disruptionBudget")
for of_keda in ("cooldownPeriod", "idleReplicas", "pollingInterval", "triggers"):
    FIELDS["autoscaling"].pop(of_keda)
LOCALITY = {"locality": FIELDS.pop("locality")}
FIELDS.setdefault("volumes", {})["disk"] = {"persistentVolumeClaim": {"claimName": "disk"}}
# Fields that bar or feed others.
APART = {field: {field: FIELDS.pop(field)} for field in ("autoscaling", "connections", "files")}
SPANNING = {field: FIELDS.pop(field) for field in ("leader", "podsPerReplica", "recovery")}
H200 = {"accelerator": SAMPLE["presets"]["h200"]["accelerator"], "patchStrategy": "pre_merge"}
CLAIMED = {"accelerator": {"model": "NVIDIA H200", "claim": CLAIM}}
IMAGE = {"image": "example/app:1"}
COUNTS = {"accelerators", "autoscaling", "podsPerReplica", "presets", "replicas"}


def around(path: Path) -> Values:
    """Return the group of a path: all fields of the manual that go together, or the path's own where there are many."""
    if path[0] in {"leader", "recovery"}:
        return {"container": FIELDS["container"], "volumes": FIELDS["volumes"], **SPANNING}
    if path[0] in APART:
        return FIELDS | APART[path[0]]
    if path[:2] == ("environment", "serviceAccount") and len(path) > 2:
        return FIELDS | {"environment": {**FIELDS["environment"], "serviceAccountName": None}}
    if path == ("container", "ports"):  # without what names a port
        return {"container": {key: FIELDS["container"][key] for key in ("image", "ports")}}
    alone = path[0] == "volumes" or (path[0] in schema.CONTAINERS and len(path) > 2)
    return {field: FIELDS[field] for field in (path[0], "volumes") if field in FIELDS} if alone else FIELDS


def batch() -> Values:
    """Return values with null at every field of a group and of a preset, a group for each."""
    groups = {f"g-{index}": with_null(around(path), path) for index, path in enumerate(GROUP_PATHS)}
    presets = {
        f"p-{index}": with_null({**(CLAIMED if "claim" in path else H200), **_without_counts(around(path))}, path)
        for index, path in enumerate(PRESET_PATHS)
    }
    imageless = [
        name
        for name, fields in {**groups, **presets}.items()
        if not (fields.get("container", IMAGE) or {}).get("image")
    ]
    groups |= {name: {"presets": [name]} for name in presets}
    for name, preset in presets.items():
        groups[name] |= {"podsPerReplica": 4} if {"leader", "recovery"} & set(preset) else {}
    defaults = {"container": IMAGE, "replicas": 1}
    kept = {name: group for name, group in groups.items() if name not in imageless}
    shared = {field: SAMPLE[field] for field in ("claims", "connections", "files")}
    shared["presets"] = {"h200": H200, **presets}
    scheduling = {"admission": {"backend": "other", "queue": "team-a"}}
    return {**shared, "defaults": defaults, "groups": kept, "scheduling": scheduling}


def _without_counts(fields: Values) -> Values:
    kept = {field: value for field, value in fields.items() if field not in COUNTS}
    return kept | {"leader": _without_counts(kept["leader"])} if "leader" in kept else kept


def test_null_at_every_field_of_a_group_or_preset_counts_as_absent(helm3: Runner, helm4: Runner) -> None:
    assert len(batch()["groups"]) > 100
    expected = Chart(helm4).render(without_nulls(batch()))
    assert Chart(helm3).render(batch()) == expected
    assert Chart(helm4).render(batch()) == expected
    validity.check(expected.all)


@pytest.mark.parametrize("layer", ["defaults", "presets", "groups"])
def test_null_in_a_router_counts_as_absent(chart4: Chart, layer: str) -> None:
    fields = {"router": {"stateless": None}}
    values = layered({"readiness": {"requires": []}})
    places = {"defaults": values, "presets": values["presets"], "groups": values["groups"]}
    places[layer][{"presets": "image", "groups": "a"}.get(layer, layer)] |= fields
    assert chart4.text(values) == chart4.text(without_nulls(values))


@pytest.mark.parametrize("path", sorted(IN_GANGS), ids=".".join)
@pytest.mark.parametrize("layer", ["defaults", "presets", "groups"])
def test_null_in_a_locality_counts_as_absent(chart4: Chart, layer: str, path: Path) -> None:
    values: Values = layered({"replicas": 4})
    values["scheduling"] = {
        "placement": {"backend": "other"},
        "gangs": {"step": {"members": {"a": {}}}},
        "topology": SAMPLE["scheduling"]["topology"],
    }
    places = {"defaults": values, "presets": values["presets"], "groups": values["groups"]}
    places[layer][{"presets": "image", "groups": "a"}.get(layer, layer)] |= with_null(LOCALITY, path)
    assert chart4.text(values) == chart4.text(without_nulls(values))


@pytest.mark.parametrize("group", [{"container": None}, {"container": {"image": None}}])
def test_null_deletes_an_image_that_a_group_needs(chart4: Chart, group: Values) -> None:
    values = {"defaults": {"container": {"image": "example/app:1"}}, "groups": {"a": group}}
    assert chart4.refusal(values).startswith("groups.a.container.image: no layer gives an image")


def whole(path: Path) -> Values:
    """Return the manual's values of a job with one group, a gang and queues, with null at a path."""
    job = {"kind": "job", "name": "rl", "run": "2", "job": {"backoffLimit": 1}}
    scheduling = copy.deepcopy(SAMPLE["scheduling"])
    scheduling["placement"]["backend"] = scheduling["admission"]["backend"] = "other"
    groups = {"worker": {"replicas": 4, "presets": ["h200"]}}
    patches = {"worker": {"shown": {"json": SAMPLE["patches"]["decode"]["hugepages"]["json"]}}}
    root = {"groups": groups, "operation": job, "patches": patches, "scheduling": scheduling}
    values = {**SAMPLE, "defaults": GANGS["defaults"], **root}
    return with_null(values, path)


@pytest.mark.parametrize("path", [path for path in ROOT_PATHS if ".".join(path) not in NEEDED], ids=".".join)
def test_null_elsewhere_counts_as_absent(chart4: Chart, path: Path) -> None:
    assert chart4.text(whole(path)) == chart4.text(without_nulls(whole(path)))


@pytest.mark.parametrize(("path", "words"), NEEDED.items())
def test_null_at_a_key_that_others_need_is_refused_in_words(chart4: Chart, path: str, words: str) -> None:
    assert chart4.refusal(whole(tuple(path.split(".")))).startswith(words)


@pytest.mark.parametrize("values", [{"groups": None}, {"groups": {"a": None}}])
def test_an_operation_without_groups_is_refused(chart: Chart, values: Values) -> None:
    assert chart.refusal(values).startswith("groups: none")
