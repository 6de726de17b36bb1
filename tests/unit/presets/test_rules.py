"""What a published preset has to keep, as far as its text tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_roster.model.schema import Schema
from helm_roster.presets import library, rules
from helm_roster.presets.findings import Finding

from tests.support.roster import CHART
from tests.unit.presets.files import H200, LEVELS, definitions, folder

SCHEMA = Schema.of(CHART)


def told(folder: Path, preset: str, name: str = "team/x") -> list[tuple[str, str]]:
    """Return rule and message of what is wrong with a preset in flow style."""
    (found,) = definitions(folder, x=f"presets:\n  {name}:\n    {preset}\n")
    findings: list[Finding] = list(rules.of_definition(found, SCHEMA))
    assert {finding.line for finding in findings} <= {2, 3}
    return [(finding.rule, finding.message.removeprefix("presets.team/x.")) for finding in findings]


def test_a_preset_that_keeps_all_is_not_blamed(tmp_path: Path) -> None:
    for one in definitions(tmp_path, h200=H200):
        assert list(rules.of_definition(one, SCHEMA)) == []
        assert list(rules.of_text(one.file)) == []


@pytest.mark.parametrize("name", ["h200", "/h200", "team/"])
def test_a_name_says_whose_it_is(tmp_path: Path, name: str) -> None:
    (found,) = told(tmp_path, "shm: {size: 1Gi}", name)
    assert found[0] == "name"


def test_the_librarys_names_are_its_own(tmp_path: Path) -> None:
    library_file = folder(tmp_path, h200=H200) / "h200.yaml"
    own, _ = library.definitions([library.open_file(str(library_file))])
    (found,) = rules.of_definition(own, SCHEMA)
    assert (found.rule, found.message) == (
        "name",
        "presets.roster/h200: names with roster/ are the library's; begin with yours, as in platform/",
    )


@pytest.mark.parametrize(
    ("preset", "path"),
    [
        ("replicas: 2", "replicas"),
        ("accelerators: null", "accelerators"),
        ("podsPerReplica: 2", "podsPerReplica"),
        ("leader: {accelerators: 0}", "leader.accelerators"),
        ("sidecars: {x: {accelerators: 1}}", "sidecars.x.accelerators"),
        ("leader: {init: {x: {accelerators: 1}}}", "leader.init.x.accelerators"),
    ],
)
def test_a_count_is_found_wherever_it_stands(tmp_path: Path, preset: str, path: str) -> None:
    assert told(tmp_path, preset) == [
        ("count", f"{path}: a preset selects hardware and never says how much; leave it to the group")
    ]


@pytest.mark.parametrize(
    ("preset", "path"),
    [
        ("resources: {limits: {nvidia.com/gpu: 8}}", "resources.limits.nvidia.com/gpu"),
        ("resources: {requests: {example.com/card: '1'}}", "resources.requests.example.com/card"),
        ("sidecars: {x: {resources: {limits: {google.com/tpu: 4}}}}", "sidecars.x.resources.limits.google.com/tpu"),
        ("leader: {init: {x: {resources: {limits: {amd.com/gpu: 1}}}}}", "leader.init.x.resources.limits.amd.com/gpu"),
        ("devices: {nvidia.com/gpu: {perPod: 8}}", "devices.nvidia.com/gpu.perPod"),
        ("leader: {devices: {habana.ai/gaudi: {perAccelerator: 1}}}", "leader.devices.habana.ai/gaudi.perAccelerator"),
    ],
)
def test_an_amount_of_accelerators_is_a_count(tmp_path: Path, preset: str, path: str) -> None:
    message = "a preset selects hardware and never says how much; leave it to the group, with accelerators"
    assert told(tmp_path, preset) == [("count", f"{path}: {message}")]


@pytest.mark.parametrize(
    "preset",
    [
        "resources: {limits: {nvidia.com/gpu: 0, cpu: 8, rdma/ib: 1, hugepages-2Mi: 1Gi}}",
        "devices: {example.com/card: {perPod: 1}, nvidia.com/gpu: {perPod: 0}, rdma/ib: {perAccelerator: 1}}",
        "environment: {annotations: {nvidia.com/gpu: '8'}}",
    ],
)
def test_amounts_of_what_is_no_accelerator_are_none(tmp_path: Path, preset: str) -> None:
    assert told(tmp_path, preset) == []


def test_a_count_that_is_unset_is_one_too(tmp_path: Path) -> None:
    ((rule, message),) = told(tmp_path, "unset: [replicas, environment.x]")
    assert (rule, message.partition(": a preset")[0]) == ("count", "unset: replicas")


@pytest.mark.parametrize(
    ("preset", "path"),
    [
        ("environment: {tolerations: [{key: a}]}", "environment.tolerations"),
        ("container: {env: [{name: A, value: b}]}", "container.env"),
        ("sidecars: {x: {volumeMounts: [{name: a, mountPath: /a}]}}", "sidecars.x.volumeMounts"),
    ],
)
def test_a_list_that_could_be_a_map_is_found(tmp_path: Path, preset: str, path: str) -> None:
    (found,) = told(tmp_path, preset)
    assert found == (
        "map",
        f"{path}: a list; write a map by name, since Helm lets one file's list replace another's whole",
    )


@pytest.mark.parametrize("preset", ["container: {args: [a, {flag: --p, fromPort: http}]}", "claims: [imex]"])
def test_a_list_that_is_merged_by_no_key_stays_one(tmp_path: Path, preset: str) -> None:
    assert told(tmp_path, preset) == []


@pytest.mark.parametrize(
    ("preset", "text"),
    [
        ("environment: {nodeSelector: {a b: c}}", "a b"),
        ("environment: {nodeSelector: {a: b c}}", "b c"),
        ("environment: {labels: {a: b/c}}", "b/c"),
        ("environment: {annotations: {a b: anything goes}}", "a b"),
        ("environment: {tolerations: {x: {key: a b}}}", "a b"),
        ("environment: {tolerations: {x: {key: a, value: b c}}}", "b c"),
        ("environment: {requireNodes: {x: {key: a b, operator: Exists}}}", "a b"),
        ("environment: {requireNodes: {x: {key: a, operator: In, values: [b, c d]}}}", "c d"),
        ("accelerator: {resource: gpu}", "gpu"),
        ("devices: {efa: {perPod: 1}}", "efa"),
        ("networks: {a b: {perPod: 1}}", "a b"),
    ],
)
def test_a_name_that_kubernetes_would_not_take_is_found(tmp_path: Path, preset: str, text: str) -> None:
    ((rule, message),) = told(tmp_path, preset)
    assert (rule, f'"{text}": ' in message) == ("form", True)


@pytest.mark.parametrize(
    ("entry", "found"),
    [("{operator: Exists}", True), ("{key: gpu, operator: Exists}", False), ('{key: "", operator: Exists}', False)],
)
def test_a_toleration_whose_name_is_taken_for_its_key_is_found(tmp_path: Path, entry: str, *, found: bool) -> None:
    message = 'no key, so it bears every taint; say key: example.com/gpu, or, if every one is meant, key: ""'
    path = "environment.tolerations.example.com/gpu"
    said = told(tmp_path, f"environment: {{tolerations: {{example.com/gpu: {entry}}}}}")
    assert said == ([("form", f"{path}: {message}")] if found else [])


@pytest.mark.parametrize(
    ("text", "line", "rule", "words"),
    [
        ("presets: {a/b: {}}\npreset: {}\n", 2, "file", 'preset: no such key; did you mean "presets"?'),
        ("presets: {a/b: {}}\ngroups: {}\n", 2, "file", "groups: a file of presets holds no operation"),
        (f"{LEVELS}x-a: 1\n", 0, "", ""),
        ("presets: {a/b: {}}\ndefaults: {presets: [a/b]}\n", 0, "", ""),
        ("presets: {a/b: {}}\ndefaults: {shm: {size: 1Gi}}\n", 2, "file", "defaults.shm: a file of presets sets"),
        ("presets: {a/b: {}}\nscheduling:\n  placement: {}\n", 3, "file", "scheduling.placement: only topology"),
        ("claims: {a: {claim: b}}\n", -4, "file", "it defines no preset"),
        ("x-a: 1\npresets: [a]\n", 2, "file", "presets: no map"),
        ("presets:\n  a/b: {}\n  a/c: 3\n", 3, "file", "presets.a/c: no map"),
        (LEVELS.replace("example.com/rack", "a b"), 1, "form", 'scheduling.topology.levels.rack: "a b"'),
        (LEVELS.replace("example.com/rack", "{label: a b}"), 1, "form", 'scheduling.topology.levels.rack.label: "a b"'),
    ],
)
def test_what_belongs_to_no_file_of_presets_is_found(
    tmp_path: Path, text: str, line: int, rule: str, words: str
) -> None:
    head = "".join(H200.splitlines(keepends=True)[:5])
    file = library.open_file(str(folder(tmp_path, x=f"{head}{text}") / "x.yaml"))
    found = [(one.line - 5, one.rule, one.message.startswith(words)) for one in rules.of_text(file)]
    assert found == ([(line, rule, True)] if rule else [])


def test_a_file_without_head_says_neither_for_whom_it_is_nor_where_it_is_from(tmp_path: Path) -> None:
    (found,) = definitions(tmp_path, x=LEVELS)
    assert [finding.message.split('"')[1] for finding in rules.of_text(found.file)] == [
        "# For: …",
        "# Needs: …",
        "# Source: …",
    ]


def test_a_name_that_another_file_has_is_found_at_the_second(tmp_path: Path) -> None:
    ours, theirs = definitions(tmp_path / "a", h200=H200), definitions(tmp_path / "b", own=H200)
    found = list(rules.twice(theirs[:1], ours))
    assert [(one.file, one.line) for one in found] == [(f"{tmp_path}/b/own.yaml", 8)]
    assert f"{tmp_path}/a/h200.yaml:8 defines it too" in found[0].message
    assert list(rules.twice(ours, [])) == []


def test_the_line_of_a_value_is_that_of_the_last_key_above_it(tmp_path: Path) -> None:
    (found,) = definitions(tmp_path, x="presets:\n  a/b:\n    environment:\n      labels: {x: y}\n")
    paths: list[list[str]] = [[], ["environment", "none"], ["environment", "labels", "x"]]
    assert [rules.line_of(found, path) for path in paths] == [2, 3, 4]
