"""Affinity and anti-affinity between pods whose selectors do not mean what they seem to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from helm_roster.manifests import walk
from helm_roster.model.plan import Plan, groups_of, pod_templates

_KINDS: Final = ("podAffinity", "podAntiAffinity")
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
# Labels by which pods are commonly selected, and which the chart does not set.
_COMMON: Final = ("app", "app.kubernetes.io/name")


def warnings(plan: Plan) -> Iterator[str]:
    """Yield a line for each kind of affinity, in a group, that selects no pods, or by a common label none of ours."""
    carried = [
        (name, str(walk.get(template, "metadata", "labels", name)))
        for workload in plan.workloads.values()
        for template in pod_templates(workload).values()
        for name in _COMMON
    ]
    for group in groups_of(plan):
        for kind in _KINDS:
            terms = [
                term for spec in plan.pod_specs(group.name) for term in _terms(walk.mapping(spec, "affinity", kind))
            ]
            at = f'group "{group.name}": affinity.{kind}'
            if any(term.get("labelSelector") is None for term in terms):
                yield f"{at} has a term without labelSelector, which selects no pods; say which pods it means"
            for name, value in _selected(terms):
                if (name, value) not in carried:
                    yield (
                        f"{at} selects {name}: {value}, which no pod of this operation carries; if these are meant, "
                        "select the label helm-roster.dev/group"
                    )


def _terms(affinity: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from walk.sequence(affinity, _REQUIRED)
    for weighed in walk.sequence(affinity, _PREFERRED):
        yield walk.mapping(weighed, "podAffinityTerm")


def _selected(terms: list[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Return the common labels by which terms select, each once."""
    found = [walk.mapping(term, "labelSelector", "matchLabels") for term in terms]
    return list(dict.fromkeys((name, str(labels[name])) for labels in found for name in _COMMON if name in labels))
