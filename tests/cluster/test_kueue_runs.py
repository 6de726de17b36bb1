"""Kueue itself, without our code: it holds what has no quota, lets it through to each scheduler, and can be down."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import admission, kueue_objects, raw
from tests.cluster.admission import QUEUE, Kueue
from tests.cluster.api import ApiError, Json, stays, wait_for
from tests.cluster.namespaces import Namespace
from tests.cluster.schedulers import Scheduler

HELD = 1.0
BINDS = 60.0
GROUP = "step"


def gang(scheduler: Scheduler, namespace: Namespace, size: int) -> list[Json]:
    """Return a gang of the scheduler whose pods are one group of pods for Kueue."""
    *grouping, member = raw.gang(scheduler, namespace, GROUP, size)
    return [*grouping, kueue_objects.grouped(member, QUEUE, f"{namespace.name}-{GROUP}", size)]


def reserved(kueue: Kueue, namespace: Namespace) -> Json:
    workload = kueue.workload(namespace, f"{namespace.name}-{GROUP}")
    return kueue_objects.condition(workload, "QuotaReserved")


def test_a_gang_is_held_until_there_is_quota_for_all_of_it_and_then_placed_by_its_scheduler(
    kueue: Kueue, kueue_placer: Scheduler, namespace: Namespace
) -> None:
    namespace.add_nodes(4)
    kueue.queue(namespace, gpus=3)
    namespace.create(*gang(kueue_placer, namespace, 4))
    told = wait_for(
        lambda: reserved(kueue, namespace), 30, "a word of Kueue", until=lambda found: found["status"] == "False"
    )
    assert "insufficient unused quota for nvidia.com/gpu" in told["message"] or "insufficient quota" in told["message"]
    stays(namespace.pods, HELD, "four gated pods", until=lambda pods: kueue_objects.gated(pods) == 4)
    kueue.set_quota(namespace, 4)
    wait_for(namespace.bound, BINDS, "four bound pods", until=lambda count: count == 4)
    kueue.uses(namespace, 4)
    namespace.delete("apps/v1", "StatefulSet", GROUP)
    kueue.uses(namespace, 0)


def test_nobody_makes_pods_while_kueue_is_down_and_all_do_when_it_is_back(kueue: Kueue, namespace: Namespace) -> None:
    made = raw.stateful_set("late", 1, raw.pod_spec(namespace.node_selector))
    with kueue.down(), pytest.raises(ApiError, match="failed calling webhook"):
        namespace.create(made)
    namespace.add_node()
    namespace.create(made)
    wait_for(namespace.bound, BINDS, "a bound pod", until=lambda count: count == 1)


def test_what_was_made_for_the_whole_cluster_goes_with_the_namespace(kueue: Kueue, namespace: Namespace) -> None:
    name = kueue.of_the_cluster(namespace)
    kueue.queue(namespace, gpus=1, levels=("kubernetes.io/hostname",))
    paths = [
        namespace.path(kueue_objects.VERSION, kind, name) for kind in ("ClusterQueue", "ResourceFlavor", "Topology")
    ]
    namespace.add_node()
    made = raw.stateful_set(GROUP, 1, raw.pod_spec(namespace.node_selector, gpus=1))
    namespace.create(kueue_objects.grouped(made, QUEUE, GROUP, 1))
    kueue.uses(namespace, 1)
    namespace.close()
    found = namespace.control_plane.api.find
    wait_for(lambda: [path for path in paths if found(path)], 60, "them to go", until=lambda left: not left)


def test_a_certificate_that_is_there_stays_and_one_without_its_key_is_replaced(
    kueue: Kueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admission, "CERTIFICATES", tmp_path)
    certificate, key = tmp_path / "tls.crt", tmp_path / "tls.key"
    admission.certify(kueue.cluster)
    assert admission.is_pair(tmp_path)
    certificate.write_text(certificate.read_text() + "# another's\n")
    admission.certify(kueue.cluster)
    assert certificate.read_text().endswith("# another's\n")
    key.write_text("")
    admission.certify(kueue.cluster)
    assert admission.is_pair(tmp_path)
    assert not certificate.read_text().endswith("# another's\n")


def test_where_no_certificate_can_be_laid_the_reason_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(admission, "CERTIFICATES", tmp_path / "file" / "certs")
    assert admission.why_no_certificate() == (
        f"Kueue looks for a certificate in {tmp_path}/file/certs, which cannot be made: Not a directory"
    )
