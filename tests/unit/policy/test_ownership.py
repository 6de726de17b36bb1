"""Who else looks after an operation."""

from __future__ import annotations

import pytest

from helm_roster.manifests.walk import Manifest
from helm_roster.policy import ownership

TRACKED = {
    "argo label": ({"labels": {"argocd.argoproj.io/instance": "app"}}, "Argo CD application app"),
    "argo annotation": (
        {"annotations": {"argocd.argoproj.io/tracking-id": "app:apps/Deployment:ns/x"}},
        "Argo CD application app",
    ),
    "argo, by the plain label, server-side": (
        {"labels": {"app.kubernetes.io/instance": "app"}, "managedFields": [{"manager": "argocd-controller"}]},
        "Argo CD application app",
    ),
    "argo, by the plain label, client-side": (
        {
            "labels": {"app.kubernetes.io/instance": "app"},
            "managedFields": [{"manager": "kubectl"}, {"manager": "argocd-application-controller"}],
        },
        "Argo CD application app",
    ),
    "flux kustomization": (
        {"labels": {"kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux"}},
        "Flux Kustomization flux/apps",
    ),
    "flux helm release": (
        {"labels": {"helm.toolkit.fluxcd.io/name": "rl", "helm.toolkit.fluxcd.io/namespace": "team"}},
        "Flux HelmRelease team/rl",
    ),
}


@pytest.mark.parametrize(("metadata", "name"), TRACKED.values(), ids=TRACKED)
def test_a_gitops_controller_is_recognised_by_its_marks(metadata: Manifest, name: str) -> None:
    found = ownership.find([{"metadata": {"name": "plain"}}, {"metadata": metadata}])
    assert found is not None
    assert found.name == name


def test_objects_of_plain_helm_have_no_other_owner() -> None:
    labels = {"app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/instance": "rl"}
    assert ownership.find([{"metadata": {"labels": labels}}]) is None


def test_what_helm_took_over_from_argo_is_helms() -> None:
    metadata = {
        "labels": {"app.kubernetes.io/instance": "rl"},
        "annotations": {"meta.helm.sh/release-name": "rl"},
        "managedFields": [{"manager": "argocd-controller"}, {"manager": "helm"}],
    }
    assert ownership.find([{"metadata": metadata}]) is None
