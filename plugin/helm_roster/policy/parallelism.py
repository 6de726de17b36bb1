"""How many accelerators the flags of vLLM and SGLang ask for, against those that a replica has.

Tensor and pipeline parallelism multiply; data parallelism does too, but for SGLang with ``--enable-dp-attention``,
which splits what tensor parallelism has. Nothing is said where a value is no plain number, where one is given twice
with different values, where a file may say more, or where the engine may run on pods of other groups too.
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from helm_roster.frozen import Frozen
from helm_roster.manifests import walk
from helm_roster.model.operation import Group
from helm_roster.model.plan import Part, Plan, groups_of
from helm_roster.policy import accelerators

# By what each flag says, how either engine writes it; underscores count as dashes.
_FLAGS: Final = {
    "tensor": ("--tensor-parallel-size", "--tp-size", "--tp", "-tp"),
    "pipeline": ("--pipeline-parallel-size", "--pp-size", "--pp", "-pp"),
    "data": ("--data-parallel-size", "--dp-size", "--dp", "-dp"),
    "local": ("--data-parallel-size-local", "-dpl"),
    "nodes": ("--nnodes",),
}
_MEANT: Final = {flag: meaning for meaning, flags in _FLAGS.items() for flag in flags}
# A server of its own for each rank, or ranks in other groups: then no process has all of what the flags multiply.
_APART: Final = ("--data-parallel-rank", "-dpn", "--data-parallel-external-lb", "--data-parallel-start-rank", "-dpr")
_SPLIT: Final = "--enable-dp-attention"
# What else may multiply, or come from elsewhere.
_UNKNOWN: Final = frozenset({"--config", "--prefill-context-parallel-size", "-pcp"})
_ELSEWHERE: Final = ("--data-parallel-address", "-dpa")
# The programs and modules of the engines, also those of Dynamo; none of their routers.
_ENGINE: Final = re.compile(r"(?:.*/|dynamo\.)?(vllm|sglang)(?:\.[\w.]+)?")
# What the program of vLLM does without an engine: it asks one that runs.
_ASKS: Final = frozenset({"bench", "chat", "complete", "collect-env"})
# Accelerators that are one rank each. A TPU chip or a Neuron device may be several.
_RANKS: Final = re.compile(
    r"(nvidia|amd)\.com/.*|habana\.ai/gaudi|gpu\.intel\.com/.*|(gpu|mig)\.nvidia\.com|gpu\.amd\.com|(gpu|gaudi)\.intel\.com"
)
_NUMBER: Final = re.compile(r"[1-9][0-9]*", re.ASCII)
_SHELLS: Final = re.compile(r"(?:.*/)?(?:ba|da|z)?sh")


class _Asked(Frozen):
    """What one engine is told: its flags as they are written, by meaning, and their numbers."""

    engine: str
    flags: Mapping[str, str]
    numbers: Mapping[str, int]
    apart: bool = False
    split: bool = False
    elsewhere: bool = False

    def of(self, *meanings: str) -> int:
        """Return the product of the numbers; 1 for those that are not given."""
        return math.prod(self.numbers.get(meaning, 1) for meaning in meanings)


def warnings(plan: Plan) -> Iterator[str]:
    """Yield a line for each container whose flags ask for more accelerators than a replica has, or for fewer."""
    for group in groups_of(plan):
        parts = plan.parts(group.name)
        for part in parts:
            for container in accelerators.containers(part.spec):
                if (asked := _asked(container)) is not None:
                    yield from _compared(group, parts, part, container, asked)


def _compared(
    group: Group, parts: Sequence[Part], part: Part, container: Mapping[str, Any], asked: _Asked
) -> Iterator[str]:
    name, own = container.get("name"), accelerators.of_container(container, part)
    held: Counter[str] = Counter()
    for one in parts:
        for other in accelerators.containers(one.spec):
            for kind, number in accelerators.by_kind(other, one).items() if other.get("name") == name else ():
                held[kind] += number * one.count
    if not all(_RANKS.fullmatch(kind) for kind in held):
        return
    whole = held.total()
    meanings = ["tensor", "pipeline"]
    if "local" in asked.numbers:
        meanings.append("local")
    elif "data" in asked.numbers and not asked.apart and not asked.split:
        meanings.append("data")
    needed = asked.of(*meanings)
    spans = _spans(group, asked)
    least, most = (whole if "all" in spans else own), (own if "pod" in spans else whole)
    if not spans or not most or least <= needed <= most or not asked.numbers.keys() & set(meanings):
        return
    have = most if needed > most else least
    where = f"the container has {have}"
    if spans != "pod" and have == whole:
        where = f"a replica has {have} in its {group.pods_per_replica} pods"
    said = " x ".join(asked.flags[meaning] for meaning in meanings if meaning in asked.flags)
    start = f'group "{group.name}": {said} of container "{name}" takes {needed} accelerators, but {where}'
    if needed > most:
        yield f"{start}, so it cannot start: give it as many, or lower the flags"
    else:
        yield f"{start}, and the rest idles: raise the flags, or give it fewer"


def _spans(group: Group, asked: _Asked) -> Literal["", "pod", "all", "either"]:
    """Return whether the engine runs on one pod or on all of a replica; empty where it may run on those of others."""
    pods, nodes = group.pods_per_replica, asked.numbers.get("nodes")
    if pods == 1 and (asked.elsewhere or ("nodes" in asked.flags and nodes != 1)):
        return ""
    if nodes is not None and nodes not in {1, pods}:
        return ""
    if "local" in asked.numbers or asked.apart or nodes == 1 or pods == 1:
        return "pod"
    if "nodes" in asked.flags:
        return "all"
    return "pod" if asked.engine == "sglang" else "either"  # vLLM may find others by Ray, whoever starts that


def _asked(container: Mapping[str, Any]) -> _Asked | None:
    """Return what the container's engine is told; None where it is no known one, or is not told in plain numbers."""
    words = _words(container)
    engine, flags = _engine(words, container), {_dashed(word) for word in words}
    if not words or not engine or flags & _UNKNOWN:
        return None
    found: dict[str, tuple[str, str]] = {}
    for flag, value in _flags(words):
        meaning = _MEANT[flag]
        if not _NUMBER.fullmatch(value) and meaning != "nodes":
            return None
        if meaning in found and found[meaning][1] != value:
            return None
        found[meaning] = (flag, value)
    numbers = {meaning: int(value) for meaning, (_, value) in found.items() if _NUMBER.fullmatch(value)}
    return _Asked(
        engine=engine,
        flags={meaning: f"{flag} {value}" for meaning, (flag, value) in found.items()},
        numbers=numbers,
        apart=not flags.isdisjoint(_APART),
        split=engine == "sglang" and _SPLIT in flags,
        elsewhere="ray" in words or (not flags.isdisjoint(_ELSEWHERE) and "local" not in numbers),
    )


def _flags(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each flag that counts, with its value, which may be a word of its own."""
    for word, after in zip(words, [*words[1:], ""], strict=True):
        flag = _dashed(word)
        if flag in _MEANT:
            yield flag, word.partition("=")[2] if "=" in word else after


def _dashed(word: str) -> str:
    """Return the flag of a word, without its value."""
    return word.partition("=")[0].replace("_", "-")


def _engine(words: Sequence[str], container: Mapping[str, Any]) -> str:
    """Return which engine the words start, or the image does where they are arguments alone; empty if not certain."""
    followed = zip(words, [*words[1:], ""], strict=False)
    named = {found[1] for word, after in followed if (found := _ENGINE.fullmatch(word)) and after not in _ASKS}
    image = str(container.get("image")).lower()
    if not named and not container.get("command") and "router" not in image:
        named = {engine for engine in ("sglang", "vllm") if engine in image}
    return named.pop() if len(named) == 1 else ""


def _words(container: Mapping[str, Any]) -> list[str]:
    """Return the words of the command, those of a line for a shell among them; none where one cannot be read."""
    words = [str(word) for field in ("command", "args") for word in walk.sequence(container, field)]
    if not words or not _SHELLS.fullmatch(words[0]):
        return words
    found: list[str] = []
    for line in words[1:]:
        try:
            found += _lexed(line.replace("\\\n", " "))
        except ValueError:
            return []
    return found


def _lexed(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(lexer)
