"""What the READMEs tell to type, typed as it stands: with their values files, on the real control plane."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cluster.namespaces import Namespace
from tests.support import pages, shell
from tests.support.roster import CHART, ROOT
from tests.support.runner import Runner
from tests.support.shell import Shell

README = (ROOT / "README.md").read_text()
USE = pages.commands(pages.section(README, "Use"))
# Those that go on until the pods are ready or have ended have tests of their own: here their claim is not there.
ENDLESS = ("status rl --watch", "wait rl", "logs rl")
LAST = USE.index("helm-roster cancel rl --delete-data")
OURS = [command for command in USE[:LAST] if not any(words in command for words in ENDLESS)]
PLAIN = USE[LAST + 1 :]
PLAN = pages.commands(pages.section(README, "Plan"))


def reader(helm: Runner, folder: Path, text: str = README) -> Shell:
    """Return a shell beside the first values file of a page."""
    made = shell.make(helm, folder)
    values = pages.blocks(text, "yaml")[0]
    (made.folder / "values.yaml").write_text(values)
    return made


def test_our_commands_work_in_their_order(namespace: Namespace, helm4: Runner, tmp_path: Path) -> None:
    run = reader(helm4, tmp_path)
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "models"}, "spec": spec}
    namespace.create(claim)
    *use, cancel = OURS
    said = {command: run(command).stdout for command in [*use, *PLAN, cancel]}
    assert "SEED" in said["helm-roster plan -f values.yaml --explain rollout.container.env"]
    assert "unchanged" in said["helm-roster plan -f values.yaml --against rl"]
    assert namespace.everything() == ["PersistentVolumeClaim/models"]


def test_plain_helm_works_with_the_post_renderer(namespace: Namespace, helm: Runner, tmp_path: Path) -> None:
    run = reader(helm, tmp_path)
    alone = f"PATH={tmp_path / 'bin'}:/usr/bin:/bin"  # no Helm 3 may read what is set up for Helm 4
    old, set_up, new = PLAIN
    said = [run(f"export {alone}; {command}").stdout for command in ([old] if helm.major == 3 else [set_up, new])]
    (upgrade,) = re.findall(r"^  (helm upgrade .*)$", said[-1], re.MULTILINE)
    run(f"export {alone}; {upgrade.replace('CHART', 'charts/replica-operation')}")
    assert len(namespace.items("apps/v1", "StatefulSet")) == 2


def test_the_charts_readme_installs_its_first_values(namespace: Namespace, helm4: Runner, tmp_path: Path) -> None:
    text = (CHART / "README.md").read_text()
    (command,) = pages.commands(text)
    reader(helm4, tmp_path, text)(command)
    assert namespace.get("apps/v1", "Deployment", "my-app-worker") is not None
