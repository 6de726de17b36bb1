"""What no patch may change, by merge, by operation, or by a detour."""

from __future__ import annotations

import re
from typing import Any

import pytest

from helm_roster import constants, errors
from helm_roster.manifests import walk
from helm_roster.model.operation import Patch

from tests.unit.patches.objects import WORKLOAD, changed, op, patch

FORBIDDEN: list[tuple[Any, str]] = [
    ({"apiVersion": "apps/v2"}, "/apiVersion"),
    ({"kind": "Job"}, "/kind"),
    ({"metadata": {"name": "other"}}, "/metadata/name"),
    ({"metadata": {"namespace": "other"}}, "/metadata/namespace"),
    ({"metadata": {"labels": {"app.kubernetes.io/instance": "x"}}}, "/metadata/labels/app.kubernetes.io~1instance"),
    ({"metadata": {"labels": {"app.kubernetes.io/managed-by": "x"}}}, "/metadata/labels/app.kubernetes.io~1managed-by"),
    ({"metadata": {"labels": {"helm-roster.dev/new": "x"}}}, "/metadata/labels/helm-roster.dev~1new"),
    ({"metadata": {"annotations": {"helm-roster.dev/gang": "x"}}}, "/metadata/annotations/helm-roster.dev~1gang"),
    ({"metadata": {"annotations": {"helm.sh/hook": "test"}}}, "/metadata/annotations/helm.sh~1hook"),
    ({"metadata": {"annotations": {"meta.helm.sh/release-name": "x"}}}, "/annotations/meta.helm.sh~1release-name"),
    ({"metadata": {"annotations": {constants.HELM4_FILENAME_ANNOTATION: "x"}}}, "/metadata/annotations/"),
    ({"spec": {"selector": None}}, "/spec/selector"),
    ({"spec": {"selector": {"matchLabels": {"a": "b"}}}}, "/spec/selector"),
    ({"spec": {"serviceName": "other"}}, "/spec/serviceName"),
    ({"spec": {"clusterIP": "10.0.0.1"}}, "/spec/clusterIP"),
    ({"roleRef": {"name": "admin"}}, "/roleRef"),
    ({"spec": {"replicas": 3}}, "/spec/replicas"),
    ({"spec": {"parallelism": 3}}, "/spec/parallelism"),
    ({"spec": {"completions": 3}}, "/spec/completions"),
    ({"spec": {"minReplicas": 3}}, "/spec/minReplicas"),
    ({"spec": {"maxReplicas": 3}}, "/spec/maxReplicas"),
    ({"spec": {"scaleTargetRef": {"name": "other"}}}, "/spec/scaleTargetRef"),
    ({"spec": {"template": {"metadata": {"labels": {"team": "b"}}}}}, "/spec/template/metadata/labels/team"),
    ({"spec": {"template": {"metadata": {"annotations": None}}}}, "/metadata/annotations/helm-roster.dev~1files"),
    ({"spec": {"template": {"spec": {"priority": 5}}}}, "/spec/priority, which no patch may: the API server"),
    ({"metadata": {"annotations": {"helm.sh/resource-policy": "keep"}}}, "/annotations/helm.sh~1resource-policy"),
    (
        {"spec": {"template": {"metadata": {"annotations": {"helm.sh/resource-policy": "keep"}}}}},
        "/spec/template/metadata/annotations/helm.sh~1resource-policy",
    ),
    ({"spec": {"paused": True}}, "/spec/paused, which no patch may: a Deployment that begins paused"),
    ({"spec": {"completionMode": "NonIndexed"}}, "/spec/completionMode"),
    ({"spec": {"manualSelector": True}}, "/spec/manualSelector"),
    ({"spec": {"managedBy": "x.io/y"}}, "/spec/managedBy"),
    ({"spec": {"template": {"spec": {"nodeName": "n"}}}}, "/spec/nodeName, which no patch may: no scheduler would"),
    ({"spec": {"template": {"spec": {"overhead": {"cpu": "1"}}}}}, "/spec/overhead"),
    (
        {"spec": {"template": {"spec": {"ephemeralContainers": [{"name": "z", "image": "z"}]}}}},
        "/spec/ephemeralContainers",
    ),
    ({"spec": {"template": {"spec": {"gate": "x"}}}}, "/spec/gate, which no patch may: it is a scheduling"),
    ({"spec": {"template": {"metadata": {"annotations": {"gate.example/a": "b"}}}}}, "annotations/gate.example~1a"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "place"), FORBIDDEN, ids=lambda value: value if isinstance(value, str) else "")
def test_a_protected_field_is_named(body: Any, place: str) -> None:
    with pytest.raises(errors.BadInputError, match=r"^patches\.decode\.x: it changes .*" + re.escape(place)):
        changed(patch("merge", body, "workload"))


DETOURS = [
    {"op": "copy", "from": "/spec/template/spec", "path": "/spec/replicas"},
    {"op": "move", "from": "/spec/selector", "path": "/spec/other"},
    op("replace", "/metadata/labels", {}),
    op("replace", "", {"apiVersion": "apps/v1", "kind": "Deployment"}),
]


@pytest.mark.parametrize("operation", DETOURS, ids=lambda operation: operation["op"])
def test_no_detour_leads_around_the_protection(operation: dict[str, Any]) -> None:
    with pytest.raises(errors.BadInputError, match=r"it changes /.*, which no patch may"):
        changed(patch("json", [operation], "workload"))


def test_other_labels_and_annotations_are_free() -> None:
    body = {"metadata": {"labels": {"team": "b"}, "annotations": {"helm.sh/other": "x"}}}
    assert changed(patch("merge", body, "workload"))["metadata"]["labels"]["team"] == "b"


def kept(kind: str) -> dict[str, Any]:
    data = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "op-decode"}}
    return changed(patch("merge", {"metadata": {"annotations": {"helm.sh/resource-policy": "keep"}}}, kind), data)


@pytest.mark.parametrize("kind", ["PersistentVolumeClaim", "ConfigMap", "Secret"])
def test_what_holds_data_may_be_kept(kind: str) -> None:
    assert kept(kind)["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}


@pytest.mark.parametrize("kind", ["Service", "Role", "HorizontalPodAutoscaler"])
def test_nothing_else_may_be_kept(kind: str) -> None:
    with pytest.raises(errors.BadInputError, match="cancel would leave it behind"):
        kept(kind)


@pytest.mark.parametrize("kind", ["ComputeDomain", "ResourceClaim", "ResourceClaimTemplate"])
def test_of_what_pods_claim_nothing_is_changed_but_metadata(kind: str) -> None:
    data = {"kind": kind, "metadata": {"name": "op-decode-x"}, "spec": {"spec": {"devices": {"requests": []}}}}
    noted = {"metadata": {"annotations": {"a": "b"}}}
    assert changed(patch("merge", noted, kind), data)["metadata"]["annotations"] == {"a": "b"}
    with pytest.raises(errors.BadInputError, match="it changes /spec, which no patch may: it is immutable, and"):
        changed(patch("merge", {"spec": {"spec": None}}, kind), data)


def test_the_order_of_fields_is_no_change() -> None:
    reordered = {"matchLabels": dict(reversed(WORKLOAD["spec"]["selector"]["matchLabels"].items()))}
    given = {"spec": {"$patch": "replace", **WORKLOAD["spec"], "selector": reordered, "minReadySeconds": 5}}
    assert changed(patch("merge", given, "workload"))["spec"]["minReadySeconds"] == 5


def claims(**metadata: Any) -> dict[str, Any]:
    template = {"metadata": {"name": "data", **metadata}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    return WORKLOAD | {"kind": "StatefulSet", "spec": {**WORKLOAD["spec"], "volumeClaimTemplates": [template]}}


def test_the_metadata_of_a_claim_template_is_protected() -> None:
    wanted = op("add", "/spec/volumeClaimTemplates/data/metadata/labels", {"a": "b"})
    with pytest.raises(errors.BadInputError, match="/spec/volumeClaimTemplates/0/metadata, which no patch may"):
        changed(patch("json", [wanted], "workload"), claims())


def test_the_spec_of_a_claim_template_is_free_and_found_by_name() -> None:
    wanted = op("add", "/spec/volumeClaimTemplates/data/spec/volumeMode", "Block")
    found = changed(patch("json", [wanted], "workload"), claims())
    assert found["spec"]["volumeClaimTemplates"][0]["spec"]["volumeMode"] == "Block"


SHAPES: list[tuple[Any, str]] = [
    (op("replace", "/spec/containers", "x"), 'makes containers of the pod "x"'),
    (op("replace", "/spec/containers", []), "drops container main, proxy"),
    (op("replace", "/spec/containers/proxy", {"image": "x"}), "no list of containers with names"),
    (op("replace", "/spec/initContainers", [1]), "makes initContainers of the pod [1]"),
    (op("remove", "/spec/containers/proxy"), "drops container proxy"),
    (op("replace", "/spec", "x"), "drops container main, proxy"),
    (op("replace", "", "x"), 'makes the target "x", which is no mapping'),
    (op("add", "/spec/containers/main/env/-", {"name": "A"}), "/env has two entries of the same name: A"),
    (op("add", "/spec/containers/main/volumeMounts/-", "x"), '/volumeMounts/1 is "x", which is no mapping'),
    (op("add", "/spec/containers/-", {"name": "main"}), "/containers has two entries of the same name: main"),
]


@pytest.mark.parametrize(("operation", "words"), SHAPES)
def test_a_pod_template_stays_one(operation: dict[str, Any], words: str) -> None:
    with pytest.raises(errors.BadInputError, match=r"^patches\.decode\.x: .*" + re.escape(words)):
        changed(patch("json", [operation]))


def test_what_was_wrong_before_a_patch_is_not_its_fault() -> None:
    twice = changed(patch("json", [op("add", "/spec/containers/main/env", [])]))
    walk.sequence(twice, "spec", "template", "spec", "containers", 0, "env").extend([{"name": "A"}, {"name": "A"}])
    found = changed(patch("json", [op("add", "/spec/hostPID", value=True)]), twice)
    assert found["spec"]["template"]["spec"]["hostPID"] is True


IN_MAIN = "/spec/containers/main"
NO_TEXT: list[tuple[Any, str]] = [
    (op("replace", f"{IN_MAIN}/env", {"A": "1"}), '/containers/main/env is {"A": "1"}, which is no list'),
    (op("replace", "/spec/volumes", "cache"), '/volumes is "cache", which is no list'),
    (op("replace", f"{IN_MAIN}/env/A/value", 5), "/env/A/value is 5, which is no text: quote it"),
    (op("replace", f"{IN_MAIN}/env/A/value", value=True), "/env/A/value is true, which is no text: quote it"),
    (op("add", f"{IN_MAIN}/env/-", {"name": 5}), "/env/2/name is 5, which is no text: quote it"),
    (
        op("add", "/spec/initContainers/fetch/volumeMounts", [{"mountPath": ["/a"]}]),
        '/0/mountPath is ["/a"], which is no',
    ),
    (op("add", f"{IN_MAIN}/args/-", 8), "/main/args/1 is 8, which is no text: quote it"),
    (op("add", f"{IN_MAIN}/command", "sh"), '/main/command is "sh", which is no list'),
    (op("add", "/metadata/labels/size", 1), "/template/metadata/labels/size is 1, which is no text: quote it"),
    (op("add", "/metadata/annotations/a", value=False), "/annotations/a is false, which is no text: quote it"),
    (op("add", "/spec/nodeSelector", {"a": 1}), "/spec/nodeSelector/a is 1, which is no text: quote it"),
]


@pytest.mark.parametrize(("operation", "words"), NO_TEXT)
def test_what_the_api_wants_as_text_or_list_must_be_that(operation: dict[str, Any], words: str) -> None:
    with pytest.raises(errors.BadInputError, match=r"^patches\.decode\.x: .*" + re.escape(words)):
        changed(patch("json", [operation]))


def test_a_port_is_a_number_and_null_is_absent() -> None:
    ports = op("add", "/spec/containers/proxy/ports", [{"containerPort": 9, "name": None}])
    assert (
        changed(patch("json", [ports]))["spec"]["template"]["spec"]["containers"][1]["ports"][0]["containerPort"] == 9
    )


@pytest.mark.parametrize(
    "wanted",
    [
        patch("json", [op("remove", "/spec/initContainers/fetch")]),
        patch("merge", {"spec": {"initContainers": [{"name": "fetch", "$patch": "delete"}]}}),
    ],
    ids=["json", "merge"],
)
def test_an_init_container_may_be_removed_by_name(wanted: Patch) -> None:
    assert changed(wanted)["spec"]["template"]["spec"]["initContainers"] == []


OTHERS = [{"name": "other", "image": "other:1"}]


@pytest.mark.parametrize(
    "wanted",
    [
        patch("json", [op("remove", "/spec/initContainers")]),
        patch("json", [op("remove", "/spec/initContainers/0")]),
        patch("json", [op("add", "/spec/initContainers", OTHERS)]),
        patch("merge", {"spec": {"initContainers": [{"$patch": "replace"}, *OTHERS]}}),
    ],
    ids=["all", "by number", "another list", "merge"],
)
def test_an_init_container_is_never_lost_without_being_named(wanted: Patch) -> None:
    with pytest.raises(errors.BadInputError, match="drops init container fetch of the pod without naming it"):
        changed(wanted)


@pytest.mark.parametrize(("field", "there"), [("containers", "holds main, proxy"), ("initContainers", "holds fetch")])
def test_a_container_that_a_patch_adds_needs_an_image(field: str, there: str) -> None:
    words = f'there is no "man" in /spec/{field} of the pod, which {there}; a new container needs an image'
    with pytest.raises(errors.BadInputError, match=re.escape(words)):
        changed(patch("merge", {"spec": {field: [{"name": "man", "tty": True}]}}))


@pytest.mark.parametrize("image", [5, "", None])
def test_an_image_stays_a_text(image: object) -> None:
    wanted = op("replace", f"{IN_MAIN}/image", image)
    with pytest.raises(errors.BadInputError, match='the image of "main" in /spec/containers of the pod'):
        changed(patch("json", [wanted]))


def test_a_new_container_takes_no_name_of_an_init_container() -> None:
    wanted = op("add", "/spec/containers/-", {"name": "fetch", "image": "other:1"})
    with pytest.raises(errors.BadInputError, match='it makes two containers of the pod "fetch"; names are unique'):
        changed(patch("json", [wanted]))


def test_a_container_with_an_image_may_be_added() -> None:
    found = changed(patch("merge", {"spec": {"containers": [{"name": "man", "image": "man:1"}]}}))
    assert found["spec"]["template"]["spec"]["containers"][-1]["name"] == "man"


@pytest.mark.parametrize(
    "wanted",
    [
        patch("merge", {"spec": {"template": {"spec": {"hostPID": True}}}}),
        patch("json", [op("add", "/spec/template", {"spec": {"hostPID": True}})]),
    ],
    ids=["merge", "json"],
)
def test_the_paths_of_target_pod_begin_at_the_template(wanted: Patch) -> None:
    with pytest.raises(errors.BadInputError, match=r"leave out spec\.template, or set target: workload"):
        changed(wanted)


H200 = {"key": "gpu.example/model", "operator": "In", "values": ["H200", "H100"]}
ZONE = {"key": "zone", "operator": "Exists"}


def required(*terms: Any) -> dict[str, Any]:
    """Return an affinity of nodes with these terms, each a list of expressions."""
    found = [{"matchExpressions": list(term)} for term in terms]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": found}}}


def on_nodes(affinity: Any, before: Any) -> Any:
    """Return the affinity of a pod with that of ``before``, after a patch that replaces it."""
    pod = WORKLOAD["spec"]["template"]
    spec = WORKLOAD["spec"] | {"template": pod | {"spec": pod["spec"] | {"affinity": before}}}
    found = changed(patch("json", [op("replace", "/spec/affinity", affinity)]), WORKLOAD | {"spec": spec})
    return walk.get(found, "spec", "template", "spec", "affinity")


@pytest.mark.parametrize("after", [required([ZONE]), required([H200, ZONE], [ZONE]), required(), {}, None])
def test_a_requirement_of_nodes_stays_in_every_term(after: Any) -> None:
    words = r"it drops the requirement of nodes gpu\.example/model In H100, H200, and no patch weakens one"
    with pytest.raises(errors.BadInputError, match=words):
        on_nodes(after, required([H200]))


def test_a_patch_may_require_more_of_nodes() -> None:
    after = required([ZONE, {**H200, "values": ["H100", "H200"]}])
    assert on_nodes(after, required([H200])) == after


def test_what_only_one_of_several_terms_requires_may_go() -> None:
    after = required([H200])
    assert on_nodes(after, required([H200, ZONE], [H200])) == after
