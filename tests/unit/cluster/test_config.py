"""Which cluster is meant: kubeconfig files and Helm's variables, in Helm's order."""

from __future__ import annotations

import json
import os
from pathlib import Path

import certifi
import pytest

from helm_roster import errors
from helm_roster.cluster import config, transport

_VARIABLES = ("HELM_KUBECONTEXT", "HELM_KUBEAPISERVER", "HELM_KUBETOKEN", "HELM_KUBEASUSER", "HELM_KUBEASGROUPS")


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what the machine says about clusters."""
    for variable in (*_VARIABLES, "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("KUBECONFIG", os.devnull)


def kubeconfig(folder: Path, *names: str, current: str = "") -> str:
    """Write a kubeconfig with a cluster, user and context for each name; return its path."""
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": f"https://{name}.test"}} for name in names],
        "users": [{"name": name, "user": {"token": f"token-{name}"}} for name in names],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}} for name in names],
        **({"current-context": current} if current else {}),
    }
    path = folder / f"{'-'.join(names)}.yaml"
    path.write_text(json.dumps(content))
    return str(path)


def test_the_current_context_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", kubeconfig(tmp_path, "a", "b", current="b"))
    connection = config.connect()
    assert (connection.host, connection.headers()) == ("https://b.test", [("Authorization", "Bearer token-b")])


def test_of_several_files_the_first_current_context_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = (kubeconfig(tmp_path, "a"), kubeconfig(tmp_path, "b", current="b"), kubeconfig(tmp_path, "c", current="c"))
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join(files))
    assert config.connect().host == "https://b.test"


def test_a_named_context_comes_before_the_current_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", kubeconfig(tmp_path, "a", "b", current="b"))
    monkeypatch.setenv("HELM_KUBECONTEXT", "a")
    assert config.connect().host == "https://a.test"


def test_an_unknown_context_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", kubeconfig(tmp_path, "a", current="a"))
    monkeypatch.setenv("HELM_KUBECONTEXT", "nope")
    with pytest.raises(errors.BadInputError, match=r'"nope" is not in kubeconfig .*a.yaml \(it holds a\): correct'):
        config.connect()


def test_a_kubeconfig_without_a_current_context_says_which_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", kubeconfig(tmp_path, "a", "b"))
    with pytest.raises(errors.BadInputError, match=r"names no current-context \(it holds a, b\)"):
        config.connect()


def test_of_several_files_some_may_be_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = kubeconfig(tmp_path, "a", current="a")
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join((str(tmp_path / "absent"), there)))
    assert config.connect().host == "https://a.test"
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "absent"))
    with pytest.raises(errors.BadInputError, match=f"kubeconfig {tmp_path}/absent is not there"):
        config.connect()


def test_helms_variables_come_before_the_kubeconfig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", kubeconfig(tmp_path, "a", current="a"))
    monkeypatch.setenv("HELM_KUBEAPISERVER", "https://other.test")
    monkeypatch.setenv("HELM_KUBETOKEN", "mine")
    connection = config.connect()
    assert (connection.host, connection.headers()) == ("https://other.test", [("Authorization", "Bearer mine")])


def test_impersonation_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM_KUBEAPISERVER", "https://other.test")
    monkeypatch.setenv("HELM_KUBEASUSER", "ann")
    monkeypatch.setenv("HELM_KUBEASGROUPS", "dev,ops")
    expected = [("Impersonate-User", "ann"), ("Impersonate-Group", "dev"), ("Impersonate-Group", "ops")]
    assert config.connect().headers() == expected


def test_no_cluster_at_all_is_said_with_what_to_do() -> None:
    with pytest.raises(errors.OperationFailedError, match="no cluster is configured: set KUBECONFIG"):
        config.connect()


def test_a_kubeconfig_that_is_no_yaml_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bad").write_text("a: [")
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "bad"))
    with pytest.raises(errors.BadInputError, match="bad"):
        config.connect()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("secret", "it is no mapping"),
        ("contexts: {a: secret}", "contexts is no list of mappings"),
        ("clusters: [secret]", "clusters is no list of mappings"),
        ("users: [{name: a, user: secret}]", "users.0.user is no mapping"),
        ("clusters: [{name: a, cluster: {server: 1}}]", "clusters.0.cluster.server is no text"),
    ],
)
def test_a_file_that_is_no_kubeconfig_is_named_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str
) -> None:
    (tmp_path / "bad").write_text(text)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "bad"))
    with pytest.raises(errors.BadInputError) as refused:
        config.connect()
    assert str(refused.value) == f"kubeconfig {tmp_path}/bad cannot be read: {why}; check KUBECONFIG"


@pytest.fixture
def pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as in a pod, which has an account."""
    (tmp_path / "token").write_text("own")
    own_account = transport.load().config.incluster_config
    monkeypatch.setattr(own_account, "SERVICE_TOKEN_FILENAME", str(tmp_path / "token"))
    monkeypatch.setattr(own_account, "SERVICE_CERT_FILENAME", certifi.where())
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "192.0.2.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")


@pytest.mark.usefixtures("pod")
@pytest.mark.parametrize("names", [(), ("a",)], ids=["empty", "without a current context"])
def test_a_pod_whose_kubeconfig_chooses_nothing_takes_its_own_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    monkeypatch.setenv("KUBECONFIG", kubeconfig(tmp_path, *names))
    connection = config.connect()
    assert (connection.host, connection.headers()) == ("https://192.0.2.1:443", [("Authorization", "bearer own")])


@pytest.mark.usefixtures("pod")
def test_a_pod_whose_kubeconfig_chooses_takes_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", kubeconfig(tmp_path, "a", current="a"))
    assert config.connect().host == "https://a.test"


@pytest.mark.usefixtures("pod")
def test_a_pods_own_token_goes_to_no_server_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM_KUBEAPISERVER", "https://other.test")
    connection = config.connect()
    assert (connection.host, connection.headers()) == ("https://other.test", [])
