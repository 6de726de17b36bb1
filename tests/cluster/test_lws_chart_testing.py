"""`ct install` with every values file of ci/: plain Helm, no renderer, on the real control plane.

LeaderWorkerSets are the real controller's; of KEDA's ScaledObject there is but a name, since nobody scales here.
"""

from __future__ import annotations

from pathlib import Path

from tests.cluster import device_objects, projects
from tests.cluster.api import Json
from tests.cluster.device_objects import Devices
from tests.cluster.namespaces import Namespace
from tests.cluster.spanning import Spanning
from tests.support import chart_testing
from tests.support.roster import CHART
from tests.support.runner import Runner

NODE = {
    "cpu": "256",
    "memory": "2Ti",
    "ephemeral-storage": "4Ti",
    "vpc.amazonaws.com/efa": "32",
    "rdma/ib": "1",
    "hugepages-2Mi": "5120Mi",
}
NICS = Devices("roce.example.com", "roce.example.com", 8)
LABELS = {"kubernetes.io/arch": "arm64", "zone": "a"}
MODELS = {"NVIDIA-H100": 2, "NVIDIA-L4": 2, "NVIDIA-H200": 10}
# What the values name as the cluster's own.
CLASSES = [
    ("scheduling.k8s.io/v1", "PriorityClass", "low", {"value": 1}),
    ("scheduling.k8s.io/v1", "PriorityClass", "serving", {"value": 2}),
    ("node.k8s.io/v1", "RuntimeClass", "nvidia", {"handler": "nvidia"}),
]
CLAIMS = {"models": "Filesystem", "weights": "Filesystem", "shared": "Filesystem", "spare": "Block"}
# For these claims, and for those that the values make: one of a class, one of a device, two of pods. Some more,
# since what another test left behind in the cluster may take one before it is gone.
VOLUMES = [
    ("ReadWriteMany", "shared", "Filesystem"),
    *(("ReadWriteOnce", "", form) for form in (*CLAIMS.values(), *["Block"] * 3, *["Filesystem"] * 6)),
]


def test_the_values_that_need_no_renderer_install_with_chart_testing(
    lws: Spanning, namespace: Namespace, helm4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    projects.add(lws.cluster.api, scaled_objects())
    for model, nodes in MODELS.items():
        made = namespace.add_nodes(nodes, gpus=8, labels=LABELS, model=model, **NODE)
    namespace.create(*device_objects.manifests(namespace.api, made, NICS))
    add_what_the_values_name(namespace)
    flags = ["--namespace", namespace.name, "--helm-extra-args", "--timeout 40s"]
    done = chart_testing.run(helm4, tmp_path, "install", *flags, kubectl=kubectl.program)
    assert done.stdout.count(chart_testing.INSTALLED) == len(list(CHART.glob("ci/*.yaml")))


def add_what_the_values_name(namespace: Namespace) -> None:
    """Create classes and volumes, with names of this test's own where names do not matter."""
    for api_version, kind, name, fields in CLASSES:
        namespace.create({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields})
    namespace.create(device_objects.template("roce-8", NICS))
    for index, (mode, storage, form) in enumerate(VOLUMES):
        spec = {
            "accessModes": [mode],
            "storageClassName": storage,
            "volumeMode": form,
            "capacity": {"storage": "1Ti"},
            "hostPath": {"path": "/x"},
        }
        metadata = {"name": f"{namespace.name}-{index}"}
        namespace.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec})
    for name, form in CLAIMS.items():
        wanted = {"accessModes": ["ReadWriteOnce"], "volumeMode": form, "resources": {"requests": {"storage": "1Ti"}}}
        claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": wanted}
        namespace.create(claim)


def scaled_objects() -> Json:
    """Return a definition of KEDA's kind that takes whatever is written."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    served = {"name": "v1alpha1", "served": True, "storage": True, "schema": {"openAPIV3Schema": anything}}
    names = {
        "kind": "ScaledObject",
        "listKind": "ScaledObjectList",
        "plural": "scaledobjects",
        "singular": "scaledobject",
    }
    spec = {"group": "keda.sh", "scope": "Namespaced", "names": names, "versions": [served]}
    metadata = {"name": "scaledobjects.keda.sh"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": spec,
    }
