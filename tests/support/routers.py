"""Router programs for the tests, out of PyPI: each in a virtual environment of its own, made once in the user's cache.

They are what images of the same version start, so their arguments, endpoints and requests are the real ones. The router
of vLLM's production stack is on no registry (the distribution `vllm-router` is vLLM's router in Rust): where somebody
has installed it, ROSTER_VLLM_STACK_ROUTER names the program; elsewhere the tests that need it are skipped.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

from tests.support.clients import cache_root

STACK = "ROSTER_VLLM_STACK_ROUTER"
SMG = "smg==1.13.0"
SGLANG_ROUTER = "sglang-router==0.3.2"
VLLM_ROUTER = "vllm-router==0.1.17"


class UnavailableError(Exception):
    """The program cannot be had on this machine; the text says why."""


def python(requirement: str) -> Path:
    """Return the Python that can import the router of this requirement, installing it once."""
    folder = cache_root() / "routers" / requirement.replace("==", "-")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:  # Several test processes install it once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / ".complete").exists():
            _install(requirement, folder)
    return folder / "bin" / "python"


def stack_router() -> Path:
    """Return the program `vllm-router` of vLLM's production stack."""
    program = Path(os.environ.get(STACK, ""))
    if not program.is_file():
        msg = f"the router of vLLM's production stack is on no registry; {STACK} names no installed program"
        raise UnavailableError(msg)
    return program


def _install(requirement: str, folder: Path) -> None:
    print(f"installing {requirement} …", file=sys.stderr, flush=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    _run(requirement, sys.executable, "-m", "venv", "--without-pip", "--clear", str(folder))
    _run(requirement, *pip, "--python", str(folder / "bin" / "python"), "install", requirement)
    (folder / ".complete").touch()


def _run(requirement: str, *command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        msg = f"{requirement} cannot be installed: {done.stderr.strip().splitlines()[-1]}"
        raise UnavailableError(msg)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or (SMG, SGLANG_ROUTER, VLLM_ROUTER):
        print(python(wanted))
