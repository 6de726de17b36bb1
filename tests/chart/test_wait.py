"""Init containers that wait for another group; what they run is run here."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chart.rendering import Chart, Values, operation

PORTS: Values = {"container": {"ports": {"http": 80, "gcs": 6379}}}
NAMED: Values = {**PORTS, "workload": "StatefulSet"}


def waiting(chart: Chart, head: Values = NAMED, **wait: str) -> dict[str, Any]:
    """Return the init container of a group that waits for another, called head."""
    a = {"init": {"wait": {"waitFor": {"group": "head", **wait}}}}
    (found,) = chart.render(operation({"a": a, "head": head})).pod("a")["initContainers"]
    return found


def test_it_waits_for_the_ready_pods_with_the_image_of_the_main_container(chart: Chart) -> None:
    container = waiting(chart, port="gcs", timeout="1m30s")
    assert container["command"][-3:] == ["rl-head-svc", "6379", "90"]
    assert (container["image"], container["terminationMessagePolicy"]) == ("example/app:1", "FallbackToLogsOnError")


def test_it_may_wait_for_the_first_replica_which_need_not_be_ready(chart4: Chart) -> None:
    command = waiting(chart4, {**NAMED, "serving": {"port": "http"}}, **{"as": "first"})["command"]
    assert command[-3:] == ["rl-head-0.rl-head", "80", "600"]


@pytest.fixture
def script(chart4: Chart) -> list[str]:
    """Return what it runs, without the host, port and time."""
    found: list[str] = waiting(chart4, port="gcs")["command"][:-3]
    return found


@pytest.fixture
def port() -> Iterator[socket.socket]:
    """Yield a socket of the loopback that nobody listens at yet."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        yield found


def start(script: list[str], port: socket.socket, seconds: int, path: Path | None = None) -> subprocess.Popen[str]:
    """Start it, with the programs of a folder only, if one is given."""
    command = [*script, "127.0.0.1", str(port.getsockname()[1]), str(seconds)]
    command[0] = str(shutil.which(command[0]))
    env = {"PATH": str(path)} if path else None
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def folder(at: Path, *programs: str) -> Path:
    """Return a folder with these programs, and what every image with a shell has."""
    for program in ("date", "sleep", *programs):
        if not (found := sys.executable if program == "python3" else shutil.which(program)):
            pytest.skip(f"there is no {program} here")
        (at / program).symlink_to(found)
    return at


@pytest.mark.parametrize("programs", [("python3",), ("bash", "timeout"), ("nc",)])
def test_it_ends_when_the_port_opens(
    script: list[str], port: socket.socket, tmp_path: Path, programs: tuple[str, ...]
) -> None:
    port.settimeout(30)
    with start(script, port, 60, folder(tmp_path, *programs)) as process:
        assert process.stdout
        first = process.stdout.readline()
        port.listen()
        with port.accept()[0]:
            rest, errors = process.communicate(timeout=60)
    where = f"127.0.0.1:{port.getsockname()[1]}"
    assert (process.returncode, errors) == (0, "")
    assert (first, rest) == (f"waiting for {where}, at most 60 seconds\n", f"{where} answers\n")


@pytest.mark.parametrize("programs", [("python3",), ("bash", "timeout")])
def test_it_fails_with_one_line_when_the_port_never_opens(
    script: list[str], port: socket.socket, tmp_path: Path, programs: tuple[str, ...]
) -> None:
    with start(script, port, 1, folder(tmp_path, *programs)) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.startswith(f"gave up after 1 seconds: 127.0.0.1:{port.getsockname()[1]} does not answer (")
    assert errors.count("\n") == 1


def test_in_a_replica_that_its_end_would_take_away_it_says_so_and_goes_on(
    script: list[str], port: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LWS_GROUP_SIZE", "2")
    with start(script, port, 1) as process:
        assert process.stderr
        assert process.stderr.readline().startswith("gave up after 1 seconds: ")
        port.listen()
        assert process.wait(60) == 0


def test_it_says_what_the_image_lacks(script: list[str], port: socket.socket, tmp_path: Path) -> None:
    with start(script, port, 60, folder(tmp_path)) as process:
        _, errors = process.communicate(timeout=60)
    assert errors.startswith("cannot wait: the image has none of python3, bash with timeout, and nc; give")


def group(*whom: str, **more: Any) -> Values:
    """Return a group that waits for these; a star ends the name of one of which only the first pod is waited for."""
    init = {}
    for name in whom:
        form = "first" if "*" in name else "service"
        init[f"w-{name.strip('*')}"] = {"waitFor": {"group": name.strip("*"), "port": "http", "as": form}}
    return {**NAMED, "init": init, **more}


def requiring(*names: str) -> Values:
    """Return what makes a group require others."""
    return {"readiness": {"requires": list(names), "probe": {"tcpSocket": {"port": 80}}}}


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ({"a": group("hed")}, 'w-hed.waitFor.group: there is no group "hed" (did you mean "head"?); known: head'),
        ({"a": group("a")}, 'w-a.waitFor.group: "a" is the group itself, which would wait for ever; name another'),
        (
            {"a": {"init": {"w-head": {"waitFor": {"port": "http"}}}}},
            "w-head.waitFor.group: missing; say for which group it waits",
        ),
        (
            {"a": {"init": {"w-head": {"waitFor": {}}}}},
            "w-head.waitFor.group: missing; say for which group it waits",
        ),
        (
            {"a": {"init": {"w-head": {"waitFor": {"group": "head"}}}}},
            'w-head.waitFor.port: missing, and the group "head" has several (gcs, http); name one, or',
        ),
        (
            {"a": {"init": {"w-head": {"waitFor": {"group": "head", "port": "http", "timeout": "soon"}}}}},
            'w-head.waitFor.timeout: "soon" is no duration; write hours, minutes and seconds, such as 45m or 1h30m',
        ),
        (
            {"a": group("head"), "head": {**NAMED, "container": {"ports": {"http": {"port": 80, "protocol": "UDP"}}}}},
            'w-head.waitFor.port: "http" of the group "head" is UDP, and only a port of TCP says that somebody a',
        ),
        ({"a": group("head*"), "head": PORTS}, 'w-head.waitFor.as: first, but the group "head" is a Deployment, w'),
        (
            {"a": group("head"), "head": {**NAMED, "expose": {"port": "gcs"}}},
            'w-head.waitFor: port 80 of the group "head", but its Service offers only "gcs"; leave',
        ),
        (
            {"a": group("head"), "head": group("a")},
            "w-head.waitFor: a -> head -> a is a circle, in which no group would",
        ),
        ({"a": group("head*"), "head": group("a*")}, "w-head.waitFor: a -> head -> a is a circle"),
        ({"a": group("head"), "head": {**NAMED, **requiring("a")}}, "w-head.waitFor: a -> head -> a is a circle"),
    ],
)
def test_a_wait_that_would_never_end_is_refused(chart4: Chart, groups: Values, words: str) -> None:
    assert chart4.refusal(operation({"head": NAMED, **groups})).startswith(f"groups.a.init.{words}")


def test_the_resolved_operation_says_for_whom_a_group_waits(chart: Chart) -> None:
    leader, workers = ({"init": group(whom)["init"]} for whom in ("head", "store*"))
    spanning = {"podsPerReplica": 2, "leader": leader, **workers}
    spec = chart.resolved(operation({"a": spanning, "head": NAMED, "store": NAMED}))
    assert [spec["groups"][name].get("waitsFor") for name in ("a", "head")] == [["head", "store"], None]


def test_the_start_of_a_group_that_requires_another_may_be_waited_for(chart4: Chart) -> None:
    values = operation({"a": group("head*"), "head": {**NAMED, **requiring("a")}})
    assert len(chart4.render(values).workloads()) == 2


def test_a_wait_with_a_command_is_refused(chart4: Chart) -> None:
    init = {"wait": {"waitFor": {"group": "head"}, "cmd": "sleep 5"}}
    refusal = chart4.refusal(operation({"a": {"init": init}, "head": NAMED}))
    assert refusal == "groups.a.init.wait: waitFor and cmd both say what runs; keep one"


TOOLS = "example/tools:1"


@pytest.mark.parametrize(
    ("group", "at"),
    [
        ({"init": {"wait": {"waitFor": None}}}, "a"),
        ({"init": [{"name": "wait", "waitFor": None}]}, "a"),
        ({"unset": ["init.wait.waitFor"]}, "a"),
        ({"podsPerReplica": 2, "leader": {"init": {"wait": {"waitFor": None}}}}, "a.leader"),
    ],
    ids=["null", "null in a list", "unset", "leader"],
)
def test_a_container_whose_wait_is_taken_away_never_runs_the_images_program(
    chart4: Chart, group: Values, at: str
) -> None:
    values = inheriting(group)
    assert chart4.refusal(values).startswith(
        f"groups.{at}.init.wait: a layer takes waitFor away, and nothing else says"
    )


@pytest.mark.parametrize("wait", [None, {"waitFor": None, "command": ["prepare"]}], ids=["wholly", "another command"])
def test_a_container_that_waits_may_be_taken_away_or_run_something_else(chart4: Chart, wait: Values | None) -> None:
    found = chart4.render(inheriting({"init": {"wait": wait}})).pod("a").get("initContainers", [])
    assert [container["command"] for container in found] == ([["prepare"]] if wait else [])


@pytest.mark.parametrize(
    "group",
    [
        {"init": {"wait": {"waitFor": None, "image": TOOLS}}},
        {"init": [{"name": "wait", "waitFor": None, "image": TOOLS}]},
        {"unset": ["init.wait.waitFor"], "init": {"wait": {"image": TOOLS}}},
        {"init": {"wait": {"waitFor": None}}, "presets": ["above"]},
        {"init": {"wait": {"image": TOOLS}}, "presets": ["under"]},
    ],
    ids=["map", "list", "unset", "above", "under"],
)
def test_a_container_whose_wait_is_taken_away_runs_an_image_that_is_given_then(chart4: Chart, group: Values) -> None:
    values = inheriting(group)
    values["presets"] = {
        "above": {"patchStrategy": "post_merge", "init": {"wait": {"image": TOOLS}}},
        "under": {"init": {"wait": {"waitFor": None}}},
    }
    (container,) = chart4.render(values).pod("a")["initContainers"]
    assert (container["image"], "command" in container) == (TOOLS, False)


def test_an_image_that_was_to_wait_runs_nothing_else(chart4: Chart) -> None:
    values = inheriting({"init": {"wait": {"waitFor": None}}})
    values["defaults"]["init"]["wait"]["image"] = TOOLS
    assert chart4.refusal(values).startswith("groups.a.init.wait: a layer takes waitFor away, and nothing else says")


def inheriting(group: Values) -> Values:
    """Return the values of a group that waits for another unless it says otherwise."""
    values = operation({"a": group, "head": {**PORTS, "init": None}})
    values["defaults"] = {**values.get("defaults", {}), "init": {"wait": {"waitFor": {"group": "head", "port": "gcs"}}}}
    return values
