"""Which kinds must be served before Helm is asked to make objects of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from helm_roster import backend_base, errors
from helm_roster.backend_base import Finding
from helm_roster.backends import default
from helm_roster.cluster import client, preflight
from helm_roster.manifests.walk import Manifest

from tests.unit import api_servers, builders

KINDS = {"Service": "services", "ConfigMap": "configmaps", "Secret": "secrets"}


def check(monkeypatch: pytest.MonkeyPatch, *kinds: tuple[str, str], skip: bool = False) -> list[str]:
    """Check the kinds on a cluster that serves some of ``v1``; return the paths that it was asked for."""
    asked = []

    def answer(path: str) -> tuple[int, Manifest]:
        if "kueue" not in path:  # what admission that nobody asks for would do is asked where it is there
            asked.append(path)
        entries = [{"kind": kind, "name": name, "namespaced": True} for kind, name in KINDS.items()]
        if path == "/apis/x":
            return 200, {"versions": [{"groupVersion": version} for version in ("x/v1", "x/v1beta1")]}
        return (200, {"resources": entries}) if path in {"/api/v1", "/apis/x/v1beta1"} else (404, {})

    with api_servers.serving(answer, monkeypatch):
        preflight.check(
            client.connect(), "team", builders.plan({"a": builders.group()}), default, preflight.Made(kinds), skip=skip
        )
    return asked


def test_a_version_is_asked_for_once_whatever_the_number_of_its_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(monkeypatch, *(("v1", kind) for kind in KINDS)) == ["/api/v1"]


def test_each_kind_that_is_not_served_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(errors.RefusedError) as refused:
        check(monkeypatch, ("v1", "Secret"), ("x/v1", "Herd"), ("v1", "Cow"))
    assert [line.split(",")[0] for line in str(refused.value).splitlines()] == [
        "the cluster does not serve Herd (x/v1)",
        "the cluster does not serve Cow (v1)",
    ]


def test_a_kind_in_another_version_is_told_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(errors.RefusedError, match=r"does not serve Secret \(x/v1; the cluster has it in x/v1beta1\)"):
        check(monkeypatch, ("x/v1", "Secret"))


def test_a_cluster_is_not_asked_about_kinds_where_checks_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check(monkeypatch, ("x/v1", "Herd"), skip=True) == []


def test_pods_that_claim_devices_need_an_api_server_that_serves_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = builders.plan({"a": builders.group(claims=["ours"])})
    monkeypatch.setattr(builders, "plan", lambda _: asked)
    with pytest.raises(errors.RefusedError, match=r"does not serve ResourceClaim .*: run Kubernetes 1.34 or newer"):
        check(monkeypatch)


def test_a_domain_of_a_driver_that_is_not_there_is_refused_with_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        errors.RefusedError, match=r"does not serve ComputeDomain .*: install NVIDIA's DRA driver .*, or set"
    ):
        check(monkeypatch, ("resource.nvidia.com/v1beta1", "ComputeDomain"))


def test_what_stops_a_plan_is_a_warning_where_no_pod_is_to_be_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preflight, "captured", lambda *_: [])
    closed = Finding(state="stops", message="the queue is closed")
    backend: Any = SimpleNamespace(
        needs=backend_base.no_needs, inspect=lambda *_: [closed], objects=backend_base.no_objects
    )
    asked, nobody = builders.plan({"a": builders.group()}), SimpleNamespace()
    assert preflight.check(nobody, "team", asked, backend, settled=True) == [closed.message]  # type: ignore[arg-type]
    with pytest.raises(errors.RefusedError, match=rf"{closed.message} \(--skip-checks applies it all the same\)"):
        preflight.check(nobody, "team", asked, backend)  # type: ignore[arg-type]
    with pytest.raises(errors.RefusedError, match=f"{closed.message}$"):
        preflight.check(nobody, "team", asked, backend, may_skip=False)  # type: ignore[arg-type]
