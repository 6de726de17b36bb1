"""What comes right after an operation's end is not lost with it; for all schedulers: test_placement_cancel.py.

A native PodGroup lives until its last pod is gone, and one that is applied onto a terminating one vanishes with it.
"""

from __future__ import annotations

from pathlib import Path

from tests.cluster import fates, operations
from tests.cluster.api import wait_for
from tests.cluster.namespaces import Namespace
from tests.support.roster import cli
from tests.support.runner import Runner

# Longer than an installation takes to be refused.
NO_END = 60
BINDS = 60.0


def install(namespace: Namespace, helm: Runner, folder: Path, *, terminating_seconds: int | None = None) -> Path:
    """Install a gang of two learners and at least one of two actors."""
    fate = fates.annotate(terminating_seconds=terminating_seconds)
    groups = {name: operations.group(namespace, 2, gpus=1, fate=fate) for name in ("learner", "actor")}
    values = operations.values(groups, gangs={"step": {"learner": {}, "actor": {"min": 1}}})
    file = operations.write(folder, values)
    cli(helm)("install", "rl", "-f", file)
    return file


def test_an_install_onto_a_terminating_group_is_refused_in_words(
    namespace: Namespace, helm4: Runner, tmp_path: Path
) -> None:
    """After a bare `helm uninstall`, which returns while pods still hold the old group objects."""
    namespace.add_nodes(4)
    file = install(namespace, helm4, tmp_path, terminating_seconds=NO_END)
    wait_for(namespace.bound, BINDS, "the gang bound", until=lambda seen: seen == 4)
    helm4("uninstall", "rl")
    done = cli(helm4).attempt("install", "rl", "-f", file)
    assert done.returncode == 1
    assert "still being deleted, held by pod rl-" in done.stderr
    assert [name for name in namespace.everything() if name.startswith("Secret/")] == []
