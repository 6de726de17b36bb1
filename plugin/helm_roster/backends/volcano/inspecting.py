"""What the cluster tells of a plan before it is applied: Volcano's version, queue, HyperNodes and configuration.

Volcano ignores a required locality, without a word, where there is no HyperNode, where none has the tier, and where its
scheduler is configured without the plugin; nodes outside HyperNodes it never uses for one (all measured on 1.15.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from helm_roster.backend_base import DEFINITION, NODE, ApiKind, Ask, Finding
from helm_roster.backends.volcano.kinds import DEFAULT_QUEUE, HYPER_NODE, OPEN, QUEUE
from helm_roster.backends.volcano.patterns import compiled
from helm_roster.manifests import quantities, walk
from helm_roster.manifests.walk import Manifest
from helm_roster.model import nearest
from helm_roster.model.operation import Locality
from helm_roster.model.plan import Plan
from helm_roster.model.wording import few
from helm_roster.policy import crowding, node_choice, quotas

_CONFIG_MAP: Final = ApiKind(api_version="v1", kind="ConfigMap", plural="configmaps")
_POD_GROUPS: Final = "podgroups.scheduling.volcano.sh"
_FIELD: Final = "subGroupPolicy"
# As Volcano's own chart names it in a release called volcano.
_CONFIGURATION: Final = "volcano-scheduler-configmap"
_SOUGHT: Final = f" (looked for: ConfigMap {_CONFIGURATION}, in any namespace)"
_KEY: Final = "volcano-scheduler.conf"
_PLUGIN: Final = "network-topology-aware"
_NAMED: Final = re.compile(rf"^[^#\n]*\b{_PLUGIN}\b", re.MULTILINE)
_PREEMPTS: Final = re.compile(r"^[^#\n]*\bactions:[^#\n]*\bpreempt\b", re.MULTILINE)
# The plugins that hold queues to their capability; the first is configured as Volcano's chart has it.
_LIMITS: Final = re.compile(r"^[^#\n]*\b(proportion|capacity)\b", re.MULTILINE)
# Of these 0 stands for no limit.
_UNLIMITED_AT_0: Final = frozenset({"cpu", "memory"})
_SHOWN: Final = 3
# A queue without a state is one that no controller of Volcano's looked at; the scheduler takes it as it is.
_TAKES: Final = (OPEN, "")


def inspect(plan: Plan, made: Sequence[Manifest], ask: Ask) -> list[Finding]:
    """Return why the cluster cannot keep the plan, of which ``made`` are the PodGroups, and what was not looked at."""
    return [
        *_version(plan, made, ask),
        *_queue(plan, ask),
        *_hyper_nodes(plan, ask),
        *_configuration(plan, ask),
        *_preemption(plan, ask),
        *_held_back(plan),
    ]


def _localities(plan: Plan) -> Iterator[tuple[str, Locality, Sequence[str]]]:
    """Yield each locality with where it stands in the values and the groups that it is about."""
    for gang in plan.operation.gangs:
        if gang.locality:
            yield f'gang "{gang.name}"', gang.locality, [member.group for member in gang.members]
        for member in gang.members:
            if member.locality:
                yield f'group "{member.group}"', member.locality, [member.group]


def _version(plan: Plan, made: Sequence[Manifest], ask: Ask) -> Iterator[Finding]:
    """Say that Volcano is too old: what its definitions do not know, the API server drops without a word."""
    grouped = next((entry for entry in made if entry["spec"].get("subGroupPolicy")), None)
    stored = grouped and ask.stored(grouped, plan.operation.namespace)
    known = ask.all_of(DEFINITION, _POD_GROUPS) or ()
    if (stored and not stored["spec"].get("subGroupPolicy")) or any(
        _FIELD not in str(entry["spec"]) for entry in known
    ):
        yield _stops(f"the PodGroups of this cluster's Volcano know no {_FIELD}: it is older than 1.14; upgrade it")
    elif grouped and not (stored or known):
        yield _unknown(f"whether Volcano is 1.14 or newer, which knows the {_FIELD} of a gang's PodGroup")


def _queue(plan: Plan, ask: Ask) -> Iterator[Finding]:
    asked, at = plan.operation.placement.get("queue"), plan.operation.at("scheduling.placement.queue")
    name = str(asked or DEFAULT_QUEUE)
    found = ask.all_of(QUEUE, name)
    if found is None:
        if asked:
            yield _unknown(f"whether Volcano's queue {name} exists and is open")
    elif not found:
        queues = {_name(entry) for entry in ask.all_of(QUEUE) or () if _state(entry) in _TAKES}
        known = nearest.hint(name, queues) or f"; open are {few(sorted(queues)) or 'none'}"
        yield _stops(f'Volcano has no queue "{name}"{known}: make it before, or name one in {at}')
    else:
        if (state := _state(found[0])) not in _TAKES:
            yield _stops(f'Volcano\'s queue "{name}" is {state}, and places nothing: open it, or name another')
        yield from _capability(plan, found[0], ask)


def _capability(plan: Plan, queue: Manifest, ask: Ask) -> Iterator[Finding]:
    """Yield gangs that a queue, or one above it, can never hold, if the scheduler looks at what queues may use."""
    if _configured(_LIMITS, ask) is False:
        return
    seen: list[str] = []
    while queue and _name(queue) not in seen:
        most = {
            resource: quantities.parse(each) for resource, each in walk.mapping(queue, "spec", "capability").items()
        }
        limits = {resource: each for resource, each in most.items() if each or resource not in _UNLIMITED_AT_0}
        for gang in plan.operation.gangs:
            if told := quotas.beyond(quotas.minimum(plan, gang), limits):
                yield _stops(f'Volcano\'s queue "{_name(queue)}" can never hold gang "{gang.name}": {told}')
        seen.append(_name(queue))
        queue = next(iter(ask.all_of(QUEUE, str(walk.get(queue, "spec", "parent", default=""))) or ()), {})


def _state(queue: Manifest) -> str:
    return str(walk.get(queue, "status", "state", default=""))


def _hyper_nodes(plan: Plan, ask: Ask) -> Iterator[Finding]:
    asked = list(_localities(plan))
    if asked and ask.all_of(HYPER_NODE) == []:
        required = next((one for _, one, _ in asked if one.required), asked[0][1])
        way_out = "have them made by who runs the cluster, or leave locality out"
        yield _lacking(required, f"there are no HyperNodes, without which Volcano ignores locality: {way_out}")
        return
    for at, locality, groups in asked:
        yield from _locality(plan, at, locality, groups, ask)


def _locality(plan: Plan, at: str, locality: Locality, groups: Sequence[str], ask: Ask) -> Iterator[Finding]:
    found = ask.all_of(HYPER_NODE)
    within = f"{at}, locality within {locality.within}"
    if found is None:
        yield _unknown(f"{within}: whether HyperNodes have the tier {locality.tier} and hold the nodes of its pods")
        return
    tiers = {tier for entry in found if _has_tier(entry, locality) for tier in [int(entry["spec"]["tier"])]}
    if not tiers:
        yield _lacking(locality, f"{within}: {_no_tier(plan, locality, found)}")
        return
    if locality.required:
        yield from _uncovered(
            plan, within, groups, [entry for entry in found if entry["spec"]["tier"] <= max(tiers)], ask
        )


def _uncovered(
    plan: Plan, within: str, groups: Sequence[str], hyper_nodes: Sequence[Manifest], ask: Ask
) -> Iterator[Finding]:
    """Say which nodes the pods may use but for the locality: Volcano will not use them, for ever if need be."""
    nodes = ask.all_of(NODE)
    if nodes is None:
        yield _unknown(f"{within}: whether HyperNodes hold the nodes of its pods")
        return
    specs = [spec for group in groups for spec in plan.pod_specs(group)]
    usable = [node for node in nodes if any(node_choice.may_run(spec, node) for spec in specs)]
    selectors = [selector for entry in hyper_nodes for selector in _of_nodes(entry)]
    outside = [_name(node) for node in usable if not any(_holds(selector, node) for selector in selectors)]
    unread = sorted({pattern for selector in selectors if (pattern := _pattern(selector)) and not compiled(pattern)})
    if outside and unread:
        yield _unknown(f"{within}: whether HyperNodes hold the nodes of its pods, by the pattern {few(unread, _SHOWN)}")
    elif outside:
        yield _stops(
            f"{within}: {few(sorted(outside), _SHOWN)} of the {len(usable)} nodes that its pods may run on are in no "
            "HyperNode up to that tier, and would never be used: add them, or narrow environment.nodeSelector"
        )


def _configuration(plan: Plan, ask: Ask) -> Iterator[Finding]:
    asked = [locality for _, locality, _ in _localities(plan)]
    if not asked:
        return
    named = _configured(_NAMED, ask)
    if named is None:
        yield _unknown(
            f"whether the configuration of Volcano's scheduler names {_PLUGIN}, without which locality is ignored"
            f"{_SOUGHT}"
        )
    elif not named:
        required = next((locality for locality in asked if locality.required), asked[0])
        yield _lacking(
            required, f"the configuration of Volcano's scheduler does not name {_PLUGIN}: it ignores locality"
        )


def _preemption(plan: Plan, ask: Ask) -> Iterator[Finding]:
    """Say that no class puts a gang before the many pods beside it."""
    for gang, group in crowding.crowded(plan):
        beside = f'gang "{gang.name}" beside "{group.name}"'
        preempts = _configured(_PREEMPTS, ask)
        if preempts is None:
            yield _unknown(
                f"{beside}: whether the configuration of Volcano's scheduler has the action preempt, without which no "
                f"priorityClassName helps{_SOUGHT}"
            )
        elif not preempts:
            message = (
                f"{beside}: the configuration of Volcano's scheduler has not the action preempt, so no "
                "priorityClassName helps: give the group nodes of its own"
            )
            yield Finding(state="warns", message=message)


def _held_back(plan: Plan) -> Iterator[Finding]:
    """Warn of gangs that count as if they ran before they do; no cluster need be asked."""
    for gang in plan.operation.gangs:
        if gang.min_resources:
            message = (
                f'gang "{gang.name}": with minResources it counts as if it ran once it is in its queue, so one that '
                "cannot be placed holds back others: leave it out where its nodes may not fit though the queue has room"
            )
            yield Finding(state="warns", message=message)


def _configured(wanted: re.Pattern[str], ask: Ask) -> bool | None:
    """Return whether the configuration of the scheduler has what is wanted; None where it is not found."""
    found = ask.all_of(_CONFIG_MAP, _CONFIGURATION)
    return any(wanted.search(str(walk.get(entry, "data", _KEY, default=""))) for entry in found) if found else None


def _has_tier(hyper_node: Manifest, locality: Locality) -> bool:
    key = "tierName" if isinstance(locality.tier, str) else "tier"
    return bool(walk.get(hyper_node, "spec", key) == locality.tier)


def _no_tier(plan: Plan, locality: Locality, hyper_nodes: Sequence[Manifest]) -> str:
    """Say what the tier should be where no HyperNode has it; text is a tierName, a number a tier."""
    tiers = sorted({int(entry["spec"]["tier"]) for entry in hyper_nodes})
    names = sorted({str(name) for entry in hyper_nodes if (name := walk.get(entry, "spec", "tierName"))})
    if str(locality.tier) in map(str, tiers):
        there = f"tier {locality.tier} is there: write it without quotes"
        return f'no HyperNode has the tierName "{locality.tier}"; {there}'
    lacking = f'tierName "{locality.tier}"' if isinstance(locality.tier, str) else f"tier {locality.tier}"
    there = f"tier{'s' if len(tiers) > 1 else ''} {few(list(map(str, tiers)))}"
    there += f" and tierName{'s' if len(names) > 1 else ''} {few(names)}" if names else ""
    way_out = f"set {plan.operation.at(f'scheduling.topology.levels.{locality.within}.tier')} to one"
    return f"no HyperNode has the {lacking}; there are {there}: {way_out}"


def _of_nodes(hyper_node: Manifest) -> Iterator[Mapping[str, Any]]:
    for member in walk.sequence(hyper_node, "spec", "members"):
        if member.get("type") == "Node":
            yield walk.mapping(member, "selector")


def _holds(selector: Mapping[str, Any], node: Manifest) -> bool:
    if exact := walk.mapping(selector, "exactMatch"):
        return bool(exact.get("name") == _name(node))
    if pattern := _pattern(selector):
        regex = compiled(pattern)
        return bool(regex and regex.search(_name(node)))
    labels = walk.mapping(selector, "labelMatch")
    return bool(labels) and node_choice.matches(labels, walk.mapping(node, "metadata", "labels"))


def _pattern(selector: Mapping[str, Any]) -> str:
    return str(walk.get(selector, "regexMatch", "pattern", default=""))


def _name(node: Manifest) -> str:
    return str(walk.get(node, "metadata", "name"))


def _stops(message: str) -> Finding:
    return Finding(state="stops", message=message)


def _lacking(locality: Locality, message: str) -> Finding:
    """Return a finding that stops what is required, and warns of what is only preferred."""
    return Finding(state="stops" if locality.required else "warns", message=message)


def _unknown(what: str) -> Finding:
    return Finding(state="unknown", message=f"not checked: {what}")
