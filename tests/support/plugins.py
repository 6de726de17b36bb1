"""Our plugin as Helm installs it, beside somebody else's: from a folder, or from a git repository with its releases."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import helm_roster

from tests.support.roster import ROOT
from tests.support.runner import Runner

VERSION = helm_roster.__version__
NEXT = "99.0.0"


def beside_another(program: Path, env: dict[str, str]) -> Runner:
    """Return a Helm in whose folder of plugins somebody else's plugin is."""
    other = Path(env["HELM_DATA_HOME"]) / "plugins" / "other"
    other.mkdir(parents=True)
    (other / "plugin.yaml").write_text("name: other\nversion: 0.1.0\nusage: x\ncommand: echo other works\n")
    path = f"{Path(sys.base_prefix) / 'bin'}{os.pathsep}/usr/bin:/bin"
    major = 4 if "-4" in program.parent.name else 3
    return Runner(program, {**env, "HELM_BIN": str(program), "PATH": path}, major)


def install(helm: Runner, source: str | Path) -> str:
    """Install a plugin and return what was said. Helm 4 wants to verify what comes from git, and cannot."""
    verify = ["--verify=false"] if helm.major == 4 and "://" in str(source) else []
    return helm("plugin", "install", source, *verify, timeout=600).stderr


def versions(helm: Runner) -> dict[str, str]:
    """Return the plugins that Helm lists, with their versions; the other one must work too."""
    assert helm("other").stdout == "other works\n"
    rows = [line.split() for line in helm("plugin", "list").stdout.splitlines()[1:]]
    return {row[0]: row[1] for row in rows}


def repository(folder: Path, *names: str) -> Path:
    """Return a git repository of the named files, or of all that this checkout has."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", *names], capture_output=True, text=True, check=True)  # fmt: skip  # noqa: E501
    for name in listed.stdout.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
            (folder / name).chmod((ROOT / name).stat().st_mode)
    git(folder, "init", "-q")
    commit(folder)
    return folder


def release(folder: Path, *names: str) -> None:
    """Commit the next version to the repository."""
    for name in names:
        path = folder / name
        path.write_text(path.read_text().replace(f'"{VERSION}"', f'"{NEXT}"').replace(f"version: {VERSION}", f"version: {NEXT}"))  # fmt: skip  # noqa: E501
    commit(folder)


def commit(folder: Path) -> None:
    git(folder, "add", ".")
    git(folder, "-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "-qm", "plugin")


def git(folder: Path, *arguments: str) -> None:
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "-C", str(folder), *arguments], env={**os.environ, **settings}, check=True)
