"""Builds the test cluster's programs from their Go modules, once, into a cache outside the checkout.

Each folder of ``modules/`` is one Go module with its own ``go.mod``: the programs' dependencies conflict,
so they are never mixed. The cache key is a hash of what decides the result (go.mod, go.sum, flags, the Go
version, the source of a program of ours), so a changed pin builds anew and an unchanged one never does. Stdlib only: it
also runs from make.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.support.clients import cache_root

MODULES = Path(__file__).parent / "modules"
MINIMUM_GO = (1, 26)
KUBERNETES = "1.37.2"


class Program(NamedTuple):
    """One program: its Go package path, and the module folder that pins it."""

    module: str
    package: str


PROGRAMS = {
    "kube-apiserver": Program("kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver"),
    "kube-scheduler": Program("kubernetes", "k8s.io/kubernetes/cmd/kube-scheduler"),
    "kube-controller-manager": Program("kubernetes", "k8s.io/kubernetes/cmd/kube-controller-manager"),
    "etcd": Program("etcd", "go.etcd.io/etcd/server/v3"),
    "kwok": Program("kwok", "sigs.k8s.io/kwok/cmd/kwok"),
    "kueue": Program("kueue", "sigs.k8s.io/kueue/cmd/kueue"),
    "lws": Program("lws", "sigs.k8s.io/lws/cmd"),
    "ct": Program("chart-testing", "github.com/helm/chart-testing/v3/ct"),
    "helm-3.22": Program("helm-3", "helm.sh/helm/v3/cmd/helm"),
    "renderer": Program("helm-3", "./renderer"),
}
CONTROL_PLANE = ("etcd", "kube-apiserver", "kube-scheduler", "kube-controller-manager", "kwok")
# Without these the API server reports v0.0.0 to its clients, and Helm v3.22 without a patch number to us.
_VERSION = {
    "helm-3": "-X helm.sh/helm/v3/internal/version.version=v3.22.0",
    "kubernetes": " ".join(
        f"-X k8s.io/component-base/version.{key}={value}"
        for key, value in {"gitVersion": f"v{KUBERNETES}", "gitMajor": "1", "gitMinor": "37"}.items()
    ),
}


class UnavailableError(Exception):
    """The programs cannot be built on this machine; the text says why."""


def go_version() -> tuple[int, int] | None:
    """Return Go's (major, minor) on PATH, or None."""
    if shutil.which("go") is None:
        return None
    text = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=False).stdout
    major, _, rest = text.strip().removeprefix("go").partition(".")
    minor = rest.partition(".")[0]
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else None


def why_unavailable() -> str | None:
    """Return why nothing can be built here, or None when it can."""
    found = go_version()
    needed = ".".join(map(str, MINIMUM_GO))
    if found is None:
        return f"Go {needed} or newer is not on PATH"
    if found < MINIMUM_GO:
        return f"Go {needed} or newer is needed, {'.'.join(map(str, found))} is on PATH"
    return None


@functools.cache
def source(module: str, folder: str) -> Path:
    """Return the folder of a Go module in the version that ``modules/<folder>`` pins."""
    done = subprocess.run(
        ["go", "mod", "download", "-json", module],
        cwd=MODULES / folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        said = done.stderr.strip()[-2000:] or done.stdout.strip()[-2000:]
        msg = f"the Go module {module} could not be had: {said}"
        raise UnavailableError(msg)
    return Path(json.loads(done.stdout)["Dir"])


def build(*names: str) -> dict[str, Path]:
    """Return the path of each named program, building what the cache lacks, with progress on stderr."""
    if reason := why_unavailable():
        raise UnavailableError(reason)
    return {name: _build_one(name) for name in names}


def _ldflags(module: str) -> str:
    return f"-s -w {_VERSION.get(module, '')}".strip()


def _key(program: Program) -> str:
    folder = MODULES / program.module
    parts = [(folder / name).read_bytes() for name in ("go.mod", "go.sum")]
    parts += [_ldflags(program.module).encode(), repr(go_version()).encode()]
    if program.package.startswith("."):
        parts += [path.read_bytes() for path in sorted((folder / program.package).glob("*.go"))]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def _build_one(name: str) -> Path:
    program = PROGRAMS[name]
    folder = cache_root() / "cluster" / f"{program.module}-{_key(program)}"
    target = folder / name
    if target.exists():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:  # Two test sessions at once build one program once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            _go_build(name, program, target)
    return target


def _go_build(name: str, program: Program, target: Path) -> None:
    print(f"building {name} ({program.package}) …", file=sys.stderr, flush=True)
    started = time.monotonic()
    partial = target.with_suffix(".partial")
    command = ["go", "build", "-mod=readonly", "-trimpath", "-ldflags", _ldflags(program.module)]
    environment = {**os.environ, "CGO_ENABLED": "0"}
    done = subprocess.run(
        [*command, "-o", str(partial), program.package],
        cwd=MODULES / program.module, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        msg = f"{name} could not be built: {done.stderr.strip()[-2000:]}"
        raise UnavailableError(msg)
    partial.rename(target)
    print(f"built {name} in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)


def main(arguments: Sequence[str]) -> int:
    """Build the named programs (all by default); ``--if-possible`` says why not instead of failing."""
    names = [argument for argument in arguments if not argument.startswith("-")]
    try:
        for path in build(*(names or PROGRAMS)).values():
            print(path)
    except UnavailableError as error:
        print(f"test cluster: {error}", file=sys.stderr)
        return 0 if "--if-possible" in arguments and why_unavailable() else 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
