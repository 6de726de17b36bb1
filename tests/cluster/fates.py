"""What becomes of a simulated pod: chosen by an annotation on the pod, played by the kwok stages of ``stages/``.

Values reach the annotation by ``environment.annotations``; raw manifests by the pod template's metadata.

| fate             | what the pod does once it is bound |
|------------------|------------------------------------|
| ready            | Running and Ready; also the fate of a pod that names none, of a Job's pods too: they run on |
| never-ready      | Running, no container ever ready |
| slow             | as never-ready, and Ready after SECONDS (default 3) |
| failing          | a container ends with exit code 1, again and again: CrashLoopBackOff, restartCount rises |
| oom              | the same with OOMKilled, exit code 137 |
| image-not-found  | Pending, ErrImagePull, then ImagePullBackOff |
| completes        | Ready, and Succeeded after SECONDS (default 1); with restartPolicy Always it just runs |

With restartPolicy Never, failing and oom end the pod: phase Failed. One container fails, the others run: the one
that CONTAINER names, else the first. Any pod with TERMINATING_SECONDS stays that long in Terminating.
A deleted pod of a Job is Failed before it goes, unless it has ended.
Readiness gates are not set: that is the business of whoever owns the gate. An unknown fate shows as the waiting
reason of the containers.
"""

from __future__ import annotations

from pathlib import Path

FATE = "helm-roster.test/fate"
SECONDS = "helm-roster.test/seconds"
CONTAINER = "helm-roster.test/container"
TERMINATING_SECONDS = "helm-roster.test/terminating-seconds"
FATES = ("ready", "never-ready", "slow", "failing", "oom", "image-not-found", "completes")
STAGES = Path(__file__).parent / "stages"


def stages() -> str:
    """Return all stages as one YAML stream, the form in which kwok reads them."""
    return "---\n".join(path.read_text() for path in sorted(STAGES.glob("*.yaml")))


def annotate(
    fate: str = "ready", *, seconds: int | None = None, container: str = "", terminating_seconds: int | None = None
) -> dict[str, str]:
    """Return the pod annotations for a fate; a fate that is none of FATES is a ValueError."""
    if fate not in FATES:
        msg = f"no such fate: {fate} (there are {', '.join(FATES)})"
        raise ValueError(msg)
    wanted = {FATE: fate, SECONDS: seconds, CONTAINER: container or None, TERMINATING_SECONDS: terminating_seconds}
    return {key: str(value) for key, value in wanted.items() if value is not None}
