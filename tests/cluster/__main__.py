"""`python -m tests.cluster`: the tests' cluster for a person, in the background until `down`."""

from __future__ import annotations

import argparse
import functools
import shutil
import sys
import time
from pathlib import Path

from tests.cluster import admission, binaries, control_plane, nodes, processes, projects, schedulers, session, spanning
from tests.cluster.api import ApiError
from tests.cluster.control_plane import ControlPlane

_NAME = "cluster"
ADDED = [*projects.NAMES, admission.PROGRAM, spanning.PROGRAM]


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (binaries.UnavailableError, processes.ComponentError, ApiError, UserError) as error:
        print(f"test cluster: {error}", file=sys.stderr)
        return 1
    return 0


class UserError(Exception):
    """What was asked for cannot be done; the text says what to do."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.cluster", description=__doc__)
    parser.add_argument("--name", default=_NAME, help=f"which cluster, for more than one at a time (default {_NAME})")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    up = commands.add_parser("up", help="build what is missing, start the cluster, leave it running")
    up.add_argument("--nodes", type=int, default=0, metavar="N", help="see to it that node-1 to node-N are there")
    up.add_argument("--gpus", type=int, default=1, metavar="G", help="accelerators of a new node (default 1)")
    up.add_argument(
        "--with", dest="added", nargs="+", choices=ADDED, default=[], metavar="PROJECT",
        help=f"see to it that these run too: {', '.join(ADDED)}",
    )  # fmt: skip
    up.set_defaults(run=_up)
    commands.add_parser("down", help="end the cluster and drop its data").set_defaults(run=_down)
    commands.add_parser("kubeconfig", help="print the path of the kubeconfig").set_defaults(run=_kubeconfig)
    node = commands.add_parser("node", help="add or remove a simulated node").add_subparsers(
        required=True, metavar="COMMAND"
    )
    add = node.add_parser("add", help="add a node and wait until it is Ready")
    add.add_argument("node", metavar="NAME")
    add.add_argument("--gpus", type=int, default=1, metavar="G")
    add.set_defaults(run=_node_add)
    remove = node.add_parser("remove", help="delete a node")
    remove.add_argument("node", metavar="NAME")
    remove.set_defaults(run=_node_remove)
    return parser


def _folder(name: str) -> Path:
    return session.folder() / name


def _running(name: str) -> ControlPlane | None:
    """Return the cluster if it started whole and all of its processes run."""
    records = session.read(name)
    whole = {record.name for record in records}.issuperset(binaries.CONTROL_PLANE)
    if whole and all(map(processes.alive, records)):
        return control_plane.load(_folder(name), records, note=functools.partial(_note, name))
    return None


def _need_running(name: str) -> ControlPlane:
    running = _running(name)
    if running is None:
        msg = "it is not running; start it with `python -m tests.cluster up`"
        raise UserError(msg)
    return running


def _up(options: argparse.Namespace) -> None:
    _check_added(options.added)
    cluster = _running(options.name)
    if cluster:
        (first,) = [one for one in cluster.api.items("/api/v1/namespaces") if one["metadata"]["name"] == "kube-system"]
        since = first["metadata"]["creationTimestamp"]
        print(
            f"The cluster runs already, since {since}, for all your checkouts: helm-roster list -A shows what is there."
        )
    else:
        cluster = _start(options.name)
    asked = [name for name in projects.NAMES if name in options.added]
    if asked:
        projects.define(cluster.api)
    for name in asked:
        _start_scheduler(name, cluster)
    if admission.PROGRAM in options.added:
        _start_kueue(cluster)
    if spanning.PROGRAM in options.added:
        _start_spanning(cluster)
    have = {node["metadata"]["name"] for node in cluster.api.items("/api/v1/nodes")}
    for node in [f"node-{number}" for number in range(1, options.nodes + 1)]:
        if node not in have:
            nodes.add(cluster.api, node, gpus=options.gpus)
            print(f"{node} is Ready, with {options.gpus} accelerator(s)", file=sys.stderr)
    print(f"Kubeconfig: {cluster.kubeconfig}\n\n  export KUBECONFIG={cluster.kubeconfig}\n")
    by_name = f"{sys.executable} -m tests.cluster --name {options.name} down"
    end = "make cluster-down" if options.name == _NAME else by_name
    print(f"Logs are in the folder logs beside it. Stop the cluster with `{end}`.")


def _check_added(names: list[str]) -> None:
    """Say before anything is started why one of these cannot be."""
    lacking = (
        projects.why_no_programs(name) or projects.why_no_definitions(name) for name in projects.NAMES if name in names
    )
    without = (admission.why_no_certificate() for name in names if name == admission.PROGRAM)
    for reason in filter(None, (*lacking, *without)):
        raise UserError(reason)


def _start(name: str) -> ControlPlane:
    programs = binaries.build(*binaries.CONTROL_PLANE)
    if _end(name):
        print("Ended what was left of a cluster that had died in part.", file=sys.stderr)
    started = time.monotonic()
    cluster = control_plane.start(_folder(name), programs, note=functools.partial(_note, name))
    print(f"The cluster is up after {time.monotonic() - started:.0f} s.")
    return cluster


def _start_scheduler(name: str, cluster: ControlPlane) -> None:
    if any(record.name.startswith(name) for record in cluster.records):
        print(f"{projects.NAMES[name]} runs already.")
        return
    started = time.monotonic()
    scheduler = schedulers.START[name](cluster)
    print(
        f"{projects.NAMES[name]} is up after {time.monotonic() - started:.0f} s: "
        f"schedulerName {scheduler.pods}, queue {scheduler.queue}."
    )


def _start_kueue(cluster: ControlPlane) -> None:
    if any(record.name == admission.PROGRAM for record in cluster.records):
        print("Kueue runs already.")
        return
    started = time.monotonic()
    admission.define(cluster)
    admission.start(cluster)
    for manifest in admission.for_a_person():
        cluster.api.create(manifest)
    took = time.monotonic() - started
    print(f"Kueue is up after {took:.0f} s: LocalQueue {admission.QUEUE} in default, {admission.GPUS} accelerators.")


def _start_spanning(cluster: ControlPlane) -> None:
    if any(record.name == spanning.PROGRAM for record in cluster.records):
        print("LeaderWorkerSet runs already.")
        return
    started = time.monotonic()
    spanning.start(cluster)
    print(f"LeaderWorkerSet is up after {time.monotonic() - started:.0f} s.")


def _note(name: str, records: list[processes.Record]) -> None:
    session.write(name, records, owned=False)
    print(f"started {records[-1].name} (pid {records[-1].pid})", file=sys.stderr, flush=True)


def _end(name: str) -> int:
    """End what still runs of the recorded processes; return how many did."""
    records = [record for record in session.read(name) if processes.alive(record)]
    processes.stop(reversed(records))
    shutil.rmtree(_folder(name), ignore_errors=True)
    session.forget(name)
    return len(records)


def _down(options: argparse.Namespace) -> None:
    count = _end(options.name)
    print(f"Ended {count} processes." if count else "No cluster was running.")


def _kubeconfig(options: argparse.Namespace) -> None:
    print(_need_running(options.name).kubeconfig)


def _node_add(options: argparse.Namespace) -> None:
    nodes.add(_need_running(options.name).api, options.node, gpus=options.gpus)
    print(f"{options.node} is Ready, with {options.gpus} accelerator(s)")


def _node_remove(options: argparse.Namespace) -> None:
    nodes.remove(_need_running(options.name).api, options.node)
    print(f"{options.node} is gone")


if __name__ == "__main__":
    sys.exit(main())
