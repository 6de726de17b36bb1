"""Who else looks after an operation: a GitOps controller makes again what is deleted behind its back.

Read from what these controllers write on each object: Argo CD's tracking label and annotation (its docs,
"Resource Tracking") and the labels of Flux's kustomize-controller and helm-controller. Where Argo CD tracks by
``app.kubernetes.io/instance``, which Helm's charts set too, the field manager tells: Argo CD's, on an object that no
Helm release holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from helm_roster.manifests import walk
from helm_roster.manifests.walk import Manifest

_ARGO_INSTANCE: Final = "argocd.argoproj.io/instance"
_ARGO_TRACKING: Final = "argocd.argoproj.io/tracking-id"
# Server-side and client-side apply (argoproj/argo-cd: common.ArgoCDSSAManager, the name of its program).
_ARGO_MANAGERS: Final = frozenset({"argocd-controller", "argocd-application-controller"})
_INSTANCE: Final = "app.kubernetes.io/instance"
_HELM_RELEASE: Final = "meta.helm.sh/release-name"
_FLUX: Final = {"helm.toolkit.fluxcd.io": "HelmRelease", "kustomize.toolkit.fluxcd.io": "Kustomization"}


@dataclass(frozen=True, kw_only=True)
class Owner:
    """A GitOps controller's object, in words, and what to do there."""

    name: str
    remedy: str


def find(manifests: Iterable[Manifest]) -> Owner | None:
    """Return the first GitOps owner that the objects name, or None."""
    return next((owner for manifest in manifests if (owner := _argo(manifest) or _flux(manifest))), None)


def _argo(manifest: Manifest) -> Owner | None:
    tracking = str(walk.get(manifest, "metadata", "annotations", _ARGO_TRACKING, default="")).partition(":")[0]
    instance = walk.get(manifest, "metadata", "labels", _ARGO_INSTANCE) or walk.get(
        manifest, "metadata", "annotations", _ARGO_INSTANCE
    )
    application = tracking or str(instance or "") or _applied_by_argo(manifest)
    if not application:
        return None
    return Owner(name=f"Argo CD application {application}", remedy=f"argocd app delete {application}")


def _applied_by_argo(manifest: Manifest) -> str:
    """Return the application whose objects Argo CD tracks by the plain instance label."""
    managers = {str(entry.get("manager")) for entry in walk.sequence(manifest, "metadata", "managedFields")}
    helms = walk.get(manifest, "metadata", "annotations", _HELM_RELEASE)
    if helms or not managers & _ARGO_MANAGERS:
        return ""
    return str(walk.get(manifest, "metadata", "labels", _INSTANCE, default=""))


def _flux(manifest: Manifest) -> Owner | None:
    for prefix, kind in _FLUX.items():
        name = walk.get(manifest, "metadata", "labels", f"{prefix}/name")
        namespace = walk.get(manifest, "metadata", "labels", f"{prefix}/namespace", default="")
        if name:
            return Owner(
                name=f"Flux {kind} {namespace}/{name}",
                remedy=f"delete it where it is declared, or suspend it (flux suspend {kind.lower()} {name})",
            )
    return None
