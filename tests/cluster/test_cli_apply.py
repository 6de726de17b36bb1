"""Install and upgrade against the real control plane: what Helm's errors become, and what is asked beforehand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helm_roster import backend_base, errors
from helm_roster.backend_base import ApiKind, Need
from helm_roster.backends import default
from helm_roster.cluster import client, preflight
from helm_roster.helm import releases
from helm_roster.model.plan import Plan

from tests.cluster import operations
from tests.cluster.api import Json, wait_for
from tests.cluster.namespaces import Namespace
from tests.support.roster import CHART, PlainHelm
from tests.support.runner import Runner
from tests.support.turns import by_turns
from tests.unit import builders


class Needy:
    """A backend that needs a kind which nobody serves; else the default one."""

    NAME = "needy"
    GROUPING_KINDS = (ApiKind(api_version="no.such/v1", kind="Herd", plural="herds"),)
    OWNED = default.OWNED
    MARKS_ALL, KEEPS = default.MARKS_ALL, default.KEEPS
    BEFORE, MEMBERSHIPS, IN_PLACE = default.BEFORE, default.MEMBERSHIPS, default.IN_PLACE
    PROCESSES = default.PROCESSES
    PREEMPTS_WHERE = default.PREEMPTS_WHERE
    check, guarantees, objects, stamp, inspect, explain = (
        staticmethod(verb)
        for verb in (
            default.check, default.guarantees, default.objects, default.stamp, default.inspect, default.explain
        )
    )  # fmt: skip

    @staticmethod
    def needs(plan: Plan) -> list[Need]:
        """Need the kind."""
        del plan
        return [Need(kind=Needy.GROUPING_KINDS[0], remedy="install the herder")]


def test_a_kind_that_the_cluster_does_not_serve_is_refused_with_the_remedy(
    namespace: Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(namespace.kubeconfig))
    backend: backend_base.Backend = Needy()
    with pytest.raises(errors.RefusedError, match=r"does not serve Herd \(no.such/v1\), .*: install the herder"):
        preflight.check(client.connect(), namespace.name, builders.plan({"a": builders.group(1)}), backend)


def test_an_object_of_a_kind_that_is_not_served_is_one_line(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    herd = {"apiVersion": "no.such/v1", "kind": "Herd", "metadata": {"name": "herd"}}
    made = operations.values({"web": operations.group(namespace, 1)}, extraObjects=[herd])
    done = roster4.attempt("install", "op", "-f", operations.write(tmp_path, made))
    said = "the cluster does not serve Herd (no.such/v1), of which these values make an object: install what brings it"
    assert (done.returncode, done.stderr) == (1, f"Error: {said}, or leave it out\n")


@by_turns(
    "fault",
    [
        ({"resources": {"limits": {"gpu": 1}}}, "containers[0].resources.limits[gpu]"),
        ({"environment": {"serviceAccountName": "NO"}}, "serviceAccountName"),
    ],
    ids=["limits", "account"],
)
def test_what_the_api_server_would_not_take_of_one_group_is_refused_before_any_is_applied(
    namespace: Namespace, roster: Runner, tmp_path: Path, fault: tuple[Json, str]
) -> None:
    wrong, field = fault
    groups = {"a": operations.group(namespace, 1), "b": operations.group(namespace, 1) | wrong}
    done = roster.attempt("install", "op", "-f", operations.write(tmp_path, operations.values(groups)))
    assert (done.returncode, done.stderr.count("\n"), namespace.everything()) == (1, 1, [])
    said = f"Error: the API server would not take Deployment op-b: spec.template.spec.{field}: Invalid value: "
    assert done.stderr.startswith(said)
    assert 'correct the values of group "b" ' in done.stderr


def test_a_port_that_an_object_has_already_is_no_fault_of_its_upgrade(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    spec = {"type": "NodePort", "ports": [{"port": 80, "nodePort": 31987}]}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "own"}, "spec": spec}
    made = operations.values({"web": operations.group(namespace, 1)}, extraObjects=[service])
    values = operations.write(tmp_path, made)
    operations.install(roster4, "op", values)
    roster4("upgrade", "op", "-f", values)


def test_an_upgrade_may_reuse_the_running_releases_values(namespace: Namespace, roster: Runner, tmp_path: Path) -> None:
    namespace.add_nodes(3)
    groups = {"learner": operations.group(namespace, 2, gpus=1)}
    values = operations.write(tmp_path, operations.values(groups, gangs={"step": {"learner": {"min": 1}}}))
    operations.install(roster, "op", values)
    roster("upgrade", "op", "--reuse-values", "--set", "groups.learner.replicas=3")
    wait_for(namespace.bound, 60, "three pods bound", until=lambda seen: seen == 3)


@by_turns("flag", ["--reuse-values", "--reset-then-reuse-values"])
def test_what_cannot_be_kept_is_refused_before_helm_when_values_are_reused(
    namespace: Namespace, roster: Runner, tmp_path: Path, flag: str
) -> None:
    groups = {name: operations.group(namespace, 1, gpus=1) for name in ("learner", "actor")}
    values = operations.values(groups, gangs={"step": {"learner": {"elastic": True}, "actor": {}}})
    operations.install(roster, "op", operations.write(tmp_path, values))
    second = "scheduling.gangs.step.members.actor.elastic=true"
    done = roster.attempt("upgrade", "op", flag, "--set", second)
    assert done.returncode == 1
    assert done.stderr.startswith('Error: gang "step": two elastic members')
    assert [secret["metadata"]["labels"]["version"] for secret in namespace.items("v1", "Secret")] == ["1"]


def test_an_upgrade_without_values_goes_on_with_those_that_run(
    namespace: Namespace, roster: Runner, helm: Runner, tmp_path: Path
) -> None:
    values = operations.write(tmp_path, operations.values({"web": operations.group(namespace, 1)}))
    operations.install(roster, "op", values)
    roster("upgrade", "op")
    shown = helm("get", "values", "op", "-o", "json").stdout
    assert json.loads(shown)["groups"]["web"]["replicas"] == 1


def test_an_upgrade_goes_on_with_the_values_of_the_revision_that_is_deployed(
    namespace: Namespace, roster: Runner, helm: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = operations.write(tmp_path, operations.values({"web": operations.group(namespace, 1)}))
    operations.install(roster, "op", values)
    wrong = "groups.web.environment.serviceAccountName=NO"
    assert PlainHelm(helm).attempt("upgrade", "op", CHART, "-f", values, "--set", wrong).returncode == 1
    for name in ("HELM_BIN", "KUBECONFIG"):
        monkeypatch.setenv(name, roster.env[name])
    known = releases.running_values("op")
    assert known is not None
    assert "serviceAccountName" not in known


def test_an_upgrade_whose_running_values_cannot_be_read_says_so_and_leaves_it_to_helm(
    namespace: Namespace, roster4: Runner
) -> None:
    done = roster4.attempt("upgrade", "op", "--kube-as-user", "nobody", "-n", namespace.name)
    assert done.returncode == 4
    assert done.stderr.startswith("the values of op that run cannot be read (")


def test_an_upgrade_may_install(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    values = operations.write(tmp_path, operations.values({"web": operations.group(namespace, 1)}))
    roster4("upgrade", "op", "--install", "-f", values)
    assert namespace.get("apps/v1", "Deployment", "op-web") is not None


def test_a_dry_run_leaves_nothing(namespace: Namespace, roster4: Runner, tmp_path: Path) -> None:
    values = operations.write(tmp_path, operations.values({"web": operations.group(namespace, 1)}))
    roster4("install", "op", "-f", values, "--dry-run=client")
    assert namespace.everything() == []


def test_helms_own_error_is_shown_and_what_to_do_is_added(namespace: Namespace, roster: Runner, tmp_path: Path) -> None:
    values = operations.write(tmp_path, operations.values({"web": operations.group(namespace, 1)}))
    operations.install(roster, "op", values)
    done = roster.attempt("install", "op", "-f", values)
    helms, ours = done.stderr.splitlines()[-2:]
    assert done.returncode == 4
    assert "a name that is still in use" in helms
    assert ours.endswith("helm-roster upgrade op, or cancel it first")


def test_a_missing_right_is_one_line_that_names_verb_and_kind(namespace: Namespace, roster4: Runner) -> None:
    done = roster4.attempt("status", "op", "--kube-as-user", "nobody", "-n", namespace.name)
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert done.stderr.startswith("Error: you may not list deployments: ")


def test_an_upgrade_that_would_move_running_pods_into_another_gang_is_refused(
    namespace: Namespace, roster4: Runner, tmp_path: Path
) -> None:
    namespace.add_nodes(2)
    groups = {name: operations.group(namespace, 1, gpus=1) for name in ("learner", "actor")}
    both = operations.values(groups, gangs={"step": {"learner": {}, "actor": {}}})
    operations.install(roster4, "op", operations.write(tmp_path, both))
    wait_for(namespace.bound, 60, "the gang bound", until=lambda seen: seen == 2)
    before = namespace.everything()
    one = operations.values(groups, gangs={"step": {"learner": {}}})
    done = roster4.attempt("upgrade", "op", "-f", operations.write(tmp_path, one))
    assert done.returncode == 1
    assert 'gang "step": this restarts it (member actor removed)' in done.stderr
    assert namespace.everything() == before
