"""The programs of one control plane by name: begun, ended and begun again, each watched by its record."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.cluster import processes
from tests.cluster.api import Json
from tests.cluster.processes import Record

Note = Callable[[list[Record]], object]
# Go programs that live for minutes: memory is there, processors are few.
RARELY_COLLECTED = {"GOGC": "400", "GOMEMLIMIT": "2GiB"}


def configuration(version: str, health: int, hooks: int, folder: Path) -> Json:
    """Return what controllers of Kubernetes' own projects are told: ports here, and where the certificate is."""
    return {
        "apiVersion": version,
        "kind": "Configuration",
        "health": {"healthProbeBindAddress": f"127.0.0.1:{health}"},
        "metrics": {"bindAddress": "0"},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
        "webhook": {"host": "127.0.0.1", "port": hooks, "certDir": str(folder)},
    }


class Component(NamedTuple):
    """How one program is begun, and how one sees that it does its work."""

    name: str
    command: Sequence[str | Path]
    healthy: Callable[[], object]
    env: Mapping[str, str] = {}


class Components:
    """What runs, in order of start. `note` hears the records after each change, so that others can find them."""

    def __init__(self, folder: Path, note: Note, records: Iterable[Record] = ()) -> None:
        self.folder, self.records, self._note = folder, list(records), note
        self._known: dict[str, Component] = {}

    def begin(self, component: Component) -> None:
        """Start a program; `wait` for it afterwards."""
        self._known[component.name] = component
        command = list(map(str, component.command))
        env = {**RARELY_COLLECTED, **component.env}
        self.records.append(processes.start(component.name, command, self.folder / "logs", env))
        self._note(self.records)

    def wait(self, name: str) -> None:
        """Wait until a program is healthy; raises ComponentError, with the end of its log, when it is not."""
        processes.wait_healthy(self.record(name), self._known[name].healthy)

    def run(self, component: Component) -> None:
        """Start a program and wait until it is healthy."""
        self.begin(component)
        self.wait(component.name)

    def record(self, name: str) -> Record:
        """Return the record of a program that was begun."""
        return next(record for record in self.records if record.name == name)

    def end(self, *names: str) -> None:
        """End programs by name, the last one begun first."""
        records = [record for record in self.records if record.name in names]
        processes.stop(reversed(records))
        self.records[:] = [record for record in self.records if record.name not in names]
        self._note(self.records)

    @contextlib.contextmanager
    def without(self, *names: str) -> Iterator[None]:
        """End programs for the time of the block, and begin them again after it in the order given."""
        self.end(*names)
        try:
            yield
        finally:
            for name in names:
                self.run(self._known[name])

    @contextlib.contextmanager
    def changed(self, name: str, change: Callable[[Sequence[str | Path]], Sequence[str | Path]]) -> Iterator[None]:
        """Run a program with another command line for the time of the block, and with its own again after it."""
        usual = self._known[name]
        self.end(name)
        try:
            self.run(usual._replace(command=change(usual.command)))
            yield
        finally:
            self.end(name)
            self.run(usual)

    def check(self) -> None:
        """Raise ComponentError, with the end of the log, if a program has died."""
        for record in self.records:
            if not processes.alive(record):
                raise processes.ComponentError(processes.describe(record, "has died"))

    def stop(self) -> None:
        """End all, the last one begun first."""
        processes.stop(reversed(self.records))
