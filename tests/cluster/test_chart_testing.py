"""`ct install` with every values file of ci/: plain Helm, no renderer, on the real control plane."""

from __future__ import annotations

from pathlib import Path

from tests.cluster.namespaces import Namespace
from tests.support import chart_testing
from tests.support.roster import CHART
from tests.support.runner import Runner

NODE = {"cpu": "256", "memory": "2Ti", "ephemeral-storage": "4Ti"}
LABELS = {"kubernetes.io/arch": "arm64", "zone": "a"}
# What the values name as the cluster's own.
CLASSES = [
    ("scheduling.k8s.io/v1", "PriorityClass", "low", {"value": 1}),
    ("scheduling.k8s.io/v1", "PriorityClass", "serving", {"value": 2}),
    ("node.k8s.io/v1", "RuntimeClass", "nvidia", {"handler": "nvidia"}),
]
CLAIMS = {"weights": "Filesystem", "shared": "Filesystem", "spare": "Block"}
# For these claims, and for those that the values make: one of a class, one of a device, two of pods.
VOLUMES = [
    ("ReadWriteMany", "shared", "Filesystem"),
    *(("ReadWriteOnce", "", form) for form in (*CLAIMS.values(), "Block", "Filesystem", "Filesystem")),
]


def test_the_values_that_need_no_renderer_install_with_chart_testing(
    namespace: Namespace, helm4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    for model in ("NVIDIA-H100", "NVIDIA-L4"):
        for _ in range(2):
            namespace.add_node(gpus=8, labels=LABELS, model=model, **NODE)
    add_what_the_values_name(namespace)
    flags = ["--namespace", namespace.name, "--helm-extra-args", "--timeout 40s"]
    done = chart_testing.run(helm4, tmp_path, "install", *flags, kubectl=kubectl.program)
    assert done.stdout.count(chart_testing.INSTALLED) == len(list(CHART.glob("ci/*.yaml")))


def add_what_the_values_name(namespace: Namespace) -> None:
    """Create classes and volumes, with names of this test's own where names do not matter."""
    for api_version, kind, name, fields in CLASSES:
        namespace.create({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **fields})
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
