"""The real LeaderWorkerSet controller on a control plane that runs already: its definitions, webhooks and manager.

All of it comes from its Go module. The API server's own certificate is its too: self-signed, for 127.0.0.1. Its
webhooks of pods look at those of a LeaderWorkerSet only; here their selector says so, and no other pod waits for them.
"""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import functools
import json
from collections.abc import Iterator

import yaml

from tests.cluster import binaries, processes, projects
from tests.cluster.api import Json
from tests.cluster.components import Component, configuration
from tests.cluster.control_plane import ControlPlane, answers

PROGRAM = "lws"
VERSION, KIND = "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet"
# The label by which its webhooks know the pods that concern them.
OF_SET = "leaderworkerset.sigs.k8s.io/name"
# The last one of which it begins to answer.
_LAST_HOOK = "/validate-disaggregatedset-x-k8s-io-v1-disaggregatedset"


def bare(name: str) -> Json:
    """Return a LeaderWorkerSet of one replica of two pods, as nobody's chart makes it."""
    pod = {"spec": {"containers": [{"name": "main", "image": "example.com/none:1"}]}}
    spec = {"replicas": 1, "leaderWorkerTemplate": {"size": 2, "workerTemplate": pod}}
    return {"apiVersion": VERSION, "kind": KIND, "metadata": {"name": name}, "spec": spec}


@dataclasses.dataclass(frozen=True)
class Spanning:
    """The controller, running."""

    cluster: ControlPlane

    def down(self) -> contextlib.AbstractContextManager[None]:
        """End it for the time of the block, and start it again after it."""
        return self.cluster.components.without(PROGRAM)


def start(cluster: ControlPlane) -> Spanning:
    """Give the API server its kinds, start it, and return when its webhooks answer."""
    program = binaries.build(PROGRAM)[PROGRAM]
    folder = cluster.folder / PROGRAM
    folder.mkdir(exist_ok=True)
    cluster.lay_certificate(folder)
    bases = sorted((binaries.source("sigs.k8s.io/lws", PROGRAM) / "config/crd/bases").glob("*.yaml"))
    projects.add(cluster.api, *(yaml.load(path.read_text(), yaml.CSafeLoader) for path in bases))
    health, hooks = processes.free_ports(2)
    conf = folder / "config.json"
    conf.write_text(json.dumps(configuration("config.lws.x-k8s.io/v1alpha1", health, hooks, folder), indent=2))
    ready = functools.partial(answers, f"https://127.0.0.1:{hooks}", _LAST_HOOK)
    flags = [f"--config={conf}", f"--kubeconfig={cluster.kubeconfig}", "--zap-log-level=2"]
    cluster.components.run(Component(PROGRAM, [program, *flags], ready))
    for hook in _webhooks(cluster, hooks):
        cluster.api.create(hook)
    return Spanning(cluster)


def _webhooks(cluster: ControlPlane, port: int) -> Iterator[Json]:
    """Yield the configurations of its webhooks, led to the program on this machine."""
    authority = base64.b64encode(cluster.certificate.read_bytes()).decode()
    file = binaries.source("sigs.k8s.io/lws", PROGRAM) / "config/webhook/manifests.yaml"
    for shipped in yaml.load_all(file.read_text(), yaml.CSafeLoader):
        for hook in shipped["webhooks"]:
            path = hook["clientConfig"]["service"]["path"]
            hook["clientConfig"] = {"url": f"https://127.0.0.1:{port}{path}", "caBundle": authority}
            if path.endswith("--v1-pod"):
                hook["objectSelector"] = {"matchExpressions": [{"key": OF_SET, "operator": "Exists"}]}
        shipped["metadata"]["name"] = f"{PROGRAM}-{shipped['metadata']['name']}"
        yield shipped
