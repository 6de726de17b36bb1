"""Words for tests of inference services whose routers are real: see `kubelet.py`, by which their pods run."""

from __future__ import annotations

import contextlib
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.cluster import containers, kubelet, operations
from tests.cluster.api import Api, Json, wait_for
from tests.cluster.engines import MODEL, Engine
from tests.cluster.kubelet import GROUP, Kubelet
from tests.cluster.namespaces import Namespace
from tests.support.roster import given
from tests.support.runner import Runner

PATIENCE = 40.0


class Serving:
    """An inference service, called as its release, in a namespace whose pods a kubelet of ours runs."""

    def __init__(self, namespace: Namespace, played: Kubelet, run: Runner, name: str) -> None:
        self.namespace, self.played, self.run, self.name = namespace, played, run, name

    def install(self, *values: Path, **replicas: int) -> None:
        """Install values on the test's own nodes, with the groups counted anew."""
        environment = {"nodeSelector": self.namespace.node_selector, "annotations": kubelet.PLAYED}
        counted = {group: {"replicas": count} for group, count in replicas.items()}
        last = operations.write(self.played.folder, {"defaults": {"environment": environment}, "groups": counted})
        first, *others = [*(Path(word) for path in values for word in given(path)[1::2]), last]
        operations.install(self.run, self.name, first, *(word for path in others for word in ("-f", str(path))))

    def scale(self, group: str, replicas: int) -> None:
        """Give the group's Deployment another count, as an autoscaler does."""
        (found,) = self.namespace.items("apps/v1", "Deployment", f"{GROUP}={group}")
        path = self.namespace.path("apps/v1", "Deployment", found["metadata"]["name"])
        self.namespace.api.patch(f"{path}/scale", {"spec": {"replicas": replicas}})

    def engines(self, group: str, count: int) -> list[Engine]:
        """Wait for so many engines of a group and return them."""
        return wait_for(lambda: self.played.of(group), PATIENCE, group, until=lambda seen: len(seen) == count)

    def router(self, group: str = "router") -> Json:
        """Wait for a router's pod and return it."""
        return wait_for(lambda: self.namespace.pods(f"{GROUP}={group}"), PATIENCE, f"a pod of {group}")[0]

    def url(self, group: str = "router") -> str:
        """Return where a router serves, once it answers there."""
        pod = self.router(group)
        url = f"http://{self.played.address(pod)}:{containers.port(pod, 'http')}"
        wait_for(lambda: containers.get(f"{url}/health"), PATIENCE, f"{group} to answer")
        return url

    def workers(self, count: int, group: str = "router") -> None:
        """Wait until a router of SGLang's family knows so many workers."""
        url = f"{self.url(group)}/workers"
        wait_for(lambda: len(look(url)["workers"]), PATIENCE, "workers", until=lambda seen: seen == count)

    def reached(self, count: int, group: str = "router") -> None:
        """Wait until the Service for clients of a group leads to so many pods."""
        wait_for(lambda: self._reached(group), PATIENCE, f"pods behind {group}", until=lambda seen: seen == count)

    def _reached(self, group: str) -> int:
        selector = f"{GROUP}={group},!service.kubernetes.io/headless"
        slices = self.namespace.items("discovery.k8s.io/v1", "EndpointSlice", selector)
        return sum(entry["conditions"]["ready"] for found in slices for entry in found["endpoints"] or [])

    def objects(self, groups: str) -> list[Json]:
        """Return the workloads and pods of groups whose names begin so, but for what controllers report of them."""
        kinds = (("apps/v1", "Deployment"), ("apps/v1", "ReplicaSet"), ("v1", "Pod"))
        found = [item for kind in kinds for item in self.namespace.items(*kind)]
        mine = [item for item in found if item["metadata"]["labels"][GROUP].startswith(groups)]
        return [{"uid": item["metadata"]["uid"], "spec": item["spec"]} for item in mine]

    def judged(self, group: str = "router") -> tuple[bool, int]:
        """Return what `status` says: whether the operation is ready, and how many pods of the router are."""
        found = operations.status(self.run, self.name)
        return found["ready"], operations.health(found, group)["ready"]


def look(url: str) -> Any:
    """Read JSON."""
    with urllib.request.urlopen(url, timeout=10) as answer:  # noqa: S310 - on loopback
        return json.load(answer)


def chat(url: str) -> None:
    """Have a request answered."""
    body = json.dumps({"model": MODEL, "messages": [{"role": "user", "content": "hello"}]}).encode()
    headers = {"Content-Type": "application/json"}
    asked = urllib.request.Request(f"{url}/v1/chat/completions", body, headers)  # noqa: S310 - on loopback
    with urllib.request.urlopen(asked, timeout=20) as answer:  # noqa: S310 - on loopback
        assert json.load(answer)["choices"]


def got(engines: list[Engine]) -> list[int]:
    """Return how many requests each engine got."""
    return [len(engine.generated) for engine in engines]


@contextlib.contextmanager
def account(namespace: Namespace, name: str) -> Iterator[Api]:
    """Speak to the API server as a service account."""
    token = containers.kubeconfig(namespace, name)["users"][0]["user"]["token"]
    with contextlib.closing(namespace.api.as_user(token)) as api:
        yield api


def rights(api: Api, namespace: str) -> list[Json]:
    """Return what a user may do in a namespace."""
    kind = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview"}
    path = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
    rules: list[Json] = api.post(path, {**kind, "spec": {"namespace": namespace}})["status"]["resourceRules"]
    return rules
