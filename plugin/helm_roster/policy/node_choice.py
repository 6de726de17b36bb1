"""Which nodes a pod may run on, by what its spec says: selector, required affinity, tolerations, devices. Pure.

Not what is free there: that changes, and is the scheduler's to know.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from helm_roster import errors
from helm_roster.manifests import quantities, walk
from helm_roster.manifests.walk import Manifest

_KEEP_OFF = frozenset({"NoSchedule", "NoExecute"})
_REQUIRED: Final = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")


def may_run(spec: Mapping[str, Any], node: Manifest) -> bool:
    """Return whether a pod of ``spec`` may be bound to ``node``, were all of it free."""
    return (
        not walk.get(node, "spec", "unschedulable")
        and wants(spec, node)
        and all(tolerates(spec, taint) for taint in walk.sequence(node, "spec", "taints"))
        and _has_devices(spec, node)
    )


def wants(spec: Mapping[str, Any], node: Manifest) -> bool:
    """Return whether ``node`` is one that pods of ``spec`` ask for, by its labels and its name."""
    labels = walk.mapping(node, "metadata", "labels")
    chosen = walk.mapping(spec, "nodeSelector")
    return all(labels.get(key) == value for key, value in chosen.items()) and _is_wanted(spec, node)


def matches(selector: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    """Return whether a label selector (``matchLabels`` and ``matchExpressions``) selects an object of these labels."""
    wanted = walk.mapping(selector, "matchLabels")
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        _holds(expression, labels) for expression in walk.sequence(selector, "matchExpressions")
    )


def tolerates(spec: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    """Return whether pods of ``spec`` come onto nodes with the taint."""
    return taint.get("effect") not in _KEEP_OFF or any(
        toleration.get("effect") in {None, "", taint.get("effect")} and _is_of(toleration, taint)
        for toleration in walk.sequence(spec, "tolerations")
    )


def asked(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return which nodes pods of ``spec`` ask for, as plain data; empty where any will do."""
    found = {"nodeSelector": walk.mapping(spec, "nodeSelector"), "affinity": walk.sequence(spec, *_REQUIRED)}
    return {key: value for key, value in found.items() if value}


def selects(spec: Mapping[str, Any], labels: Mapping[str, Any], keys: Collection[str]) -> bool:
    """Return whether pods of ``spec`` ask for nodes of these labels, as far as they ask by labels of ``keys``.

    A term of the node affinity without any of them is one that such nodes may well fulfil.
    """
    chosen = walk.mapping(spec, "nodeSelector")
    terms = [
        [expression for expression in walk.sequence(term, "matchExpressions") if expression.get("key") in keys]
        for term in walk.sequence(spec, *_REQUIRED)
    ]
    return all(labels.get(key) == value for key, value in chosen.items() if key in keys) and (
        not terms or any(all(_holds(expression, labels) for expression in term) for term in terms)
    )


def _is_wanted(spec: Mapping[str, Any], node: Manifest) -> bool:
    """Return whether one term of the required node affinity, if there is any, holds for the node."""
    labels, fields = walk.mapping(node, "metadata", "labels"), {"metadata.name": walk.get(node, "metadata", "name")}
    terms = walk.sequence(spec, *_REQUIRED)
    return not terms or any(
        all(_holds(expression, labels) for expression in walk.sequence(term, "matchExpressions"))
        and all(_holds(expression, fields) for expression in walk.sequence(term, "matchFields"))
        for term in terms
    )


def _holds(expression: Mapping[str, Any], labels: Mapping[str, Any]) -> bool:
    key, values = expression.get("key"), walk.sequence(expression, "values")
    found = labels.get(str(key))
    match expression.get("operator"):
        case "In":
            return found in values
        case "NotIn":
            return found not in values
        case "Exists":
            return found is not None
        case "DoesNotExist":
            return found is None
        case "Gt" | "Lt" as operator:
            numbers = [int(text) for text in (str(found), *map(str, values)) if text.lstrip("-").isdecimal()]
            return len(numbers) > 1 and (numbers[0] > numbers[1] if operator == "Gt" else numbers[0] < numbers[1])
    return False


def _is_of(toleration: Mapping[str, Any], taint: Mapping[str, Any]) -> bool:
    if toleration.get("operator") == "Exists":
        return toleration.get("key") in {None, "", taint.get("key")}
    return (toleration.get("key"), toleration.get("value") or "") == (taint.get("key"), taint.get("value") or "")


def _has_devices(spec: Mapping[str, Any], node: Manifest) -> bool:
    """Return whether the node has some of each device that a container asks for."""
    asked = {
        resource
        for container in [*walk.sequence(spec, "containers"), *walk.sequence(spec, "initContainers")]
        for part in ("requests", "limits")
        for resource in walk.mapping(container, "resources", part)
        if quantities.is_extended(resource)
    }
    there = walk.mapping(node, "status", "allocatable")
    return all(_has_some(there.get(resource, 0)) for resource in asked)


def _has_some(amount: object) -> bool:
    """Return whether a node has any of something; what is no quantity is nothing that a scheduler could give."""
    try:
        return quantities.parse(amount) > 0
    except errors.BadInputError:
        return False
