"""Operations of any number of groups in three mixes, and the same work as kustomize would be asked for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal, get_args

import yaml

Mix = Literal["none", "two", "all"]
MIXES: tuple[Mix, ...] = get_args(Mix)
TITLES: dict[Mix, str] = {"none": "no member", "two": "2 of n members", "all": "all members"}
# A Workload of scheduling.k8s.io holds eight members at most, so all members stand in gangs of eight.
_GANG = 8
_CARRIER = "PostRendererRequired"


def values(groups: int, mix: Mix) -> dict[str, Any]:
    """Return the values of an operation: each group with a preset, 30 variables from three layers, and a port."""
    group = {
        "replicas": 2,
        "accelerators": 8,
        "presets": ["gpu"],
        "container": {"env": _env("OWN"), "ports": {"http": 80}},
    }
    preset = {
        "accelerator": {"resource": "nvidia.com/gpu", "model": "NVIDIA H200"},
        "container": {"env": _env("MODEL")},
    }
    return {
        "defaults": {"container": {"image": "example/app:1", "env": _env("SHARED")}},
        "presets": {"gpu": preset},
        "groups": dict.fromkeys(_names(groups), group),
        "scheduling": {"placement": {"backend": "native"}, "gangs": _gangs(_names(groups), mix)},
    }


def write_kustomization(folder: Path, groups: int, mix: Mix) -> None:
    """Write what makes the same change with kustomize: the carrier goes, gangs come, members are patched by name."""
    made = [entry for name, gang in _gangs(_names(groups), mix).items() for entry in _pod_groups(name, gang)]
    (folder / "gangs.yaml").write_text(yaml.safe_dump_all(made) if made else "")
    carrier = {"apiVersion": "helm-roster.dev/v1alpha1", "kind": _CARRIER, "$patch": "delete"}
    named = {"name": "use-helm-roster-or-post-renderer-roster-postrender"}
    patches = [{"patch": json.dumps({**carrier, "metadata": named})}]
    patches += [{"patch": json.dumps(_membership(entry["metadata"]["name"]))} for entry in made]
    resources = ["all.yaml", *(["gangs.yaml"] if made else [])]
    (folder / "kustomization.yaml").write_text(yaml.safe_dump({"resources": resources, "patches": patches}))


def _names(groups: int) -> list[str]:
    return [f"g{index:04d}" for index in range(groups)]


def _gangs(names: list[str], mix: Mix) -> dict[str, Any]:
    members = {"none": [], "two": names[:2], "all": names}[mix]
    parts = [members[start : start + _GANG] for start in range(0, len(members), _GANG)]
    return {f"gang-{index}": {"members": {name: {} for name in part}} for index, part in enumerate(parts)}


def _pod_groups(gang: str, spec: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "apiVersion": "scheduling.k8s.io/v1beta1",
            "kind": "PodGroup",
            "metadata": {"name": f"rl-{member}", "labels": {"helm-roster.dev/gang": gang}},
            "spec": {"schedulingPolicy": {"gang": {"minCount": 2}}},
        }
        for member in spec["members"]
    ]


def _membership(name: str) -> dict[str, Any]:
    template = {"spec": {"schedulingGroup": {"podGroupName": name}}}
    spec = {"template": template}
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": name}, "spec": spec}


def _env(prefix: str) -> dict[str, str]:
    return {f"{prefix}_{index:02d}": str(index) for index in range(10)}
