"""`python -m tests.cluster`: the tests' cluster for a person, in the background until `down`."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path

from tests.cluster import binaries, control_plane, nodes, processes, session
from tests.cluster.api import ApiError
from tests.cluster.control_plane import ControlPlane

NAME = "cluster"


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
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    up = commands.add_parser("up", help="build what is missing, start the cluster, leave it running")
    up.add_argument("--nodes", type=int, default=0, metavar="N", help="see to it that N simulated nodes are there")
    up.add_argument("--gpus", type=int, default=1, metavar="G", help="accelerators of a new node (default 1)")
    up.set_defaults(run=_up)
    commands.add_parser("down", help="end the cluster and drop its data").set_defaults(run=_down)
    commands.add_parser("kubeconfig", help="print the path of the kubeconfig").set_defaults(run=_kubeconfig)
    node = commands.add_parser("node", help="add or remove a simulated node").add_subparsers(required=True)
    add = node.add_parser("add", help="add a node and wait until it is Ready")
    add.add_argument("name")
    add.add_argument("--gpus", type=int, default=1, metavar="G")
    add.set_defaults(run=_node_add)
    remove = node.add_parser("remove", help="delete a node")
    remove.add_argument("name")
    remove.set_defaults(run=_node_remove)
    return parser


def folder() -> Path:
    """Return where the person's cluster keeps its files."""
    return session.folder() / NAME


def _running() -> ControlPlane | None:
    """Return the cluster if all of its processes run."""
    records = session.read(NAME)
    if records and all(processes.alive(record) for record in records):
        return control_plane.load(folder(), records)
    return None


def _need_running() -> ControlPlane:
    running = _running()
    if running is None:
        msg = "it is not running; start it with `python -m tests.cluster up`"
        raise UserError(msg)
    return running


def _up(options: argparse.Namespace) -> None:
    cluster = _running()
    if cluster:
        print("The cluster runs already.")
    else:
        cluster = _start()
    have = len(cluster.api.items("/api/v1/nodes"))
    for number in range(have + 1, options.nodes + 1):
        nodes.add(cluster.api, f"node-{number}", gpus=options.gpus)
        print(f"node-{number} is Ready, with {options.gpus} accelerator(s)", file=sys.stderr)
    print(f"Kubeconfig: {cluster.kubeconfig}\n\n  export KUBECONFIG={cluster.kubeconfig}\n")
    print("Logs are in the folder logs beside it. Stop the cluster with `python -m tests.cluster down`.")


def _start() -> ControlPlane:
    programs = binaries.build(*binaries.CONTROL_PLANE)
    _end()  # What may be left of one that died in part.
    started = time.monotonic()
    cluster = control_plane.start(folder(), programs, note=_note)
    print(f"The cluster is up after {time.monotonic() - started:.0f} s.")
    return cluster


def _note(records: list[processes.Record]) -> None:
    session.write(NAME, records, owned=False)
    print(f"started {records[-1].name} (pid {records[-1].pid})", file=sys.stderr, flush=True)


def _end() -> int:
    """End what still runs of the recorded processes; return how many did."""
    records = [record for record in session.read(NAME) if processes.alive(record)]
    processes.stop(reversed(records))
    shutil.rmtree(folder(), ignore_errors=True)
    session.forget(NAME)
    return len(records)


def _down(_: argparse.Namespace) -> None:
    count = _end()
    print(f"Ended {count} processes." if count else "No cluster was running.")


def _kubeconfig(_: argparse.Namespace) -> None:
    print(_need_running().kubeconfig)


def _node_add(options: argparse.Namespace) -> None:
    nodes.add(_need_running().api, options.name, gpus=options.gpus)
    print(f"{options.name} is Ready, with {options.gpus} accelerator(s)")


def _node_remove(options: argparse.Namespace) -> None:
    nodes.remove(_need_running().api, options.name)
    print(f"{options.name} is gone")


if __name__ == "__main__":
    sys.exit(main())
