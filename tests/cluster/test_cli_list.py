"""``helm roster list`` on the real control plane: every operation that one may see, with its verdict and its owner."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cluster import operations, rights
from tests.cluster.namespaces import Namespace
from tests.support.runner import Runner


def test_operations_are_listed_with_or_without_a_helm_release(
    namespace: Namespace, roster4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    namespace.add_node()
    assert roster4("list").stderr == f'no operation in namespace "{namespace.name}"\n'
    web = {"web": operations.group(namespace, 2)}
    operations.install(roster4, "rl", operations.write(tmp_path, operations.values(web)))
    roster4("wait", "rl", "--timeout", "60s")
    tracked = {"annotations": {"argocd.argoproj.io/tracking-id": "shop:apps/Deployment:team/web"}}
    values = operations.values(web, operation={"kind": "service", "name": "own"}, **tracked)
    kubectl("apply", "-f", "-", text=roster4("template", "shop", "-f", operations.write(tmp_path, values)).stdout)
    helms, gitops = json.loads(roster4("list", "-o", "json").stdout)["operations"]
    assert (helms["name"], helms["verdict"], helms["pods"]["ready"], helms["groups"]) == ("rl", "Ready", 2, ["web"])
    assert helms["release"] == {"name": "rl", "state": "deployed", "revision": 1}
    assert (gitops["name"], gitops["operation"], gitops["release"]) == ("shop", "own", None)
    assert gitops["gitops"] == "Argo CD application shop"


def test_all_namespaces_are_listed_together_and_a_namespace_alone_by_whom_may_see_no_other(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    web = {"web": operations.group(namespace, 1)}
    operations.install(roster4, "rl", operations.write(tmp_path, operations.values(web)))
    lines = roster4("list", "-A").stdout.splitlines()
    (mine,) = [line for line in lines if line.startswith("rl ") and namespace.name in line]
    assert lines[0].split() == ["name", "namespace", "kind", "verdict", "ready", "groups", "owner"]
    assert mine.endswith("Helm release, revision 1 deployed")
    user = rights.user(namespace, but={"secrets"})
    assert "you may not list Helm's records" in roster4("list", "--kube-as-user", user).stdout
    refused = roster4.attempt("list", "-A", "--kube-as-user", user)
    assert (refused.returncode, refused.stderr.count("\n")) == (4, 1)
    assert refused.stderr.startswith("Error: you may not list deployments: ")
