"""A claim that a Job fills once, and the pods that wait for it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from helm_roster import constants

from tests.chart import validity
from tests.chart.rendering import Chart, Manifest, Objects, Values, operation

FILL = {"image": "example/fetch:1", "cmd": ["fetch", "--to", "/models"]}


def filled(fill: Values | None = None, groups: Values | None = None, **connection: Any) -> Values:
    """Return values of two groups, of which `a` uses a claim that is filled."""
    made = {"kind": "newClaim", "size": "1Gi", "mountPath": "/models", "fill": {**FILL, **(fill or {})}, **connection}
    return operation({"a": {"connections": ["models"]}, "b": {}, **(groups or {})}, connections={"models": made})


def jobs(objects: Objects) -> list[Manifest]:
    return [entry for entry in objects.all if entry["kind"] == "Job"]


def marker(container: Manifest) -> str:
    """Return the file that a Job leaves, or that a container waits for."""
    found: str = container["command"][4]
    return found


@pytest.mark.parametrize("kind", ["service", "job"])
def test_a_job_writes_into_the_claim_and_the_pods_of_who_lists_it_wait_and_only_read(chart4: Chart, kind: str) -> None:
    objects = chart4.render(filled() | {"operation": {"kind": kind}})
    (job,) = (entry for entry in jobs(objects) if "helm-roster.dev/group" not in entry["metadata"]["labels"])
    assert job["metadata"]["name"].startswith("rl-models-fill-")
    assert job["metadata"]["labels"].items() >= job["spec"]["template"]["metadata"]["labels"].items()
    assert "helm.sh/hook" not in job["metadata"].get("annotations", {})
    assert job["metadata"]["labels"][constants.FILLS_LABEL] == "models"
    pod = job["spec"]["template"]["spec"]
    assert pod["volumes"] == [{"name": "models", "persistentVolumeClaim": {"claimName": "rl-models"}}]
    assert pod["containers"][0]["volumeMounts"] == [{"name": "models", "mountPath": "/models"}]
    assert pod["containers"][0]["command"][5:] == FILL["cmd"]
    (waiter,) = objects.pod("a")["initContainers"]
    assert waiter["name"] == f"models{constants.FILLED_ENDING}"
    assert marker(waiter) == marker(pod["containers"][0])
    mount = {"name": "models", "mountPath": "/models", "readOnly": True}
    assert waiter["volumeMounts"] == objects.container("a")["volumeMounts"] == [mount]
    assert "initContainers" not in objects.pod("b")
    validity.check(objects.all)


def test_its_lists_may_be_maps_by_name(chart4: Chart) -> None:
    taint, source, secret = {"key": "k", "operator": "Exists"}, {"secretRef": {"name": "s"}}, {"name": "registry"}
    lists = {"tolerations": [taint], "imagePullSecrets": [secret]}
    maps = {"tolerations": {"any": taint, "none": None}, "imagePullSecrets": {"registry": {}}}
    forms = [{"envFrom": [source], "environment": lists}, {"envFrom": {"mine": source}, "environment": maps}]
    ((one,), (other,)) = (jobs(chart4.render(filled(form))) for form in forms)
    assert one == other
    assert one["spec"]["template"]["spec"].items() >= lists.items()


def test_only_what_it_does_makes_another_job(chart4: Chart) -> None:
    first, grown, changed = (
        chart4.render(values)
        for values in (filled(), filled(groups={"c": {"connections": ["models"]}}), filled({"args": ["--all"]}))
    )
    assert jobs(first) == jobs(grown)
    assert jobs(first)[0]["metadata"]["name"] != jobs(changed)[0]["metadata"]["name"]
    assert first.pod("a") != changed.pod("a")


def test_a_job_of_one_name_has_one_template_and_pods_change_only_with_what_is_done(chart4: Chart) -> None:
    """The template of a Job is fixed: another one under its name would break the upgrade."""
    named: dict[str, Manifest] = {}
    pods = []
    for values in (
        filled(),
        filled({"timeout": "2h"}),
        filled({"resources": {"limits": {"memory": "4Gi"}}}),
        filled({"environment": {"nodeSelector": {"zone": "a"}}}),
        filled(mountPath="/weights"),
    ):
        objects = chart4.render(values)
        (job,) = jobs(objects)
        assert named.setdefault(job["metadata"]["name"], job) == job
        pods.append(objects.pod("a"))
    assert len(named) == 4
    assert pods[0] == pods[1] == pods[2] == pods[3]
    markers = {Path(marker(pod["initContainers"][0])).name for pod in pods}
    assert len(markers) == 1


def test_pods_wait_as_long_as_it_may_take_and_count_as_stuck_only_then(chart4: Chart) -> None:
    for timeout, seconds in ((None, 7200), ("6h", 21600)):
        objects = chart4.render(filled({"timeout": timeout}))
        (waiter,) = objects.pod("a")["initContainers"]
        assert waiter["command"][-1] == str(seconds)
        deadlines = [objects.workload(name)["spec"].get("progressDeadlineSeconds") for name in ("a", "b")]
        assert deadlines == [600 + seconds, None]


def test_nobody_fills_what_no_group_lists(chart4: Chart) -> None:
    assert jobs(chart4.render(filled(groups={"a": {}}))) == []


def test_its_pod_is_told_in_the_words_of_groups(chart4: Chart) -> None:
    env = {"TOKEN": {"valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}}, "FAST": "1"}
    around = {"nodeSelector": {"zone": "a"}, "serviceAccountName": "reader"}
    more = {"env": env, "envFrom": [{"secretRef": {"name": "s"}}], "environment": around}
    (job,) = jobs(chart4.render(filled({**more, "resources": {"limits": {"memory": "4Gi"}}})))
    pod = job["spec"]["template"]["spec"]
    assert pod.items() >= around.items()
    (container,) = pod["containers"]
    assert container["env"] == [{"name": "FAST", "value": "1"}, {"name": "TOKEN", **env["TOKEN"]}]
    assert container["envFrom"] == more["envFrom"]
    assert container["resources"] == {"limits": {"memory": "4Gi"}}


REFUSED = {
    "no image": (filled({"image": None}), "connections.models.fill.image: missing; give the image that the Job runs"),
    "nothing to run": (filled({"cmd": None}), "connections.models.fill.cmd: missing; say what the Job runs"),
    "two commands": (filled({"command": ["x"]}), "connections.models.fill: cmd and command both say what runs"),
    "a number to run": (
        filled({"args": [1]}),
        "connections.models.fill.args: 1 is a number where Kubernetes wants text",
    ),
    "no path": (filled(mountPath=None), "connections.models.mountPath: missing; fill writes there, and pods wait"),
    "writing pods": (filled(readOnly=False), "connections.models.readOnly: false, but pods only read what fill wrote"),
    "init": (filled(init={"i": {"cmd": "x"}}), "connections.models.init: fill is there too"),
    "one node": (
        filled(accessModes=["ReadWriteOnce"]),
        "connections.models.accessModes: ReadWriteOnce, but the Job of fill and the pods use the claim",
    ),
    "a kind of its own for each pod": (
        filled(kind="claimPerPod"),
        "connections.models.fill: a connection of kind claimPerPod does not read it; leave it out",
    ),
    "a sidecar alone": (
        filled(groups={"a": {"sidecars": {"s": {"connections": ["models"]}}}}),
        'groups.a.sidecars.s.connections: "models" is filled by a Job, and only the group waits for it',
    ),
    "a reference": (
        filled({"env": {"A": {"fromGroup": "b", "as": "url"}}}),
        "connections.models.fill.env.A: fromGroup is for containers of groups; give a value",
    ),
}


@pytest.mark.parametrize(("values", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_filled_is_refused(chart4: Chart, values: Values, said: str) -> None:
    assert chart4.refusal(values).startswith(said)


def test_nobody_else_makes_an_object_of_its_name(chart4: Chart) -> None:
    name = jobs(chart4.render(filled()))[0]["metadata"]["name"]
    mine = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}}
    said = f'extraObjects.mine: Job "{name}" is also made by fill of connection models; give it another name'
    assert chart4.refusal(filled() | {"extraObjects": {"mine": mine}}) == said


def run(command: list[str], **changed: str) -> subprocess.CompletedProcess[str]:
    """Run a rendered command with other texts in some places."""
    words = [changed.get(f"at{place}", word) for place, word in enumerate(command)]
    return subprocess.run(words, capture_output=True, text=True, timeout=30, check=False)


def test_the_marker_is_there_after_success_alone_and_ends_the_waiting(chart4: Chart, tmp_path: Path) -> None:
    done, mark = tmp_path / "done", str(tmp_path / "marker")
    fails, works = (chart4.render(filled({"cmd": f"echo x >> {done}; {end}"})) for end in ("exit 3", "true"))
    wait = works.pod("a")["initContainers"][0]["command"]
    job, broken = (jobs(one)[0]["spec"]["template"]["spec"]["containers"][0]["command"] for one in (works, fails))
    assert (run(broken, at4=mark).returncode, Path(mark).exists()) == (3, False)
    with subprocess.Popen([*wait[:4], mark, *wait[5:]], stdout=subprocess.PIPE, text=True) as waiting:
        assert waiting.stdout
        said = "waiting for the Job of connection models to fill /models, at most 7200 seconds\n"
        assert waiting.stdout.readline() == said
        assert run(job, at4=mark).returncode == 0
        assert waiting.wait(30) == 0
    assert run(job, at4=mark).stdout == "filled already\n"
    assert done.read_text() == "x\nx\n"


def test_a_wait_for_it_ends_with_one_line_and_goes_on_where_its_end_would_take_a_whole_replica(
    chart4: Chart, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, mark = chart4.render(filled()).pod("a")["initContainers"][0]["command"], tmp_path / "marker"
    said = "gave up after 1 seconds of waiting for the Job of connection models to fill /models\n"
    ended = run(command, at4=str(mark), at6="1")
    assert (ended.returncode, ended.stderr) == (1, said)
    monkeypatch.setenv("LWS_GROUP_SIZE", "2")
    words = [*command[:4], str(mark), command[5], "1"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as waiting:
        assert waiting.stderr
        assert waiting.stderr.readline() == said
        mark.touch()
        assert waiting.wait(30) == 0
