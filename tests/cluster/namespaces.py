"""A namespace for one test: its own nodes, its own kubeconfig, short looks at what it holds, and a quick end."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.cluster import nodes
from tests.cluster.api import Api, ApiError, Json, wait_for
from tests.cluster.control_plane import ControlPlane

# What Kubernetes itself puts into every namespace, and records of what happened: never left over by anybody.
OWN_KINDS = frozenset({"Event"})
OWN_NAMES = frozenset({("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")})
# What is owned by pods and follows them: by KAI's scheduler for its binder, Kueue's word on them, and their claims.
FOLLOWS = (
    "scheduling.run.ai/v1alpha2 BindRequest",
    "kueue.x-k8s.io/v1beta2 Workload",
    "resource.k8s.io/v1 ResourceClaim",
)
# What works, is listed over all namespaces, or takes an address or a volume that others need.
# Services go first, so that no controller follows their pods to the end.
ENDED = (
    "/api/v1/{}/services",
    *(f"/apis/apps/v1/{{}}/{kind}" for kind in ("deployments", "statefulsets", "daemonsets", "replicasets")),
    "/apis/batch/v1/{}/jobs",
    "/apis/autoscaling/v2/{}/horizontalpodautoscalers",
    "/api/v1/{}/secrets",
    "/api/v1/{}/pods",
    "/api/v1/{}/persistentvolumeclaims",
    # Groups whose pods are gone still count in their schedulers' totals.
    "/apis/scheduling.volcano.sh/v1beta1/{}/podgroups",
    "/apis/scheduling.run.ai/v2alpha2/{}/podgroups",
    "/apis/scheduling.run.ai/v1alpha2/{}/bindrequests",
    # What holds quota.
    "/apis/kueue.x-k8s.io/v1beta2/{}/workloads",
)


class Namespace:
    """A fresh namespace. Pods belong on its own nodes: give `node_selector` to charts and raw manifests."""

    def __init__(self, control_plane: ControlPlane, name: str, folder: Path) -> None:
        self.control_plane, self.name = control_plane, name
        self.api: Api = control_plane.api
        self.node_selector = {nodes.POOL: name}
        self._nodes: list[str] = []
        self._of_the_cluster: list[str] = []
        self._count = itertools.count(1)
        self.api.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        self.kubeconfig = control_plane.write_kubeconfig(folder / "kubeconfig", name)

    @property
    def env(self) -> dict[str, str]:
        """The variable that points programs to this cluster and namespace."""
        return {"KUBECONFIG": str(self.kubeconfig)}

    def add_node(
        self, *, gpus: int = 1, labels: Mapping[str, str] | None = None, taints: Sequence[str] = (), **more: str
    ) -> str:
        """Add a node to this namespace's pool and wait until it is Ready; `more`: see nodes.create. Return its name."""
        (name,) = self.add_nodes(1, gpus=gpus, labels=labels, taints=taints, **more)
        return name

    def add_nodes(
        self,
        count: int,
        *,
        gpus: int = 1,
        labels: Mapping[str, str] | None = None,
        taints: Sequence[str] = (),
        **more: str,
    ) -> list[str]:
        """Add `count` equal nodes; return their names."""
        marks = {**self.node_selector, **(labels or {})}
        made = [f"{self.name}-{next(self._count)}" for _ in range(count)]
        for name in made:
            nodes.create(self.api, name, gpus=gpus, labels=marks, taints=taints, **more)
        self._nodes += made
        nodes.ready(self.api, made)
        return made

    def remove_node(self, name: str) -> None:
        """Delete a node; its pods stay bound to it, as when a machine is lost."""
        nodes.remove(self.api, name)
        self._nodes.remove(name)

    def create(self, *manifests: Json) -> None:
        """Create manifests of any served kind here; what belongs to no namespace goes with this one too."""
        for manifest in manifests:
            self.api.create(manifest, self.name)
            path = self.path(manifest["apiVersion"], manifest["kind"], manifest["metadata"]["name"])
            if "/namespaces/" not in path:
                self._of_the_cluster.append(path)

    def path(self, api_version: str, kind: str, name: str = "") -> str:
        """Return the path of a kind's collection here, or of one object."""
        return self.api.path(api_version, kind, self.name, name)

    def get(self, api_version: str, kind: str, name: str) -> Json | None:
        """Read one object, or None."""
        return self.api.find(self.path(api_version, kind, name))

    def items(self, api_version: str, kind: str, selector: str = "") -> list[Json]:
        """Read all objects of a kind, or those that a label selector names."""
        return self.api.items(self.path(api_version, kind), **({"labelSelector": selector} if selector else {}))

    def delete(self, api_version: str, kind: str, name: str, **options: object) -> None:
        """Ask for an object's deletion; options: gracePeriodSeconds, propagationPolicy."""
        self.api.delete(self.path(api_version, kind, name), **options)

    def pods(self, selector: str = "") -> list[Json]:
        """Read the pods, or those that a label selector names."""
        return self.items("v1", "Pod", selector)

    def pod(self, name: str) -> Json | None:
        """Read one pod, or None."""
        return self.get("v1", "Pod", name)

    def set_ready(self, name: str, *, ready: bool) -> None:
        """Set a running pod's Ready condition as its probes would; simulated nodes run no probes."""
        word = str(ready)
        conditions = [{"type": kind, "status": word, "reason": None} for kind in ("Ready", "ContainersReady")]
        self.api.patch(f"{self.path('v1', 'Pod', name)}/status", {"status": {"conditions": conditions}}, "strategic")

    def bound(self, selector: str = "") -> int:
        """Count the pods that the scheduler has given a node."""
        return sum("nodeName" in pod["spec"] for pod in self.pods(selector))

    def refuse_binding(self, pod: str) -> None:
        """Have the API server refuse a node for the pods of this name, whatever a scheduler decides."""
        name, version = f"{self.name}-binding", "admissionregistration.k8s.io/v1"
        here = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": self.name}}}
        rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods/binding"]}
        policy = {
            "matchConstraints": here | {"resourceRules": [rule]},
            "validations": [{"expression": f"object.metadata.name != '{pod}'"}],
        }
        bound = {"policyName": name, "validationActions": ["Deny"], "matchResources": here}
        kind = "ValidatingAdmissionPolicy"
        for made, spec in (kind, policy), (f"{kind}Binding", bound):
            self.create({"apiVersion": version, "kind": made, "metadata": {"name": name}, "spec": spec})
        wait_for(
            lambda: self._binding(pod),
            60,
            "the policy to be in force",
            until=lambda code: code != http.client.NOT_FOUND,
        )

    def _binding(self, pod: str) -> int:
        """Return the status with which the API server refuses a node that is not there."""
        target = {"apiVersion": "v1", "kind": "Node", "name": "nowhere"}
        try:
            self.api.post(
                f"{self.path('v1', 'Pod', pod)}/binding",
                {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod}, "target": target},
            )
        except ApiError as error:
            return error.status
        return 0

    def everything(self) -> list[str]:
        """Return "Kind/name" of every object here, of all kinds that the API serves, without Kubernetes' own."""
        return [name for _, name in self._found()]

    def _found(self) -> list[tuple[str, str]]:
        """Return "apiVersion Kind" and "Kind/name" of each of them, by the latter."""
        found = [
            (f"{item['apiVersion']} {kind}", f"{kind}/{name}")
            for item in self.api.everything(self.name)
            for kind, name in [(item["kind"], item["metadata"]["name"])]
            if not of_kubernetes(kind, name)
        ]
        return sorted(found, key=lambda each: each[1])

    def is_left_with(self, before: Sequence[str] = ()) -> None:
        """See that nothing is here but what was before.

        What others made for a pod follows the pod: the garbage collector learns of new kinds every 30 s.
        """
        found = self._found()
        assert [name for kind, name in found if kind not in FOLLOWS] == list(before)
        if len(found) != len(before):
            wait_for(self.everything, 60, "what followed the pods to go", until=lambda left: left == list(before))

    def close(self) -> None:
        """Delete the nodes and what would work on, without waiting for the end.

        The namespace stays until the control plane goes with all its data: to delete it costs more than many a test.
        """
        for path in ENDED:
            with contextlib.suppress(ApiError):
                where = path.format(f"namespaces/{self.name}")
                self.api.delete(where, gracePeriodSeconds=0, propagationPolicy="Background")
        for node in self._nodes:
            nodes.remove(self.api, node)
        for path in reversed(self._of_the_cluster):
            self.api.delete(path)


def fresh_name(test: str) -> str:
    """Return a namespace name that tells which test it is for; never twice the same."""
    slug = re.sub(r"[^a-z0-9]+", "-", test.lower().removeprefix("test_"))[:30].strip("-")
    return f"{slug}-{secrets.token_hex(2)}"


def of_kubernetes(kind: str, name: str) -> bool:
    """Tell whether Kubernetes itself puts such an object into every namespace, sooner or later."""
    return kind in OWN_KINDS or (kind, name) in OWN_NAMES


def pod_ready(pod: Json) -> bool:
    """Tell whether the pod's Ready condition is True."""
    return any(item["type"] == "Ready" and item["status"] == "True" for item in pod["status"].get("conditions", []))
