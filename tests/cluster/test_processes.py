"""Processes are named by pid and start time, and only those that are named are ended."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.cluster import processes, session


@pytest.fixture
def sleeper(tmp_path: Path) -> processes.Record:
    """A process that would run for a minute."""
    return processes.start("sleeper", ["sleep", "60"], tmp_path)


def test_a_stopped_process_is_gone(sleeper: processes.Record) -> None:
    processes.stop([sleeper])
    assert not processes.alive(sleeper)


def test_one_that_ignores_the_request_is_killed(tmp_path: Path) -> None:
    stubborn = processes.start("stubborn", ["sh", "-c", "trap '' TERM; echo up; while :; do sleep 1; done"], tmp_path)
    processes.wait_healthy(stubborn, lambda: "up" in Path(stubborn.log).read_text())
    processes.stop([stubborn], patience=0.3)
    assert not processes.alive(stubborn)


def test_one_that_is_frozen_is_asked_to_end_and_hears_it(tmp_path: Path) -> None:
    frozen = processes.start(
        "frozen", ["sh", "-c", "trap 'echo bye; exit' TERM; echo up; while :; do :; done"], tmp_path
    )
    processes.wait_healthy(frozen, lambda: "up" in Path(frozen.log).read_text())
    processes.freeze([frozen])
    processes.stop([frozen], patience=30)
    assert "bye" in Path(frozen.log).read_text()


def test_a_pid_that_another_program_has_now_is_left_alone(sleeper: processes.Record) -> None:
    stale = sleeper._replace(born="1")
    processes.stop([stale])
    assert processes.alive(sleeper)
    processes.stop([sleeper])


def test_a_component_that_dies_at_the_start_shows_the_end_of_its_log(tmp_path: Path) -> None:
    dying = processes.start("dying", ["sh", "-c", "echo no such flag >&2; exit 2"], tmp_path)
    with pytest.raises(processes.ComponentError, match=r"(?s)dying .*ended while it was starting.*no such flag"):
        processes.wait_healthy(dying, lambda: False)


def test_ports_are_free_and_different() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", processes.free_ports(1)[0]))
        assert len({*processes.free_ports(50), taken.getsockname()[1]}) == 51


def test_a_cluster_whose_owner_is_gone_is_ended(
    sleeper: processes.Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = session.write("orphan", [sleeper], owned=True)
    path.write_text(path.read_text().replace(str(os.getpid()), "999999999"))
    session.end_orphans()
    assert not processes.alive(sleeper)
    assert session.read("orphan") == []


def test_a_cluster_that_a_person_started_is_nobodys_orphan(
    sleeper: processes.Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    session.write("cluster", [sleeper], owned=False)
    session.end_orphans()
    assert processes.alive(sleeper)
    processes.stop([sleeper])
