"""What only pods with accelerators need, in groups that have none: nodes, taints, a runtime, devices."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from helm_roster.manifests import walk
from helm_roster.model.operation import Group
from helm_roster.model.plan import Plan, groups_of
from helm_roster.policy import totals

# Labels of nodes with accelerators, and taints that keep other pods from them, as vendors and clouds set them.
_LABEL: Final = re.compile(
    r"(nvidia|amd)\.com/(gpu|mig)\b.*|cloud\.google\.com/gke-(accelerator|tpu)\b.*|k8s\.amazonaws\.com/accelerator"
    r"|(karpenter\.k8s\.aws|eks\.amazonaws\.com)/instance-(gpu|accelerator)-.*|karpenter\.azure\.com/sku-gpu-.*"
    r"|kubernetes\.azure\.com/accelerator|aws\.amazon\.com/neuron\b.*|habana\.ai/gaudi\b.*"
)
_TAINT: Final = re.compile(r"(nvidia|amd)\.com/gpu|google\.com/tpu|habana\.ai/gaudi|aws\.amazon\.com/neuron(core)?")
_NO: Final = frozenset({"", "0", "false", "no", "none"})
_RUNTIME: Final = "nvidia"
# Fields by which a preset brings what comes along with accelerators, by their count.
_ALONG: Final = re.compile(r"(devices|networks)\..*\.(perAccelerator|perPod)")


def warnings(plan: Plan, composed: Mapping[str, Any], layers: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each group without accelerators that takes what is for groups with some.

    Raises:
        BadInputError: A quantity in a pod is no Kubernetes quantity.
    """
    for group in groups_of(plan):
        parts = plan.parts(group.name)
        if group.accelerators or any(totals.accelerators_of(part) or part.spec.get("resourceClaims") for part in parts):
            continue
        selected = list(_selected(group, composed.get(group.name, {}), layers.get(group.name, {})))
        yield from selected
        found = {} if selected else dict.fromkeys(line for part in parts for line in _conditions(part.spec))
        if found:
            yield (
                f'group "{group.name}" asks for no accelerators, but {" and ".join(found)}, which is for pods with '
                "some; leave that out, or set accelerators"
            )


def _selected(group: Group, values: Mapping[str, Any], layers: Mapping[str, str]) -> Iterator[str]:
    """Yield the presets that the group takes for what they select, or bring along."""
    if held := values.get("accelerator"):
        way = "claim.deviceClassName" if held.get("claim") else "resource"
        preset = layers.get(f"accelerator.{way}", "").removeprefix("presets.")
        yield (
            f'group "{group.name}" takes preset "{preset}", which selects an accelerator, but asks for none: its pods '
            "occupy those nodes; set accelerators, or leave the preset out"
        )
        return
    found = [(layer, match) for path, layer in layers.items() if (match := _ALONG.fullmatch(path))]
    for layer in dict.fromkeys(layer for layer, _ in found if layer.startswith("presets.")):
        own = [match for of, match in found if of == layer]
        if all(match[2] == "perAccelerator" for match in own):
            yield (
                f'group "{group.name}" takes preset "{layer.removeprefix("presets.")}", whose '
                f"{' and '.join(sorted({match[1] for match in own}))} come with accelerators, but asks for none, and "
                "so gets none of them; set accelerators, or leave the preset out"
            )


def _conditions(spec: Mapping[str, Any]) -> Iterator[str]:
    """Yield in words what a pod says of its nodes that only pods with accelerators need."""
    labels = [key for key, value in walk.mapping(spec, "nodeSelector").items() if str(value).lower() not in _NO]
    terms = walk.mappings(
        spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"
    )
    asked = [list(_required(term)) for term in terms]
    labels += [key for key in (asked[0] if asked else ()) if all(key in other for other in asked)]
    yield from (f"chooses nodes by {key}" for key in dict.fromkeys(labels) if _LABEL.fullmatch(key))
    for toleration in walk.mappings(spec, "tolerations"):
        if _TAINT.fullmatch(str(toleration.get("key"))):
            yield f"tolerates the taint {toleration['key']}"
    if spec.get("runtimeClassName") == _RUNTIME:
        yield f"has the runtime class {_RUNTIME}"


def _required(term: Mapping[str, Any]) -> Iterator[str]:
    """Yield the labels that a node of the term must have, with a value that says yes."""
    for entry in walk.mappings(term, "matchExpressions"):
        values = {str(value).lower() for value in entry.get("values") or ["true"]}
        if entry.get("operator") in {"In", "Exists", "Gt"} and not values & _NO:
            yield str(entry.get("key"))
