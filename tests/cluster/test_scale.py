"""``helm roster scale`` on the real control plane: one group's count changes, and nothing of the others."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from helm_roster import __version__ as VERSION  # noqa: N812

from tests.cluster import operations, raw
from tests.cluster.api import Json, wait_for
from tests.cluster.namespaces import Namespace
from tests.support.roster import CHART, PlainHelm, cli
from tests.support.runner import Runner

HOOK = {"helm.sh/hook": "pre-upgrade"}
FOLLOWERS = {"Endpoints", "EndpointSlice"}
MANAGED = ("apps/v1", "StatefulSet"), ("apps/v1", "Deployment")


def values(namespace: Namespace, **more: Json) -> Json:
    """Return an operation of four groups, two of which are a gang: decode is elastic in it."""
    groups = {
        "decode": operations.group(namespace, 8, gpus=1),
        "prefill": operations.group(namespace, 2, gpus=1),
        "store": operations.group(namespace, 1, workload="StatefulSet"),
        "web": operations.group(namespace, 2),
    }
    hook = raw.config_map("migration") | {"metadata": {"name": "migration", "annotations": HOOK}}
    members = {"decode": {"min": 4}, "prefill": {"min": 2}}
    return operations.values(groups, gangs={"step": members}, extraObjects=[hook], **more)


def running(namespace: Namespace, roster: Runner, folder: Path) -> None:
    """Install it, and wait until every pod is ready."""
    namespace.add_node(gpus=16)
    operations.install(roster, "op", operations.write(folder, values(namespace)))
    settled(namespace)


def write_plain(namespace: Namespace, folder: Path) -> Path:
    """Write values of two groups without a gang; return their path."""
    groups = {name: operations.group(namespace, 1) for name in ("web", "db")}
    return operations.write(folder, operations.values(groups))


def plain(namespace: Namespace, roster: Runner, folder: Path) -> None:
    """Install two groups without a gang, whose pods get no node."""
    operations.install(roster, "op", write_plain(namespace, folder))


def settled(namespace: Namespace) -> None:
    """Wait until every workload has the pods that it asks for, and has said so."""

    def whole(found: list[Json]) -> bool:
        return all(
            entry["status"].get("observedGeneration") == entry["metadata"]["generation"]
            and entry["status"].get("readyReplicas") == entry["spec"]["replicas"]
            for entry in found
        )

    wait_for(lambda: [item for kind in MANAGED for item in namespace.items(*kind)], 60, "all ready", until=whole)


def others(namespace: Namespace, *named: str) -> dict[str, str]:
    """Return the resource versions of all objects that belong to other groups, but of those that follow the pods."""
    found = {}
    for item in namespace.api.everything(namespace.name):
        group = item["metadata"].get("labels", {}).get("helm-roster.dev/group")
        if group and group not in named and item["kind"] not in FOLLOWERS:
            found[f"{item['kind']}/{item['metadata']['name']}"] = item["metadata"]["resourceVersion"]
    return found


def revisions(namespace: Namespace) -> int:
    """Return how many revisions Helm has kept."""
    return len(namespace.items("v1", "Secret", "owner=helm"))


def replicas(namespace: Namespace, group: str) -> int:
    """Return what the group's workload asks for."""
    (found,) = (item for kind in MANAGED for item in namespace.items(*kind, f"helm-roster.dev/group={group}"))
    return int(found["spec"]["replicas"])


def test_scaling_a_group_touches_nothing_of_the_others(namespace: Namespace, roster: Runner, tmp_path: Path) -> None:
    running(namespace, roster, tmp_path)
    before = others(namespace, "decode")
    done = roster("scale", "op", "decode=12")
    assert (replicas(namespace, "decode"), others(namespace, "decode")) == (12, before)
    assert namespace.get("v1", "ConfigMap", "migration") is None
    assert done.stdout == (
        "decode: 8 → 12 replicas\n"
        "keep this in your values, or the next upgrade takes it back:\n"
        "groups:\n  decode:\n    replicas: 12\n"
    )


def test_groups_that_read_a_count_change_with_it_when_that_is_asked_for(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    read = {"fromGroup": "decode", "as": "hosts"}
    groups = {name: operations.group(namespace, 1) for name in ("decode", "db", "web")}
    groups["decode"]["workload"] = "StatefulSet"
    groups["web"]["container"]["env"] = {"DECODES": read}
    operations.install(roster4, "op", operations.write(tmp_path, operations.values(groups)))
    done = roster4.attempt("scale", "op", "decode=2")
    assert (done.returncode, replicas(namespace, "decode")) == (1, 1)
    assert done.stderr == (
        "Error: web depends on these counts (web reads decode (hosts)), so the pods of web would be replaced too: "
        "add --with-dependents to have it so\n"
    )
    before = others(namespace, "decode", "web")
    done = roster4("scale", "op", "decode=2", "--with-dependents")
    assert (replicas(namespace, "decode"), others(namespace, "decode", "web")) == (2, before)
    assert done.stderr == 'group "web" reads decode: its pods are replaced\n'
    (made,) = namespace.items("apps/v1", "Deployment", "helm-roster.dev/group=web")
    env = made["spec"]["template"]["spec"]["containers"][0]["env"]
    assert env == [{"name": "DECODES", "value": "op-decode-0.op-decode,op-decode-1.op-decode"}]


def test_after_a_scale_by_hand_it_is_told_in_a_line_and_taken_over(
    namespace: Namespace, roster: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    running(namespace, roster, tmp_path)
    kubectl("scale", "statefulset/op-decode", "--replicas=10")
    before = others(namespace, "decode")
    done = roster("scale", "op", "decode=12")
    assert done.stderr == 'group "decode" was set to 10 by kubectl, and the release has 8: taken over\n'
    assert (replicas(namespace, "decode"), others(namespace, "decode")) == (12, before)
    assert roster("scale", "op", "decode=9").stderr == ""  # Helm holds the count again


def test_another_group_that_was_scaled_by_hand_is_named_and_spared(
    namespace: Namespace, roster: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    plain(namespace, roster, tmp_path)
    kubectl("scale", "deployment/op-db", "--replicas=3")
    done = roster.attempt("scale", "op", "web=2")
    assert (done.returncode, replicas(namespace, "db"), replicas(namespace, "web")) == (1, 3, 1)
    assert done.stderr == (
        'Error: group "db": 3 replicas run and the release has 1 (set by kubectl), which Helm would set back: '
        "name it too, db=3 keeps them and db=1 takes them back\n"
    )
    roster("scale", "op", "web=2", "db=3")
    assert (replicas(namespace, "db"), replicas(namespace, "web")) == (3, 2)


def test_what_was_changed_or_deleted_by_hand_is_named_and_spared(
    namespace: Namespace, roster4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    plain(namespace, roster4, tmp_path)
    kubectl("set", "image", "deployment/op-db", "main=registry.example/engine:2")
    kubectl("delete", "service/op-db")
    done = roster4.attempt("scale", "op", "web=2")
    assert (done.returncode, replicas(namespace, "web"), namespace.get("v1", "Service", "op-db")) == (1, 1, None)
    assert "Service op-db is gone, and Helm would make it again" in done.stderr
    assert "Deployment op-db was changed by kubectl-set (spec.template.spec.containers.main.image)" in done.stderr


def test_helm_4_takes_over_a_count_in_a_release_of_helm_3(
    namespace: Namespace, roster4: Runner, helm3: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    plain(namespace, cli(helm3), tmp_path)
    kubectl("scale", "deployment/op-web", "--replicas=3")
    roster4("scale", "op", "web=2")
    assert replicas(namespace, "web") == 2


def test_a_chart_that_is_not_the_releases_is_refused_with_the_one_to_pass(
    namespace: Namespace, roster4: Runner, helm4: Runner, tmp_path: Path
) -> None:
    older = tmp_path / "older"
    shutil.copytree(CHART, older)
    manifest = older / "Chart.yaml"
    manifest.write_text(manifest.read_text().replace(f"\nversion: {VERSION}", "\nversion: 0.0.9"))
    helm4("package", older, "-d", tmp_path)
    helm4("install", "op", older, "-f", write_plain(namespace, tmp_path))
    done = roster4.attempt("scale", "op", "web=2")
    assert f"op runs chart replica-operation 0.0.9, and the bundled chart is replica-operation {VERSION}" in done.stderr
    assert (done.returncode, "use helm-roster 0.0.9, which bundles it, or pass --chart" in done.stderr) == (1, True)
    before = others(namespace, "web")
    roster4("scale", "op", "web=2", "--chart", str(tmp_path / "replica-operation-0.0.9.tgz"))
    assert (replicas(namespace, "web"), others(namespace, "web")) == (2, before)


def test_an_elastic_member_comes_down_to_its_minimum_and_up_again(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    running(namespace, roster4, tmp_path)
    grouping = namespace.items("scheduling.k8s.io/v1beta1", "PodGroup")
    assert 'below the minimum of 4 in gang "step"' in roster4.attempt("scale", "op", "decode=3").stderr
    assert "elastic: true" in roster4("scale", "op", "decode=4").stdout
    roster4("scale", "op", "decode=6")
    settled(namespace)
    after = namespace.items("scheduling.k8s.io/v1beta1", "PodGroup")
    assert [(one["metadata"]["uid"], one["spec"]) for one in after] == [
        (one["metadata"]["uid"], one["spec"]) for one in grouping
    ]


def test_a_minimum_and_the_size_of_a_gang_change_as_it_is_said(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    running(namespace, roster4, tmp_path)
    for count in ("decode=3", "prefill=3"):
        said = roster4.attempt("scale", "op", count).stderr
        way = re.split("[;)]", said.partition("(helm-roster ")[2])[0]
        roster4(*way.split())
    roster4("scale", "op", "decode=3")
    settled(namespace)
    assert (replicas(namespace, "decode"), replicas(namespace, "prefill")) == (3, 3)


def test_status_notices_replicas_below_a_gangs_minimum(
    namespace: Namespace, roster4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    running(namespace, roster4, tmp_path)
    kubectl("scale", "statefulset/op-prefill", "--replicas=1")
    found = operations.status(roster4, "op")
    (said,) = (entry["message"] for entry in found["gangs"] if entry["state"] == "broken")
    assert said.startswith("prefill asks for 1 of the 2 pods that its gang needs")


def test_an_autoscaled_group_is_set_beside_the_values(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    web = operations.group(namespace, 1, autoscaling={"owner": "external", "max": 5})
    del web["replicas"]
    operations.install(roster4, "op", operations.write(tmp_path, operations.values({"web": web})))
    assert "keeps 1 to 5" in roster4.attempt("scale", "op", "web=6").stderr
    done = roster4("scale", "op", "web=4")
    assert (replicas(namespace, "web"), revisions(namespace)) == (4, 1)
    assert done.stdout == "web: 1 → 4 replicas; its autoscaler (external) may change it again\n"


def test_what_is_so_already_or_only_tried_applies_nothing(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    plain(namespace, roster4, tmp_path)
    for words in (["web=1"], ["web=2", "--dry-run"]):
        found = json.loads(roster4("scale", "op", *words, "-o", "json").stdout)
        assert found["applied"] is False
    assert (replicas(namespace, "web"), revisions(namespace)) == (1, 1)


def test_what_a_count_breaks_is_told(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    groups = {"router": operations.router(namespace, "web"), "web": operations.group(namespace, 1)}
    operations.install(roster4, "op", operations.write(tmp_path, operations.values(groups)))
    done = roster4("scale", "op", "web=0", "--dry-run")
    assert done.stderr == 'warning: group "router" cannot become ready: it requires "web", which has no replicas\n'


def test_an_operation_of_gitops_is_refused_and_its_owner_named(
    namespace: Namespace, roster4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    plain(namespace, roster4, tmp_path)
    kubectl("label", "deployment/op-web", "argocd.argoproj.io/instance=app")
    done = roster4.attempt("scale", "op", "web=2")
    assert (done.returncode, replicas(namespace, "web")) == (1, 1)
    assert "belongs to Argo CD application app, which would set the count back" in done.stderr


def test_what_helm_does_not_hold_is_told_from_what_is_not_there(
    namespace: Namespace, roster4: Runner, kubectl: Runner, tmp_path: Path
) -> None:
    there_is_none = roster4.attempt("scale", "op", "web=2")
    assert there_is_none.stderr.startswith(f'Error: there is no release "op" in namespace "{namespace.name}"')
    kubectl("apply", "-f", "-", text=roster4("template", "op", "-f", write_plain(namespace, tmp_path)).stdout)
    without_helm = roster4.attempt("scale", "op", "web=2")
    assert without_helm.stderr.startswith('Error: operation "op" was applied without Helm')


def test_after_a_failed_upgrade_nothing_of_it_is_set_back(
    namespace: Namespace, roster4: Runner, helm4: Runner, tmp_path: Path
) -> None:
    plain(namespace, roster4, tmp_path)
    reuse, image = "--reset-then-reuse-values", "groups.db.container.image=registry.example/engine:2"
    wrong = "groups.web.environment.serviceAccountName=NO"
    PlainHelm(helm4).attempt("upgrade", "op", CHART, reuse, "--set", image, "--set", wrong)
    done = roster4.attempt("scale", "op", "web=2")
    assert (done.returncode, replicas(namespace, "web")) == (1, 1)
    assert "revision 2 of op failed, and what it changed so far would be set back to revision 1" in done.stderr


def test_a_release_that_is_no_operation_is_refused(
    namespace: Namespace, roster4: Runner, helm4: Runner, tmp_path: Path
) -> None:
    del namespace
    (tmp_path / "chart" / "templates").mkdir(parents=True)
    (tmp_path / "chart" / "Chart.yaml").write_text("apiVersion: v2\nname: postgres\nversion: 0.1.0\n")
    (tmp_path / "chart" / "templates" / "settings.yaml").write_text(json.dumps(raw.config_map("settings")))
    helm4("install", "postgres", tmp_path / "chart")
    done = roster4.attempt("scale", "postgres", "web=2")
    assert (done.returncode, done.stderr) == (
        1,
        'Error: release "postgres" is no operation of Roster: use helm upgrade postgres\n',
    )
