"""Random layers for the comparison of the chart with the reference model, dense enough for layers to meet.

Left out are, with the test that holds each: connections (``test_connected``, ``test_connections``), files
(``test_files``), commands (``test_containers``), hooks and names of one's own for entries of several keys
(``test_keyed``), an affinity beside required nodes (``test_require_nodes``), pull secrets and devices
(``test_deletion``), autoscaling, budgets and exposure (``test_autoscaling``, ``test_pod_disruption_budget``,
``test_expose``).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.chart import oracle

Draw = Callable[[random.Random], Any]
WORDS = ("", "0", "x", "yes", "a.b", "A_-b")  # what labels may hold
TEXTS = ("", "0", "x", "yes", "a: b", 'say "hi"', "$HOME", " two\nlines")
TOLERATIONS = [{"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in ("a.org/gpu", "a.org/spot")]
FROM = [{"configMapRef": {"name": "c"}}, {"secretRef": {"name": "s"}}, {"prefix": "P_", "secretRef": {"name": "s"}}]
NODES = [
    {"key": "a.org/zone", "operator": "In", "values": ["a"]},
    {"key": "a.org/old", "operator": "DoesNotExist"},
]
SPREAD = [
    {"topologyKey": key, "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 1, "labelSelector": {}}
    for key in ("zone", "host")
]
UNSET = (
    "container.env", "container.env.A", "container.envFrom", "container.ports.http",
    "container.securityContext.privileged", "container.volumeMounts./a.b", "environment",
    "environment.nodeSelector.a.org/zone.a", "environment.labels.a.org/x", "environment.requireNodes",
    "environment.tolerations", "init.fetch.env.B", "init.fetch", "resources.limits", "sidecars.log",
    "sidecars.log.env.A", "volumes.data",
)  # fmt: skip


def one(*values: Any) -> Draw:
    """Draw one of the values."""
    return lambda chance: chance.choice(values)


def some(**fields: Draw) -> Draw:
    """Draw a map of about half of the fields."""
    return lambda chance: {key: draw(chance) for key, draw in fields.items() if chance.random() < 0.5}


def or_null(draw: Draw) -> Draw:
    """Draw null one time in five."""
    return lambda chance: None if chance.random() < 0.2 else draw(chance)


def several(values: tuple[str, ...]) -> Draw:
    """Draw a list of some of the values, each once."""
    return lambda chance: chance.sample(values, chance.randint(0, len(values)))


def keyed(path: str, names: tuple[str, ...], value: Draw) -> Draw:
    """Draw a keyed list as a map, with nulls, or as a list, or null."""
    (key,) = oracle.KEYS[path]
    short = oracle.SHORT.get(path)

    def draw(chance: random.Random) -> Any:
        chosen = several(names)(chance)
        if chance.random() < 0.6:
            return {name: or_null(value)(chance) for name in chosen}
        drawn = [(name, value(chance)) for name in chosen]
        return [
            {key: name, **({short: entry} if short and not isinstance(entry, dict) else entry)} for name, entry in drawn
        ]

    return or_null(draw)


def handled(path: str, entries: list[dict[str, Any]]) -> Draw:
    """Draw some of the entries, in the map form under handles that say what they are, as each names one entry."""
    known = {oracle.handle(entry, oracle.KEYS[path]): entry for entry in entries}

    def draw(chance: random.Random) -> Any:
        chosen = several(tuple(known))(chance)
        if chance.random() < 0.5:
            return [known[handle] for handle in chosen]
        return {handle: or_null(one(known[handle]))(chance) for handle in chosen}

    return or_null(draw)


WORD = one(*WORDS)
TEXT = one(*TEXTS)
VARIABLE = one(*TEXTS, {"value": "x"}, {"valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}})
ENV = keyed("container.env", ("A", "B", "ON"), VARIABLE)
PROBE = some(httpGet=or_null(one({"port": 80})), tcpSocket=one({"port": 81}), periodSeconds=or_null(one(1, 2)))
SECURITY = some(
    privileged=lambda chance: chance.choice((True, False, None)),
    runAsUser=one(0, 1),
    seLinuxOptions=or_null(some(level=or_null(TEXT))),
    capabilities=some(drop=several(("ALL", "KILL"))),
)
CONTAINER = some(
    env=ENV,
    envFrom=handled("container.envFrom", FROM),
    args=or_null(several(TEXTS)),
    extraArgs=several(TEXTS),
    ports=keyed("container.ports", ("http",), one(1, 2, 3)),
    volumeMounts=keyed("container.volumeMounts", ("/a.b", "/c"), one("left", "right")),
    readinessProbe=or_null(PROBE),
    securityContext=or_null(SECURITY),
)
ENVIRONMENT = some(
    nodeSelector=or_null(some(**{"a.org/zone.a": or_null(WORD), "disk": or_null(WORD)})),
    priorityClassName=or_null(one("low", "high")),
    terminationGracePeriodSeconds=one(0, 1),
    hostAliases=keyed("environment.hostAliases", ("10.0.0.1", "::1"), one(["a"], ["b", "a"])),
    labels=or_null(some(**{"a.org/x": or_null(WORD), "disk": or_null(WORD)})),
    requireNodes=handled("environment.requireNodes", NODES),
    tolerations=handled("environment.tolerations", TOLERATIONS),
    topologySpreadConstraints=handled("environment.topologySpreadConstraints", SPREAD),
)
SOURCES = one({"emptyDir": {}}, {"emptyDir": {"sizeLimit": "1Gi"}}, {"hostPath": {"path": "/x"}})
NATIVE = (True, False, None)
BESIDE = {"args": or_null(several(TEXTS)), "extraArgs": several(TEXTS), "env": ENV}
FIELDS: dict[str, Draw] = {
    "container": or_null(CONTAINER),
    "environment": or_null(ENVIRONMENT),
    "init": keyed("init", ("fetch", "wait"), some(**BESIDE, order=or_null(one(-1, 1)))),
    "resources": or_null(some(limits=or_null(some(cpu=or_null(one(0, 1)), memory=one("1Gi"))))),
    "volumes": keyed("volumes", ("data", "more"), SOURCES),
    "sidecars": keyed("sidecars", ("log", "proxy"), some(**BESIDE, native=one(*NATIVE))),
    "unset": lambda chance: chance.sample(UNSET, chance.choice((0, 0, 1, 2))),
}
# A last preset that all groups list: there are always an image and what is mounted, whatever the layers below delete.
GIVEN = {
    "container": {"image": "example/app:1"},
    "volumes": {"left": {"emptyDir": {}}, "right": {"emptyDir": {}}},
    "patchStrategy": "post_merge",
}


def operation(chance: random.Random) -> dict[str, Any]:
    """Draw values with defaults, six presets, and twenty groups that list some of them."""
    strategy = one("isnull", "pre_merge", "post_merge", "replace")
    names = tuple(f"p{index}" for index in range(6))
    group = some(**FIELDS)
    return {
        "defaults": group(chance),
        "presets": {name: {**group(chance), "patchStrategy": strategy(chance)} for name in names} | {"given": GIVEN},
        "groups": {
            f"g{index}": {**group(chance), "presets": [*several(names)(chance), "given"]} for index in range(20)
        },
    }
