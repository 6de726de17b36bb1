"""What the Kueue backend finds out in a cluster before an install: queues, quota, classes, and what Kueue manages."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from helm_roster.backends import kueue
from helm_roster.manifests.walk import Manifest
from helm_roster.model.plan import Plan

from tests.unit import builders
from tests.unit.asks import Asked
from tests.unit.builders import gang, group

VERSION = "kueue.x-k8s.io/v1beta2"
GPU, GATE = "nvidia.com/gpu", "kueue.x-k8s.io/admission"
PARENT, QUEUE = "kueue.x-k8s.io/pod-suspending-parent", "kueue.x-k8s.io/queue-name"
H200 = {"model": "h200"}
KINDS = ["LocalQueue", "ClusterQueue", "ResourceFlavor", "Cohort", "Topology", "WorkloadPriorityClass", "Workload"]
KNOWN = [*KINDS, "Node", "Namespace", "PriorityClass"]
GROUPS = {"learner": group(4, accelerators=1), "rollout": group(2, accelerators=1)}
GANG = {"step": gang(learner=(4, False), rollout=(2, False))}


def made(kind: str, name: str, *, at: str = "", status: Any = None, **spec: Any) -> Manifest:
    """Return an object of Kueue's, or one of the cluster's own."""
    metadata: dict[str, Any] = {"name": name, **({"namespace": at} if at else {})}
    api_version = VERSION if kind in KINDS else "v1"
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec, "status": status or {}}


def quota(gpus: int, flavor: str = "h200") -> Manifest:
    amounts = {GPU: str(gpus), "cpu": "100", "memory": "1Ti"}
    resources = [{"name": name, "nominalQuota": amount} for name, amount in amounts.items()]
    return {"coveredResources": list(amounts), "flavors": [{"name": flavor, "resources": resources}]}


def cluster_queue(gpus: int = 6, **spec: Any) -> Manifest:
    return made("ClusterQueue", "all", **{"namespaceSelector": {}, "resourceGroups": [quota(gpus)], **spec})


def node(**labels: str) -> Manifest:
    found = made("Node", "n1", status={"allocatable": {GPU: "8"}})
    found["metadata"]["labels"] = labels
    return found


LOCAL = made("LocalQueue", "team", at="default", clusterQueue="all")
FLAVOR = made("ResourceFlavor", "h200", nodeLabels=H200)
NAMESPACE = made("Namespace", "default")
INACTIVE = {"conditions": [{"type": "Active", "status": "False", "reason": "FlavorNotFound", "message": "no flavors"}]}


class Webhooks(Asked):
    """A cluster whose Kueue gates pods; ``stored`` is what its webhooks make of an object, None if they fail."""

    def __init__(self, *objects: Manifest, known: list[str] | None = None, said: str = "") -> None:
        super().__init__(known or KNOWN, *objects)
        self.said = said
        self.hook: Callable[[Manifest], Manifest | None] = gated

    def stored(self, manifest: Manifest, namespace: str) -> Manifest | None:
        """Return what the webhooks make of it."""
        del namespace
        return self.hook(copy.deepcopy(manifest))

    def refusal(self, manifest: Manifest, namespace: str) -> str:
        """Return the words with which it is refused."""
        del manifest, namespace
        return self.said


def gated(found: Manifest) -> Manifest:
    """Do what Kueue's webhooks do: gate pods, suspend Jobs that name a queue."""
    if found["kind"] == "Pod":
        found["spec"]["schedulingGates"] = [{"name": GATE}]
    elif QUEUE in found["metadata"].get("labels", {}):
        found["spec"]["suspend"] = True
    return found


def asked(groups: dict[str, Any] | None = None, gangs: Any = GANG, **options: Any) -> Plan:
    admission = {"backend": "kueue", "queue": "team", **options.pop("admission", {})}
    return builders.plan(groups or GROUPS, gangs, admission=admission, **options)


def found(cluster: Asked, plan: Plan | None = None) -> list[tuple[str, str]]:
    return [(one.state, one.message) for one in kueue.inspect(plan or asked(), cluster)]


def only(cluster: Asked, plan: Plan | None = None) -> tuple[str, str]:
    """Return the one thing that is found."""
    (one,) = found(cluster, plan)
    return one


def cluster(*objects: Manifest, without: str = "", **how: Any) -> Webhooks:
    """Return a cluster in which all is well, but that what is given stands for what has its kind and name."""
    usual = [LOCAL, cluster_queue(), FLAVOR, NAMESPACE, node(**H200)]
    own = {(entry["kind"], entry["metadata"]["name"]) for entry in objects}
    rest = [entry for entry in usual if (entry["kind"], entry["metadata"]["name"]) not in own]
    return Webhooks(*objects, *(entry for entry in rest if entry["kind"] != without), **how)


def test_a_queue_that_can_take_it_is_not_spoken_of() -> None:
    assert found(cluster()) == []


def test_a_local_queue_of_another_namespace_is_none_and_those_that_are_there_are_named() -> None:
    other = made("LocalQueue", "team", at="elsewhere", clusterQueue="all")
    there = made("LocalQueue", "teams", at="default", clusterQueue="all")
    assert only(cluster(other, there, without="LocalQueue")) == (
        "stops",
        (
            'namespace "default" has no LocalQueue "team"; did you mean "teams"?: name one that it has in '
            "scheduling.admission.queue"
        ),
    )


@pytest.mark.parametrize(
    ("objects", "without", "told"),
    [
        pytest.param([], "LocalQueue", 'has no LocalQueue "team", nor any other: have one made', id="no LocalQueue"),
        pytest.param(
            [], "ClusterQueue", 'ClusterQueue "all", to which LocalQueue "team" belongs, is not there',
            id="no ClusterQueue",
        ),
        pytest.param(
            [made("LocalQueue", "team", at="default")], "", 'ClusterQueue "", to which LocalQueue "team" belongs',
            id="a LocalQueue of none",
        ),
        pytest.param(
            [made("LocalQueue", "team", at="default", clusterQueue="all", stopPolicy="Hold")], "",
            'LocalQueue "team" is stopped (stopPolicy Hold)', id="LocalQueue stopped",
        ),
        pytest.param(
            [cluster_queue(stopPolicy="HoldAndDrain")], "", 'ClusterQueue "all" is stopped (stopPolicy HoldAndDrain)',
            id="ClusterQueue stopped",
        ),
        pytest.param(
            [{**cluster_queue(), "status": INACTIVE}], "", 'ClusterQueue "all" admits nothing: no flavors',
            id="inactive",
        ),
        pytest.param(
            [{**cluster_queue(), "metadata": {"name": "all", "deletionTimestamp": "2026-11-30T12:00:00Z"}}], "",
            'ClusterQueue "all" admits nothing: it is being deleted', id="being deleted",
        ),
        pytest.param(
            [cluster_queue(5)], "",
            'ClusterQueue "all" can never admit gang "step", whatever else runs: learner, rollout ask for 6 '
            "nvidia.com/gpu together, of which there are at most 5 in flavor h200: ask for less, or have the quota",
            id="quota",
        ),
        pytest.param(
            [cluster_queue(namespaceSelector={"matchLabels": {"team": "a"}})], "",
            'takes nothing of namespace "default", which its namespaceSelector does not select', id="other namespaces",
        ),
        pytest.param(
            [cluster_queue(namespaceSelector=None)], "", 'takes nothing of namespace "default"', id="no namespaces"
        ),
    ],
)  # fmt: skip
def test_a_queue_that_never_takes_it_stops(objects: list[Manifest], without: str, told: str) -> None:
    state, message = only(cluster(*objects, without=without))
    assert (state, told in message) == ("stops", True), message


def test_each_pod_of_a_group_outside_gangs_is_held_against_the_quota_by_itself_and_a_job_as_a_whole() -> None:
    groups = {"web": group(9, accelerators=1), "job": group(3, kind="Job", accelerators=1)}
    ((state, message),) = found(cluster(cluster_queue(2)), asked(groups, None))
    assert (state, 'can never admit group "job"' in message) == ("stops", True), message


def configuration(text: str) -> Manifest:
    return {**made("ConfigMap", "kueue-manager-config"), "data": {"controller_manager_config.yaml": text}}


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (None, "warns"),
        ("resources:\n  excludeResourcePrefixes: [rdma/]\n", "warns"),
        ("resources:\n  transformations:\n  - input: rdma/ib\n", "warns"),
        ("#resources:\n#  excludeResourcePrefixes: [rdma/]\n", "stops"),
        ("resources:\n  excludeResourcePrefixes: []\n", "stops"),
    ],
    ids=["not known", "left out", "made another", "a comment", "nothing left out"],
)
def test_what_a_queue_has_no_quota_of_stops_unless_it_may_not_be_counted(text: str | None, state: str) -> None:
    limits = {"limits": {"rdma/ib": 1}}
    groups = {"web": group(1, pod={"containers": [{"name": "main", "image": "x", "resources": limits}]})}
    objects = [configuration(text)] if text else []
    found, message = only(cluster(*objects, known=[*KNOWN, *(["ConfigMap"] if text else [])]), asked(groups, None))
    assert (found, "web asks for rdma/ib, of which there is no quota" in message) == (state, True), message


def test_a_queue_of_a_group_is_looked_at_too() -> None:
    groups = {**GROUPS, "extra": group(1, admission={"queue": "spare"})}
    assert 'has no LocalQueue "spare"' in only(cluster(), asked(groups))[1]


def test_a_flavor_of_nodes_that_are_not_there_is_warned_of() -> None:
    state, message = found(cluster(node(model="a100"), without="Node"))[0]
    assert (state, message) == (
        "warns",
        (
            'ClusterQueue "all", gang "step": flavor h200 has no node that learner may run on: admitted by it, its '
            "pods wait until there is one"
        ),
    )


def test_a_class_that_is_not_there_stops() -> None:
    high = made("WorkloadPriorityClass", "high")
    state, message = only(cluster(high), asked(admission={"priorityClass": "hihg"}))
    assert (state, message) == (
        "stops",
        (
            'there is no WorkloadPriorityClass "hihg"; did you mean "high"?: have it made, or name another in '
            "scheduling.admission.priorityClass"
        ),
    )  # fmt: skip


RACK = {"within": "rack", "label": "example.com/rack"}
RACKED = {"step": gang(learner=(4, False)) | {"locality": RACK}}


@pytest.mark.parametrize(
    ("topology", "told"),
    [
        ([], ("no flavor has a topology with the level example.com/rack, so Kueue can place it within none; with a "
         "topology is none")),
        (["kubernetes.io/hostname"], "with a topology are h200 (kubernetes.io/hostname)"),
        (["example.com/rack"], ""),
    ],
    ids=["none", "another level", "the level"],
)  # fmt: skip
def test_where_kueue_places_a_gang_a_flavor_must_know_the_level(topology: list[str], told: str) -> None:
    levels = [{"nodeLabel": label} for label in topology]
    objects = [made("Topology", "racks", levels=levels)] if topology else []
    flavor = made("ResourceFlavor", "h200", nodeLabels=H200, **({"topologyName": "racks"} if topology else {}))
    said = found(cluster(flavor, *objects), asked({"learner": GROUPS["learner"]}, RACKED, backend="default"))
    assert [state for state, _ in said] == (["stops"] if told else [])
    assert all(told in message for _, message in said)


@pytest.mark.parametrize("key", ["queue", "priorityClass"])
@pytest.mark.parametrize(
    ("groups", "operation", "told"),
    [
        ([], True, "scheduling.admission.{}"),
        (["extra"], False, "groups.extra.admission.{}"),
        (["a", "b"], True, "scheduling.admission.{}, groups.a.admission.{}, groups.b.admission.{}"),
    ],
    ids=["the operation", "a group", "both"],
)
def test_what_is_not_there_is_told_where_the_values_say_it(
    key: str, groups: list[str], *, operation: bool, told: str
) -> None:
    beside = {name: group(1, admission={key: "lacking"}) for name in groups}
    there = made("WorkloadPriorityClass", "high")
    said = found(cluster(there), asked({**GROUPS, **beside}, admission={key: "lacking"} if operation else {}))
    assert [message.rpartition(" in ")[2] for state, message in said if state == "stops"] == [told.replace("{}", key)]


def test_a_flavor_with_a_topology_places_before_the_scheduler_does() -> None:
    flavor = made("ResourceFlavor", "h200", nodeLabels=H200, topologyName="racks")
    state, message = only(cluster(flavor))
    assert (state, "flavor h200 has a topology, so Kueue itself chooses the nodes" in message) == ("warns", True)


EXTRA = {**GROUPS, "extra": group(6, admission={"priorityClass": "low"})}
LOWER = {"withinClusterQueue": "LowerPriority"}


def classes(**values: int) -> list[Manifest]:
    return [{**made("WorkloadPriorityClass", name), "value": value} for name, value in values.items()]


@pytest.mark.parametrize(
    ("values", "preemption", "lacking"),
    [
        ({"low": 1, "high": 2}, LOWER, ""),
        ({"low": 1, "high": 2}, {}, "unless the ClusterQueue has preemption.withinClusterQueue: LowerPriority"),
        ({"low": 2, "high": 1}, LOWER, "unless low is lower than high"),
    ],
    ids=["both", "no preemption", "not lower"],
)
def test_extras_that_the_gang_may_push_aside_are_fine(
    values: dict[str, int], preemption: dict[str, str], lacking: str
) -> None:
    objects = [cluster_queue(preemption=preemption), *classes(**values)]
    told = found(cluster(*objects), asked(EXTRA, admission={"priorityClass": "high"}))
    assert [state for state, _ in told] == (["warns"] if lacking else [])
    assert all(message.endswith(lacking) for _, message in told)


@pytest.mark.parametrize(("behind", "warned"), [("all", ["warns"]), ("other", [])])
def test_extras_of_another_local_queue_crowd_out_a_gang_of_the_same_cluster_queue(
    behind: str, warned: list[str]
) -> None:
    spare = made("LocalQueue", "spare", at="default", clusterQueue=behind)
    other = {**cluster_queue(), "metadata": {"name": "other"}}
    groups = {**GROUPS, "extra": group(6, admission={"queue": "spare"})}
    told = found(cluster(spare, LOCAL, other), asked(groups))
    assert [state for state, message in told if "use up quota of the same ClusterQueue" in message] == warned


def test_what_cannot_be_read_is_told_in_one_line() -> None:
    told = only(Webhooks(known=["Workload"]), asked(admission={"priorityClass": "high"}))
    assert told == (
        "unknown",
        (
            'not checked: whether namespace "default" has the LocalQueue team, and what its quota can hold; whether '
            "there is the WorkloadPriorityClass high"
        ),
    )


def test_where_cluster_queues_cannot_be_read_the_local_queue_tells_whether_it_is_open() -> None:
    known = ["LocalQueue", "Workload"]
    closed = {**LOCAL, "status": INACTIVE}
    assert [state for state, _ in found(cluster(known=known))] == ["unknown"]
    assert found(cluster(closed, known=known))[0] == ("stops", 'LocalQueue "team" admits nothing now: no flavors')


def hooked(hook: Callable[[Manifest], Manifest | None], **how: Any) -> Webhooks:
    made = cluster(**how)
    made.hook = hook
    return made


def by_marks_alone(found: Manifest) -> Manifest:
    """Gate only pods that say who suspends them, as where the namespace is not selected."""
    return gated(found) if PARENT in found["metadata"].get("annotations", {}) else found


@pytest.mark.parametrize(
    ("hook", "said", "state", "told"),
    [
        (by_marks_alone, "", "stops", 'Kueue does not manage namespace "default" (its managedJobsNamespaceSelector)'),
        (lambda manifest: manifest, "", "stops", 'Kueue does not look at pods of namespace "default"'),
        (
            lambda _: None, 'failed calling webhook "mpod.kb.io": connection refused', "stops",
            "no pod can be made now, for want of an answer (Kueue's, if it is down): failed calling webhook",
        ),
        (lambda _: None, "", "unknown", 'not checked: whether Kueue manages pods of namespace "default"'),
    ],
    ids=["not selected", "no webhook", "down", "not known"],
)  # fmt: skip
def test_whether_kueue_holds_pods_here_is_seen_by_a_pod_that_is_tried(
    hook: Callable[[Manifest], Manifest | None], said: str, state: str, told: str
) -> None:
    assert [(one, told in message) for one, message in found(hooked(hook, said=said))] == [(state, True)]


def test_a_job_that_kueue_does_not_suspend_would_not_wait() -> None:
    told = only(hooked(lambda manifest: manifest), asked({"job": group(2, kind="Job")}, None))
    assert (told[0], "integration batch/job is off" in told[1]) == ("stops", True)


def taking(queue: str = "") -> Callable[[Manifest], Manifest]:
    """Return webhooks that take over whatever has no queue: into the one called so, or into none."""

    def hook(found: Manifest) -> Manifest:
        if found["kind"] == "Job":
            found["spec"]["suspend"] = True
        elif found["kind"] != "Pod":
            metadata = found["spec"]["template"].setdefault("metadata", {})
            metadata.setdefault("annotations", {})[PARENT] = found["kind"].lower()
            if queue:
                metadata.setdefault("labels", {})[QUEUE] = queue
        if queue and found["kind"] != "Pod":
            found["metadata"].setdefault("labels", {})[QUEUE] = queue
        return gated(found)

    return hook


@pytest.mark.parametrize(
    ("kind", "admission", "queue", "state", "told"),
    [
        ("Deployment", "none", "", "stops", "would never start it: set groups.web.admission.queue"),
        ("Job", "none", "", "stops", "would never start it"),
        ("StatefulSet", "none", "default", "warns", "admits its StatefulSet by itself through LocalQueue default"),
        ("Deployment", "kueue", "default", "stops", "would admit it through LocalQueue default, not as this operation"),
        ("Deployment", "kueue", "", "", ""),
    ],
    ids=["no queue", "a Job without queue", "the default queue", "another queue than its own", "its own queue"],
)
def test_what_kueue_takes_over_by_itself_is_told(kind: str, admission: str, queue: str, state: str, told: str) -> None:
    groups = {"web": group(2, kind=kind, admission={"backend": admission})}
    said = found(hooked(taking(queue)), asked(groups, None))
    assert [(one, told in message) for one, message in said] == ([(state, True)] if state else []), said


def test_jobs_of_a_gang_that_kueue_takes_over_would_never_start() -> None:
    groups = {name: group(2, kind="Job", accelerators=1) for name in ("learner", "rollout")}
    said = found(hooked(taking()), asked(groups, {"step": gang(learner=(2, False), rollout=(2, False))}))
    assert [(state, "without a queue, and so never" in message) for state, message in said] == [("stops", True)] * 2


def test_an_operation_that_asks_for_no_admission_is_told_of_what_kueue_takes_over() -> None:
    plain = builders.plan({"web": group(2, kind="Deployment")})
    ((state, message),) = [(one.state, one.message) for one in kueue.captures(plain, hooked(taking()))]
    assert (state, 'group "web": Kueue manages its Deployment though it names no queue' in message) == ("stops", True)
    assert kueue.captures(plain, Asked([])) == []
