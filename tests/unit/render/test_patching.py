"""Patches in the stream: what they find, what they leave alone, and in which order they come."""

from __future__ import annotations

import contextlib
import copy
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helm_roster import errors
from helm_roster.manifests import door
from helm_roster.render import pipeline, stream

from tests.unit.builders import carrier_spec, gang, group, workload

Json = dict[str, Any]
GROUPS = {"worker": group(4), "proxy": group(1, kind="Deployment")}
IMAGE = "/spec/containers/main/image"


def document(data: Json) -> str:
    return f"---\n# Source: c/templates/x.yaml\n{door.dump(data)}"


def labelled(data: Json, name: str, *, release: str = "op") -> Json:
    labels = {"app.kubernetes.io/instance": release, "helm-roster.dev/group": name}
    return data | {"metadata": data["metadata"] | {"labels": labels}}


def service(name: str, ending: str = "", **options: Any) -> str:
    made = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"op-{name}{ending}"}, "spec": {"ports": []}}
    return document(labelled(made, name, **options))


def carrier(patches: Json, gangs: Json | None = None) -> str:
    spec = carrier_spec(copy.deepcopy(GROUPS), gangs, backend="native" if gangs else "default") | {"patches": patches}
    for name, entry in spec["groups"].items():
        entry["services"] = {"headless": f"op-{name}", "ready": f"op-{name}-svc"}
    metadata = {"name": "use-helm-roster"}
    return document(
        {"apiVersion": "helm-roster.dev/v1alpha1", "kind": "PostRendererRequired", "metadata": metadata, "spec": spec}
    )


def stream_of(patches: Json, gangs: Json | None = None) -> list[str]:
    workloads = [document(labelled(workload(f"op-{name}", entry), name)) for name, entry in GROUPS.items()]
    services = [service(name, ending) for name in GROUPS for ending in ("", "-svc")]
    return [*services, carrier(patches, gangs), *workloads]


def rendered(patches: Json, gangs: Json | None = None) -> list[str]:
    return [entry.text for entry in stream.split(pipeline.render("".join(stream_of(patches, gangs))).text)]


def changes(patches: Json) -> dict[str, Any]:
    """Return the documents that patches change, by kind and name, after a render without a gang."""
    before = [text for text in stream_of(patches) if "PostRendererRequired" not in text]
    changed = [new for old, new in zip(before, rendered(patches), strict=True) if new != old]
    loaded = [door.to_plain(door.load(text)) for text in changed]
    return {f"{entry['kind']} {entry['metadata']['name']}": entry for entry in loaded}


def replace(path: str, value: Any, **more: Any) -> Json:
    return {"json": [{"op": "replace", "path": path, "value": value}], **more}


def test_a_patch_changes_its_groups_workload_and_no_other_byte() -> None:
    found = changes({"worker": {"image": replace(IMAGE, "engine:2")}})
    assert list(found) == ["StatefulSet op-worker"]
    assert found["StatefulSet op-worker"]["spec"]["template"]["spec"]["containers"][0]["image"] == "engine:2"


def test_patches_without_a_backend_leave_nothing_of_the_carrier() -> None:
    texts = rendered({"worker": {"image": replace(IMAGE, "engine:2")}})
    assert len(texts) == 6
    assert "placement" not in "".join(texts)


def test_a_changed_document_keeps_its_source_comment() -> None:
    (found,) = (text for text in rendered({"worker": {"image": replace(IMAGE, "e:2")}}) if "e:2" in text)
    assert found.startswith("---\n# Source: c/templates/x.yaml\n")


def test_patches_of_a_group_come_in_the_order_of_their_names() -> None:
    patches = {"20-second": replace(IMAGE, "c"), "10-first": replace(IMAGE, "b")}
    found = changes({"worker": patches})["StatefulSet op-worker"]
    assert found["spec"]["template"]["spec"]["containers"][0]["image"] == "c"


def test_a_patch_that_only_takes_back_an_earlier_one_is_refused_and_names_that_alone() -> None:
    pid = {"merge": {"spec": {"hostPID": True}}}
    patches = {"a": pid, "b": replace(IMAGE, "engine:2"), "c": {"merge": {"spec": {"hostPID": None}}}}
    with pytest.raises(errors.BadInputError, match=r"^patches\.worker\.c: merge \(/spec/hostPID\): .*\(a\): take"):
        rendered({"worker": patches})


def test_a_patch_may_go_further_than_an_earlier_one_of_its_place() -> None:
    patches = {name: replace(IMAGE, image) for name, image in (("a", "engine:2"), ("b", "engine:3"))}
    assert "engine:3" in "".join(rendered({"worker": patches}))


def test_a_patch_of_the_workload_starts_at_the_workload() -> None:
    found = changes({"proxy": {"x": {"merge": {"spec": {"minReadySeconds": 5}}, "target": "workload"}}})
    assert found["Deployment op-proxy"]["spec"]["minReadySeconds"] == 5


def test_one_object_takes_patches_of_pod_workload_and_kind() -> None:
    targets = {"a": "pod", "b": "workload", "c": "Deployment"}
    patches = {name: {"merge": {"metadata": {"labels": {name: "x"}}}, "target": to} for name, to in targets.items()}
    found = changes({"proxy": patches})["Deployment op-proxy"]
    assert {"b", "c"} < set(found["metadata"]["labels"])
    assert found["spec"]["template"]["metadata"]["labels"] == {"a": "x"}


@pytest.mark.parametrize(("use", "name"), [("headless", "op-worker"), ("ready", "op-worker-svc")])
def test_a_service_is_named_by_its_use(use: str, name: str) -> None:
    found = changes({"worker": {"x": {"merge": {"spec": {"type": "NodePort"}}, "target": f"Service/{use}"}}})
    assert list(found) == [f"Service {name}"]


def test_a_patched_member_of_a_gang_is_stamped_as_well() -> None:
    text = "".join(rendered({"worker": {"x": replace(IMAGE, "e:2")}}, {"train": gang(worker=(4, False))}))
    assert (text.count("e:2"), text.count("schedulingGroup")) == (1, 1)


@pytest.mark.parametrize(
    "body",
    [
        {"spec": {"schedulingGroup": {"podGroupName": "x"}}},
        {"metadata": {"labels": {"scheduling.k8s.io/group-name": "x"}}},
        {"metadata": {"annotations": {"scheduling.k8s.io/group-name": "x"}}},
    ],
    ids=["field", "label", "annotation"],
)
def test_what_is_a_schedulers_is_refused_where_it_is_asked_for_and_no_one_elses(body: Json) -> None:
    with pytest.raises(errors.BadInputError, match="it is a scheduling backend's to set"):
        rendered({"worker": {"x": {"merge": body}}}, {"train": gang(worker=(4, False))})
    assert list(changes({"worker": {"x": {"merge": body}}})) == ["StatefulSet op-worker"]


def test_the_plan_is_read_from_the_patched_objects() -> None:
    text = "".join(stream_of({"worker": {"x": replace(IMAGE, "e:2")}}))
    plan = pipeline.render(text).plan
    assert plan is not None
    assert plan.pod_specs("worker")[0]["containers"][0]["image"] == "e:2"


def test_tests_alone_leave_every_byte() -> None:
    texts = stream_of({"worker": {"x": {"json": [{"op": "test", "path": IMAGE, "value": "pause"}]}}})
    noted = [f"{text}# as it was written\n" for text in texts]
    kept = "".join(text for text in noted if "PostRendererRequired" not in text)
    assert pipeline.render("".join(noted)).text == kept


def test_objects_of_another_release_are_not_found() -> None:
    text = "".join(stream_of({"worker": {"x": {"merge": {"a": 1}, "target": "ConfigMap"}}}))
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}
    with pytest.raises(errors.BadInputError, match="has no ConfigMap"):
        pipeline.render(text + document(labelled(made, "worker", release="other")))


def add(path: str, value: Any) -> Json:
    return {"op": "add", "path": path, "value": value}


MAIN = "/spec/containers/main"
MOUNT = add(f"{MAIN}/volumeMounts", [{"name": "data", "mountPath": "/data"}])
VOLUME = add("/spec/volumes", [{"name": "data", "emptyDir": {}}])
PROBE = add(f"{MAIN}/livenessProbe", {"httpGet": {"port": "http"}})
HOOK = add(f"{MAIN}/lifecycle", {"preStop": {"tcpSocket": {"port": "http"}}})
PORTS = add(f"{MAIN}/ports", [{"name": "http", "containerPort": 80}])
PODS: list[tuple[list[Json], str]] = [
    ([MOUNT], 'patches.worker (a): container "main", volumeMounts /data: there is no volume "data"; known: none; give'),
    ([MOUNT, add("/spec/volumes", [{"name": "dat", "emptyDir": {}}])], 'no volume "data" (did you mean "dat"?); known'),
    ([PROBE], 'container "main", livenessProbe.httpGet.port: there is no port "http" of this container; known: none'),
    ([HOOK], 'container "main", lifecycle.preStop.tcpSocket.port: there is no port "http"'),
    (
        [add(f"{MAIN}/resources/claims", [{"name": "gpus"}]), add("/spec/resourceClaims", [{"name": "gpu"}])],
        'container "main", resources.claims: the pod has no claim "gpus" (did you mean "gpu"?); known: gpu',
    ),
    ([add(f"{MAIN}/resources/limits", {"cpu": "500m"})], "resources.requests.cpu: 1, but the limit is 500m; allowed"),
    ([add(f"{MAIN}/resources/requests/nvidia.com~1gpu", 2)], "2, but a container is given as much of it as limits"),
    ([add(f"{MAIN}/resources/limits", {"nvidia.com/gpu": 0.5})], "resources.limits.nvidia.com/gpu: 0.5, but devices"),
    ([add(f"{MAIN}/resources/limits", {"cpu": "two"})], "resources of cpu: 'two' is no Kubernetes quantity"),
    ([add("/spec/restartPolicy", "Never")], "restartPolicy: Never; of pods of a StatefulSet the API takes Always only"),
    ([add("/spec/activeDeadlineSeconds", 9)], "activeDeadlineSeconds: given, but pods of a StatefulSet have no end"),
]


@pytest.mark.parametrize(("operations", "words"), PODS)
def test_a_patched_pod_that_does_not_fit_together_is_refused(operations: list[Json], words: str) -> None:
    with pytest.raises(errors.BadInputError, match=re.escape(words)):
        rendered({"worker": {"a": {"json": operations}}})


def mounting(spec: Json) -> str:
    """Return the stream after a group that mounts `data` of these fields is patched, in its Service only."""
    given = stream_of({"worker": {"a": {"merge": {"spec": {"type": "NodePort"}}, "target": "Service/ready"}}})
    made = workload("op-worker", group(4, spec=spec))
    made["spec"]["template"]["spec"]["containers"][0] |= {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    return pipeline.render("".join([*given[:-2], document(labelled(made, "worker")), given[-1]])).text


def test_what_the_values_leave_out_is_refused_where_a_patch_could_have_brought_it() -> None:
    with pytest.raises(errors.BadInputError, match='there is no volume "data"; known: none'):
        mounting({})


def test_a_claim_template_is_a_volume_too() -> None:
    assert "NodePort" in mounting({"volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}]})


def test_what_one_patch_copies_before_another_takes_it_back_is_taken() -> None:
    there = {"json": [{"op": "add", "path": "/spec/hostname", "value": "x"}]}
    used = {"json": [{"op": "copy", "from": "/spec/hostname", "path": "/spec/subdomain"}]}
    back = {"merge": {"spec": {"hostname": None}}}
    assert changes({"worker": {"a": there, "b": used, "c": back}})


@pytest.mark.parametrize("operations", [[MOUNT, VOLUME], [PROBE, PORTS], [HOOK, PORTS]])
def test_one_patch_may_bring_what_another_asks_for(operations: list[Json]) -> None:
    first, second = ({"json": [operation]} for operation in operations)
    assert changes({"worker": {"a": first, "b": second}})


def moved_port(patches: Json) -> str:
    """Return the stream after a group whose Service sends to port 80 is patched."""
    given = stream_of({"worker": patches})
    pods = workload("op-worker", group(4))
    pods["spec"]["template"]["spec"]["containers"][0]["ports"] = [{"name": "http", "containerPort": 80}]
    ready = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "op-worker-svc"}}
    ready["spec"] = {"ports": [{"name": "http", "port": 80, "targetPort": 80, "protocol": "TCP"}]}
    given[1], given[-2] = document(labelled(ready, "worker")), document(labelled(pods, "worker"))
    return pipeline.render("".join(given)).text


MOVED = replace(f"{MAIN}/ports/0/containerPort", 81)


def test_a_port_to_which_a_service_sends_is_not_moved_by_a_patch() -> None:
    words = r"port 80 of the pods is gone, and Service op-worker-svc would still send to it; ports are values"
    with pytest.raises(errors.BadInputError, match=words):
        moved_port({"a": MOVED})


def test_a_port_may_move_together_with_the_service() -> None:
    service_too = replace("/spec/ports/0/targetPort", 81, target="Service/ready")
    assert "targetPort: 81" in moved_port({"a": MOVED, "b": service_too})


@pytest.mark.parametrize(("port", "fits"), [("http", True), ("htpp", False), (4711, True)])
def test_a_service_is_patched_to_a_port_that_the_pods_name(port: str | int, *, fits: bool) -> None:
    words = r'Service op-worker-svc, targetPort: there is no port "htpp" of the pods \(did you mean "http"\?\); known'
    with contextlib.nullcontext() if fits else pytest.raises(errors.BadInputError, match=words):
        moved_port({"a": replace("/spec/ports/0/targetPort", port, target="Service/ready")})


BAD: list[tuple[Json, str]] = [
    ({"gone": {"x": replace(IMAGE, "y")}}, 'patches.gone: there is no group "gone"; known: proxy, worker'),
    ({"worker": {"x": replace("/spec", {}, target="Service")}},
     'patches.worker.x: target Service means 2 objects of group "worker"; say which: Service/headless (op-worker), S'),
    ({"worker": {"x": replace("/spec", {}, target="Service/svc")}},
     'group "worker" has no Service/svc; it has: Service/headless (op-worker), Service/ready (op-worker-svc), State'),
    ({"worker": {"x": replace("/data", {}, target="ConfigMap")}}, 'group "worker" has no ConfigMap; it has: Service/'),
    ({"worker": {"x": replace("/spec", {}, target="Deployment")}}, "StatefulSet (op-worker)"),
    ({"worker": {"x": replace("/metadata/name", "y", target="Service/ready")}}, "it changes /metadata/name"),
    ({"worker": {"x": replace(IMAGE, "pause")}}, f"patches.worker.x: json[0] (replace {IMAGE}): it changes nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("patches", "words"), BAD)
def test_what_cannot_be_patched_is_refused_in_one_line(patches: Json, words: str) -> None:
    with pytest.raises(errors.BadInputError, match=re.escape(words)) as caught:
        rendered(patches)
    assert "\n" not in str(caught.value)


NAMES = st.sampled_from(["a", "b", "a-b", "ab"])
SCALARS = st.sampled_from(["y", "1e3", "0123", "on", " ", "x: y", "null"])


@settings(max_examples=25, deadline=None)
@given(counts=st.dictionaries(NAMES, st.integers(1, 3), min_size=2), value=SCALARS, data=st.data())
def test_a_patch_on_one_group_leaves_the_bytes_of_all_others(counts: dict[str, int], value: str, data: Any) -> None:
    wanted = data.draw(st.sampled_from(sorted(counts)))
    groups = {name: group(count, pod={"hostname": value}) for name, count in counts.items()}
    texts = {name: document(labelled(workload(f"op-{name}", entry), name)) for name, entry in groups.items()}
    spec = carrier_spec(groups, backend="default") | {"patches": {wanted: {"x": replace(IMAGE, value)}}}
    first = document(
        {"apiVersion": "helm-roster.dev/v1alpha1", "kind": "PostRendererRequired", "metadata": {}, "spec": spec}
    )
    out = pipeline.render(first + "".join(texts.values())).text
    after = dict(zip(texts, (entry.text for entry in stream.split(out)), strict=True))
    assert [name for name in texts if texts[name] != after[name]] == [wanted]
    pod = door.to_plain(door.load(after[wanted]))["spec"]["template"]["spec"]
    assert (pod["containers"][0]["image"], pod["hostname"]) == (value, value)
