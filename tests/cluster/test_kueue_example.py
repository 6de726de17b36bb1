"""The example that asks for quota, on the real Kueue: the commands of its README, the objects of its page."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_roster.manifests import door

from tests.cluster import operations
from tests.cluster.admission import Kueue
from tests.cluster.api import Json, wait_for
from tests.cluster.namespaces import Namespace
from tests.cluster.schedulers import Scheduler
from tests.cluster.test_examples_run import asks_for_quota
from tests.support import pages, shell
from tests.support.roster import EXAMPLES, ROOT, cli
from tests.support.runner import Runner

EXAMPLE = "15-rl-with-quota"
PAGE = ROOT / "docs" / "backends" / "kueue.md"


def asked_for(namespace: Namespace) -> list[Json]:
    """Return the manifests of the page on Kueue, for this namespace."""
    (block,) = (text for text in pages.blocks(PAGE.read_text(), "yaml") if "kind: ClusterQueue" in text)
    found: list[Json] = [door.to_plain(manifest) for manifest in door.load_all(block)]
    for manifest in found:
        if "namespace" in manifest["metadata"]:
            manifest["metadata"]["namespace"] = namespace.name
    return found


def test_all_examples_that_ask_for_quota_run_here() -> None:
    found = [path.parent.name for path in EXAMPLES.glob("*/expected.yaml")]
    assert [name for name in found if asks_for_quota(name)] == [EXAMPLE]


@pytest.mark.parametrize("kueue_placer", ["native"], indirect=True)
def test_the_example_runs_as_its_readme_says_in_the_queue_of_its_page(  # noqa: PLR0917
    kueue: Kueue, kueue_placer: Scheduler, namespace: Namespace, helm4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    del kueue_placer
    namespace.create(*asked_for(namespace))
    namespace.add_nodes(12)
    run = shell.make(helm4, tmp_path, kubectl=kubectl.program)
    pool = operations.write(tmp_path, {"defaults": {"environment": {"nodeSelector": namespace.node_selector}}})
    for command in pages.commands((EXAMPLES / EXAMPLE / "README.md").read_text()):
        run(f"{command} -f {pool}" if " install " in command else command)
    wait_for(
        lambda: operations.status(cli(helm4), "rl-quota")["verdict"], 60, "Ready", until=lambda seen: seen == "Ready"
    )
    kueue.uses(namespace, 8, "team-a")
    run("helm roster cancel rl-quota")
    kueue.uses(namespace, 0, "team-a")
