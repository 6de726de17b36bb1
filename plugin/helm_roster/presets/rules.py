"""What a published preset has to keep, as far as its text tells: its head, names, forms, what it leaves out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from helm_roster.manifests import door
from helm_roster.model.nearest import nearest
from helm_roster.model.schema import Schema
from helm_roster.policy import accelerators
from helm_roster.presets import forms, heads
from helm_roster.presets.findings import Finding, of_file, of_preset
from helm_roster.presets.library import Definition, PresetFile

# What may stand at the root of a file of presets; all else is somebody's operation.
_ROOT: Final = frozenset({"presets", "claims", "connections", "files", "scheduling", "defaults"})
_OURS: Final = "roster/"
_ALIKE: Final = 0.8
_NO_OPERATION: Final = "a file of presets holds no operation; leave it to the user's file"
_COUNTS: Final = frozenset({"replicas", "minReplicas", "maxReplicas", "podsPerReplica", "accelerators"})
_HOLDERS: Final = frozenset({"sidecars", "init"})
_LABELS: Final = (("environment", "nodeSelector"), ("environment", "labels"), ("serving", "labels"))
_LEVELS: Final = ("topology", "levels")
_TOLERATIONS: Final = ("environment", "tolerations")
_KEYS: Final = (("environment", "annotations"), ("networks",))


class _At(NamedTuple):
    """A value of a preset: its path in there, the line of its key, and the value."""

    path: tuple[str, ...]
    line: int
    value: object

    @property
    def told(self) -> str:
        return ".".join(self.path)


def of_text(file: PresetFile) -> Iterator[Finding]:
    """Yield what is wrong with a file beside its presets."""
    for section in file.head.missing:
        what = {"For": "who takes it", "Needs": "what the cluster must have", "Source": "where each name in it is from"}
        yield of_file(file, "head", f'the comment at the head has no "# {section}: …"; say there {what[section]}')
    if not file.head.about and set(file.head.missing) != set(heads.SECTIONS):
        yield of_file(file, "head", "the comment at the head does not begin with what the file selects")
    for key, line in file.data.lines.items():
        if key not in _ROOT and not key.startswith("x-"):
            meant = nearest(key, _ROOT, _ALIKE)
            why = f'no such key; did you mean "{meant}"?' if meant else _NO_OPERATION
            yield of_file(file, "file", f"{key}: {why}", line)
    defaults = file.data.get("defaults")
    for key, line in defaults.lines.items() if isinstance(defaults, door.Mapping) else ():
        if key != "presets":
            message = f"defaults.{key}: a file of presets sets nothing by itself; write it into a preset"
            yield of_file(file, "file", message, line)
    yield from _scheduling(file)
    yield from _misshapen(file)


def _misshapen(file: PresetFile) -> Iterator[Finding]:
    presets = file.data.get("presets")
    if not file.levels and not presets:
        yield of_file(file, "file", "it defines no preset and no level of a topology")
    elif isinstance(presets, door.Mapping):
        for name, value in presets.items():
            if not isinstance(value, door.Mapping):
                message = f"presets.{name}: no map; write the fields of a group there"
                yield of_file(file, "file", message, presets.lines[name])
    elif presets is not None:
        yield of_file(file, "file", "presets: no map; write each preset under its name", file.data.lines["presets"])


def of_definition(definition: Definition, schema: Schema) -> Iterator[Finding]:
    """Yield what is wrong with a preset itself; ``schema`` is the chart's."""
    if not all(definition.name.partition("/")):
        yield of_preset(
            definition,
            "name",
            f"presets.{definition.name}: say whose it is, as in platform/{definition.name.strip('/')}",
        )
    elif definition.name.startswith(_OURS) and not definition.file.is_ours:
        message = f"presets.{definition.name}: names with {_OURS} are the library's; begin with yours, as in platform/"
        yield of_preset(definition, "name", message)
    for at in _walk(definition.value):
        yield from (of_preset(definition, "count", _told(definition, at, why), at.line) for why in _counts(at))
        yield from (of_preset(definition, "map", _told(definition, at, why), at.line) for why in _lists(at, schema))
        yield from (of_preset(definition, "form", _told(definition, at, why), at.line) for why in _forms(at))


def twice(definitions: Sequence[Definition], others: Sequence[Definition]) -> Iterator[Finding]:
    """Yield the presets that an earlier file, or one of the ``others``, has too."""
    known = {one.name: one for one in reversed(others)}
    for one in definitions:
        first = known.setdefault(one.name, one)
        if first is not one and one.is_preset:
            yield of_preset(
                one,
                "twice",
                f"presets.{one.name}: {first.where} defines it too, and both together are refused; rename one",
            )


def _told(definition: Definition, at: _At, why: str) -> str:
    return f"presets.{definition.name}.{at.told}: {why}"


def _scheduling(file: PresetFile) -> Iterator[Finding]:
    scheduling = file.data.get("scheduling")
    for at in _walk(scheduling) if isinstance(scheduling, door.Mapping) else ():
        if len(at.path) == 1 and at.path[0] != "topology":
            yield of_file(file, "file", f"scheduling.{at.told}: only topology belongs to a file of presets", at.line)
        if at.path[:2] == _LEVELS and isinstance(at.value, str) and at.path[3:] in {(), ("label",)}:
            why = forms.key(at.value)
            found = f'scheduling.{at.told}: "{at.value}": {why}'
            yield from [of_file(file, "form", found, at.line)] if why and at.path != _LEVELS else []


def _walk(node: object, above: tuple[str, ...] = ()) -> Iterator[_At]:
    """Yield each value below a map or list, once a key."""
    if isinstance(node, door.Mapping):
        for key, value in node.items():
            yield _At((*above, key), node.lines[key], value)
            yield from _walk(value, (*above, key))
    elif isinstance(node, door.Sequence):
        for index, value in enumerate(node):
            yield _At((*above, str(index)), node.lines[index], value)
            yield from _walk(value, (*above, str(index)))


def _counts(at: _At) -> Iterator[str]:
    own = at.path[1:] if at.path[0] == "leader" else at.path
    field = own[-1] if own else ""
    within = len(own) == 1 or (len(own) == 3 and own[0] in _HOLDERS)  # noqa: PLR2004
    if within and field in _COUNTS:
        yield "a preset selects hardware and never says how much; leave it to the group"
    if _counted(own) and str(at.value) not in {"0", "None"}:
        yield "a preset selects hardware and never says how much; leave it to the group, with accelerators"
    if at.path == ("unset",) and isinstance(at.value, list):
        for name in _COUNTS.intersection(map(str, at.value)):
            yield f"{name}: a preset never says how much; leave it to the group"


def _counted(path: tuple[str, ...]) -> bool:
    """Return whether an amount of accelerators stands at ``path``, under their resource."""
    match path:
        case ("resources", "limits" | "requests", name) | (_, _, "resources", "limits" | "requests", name):
            return path[0] in _HOLDERS | {"resources"} and accelerators.may_be(name)
        case ("devices", name, "perAccelerator" | "perPod"):
            return accelerators.is_known(name)
    return False


def _lists(at: _At, schema: Schema) -> Iterator[str]:
    holds_maps = isinstance(at.value, list) and any(isinstance(entry, dict) for entry in at.value)
    if holds_maps and schema.is_merged_list(["presets", "any/preset", *at.path]):
        yield "a list; write a map by name, since Helm lets one file's list replace another's whole"


def _forms(at: _At) -> Iterator[str]:
    above, key = at.path[:-1], at.path[-1]
    if above == _TOLERATIONS and not key.isdecimal() and isinstance(at.value, dict) and "key" not in at.value:
        yield f'no key, so it bears every taint; say key: {key}, or, if every one is meant, key: ""'
    checks: list[tuple[str, Callable[[str], str]]] = []
    if above in _LABELS:
        checks += [(key, forms.key), *([(str(at.value), forms.value)] if at.value is not None else [])]
    elif above in _KEYS:
        checks.append((key, forms.key))
    elif above == ("devices",):
        checks.append((key, forms.resource))
    elif at.path == ("accelerator", "resource"):
        checks.append((str(at.value), forms.resource))
    elif at.path[:2] in {_TOLERATIONS, ("environment", "requireNodes")} and len(at.path) > 3:  # noqa: PLR2004
        checks += _of_entry(at)
    yield from (f'"{text}": {why}' for text, check in checks if (why := check(text)))


def _of_entry(at: _At) -> Iterator[tuple[str, Callable[[str], str]]]:
    """Yield what to look at in a toleration or in a requirement on nodes."""
    if at.path[3] == "key" and at.value:
        yield str(at.value), forms.key
    elif at.path[3] == "value" and at.value is not None:
        yield str(at.value), forms.value
    elif at.path[3] == "values" and isinstance(at.value, list):
        yield from ((str(entry), forms.value) for entry in at.value)


def line_of(definition: Definition, path: Sequence[str]) -> int:
    """Return the line of the value at ``path`` of a preset, or of the last above it that has one."""
    return max(
        (at.line for at in _walk(definition.value) if at.path == tuple(path[: len(at.path)])), default=definition.line
    )
