"""What no patch may change, whatever way it takes: an object is compared as it was and as it is.

Other parts rely on these: Helm and status find objects by names and labels, selectors are immutable, counts are read
from the values, a scheduling backend sets its own fields afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from helm_roster import constants, errors
from helm_roster.manifests import lists, walk
from helm_roster.manifests.lists import Field
from helm_roster.manifests.walk import Manifest
from helm_roster.model.plan import TEMPLATE_PATHS, TemplatePath
from helm_roster.patches import pointers

_IDENTITY: Final = "it is the object's identity"
_FOUND_BY: Final = "Helm and Roster find the object by it"
_SELECTOR: Final = "it holds a group together and is immutable"
_COUNT: Final = "counts are said in the values, where plan and gangs read them"
_CLAIM: Final = "claim templates are immutable; use a connection of kind claimPerPod"
_PEERS: Final = "pods find each other by it, and it is immutable"
_ROLE: Final = "it is immutable; say what pods may do in environment.serviceAccount.rules"
_SCHEDULER: Final = "it is a scheduling backend's to set"
_REQUIRED: Final = ("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
_PRIORITY: Final = "the API server works it out; set environment.priorityClassName"
_NODE: Final = (
    "no scheduler would place the pods or see whether they fit; set environment.nodeSelector, by kubernetes.io/hostname"
)
_OVERHEAD: Final = "the API server takes it from the runtime class; set environment.runtimeClassName"
_DEBUGGING: Final = "it is no part of a template; use sidecars of the group, or kubectl debug on a pod that runs"
_KEPT: Final = "cancel would leave it behind; what may be kept are volumes (by keep of their connection) and files"
_PAUSED: Final = "a Deployment that begins paused makes no pods; hold one that runs by kubectl rollout pause"
_RANKS: Final = "pods have their ranks by it, and it is immutable"
_OPERATED: Final = "it says who runs the Job, and nothing else in the operation would know"
_DEVICES: Final = (
    "it is immutable, and the name of the object follows from it; change what the values claim: presets, accelerators, "
    "or claims"
)
# Objects of what pods claim of devices.
_CLAIMED: Final = frozenset({"ComputeDomain", "ResourceClaim", "ResourceClaimTemplate"})
# What people may want to outlive an operation: it holds data, and runs nothing.
_KEEPABLE: Final = frozenset({"PersistentVolumeClaim", "ConfigMap", "Secret"})
_OBEYED: Final = ("annotations", constants.KEEP_ANNOTATION)

# A last step that ends in * is every key that begins so; [] is every entry of a list.
_MARKS: Final = (
    ("labels", f"{constants.API_GROUP}/*"),
    ("labels", constants.INSTANCE_LABEL),
    ("labels", constants.MANAGED_BY_LABEL),
    ("annotations", f"{constants.API_GROUP}/*"),
    ("annotations", f"{constants.HOOK_ANNOTATION}*"),
    ("annotations", "meta.helm.sh/*"),
    ("annotations", constants.HELM4_FILENAME_ANNOTATION),
)


class _Rule(NamedTuple):
    path: TemplatePath
    reason: str


_RULES: Final = (
    *(_Rule(path, _IDENTITY) for path in (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"))),
    *(_Rule(("metadata", *path), _FOUND_BY) for path in _MARKS),
    _Rule(("spec", "selector"), _SELECTOR),
    _Rule(("spec", "scaleTargetRef"), _SELECTOR),
    *(_Rule(("spec", key), _PEERS) for key in ("serviceName", "clusterIP", "clusterIPs")),
    _Rule(("roleRef",), _ROLE),
    *(_Rule(("spec", key), _COUNT) for key in ("replicas", "parallelism", "completions", "minReplicas", "maxReplicas")),
    _Rule(("spec", "volumeClaimTemplates", "[]", "metadata"), _CLAIM),
    _Rule(("spec", "paused"), _PAUSED),
    _Rule(("spec", "completionMode"), _RANKS),
    _Rule(("spec", "leaderWorkerTemplate", "size"), _COUNT),
    _Rule(("spec", "leaderWorkerTemplate", "volumeClaimTemplates", "[]", "metadata"), _CLAIM),
    *(_Rule(("spec", key), _OPERATED) for key in ("managedBy", "manualSelector")),
)
_OF_PODS: Final = (
    _Rule(("metadata", *_OBEYED), _KEPT),
    _Rule(("spec", "priority"), _PRIORITY),
    _Rule(("spec", "nodeName"), _NODE),
    _Rule(("spec", "overhead"), _OVERHEAD),
    _Rule(("spec", "ephemeralContainers"), _DEBUGGING),
)


def check(before: Manifest, after: Manifest, owned: Sequence[TemplatePath], patch: object) -> None:
    """Refuse the change from ``before`` to ``after``, one whole object, that the body ``patch`` of a patch makes.

    ``owned`` are paths in a pod template.

    Raises:
        BadInputError: Something protected differs, a container is gone (an init container without being named) or
            has no image, a requirement of nodes is gone, or a shape is now wrong (``lists.faults``).
    """
    templates = TEMPLATE_PATHS.get(str(before.get("kind")), {}).values()
    rules = [*_RULES, *(rule for template in templates for rule in _template_rules(template, before, owned))]
    if before.get("kind") not in _KEEPABLE:
        rules.append(_Rule(("metadata", *_OBEYED), _KEPT))
    if before.get("kind") in _CLAIMED:
        rules.append(_Rule(("spec",), _DEVICES))
    for path, reason in rules:
        was, is_now = (dict(_picked(data, path)) for data in (before, after))
        for place in [*was, *is_now]:
            if not pointers.same(was.get(place), is_now.get(place)):
                msg = f"it changes {place}, which no patch may: {reason}"
                raise errors.BadInputError(msg)
    for template in templates:
        _check_containers(walk.get(before, *template), walk.get(after, *template), set(_words(patch)))
    for fault in lists.faults(after):
        if fault not in lists.faults(before):
            raise errors.BadInputError(fault)
    for template in templates:
        _check_images_and_names(walk.get(after, *template))
        _check_nodes(walk.get(before, *template), walk.get(after, *template))


def _template_rules(template: TemplatePath, workload: Manifest, owned: Sequence[TemplatePath]) -> Iterator[_Rule]:
    selected = walk.get(workload, "spec", "selector", "matchLabels", default={})
    yield from (_Rule((*template, "metadata", "labels", key), _SELECTOR) for key in selected)
    yield from (_Rule((*template, "metadata", *path), _FOUND_BY) for path in _MARKS)
    yield from (_Rule((*template, *path), _SCHEDULER) for path in owned)
    yield from (_Rule((*template, *path), reason) for path, reason in _OF_PODS)


def _picked(data: object, path: Sequence[str], at: str = "") -> Iterator[tuple[str, object]]:
    """Yield what stands at ``path``, with the pointer to it."""
    if not path:
        yield at, data
        return
    first, *rest = path
    if first == "[]" and isinstance(data, list):
        for place, entry in enumerate(data):
            yield from _picked(entry, rest, f"{at}/{place}")
    elif isinstance(data, dict):
        prefix = first.removesuffix("*")
        for key in data:
            if key == first or (prefix != first and key.startswith(prefix)):
                yield from _picked(data[key], rest, f"{at}{pointers.text([key])}")


def _check_containers(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, words: set[str]) -> None:
    """Refuse a pod template that is none any more, or has lost a container, or an init container not in ``words``."""
    for field in ("containers", "initContainers"):
        found = walk.get(after, "spec", field, default=[])
        if not isinstance(found, list) or not all(lists.called(Field("spec", field), entry) for entry in found):
            msg = f"it makes {field} of the pod {pointers.shown(found)}, which is no list of containers with names"
            raise errors.BadInputError(msg)
        _check_new(field, walk.get(before, "spec", field, default=[]), found)
    if lost := _lost(before, after, "containers"):
        msg = f"it drops container {', '.join(lost)} of the pod; leave that to the values of the group"
        raise errors.BadInputError(msg)
    if lost := [name for name in _lost(before, after, "initContainers") if name not in words]:
        msg = (
            f"it drops init container {', '.join(lost)} of the pod without naming it; keep it, or remove it by "
            f"name: /spec/initContainers/{lost[0]}, or $patch: delete in its entry"
        )
        raise errors.BadInputError(msg)


def _check_nodes(before: object, after: object) -> None:
    """Refuse that a pod may come on nodes that do not meet what all its terms, which are alternatives, required."""
    kept = _required(after)
    for requirement in _required(before):
        if requirement not in kept:
            said = " ".join(part for part in requirement if part)
            msg = (
                f"it drops the requirement of nodes {said}, and no patch weakens one (presets may need it); keep it in "
                "matchExpressions of every term of nodeSelectorTerms, or change the values that set it"
            )
            raise errors.BadInputError(msg)


def _required(template: object) -> list[tuple[str, str, str]]:
    """Return what every term requires: key, operator and values; terms without anything select no node."""
    terms = walk.get(template, "spec", "affinity", *_REQUIRED, default=[])
    found = [_expressions(term) for term in terms if term] if isinstance(terms, list) else []
    return [entry for entry in found[0] if all(entry in others for others in found)] if found else []


def _expressions(term: object) -> list[tuple[str, str, str]]:
    return [
        (str(walk.get(entry, "key")), str(walk.get(entry, "operator")),
         ", ".join(sorted(map(str, walk.get(entry, "values", default=[])))))
        for entry in walk.get(term, "matchExpressions", default=[])
    ]  # fmt: skip


def _lost(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, field: str) -> list[str]:
    had, has = (
        [str(lists.called(lists.ROOT, entry)) for entry in walk.get(pod, "spec", field, default=[])]
        for pod in (before, after)
    )
    return [name for name in had if name not in has]


def _words(body: object) -> Iterator[str]:
    """Yield the texts of a patch's body, and the steps of those that are pointers."""
    if isinstance(body, str):
        yield from body.split("/") if body.startswith("/") else [body]
    elif isinstance(body, dict | list):
        for entry in body.values() if isinstance(body, dict) else body:
            yield from _words(entry)


def _check_images_and_names(pod: Mapping[str, Any] | None) -> None:
    """Refuse a container whose image is no text, and two of one name, init containers among them."""
    found: set[object] = set()
    for field in ("initContainers", "containers"):
        for entry in walk.get(pod, "spec", field, default=[]):
            name, image = lists.called(Field("spec", field), entry), entry.get("image")
            if not (isinstance(image, str) and image):
                msg = f'it makes the image of "{name}" in /spec/{field} of the pod {pointers.shown(image)}; give a name'
                raise errors.BadInputError(msg)
            if name in found:
                msg = f'it makes two containers of the pod "{name}"; names are unique in a pod, so choose another'
                raise errors.BadInputError(msg)
            found.add(name)


def _check_new(field: str, before: Sequence[Any], after: Sequence[Any]) -> None:
    """Refuse a new container without an image: its name is more likely a slip."""
    had = [lists.called(Field("spec", field), entry) for entry in before]
    for entry in after:
        name = lists.called(Field("spec", field), entry)
        if name not in had and not entry.get("image"):
            there = f"holds {', '.join(map(str, had))}" if had else "is empty"
            msg = f'there is no "{name}" in /spec/{field} of the pod, which {there}; a new container needs an image'
            raise errors.BadInputError(msg)
