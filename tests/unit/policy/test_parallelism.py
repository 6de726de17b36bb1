"""Flags of engines that disagree with the accelerators of a replica."""

from __future__ import annotations

from typing import Any

import pytest

from helm_roster.policy import parallelism

from tests.unit.builders import group, plan


def told(*words: str, accelerators: int = 8, image: str = "pause", line: bool = False, **more: Any) -> list[str]:
    """Return what is said of a container with these words as its command, or as one line of a shell."""
    command = {"command": ["sh", "-c", *words]} if line else {"command": list(words)}
    return of({**command, "image": image}, accelerators=accelerators, **more)


def of(container: dict[str, Any], *, accelerators: int, **more: Any) -> list[str]:
    main = {"name": "main", "resources": {"limits": {"nvidia.com/gpu": accelerators}}, **container}
    kind = "LeaderWorkerSet" if more.get("podsPerReplica", 1) > 1 else "StatefulSet"
    made = group(kind=kind, accelerators=accelerators, pod={"containers": [main]}, **more)
    return list(dict.fromkeys(parallelism.warnings(plan({"w": made}, backend="default"))))


SGLANG = ("python3", "-m", "sglang.launch_server")
VLLM = ("vllm", "serve", "model")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*SGLANG, "--tp", "16"), "--tp 16 of container"),
        ((*SGLANG, "--tp-size=16"), "--tp-size 16 of container"),
        ((*SGLANG, "--tensor-parallel-size", "8", "--pp-size", "2"), "--tensor-parallel-size 8 x --pp-size 2 of"),
        ((*SGLANG, "--tp", "8", "--dp-size", "2"), "--tp 8 x --dp-size 2 of container"),
        ((*VLLM, "-tp", "16"), "-tp 16 of container"),
        ((*VLLM, "--tensor_parallel_size=16"), "--tensor-parallel-size 16 of container"),
        ((*VLLM, "-tp", "4", "-pp=4"), "-tp 4 x -pp 4 of container"),
        ((*VLLM, "--data-parallel-size", "16"), "--data-parallel-size 16 of container"),
        ((*VLLM, "-tp", "2", "--data-parallel-size-local", "8"), "-tp 2 x --data-parallel-size-local 8 of container"),
        (("python3", "-m", "vllm.entrypoints.openai.api_server", "-tp", "16"), "-tp 16 of container"),
        (("python3", "-m", "dynamo.vllm", "-tp", "16"), "-tp 16 of container"),
    ],
)
def test_more_than_a_replica_has_cannot_start(words: tuple[str, ...], said: str) -> None:
    (line,) = told(*words)
    assert line.startswith(f'group "w": {said}')
    assert "takes 16 accelerators, but the container has 8, so it cannot start: give it as many, or lower the" in line


@pytest.mark.parametrize("words", [(*SGLANG, "--tp", "4"), (*VLLM, "-tp", "2", "-pp", "2"), (*VLLM, "-dp", "4")])
def test_fewer_than_it_has_leave_the_rest_idle(words: tuple[str, ...]) -> None:
    (line,) = told(*words)
    assert line.endswith(
        "takes 4 accelerators, but the container has 8, and the rest idles: raise the flags, or give it fewer"
    )


@pytest.mark.parametrize(
    "words",
    [
        (*SGLANG, "--tp", "8"),
        (*SGLANG, "--tp", "8", "--dp-size", "8", "--enable-dp-attention"),
        (*SGLANG, "--model-path", "x"),
        (*SGLANG, "--tp", "$(TP)"),
        (*SGLANG, "--tp=${TP}"),
        (*SGLANG, "--tp", "4", "--pp-size", "$PP"),
        (*SGLANG, "--tp", "8", "--tp", "4"),
        (*SGLANG, "--tp", "16", "--nnodes", "2"),
        (*SGLANG, "--tp", "16", "--nnodes", "$(NODES)"),
        (*SGLANG, "--tp", "4", "--config", "/etc/engine.yaml"),
        (*VLLM, "-tp", "2", "-dp", "4"),
        (*VLLM, "-tp", "8", "-dp", "4", "--data-parallel-rank", "1"),
        (*VLLM, "-dp", "16", "-dpl", "8", "--data-parallel-address", "x"),
        (*VLLM, "-dp", "16", "--data-parallel-address", "x"),
        (*VLLM, "-tp", "16", "--distributed-executor-backend", "ray"),
        ("trtllm-serve", "--tp", "16"),
        ("python3", "-m", "sglang_router.launch_router", "--tp", "16"),
        ("vllm-router", "--dp-size", "16"),
        ("vllm", "bench", "serve", "--tp=16"),
    ],
)  # fmt: skip
def test_what_agrees_or_is_not_certain_is_left_alone(words: tuple[str, ...]) -> None:
    assert told(*words) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("exec python3 -m sglang.launch_server --tp 16 \\\n  --port 30000", 1),
        ("export A=1; vllm serve /models/x -tp 16; true", 1),
        ("vllm serve $MODEL --tensor-parallel-size=8 && true", 0),
        ("if x; then vllm serve m -tp 8; else vllm serve m -tp 16; fi", 0),
        ("vllm serve m -tp $((8 * 2))", 0),
        ("vllm serve 'm -tp 16", 0),
        ("# vllm serve m -tp 16\nvllm serve m -tp 8", 0),
    ],
)
def test_one_line_for_a_shell_is_read_too(line: str, expected: int) -> None:
    assert len(told(line, line=True)) == expected


def test_arguments_alone_are_of_the_engine_of_the_image() -> None:
    assert len(of({"args": ["--tp", "16"], "image": "lmsysorg/sglang:v0.5"}, accelerators=8)) == 1
    assert of({"args": ["--tp", "16"], "image": "example/app:1"}, accelerators=8) == []
    assert of({"args": ["--tp", "16"], "image": "lmsysorg/sglang-router:v0.5"}, accelerators=8) == []


@pytest.mark.parametrize(
    ("words", "leader", "said"),
    [
        ((*SGLANG, "--tp", "16", "--nnodes", "2"), None, None),
        ((*SGLANG, "--tp", "16", "--nnodes", "2"), 0, "takes 16 accelerators, but a replica has 8 in its 2 pods, so"),
        ((*SGLANG, "--tp", "16"), None, "takes 16 accelerators, but the container has 8, so it cannot start"),
        ((*SGLANG, "--tp", "8", "--nnodes", "$(LWS_GROUP_SIZE)"), None, "takes 8 accelerators, but a replica has 16"),
        ((*VLLM, "-tp", "8", "-pp", "2", "--distributed-executor-backend", "ray"), None, None),
        ((*VLLM, "-tp", "8", "--distributed-executor-backend", "ray"), None, None),
        ((*VLLM, "-tp", "4"), None, "takes 4 accelerators, but the container has 8, and the rest idles"),
        ((*VLLM, "-tp", "8", "-pp", "4"), None, "takes 32 accelerators, but a replica has 16 in its 2 pods, so it"),
        ((*VLLM, "-tp", "8", "--nnodes", "2"), None, "takes 8 accelerators, but a replica has 16 in its 2 pods, and"),
        ((*VLLM, "-dp", "16", "-dpl", "8", "--data-parallel-address", "x"), None, None),
        ((*VLLM, "-dp", "16", "-dpl", "4"), None, '-dpl 4 of container "main" takes 4 accelerators, but the container'),
    ],
)  # fmt: skip
def test_a_replica_that_spans_pods_has_those_of_all(
    words: tuple[str, ...], leader: int | None, said: str | None
) -> None:
    apart = {} if leader is None else {"leader": {"accelerators": leader}}
    pods = {"leaderPod": {"containers": [{"name": "main", "command": list(words)}]}} if leader == 0 else {}
    lines = told(*words, podsPerReplica=2, **apart, **pods)
    assert len(lines) == (said is not None), lines
    assert all(said in line for line in lines if said)


def test_pods_without_accelerators_are_left_alone() -> None:
    assert told(*VLLM, "-tp", "2", accelerators=0) == []


def test_what_may_be_several_ranks_is_left_alone() -> None:
    for resource, lines in (("google.com/tpu", 0), ("aws.amazon.com/neuron", 0), ("amd.com/gpu", 1)):
        main = {"name": "main", "command": [*VLLM, "-tp", "16"], "resources": {"limits": {resource: 8}}}
        made = group(accelerators=8, pod={"containers": [main]})
        made["accelerator"] = {"resource": resource, "model": "X"}
        assert len(list(parallelism.warnings(plan({"w": made}, backend="default")))) == lines


def test_each_container_counts_its_own() -> None:
    def engine(name: str, has: int, size: int) -> dict[str, Any]:
        limits = {"nvidia.com/gpu": has}
        return {"name": name, "command": [*VLLM, "-tp", str(size)], "resources": {"limits": limits}}

    containers = [engine("main", 4, 4), engine("other", 2, 4)]
    made = group(accelerators=6, pod={"containers": containers})
    (line,) = parallelism.warnings(plan({"w": made}, backend="default"))
    assert '-tp 4 of container "other" takes 4 accelerators, but the container has 2' in line
