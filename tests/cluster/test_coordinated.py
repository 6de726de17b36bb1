"""A coordinated rollout on the real control plane: no router finds workers of two revisions, at any moment."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

from tests.cluster import containers, fates, operations
from tests.cluster.api import Json, wait_for
from tests.cluster.kubelet import GROUP
from tests.cluster.namespaces import Namespace, pod_ready
from tests.support.roster import EXAMPLES, given
from tests.support.runner import Runner

EXAMPLE = EXAMPLES / "01-sglang-disaggregated" / "values.yaml"
REVISION = "helm-roster.dev/revision"
Look = list[Json]


@contextlib.contextmanager
def looks(namespace: Namespace) -> Iterator[list[Look]]:
    """Look at all pods again and again, each time at once, until the block ends."""
    found: list[Look] = [namespace.pods()]
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.1):
            found.append(namespace.pods())
        namespace.api.close()

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield found
    finally:
        ended.set()
        thread.join()


def selectors(router: Json) -> list[dict[str, str]]:
    """Return the labels by which a router's pod selects, from its arguments."""
    words = containers.main(router)["args"]
    starts = [place for place, word in enumerate(words) if word.endswith("-selector")]
    pairs = [[word.partition("=") for word in words[start + 1 : start + 4]] for start in starts]
    return [{key: value for key, _, value in found} for found in pairs]


def matched(look: Look, router: Json) -> Look:
    """Return the workers that a router finds in a look."""
    alive = [pod for pod in look if "deletionTimestamp" not in pod["metadata"]]
    asked = selectors(router)
    return [pod for pod in alive if any(labels.items() <= pod["metadata"]["labels"].items() for labels in asked)]


def of(look: Look, group: str) -> Look:
    return [pod for pod in look if pod["metadata"]["labels"][GROUP] == group]


def versions(pods: Look) -> set[str]:
    """Return the images of decode workers."""
    return {containers.main(pod)["image"] for pod in of(pods, "decode")}


def revisions(pods: Look) -> set[str]:
    """Return the revisions of workers."""
    return {pod["metadata"]["labels"].get(REVISION, "") for pod in pods}


def values(namespace: Namespace, folder: Path, image: str, *, together: bool = True) -> tuple[str, ...]:
    """Return flags of the example with few replicas, slow to start, and an image for decode."""
    rolled = {"replicas": 2, "rollout": {"coordinated": together}}
    decode = {**rolled, "container": {"image": image}}
    pods = {"nodeSelector": namespace.node_selector, "annotations": fates.annotate("slow", seconds=1)}
    content = {"defaults": {"environment": pods}, "groups": {"prefill": rolled, "decode": decode}}
    return (*given(EXAMPLE), "-f", str(operations.write(folder, content)))


def rolled(namespace: Namespace, image: str) -> bool:
    """Tell whether all pods are ready and decode's have the image."""
    pods = namespace.pods()
    return len(pods) == 5 and all(map(pod_ready, pods)) and versions(pods) == {image}


def test_while_decode_is_replaced_each_router_finds_workers_of_one_version_only(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_node(gpus=4)
    for verb, image in (("install", "example/decode:1"), ("upgrade", "example/decode:2")):
        with looks(namespace) as found:
            roster4(verb, "sglang", *values(namespace, tmp_path, image))
            wait_for(lambda image=image: rolled(namespace, image), 60, image)
    workers = [matched(look, router) for look in found for router in of(look, "router")]
    assert max(len(versions(look)) for look in found) == 2
    assert max(len(versions(pods)) for pods in workers) == 1
    assert max(len(revisions(pods)) for pods in workers) == 1
    refused = roster4.attempt("upgrade", "sglang", *values(namespace, tmp_path, "example/decode:3", together=False))
    assert "decode: rollout.coordinated ends while its pods change otherwise too, so pods of router" in refused.stderr
    told = roster4("upgrade", "sglang", *values(namespace, tmp_path, "example/decode:2", together=False))
    assert "together" not in told.stderr
