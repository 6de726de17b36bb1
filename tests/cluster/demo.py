"""`make demo`: what Roster does, in two minutes, on a real control plane with simulated nodes.

Without Go it renders and plans, and says what it left out. The cluster is its own, and ends with the demo.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.cluster import binaries, control_plane, nodes, session
from tests.cluster.api import Api, wait_for
from tests.cluster.control_plane import ControlPlane
from tests.cluster.namespaces import of_kubernetes, pod_ready

ROOT = Path(__file__).parent.parent.parent
ROSTER = Path(sys.executable).parent / "helm-roster"
SERVING = ("-f", "presets/sglang.yaml", "-f", "examples/01-sglang-disaggregated/values.yaml")
TRAINING = "examples/02-gang-training/values.yaml"
PODS = "/api/v1/namespaces/default/pods"


def main() -> int:
    """Run the demo; return the exit code."""
    for name in [name for name in os.environ if name.startswith("HELM_") and name != "HELM_BIN"]:
        del os.environ[name]  # a namespace or context of the user's own has no business here
    say("A values file with three named groups. What will it ask for?")
    run("plan", "serving", *SERVING)
    if reason := binaries.why_unavailable():
        say(f"Left out, since {reason}: the test cluster, and on it a gang that is held, placed and cancelled.")
        say("Rendered instead: example 02, with its gang.")
        run("template", "training", "-f", TRAINING)
        return 0
    say("A real API server, scheduler and controllers; the nodes are simulated. The first build takes many minutes.")
    with cluster() as running:
        gang(running)
    say("That was all. The cluster of this demo is gone; `make cluster` gives you one that stays.")
    return 0


def gang(running: ControlPlane) -> None:
    """Hold a gang of four on three nodes, let it run on four, cancel it."""
    api = running.api
    say("Three nodes with one accelerator each.")
    for number in range(1, 4):
        nodes.add(api, f"node-{number}", gpus=1)
    empty = set(everything(api))
    say("Four workers that start together or not at all. Three would fit; none is bound:")
    run("install", "training", "-f", TRAINING)
    wait_for(status, 60, "the scheduler's words", until=lambda text: "minCount (4)" in text)
    run("status", "training")
    say("A fourth node: all four run.")
    nodes.add(api, "node-4", gpus=1)
    wait_for(lambda: ready(api), 90, "four ready pods", until=lambda count: count == 4)
    run("status", "training")
    say("Cancel gives everything back.")
    before = set(everything(api)) - empty
    run("cancel", "training")
    left = set(everything(api)) - empty
    say(f"Objects before, with Helm's record of the release: {len(before)}; left: {len(left)}.")
    if left:
        sys.exit(f"left behind: {', '.join(sorted(left))}")


@contextlib.contextmanager
def cluster() -> Iterator[ControlPlane]:
    """Start a control plane, point our programs at it, end it."""
    name = f"demo-{os.getpid()}"
    programs = binaries.build(*binaries.CONTROL_PLANE)
    with tempfile.TemporaryDirectory(prefix="helm-roster-demo-") as folder:
        running = control_plane.start(
            Path(folder), programs, note=lambda records: session.write(name, records, owned=True)
        )
        try:
            os.environ["KUBECONFIG"] = str(running.write_kubeconfig(Path(folder) / "kubeconfig-demo", "default"))
            yield running
        finally:
            running.stop()
            session.forget(name)


def everything(api: Api) -> list[str]:
    """Return all objects of the namespace, of every kind that the API serves, without Kubernetes' own."""
    found = ((item["kind"], item["metadata"]["name"]) for item in api.everything("default"))
    return [f"{kind}/{name}" for kind, name in found if not of_kubernetes(kind, name)]


def ready(api: Api) -> int:
    """Count the ready pods."""
    return sum(pod_ready(pod) for pod in api.items(PODS))


def say(text: str) -> None:
    """Tell what comes next."""
    print(f"\n== {text}", flush=True)


def run(*arguments: str) -> None:
    """Show a command of ours and run it."""
    print(f"$ helm-roster {shlex.join(arguments)}", flush=True)
    subprocess.run([str(ROSTER), *arguments], cwd=ROOT, check=True)


def status() -> str:
    """Return what `status` says."""
    return subprocess.run([str(ROSTER), "status", "training"], capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as failed:
        sys.exit(f"the demo ended: {shlex.join(map(str, failed.cmd))} returned {failed.returncode}")
