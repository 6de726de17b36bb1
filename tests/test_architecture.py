"""Rules of the code that no linter knows."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from helm_roster import all_backends, backend_base, constants
from helm_roster.manifests import door
from helm_roster.model import plan as plans
from helm_roster.model.plan import Plan

from tests.support.roster import CHART, ROOT
from tests.unit.asks import Asked
from tests.unit.builders import around, carrier_spec, gang, group, plan, workload

PACKAGE = ROOT / "plugin" / "helm_roster"
SCHEDULERS = r"kube-scheduler|PodGroup|volcano|kueue|\bkai\b|schedulingGroup|coscheduling|HyperNode|\brun\.ai\b"
# Words that a backend shares with the rest of the world.
SHARED = {"default", "native", "Workload"}
# In the chart the bare word is also what Kubernetes calls sidecars that are init containers.
NATIVE = {".py": r"\bnative\b", ".tpl": r"backend\W+native", ".yaml": r"backend\W+native", ".json": r"backend\W+native"}
# A backend is a module, or a folder of them.
FOLDER = sorted({path.relative_to(PACKAGE / "backends").parts[0].removesuffix(".py")
                 for path in (PACKAGE / "backends").rglob("*.py")} - {"__init__"})  # fmt: skip
ADMITTING = sorted(all_backends.ADMISSION)
BACKENDS = sorted({*FOLDER} - {*ADMITTING})
VERBS = ("check", "guarantees", "objects", "stamp", "needs", "inspect", "explain")
# Where the registry or a person's question makes the name of a backend unavoidable.
NAMED = {PACKAGE / "all_backends.py"}
RENDER_PATH = {
    "all_backends",
    "backend_base",
    "backends",
    "constants",
    "errors",
    "frozen",
    "manifests",
    "model",
    "policy",
    "postrender",
    "render",
}


def sources() -> list[Path]:
    files = [path for path in PACKAGE.rglob("*.py") if PACKAGE / "backends" not in path.parents and path not in NAMED]
    return [*files, *CHART.rglob("templates/*"), CHART / "values.yaml", CHART / "values.schema.json"]


def code(path: Path) -> str:
    """Return a source without docstrings and comments, which may speak of schedulers."""
    text = re.sub(r'"""(.*?)"""', "", path.read_text(), flags=re.DOTALL)
    return re.sub(r"(^|  )#.*$", "", text, flags=re.MULTILINE)


def chart_files() -> list[Path]:
    """Return what the chart consists of, without the values that it is tested with."""
    return [
        path for path in CHART.rglob("*") if path.is_file() and not path.relative_to(CHART).parts[0].startswith("ci")
    ]


def words_of_backends() -> set[str]:
    """Return the names of all backends, their kinds and API groups, and the last steps of what they own in pods."""
    backends = [*all_backends.PLACEMENT.values(), *all_backends.ADMISSION.values()]
    kinds = [kind for backend in backends for kind in backend.GROUPING_KINDS]
    owned = {path[-1].removesuffix("*").rstrip("/") for backend in backends for path in backend.OWNED}
    groups = {kind.api_version.partition("/")[0] for kind in kinds}
    named = {*all_backends.PLACEMENT, *all_backends.ADMISSION}
    return (named | {kind.kind for kind in kinds} | groups | owned) - SHARED


def test_no_two_files_of_the_chart_define_the_same_name() -> None:
    text = "".join(path.read_text() for path in sorted(CHART.rglob("templates/*.tpl")))
    names = Counter(re.findall(r'define "([^"]+)"', text))
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize("path", chart_files(), ids=lambda path: str(path.relative_to(CHART)))
def test_the_chart_has_no_word_of_a_scheduler_in_comments_neither(path: Path) -> None:
    words = "|".join(rf"\b{re.escape(word)}" for word in sorted(words_of_backends()))
    native = NATIVE.get(path.suffix, r"`native`|backend\W+native")
    assert re.findall(f"{words}|{SCHEDULERS}|{native}", path.read_text(), re.IGNORECASE) == []


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_outside_backends_names_a_scheduler(path: Path) -> None:
    names = re.compile(f"{SCHEDULERS}|{NATIVE.get(path.suffix, NATIVE['.py'])}", re.IGNORECASE)
    assert names.findall(code(path)) == []


def test_every_backend_of_the_folder_is_registered_under_its_name() -> None:
    registered = {**all_backends.PLACEMENT, **all_backends.ADMISSION}
    assert sorted(registered) == FOLDER
    assert {name: backend.NAME for name, backend in registered.items()} == {name: name for name in FOLDER}


@pytest.mark.parametrize("name", ADMITTING)
def test_admission_is_paired_with_placements_that_there_are_each_with_a_sentence(name: str) -> None:
    pairs = all_backends.ADMISSION[name].PLACEMENTS
    assert {*pairs} <= {*all_backends.PLACEMENT}
    assert [placement for placement, kept in pairs.items() if not kept] == []


@pytest.mark.parametrize("name", ADMITTING)
def test_admission_marks_every_group_and_needs_kinds_of_the_cluster(name: str) -> None:
    backend, asked = all_backends.ADMISSION[name], admitted(name, {"web": group(2)})
    assert backend.check(asked) == []
    assert backend.MARKS_ALL
    assert backend.needs(asked) != []
    assert backend.stamp(asked.workloads["web"], asked.operation.groups["web"], asked)


@pytest.mark.parametrize("name", ADMITTING)
def test_admission_answers_every_topic(name: str) -> None:
    assert set(all_backends.ADMISSION[name].KEEPS) == set(backend_base.TOPICS)


@pytest.mark.parametrize("name", ADMITTING)
def test_admission_names_the_gang_of_each_pod_where_it_says_so(name: str) -> None:
    backend, asked = all_backends.ADMISSION[name], admitted(name, {"a": group(2)}, {"x": gang(a=(2, False))})
    assert backend.stamp(asked.workloads["a"], asked.operation.groups["a"], asked)
    assert plans.membership(plans.pod_template(asked.workloads["a"]), backend.MEMBERSHIPS) != ""


def admitted(name: str, groups: dict[str, Any], gangs: dict[str, Any] | None = None) -> Plan:
    return plan(groups, gangs, admission={"backend": name, "queue": "team"})


@pytest.mark.parametrize("name", BACKENDS)
def test_a_backend_marks_groups_outside_gangs_only_where_its_scheduler_places_them(name: str) -> None:
    backend, asked = all_backends.PLACEMENT[name], plan({"web": group(2)}, backend=name)
    assert backend.check(asked) == []
    assert bool(backend.objects(asked)) == bool(backend.needs(asked)) == backend.MARKS_ALL
    template: dict[str, Any] = {"metadata": {}, "spec": {}}
    assert backend.stamp(around(template), asked.operation.groups["web"], asked) == backend.MARKS_ALL
    assert bool(template["spec"].get("schedulerName")) == backend.MARKS_ALL


@pytest.mark.parametrize("name", BACKENDS)
def test_a_grouping_object_tells_whose_it_is(name: str) -> None:
    backend = all_backends.PLACEMENT[name]
    gangs = {"step": gang(learner=(2, False))} if backend.GROUPING_KINDS else {}
    found = backend.objects(plan({"web": group(2), "learner": group(2)}, gangs, backend=name))
    told = [entry["metadata"].get("labels") for entry in found]
    of_web, of_gang = {constants.GROUP_LABEL: "web"}, {constants.GANG_LABEL: "step"}
    assert [one for one in told if one not in (of_web, of_gang)] == []
    assert (of_gang in told, of_web in told) == (bool(gangs), backend.MARKS_ALL)


def refusals(name: str, *, wrapped: bool) -> str:
    """Return what a backend refuses of gangs that ask for all that the values know, member by member and as a whole."""
    local = {"within": "rack", "segment": 3}
    whole = gang(learner=(2, False), web=(1, True))
    whole["members"]["learner"]["locality"] = local
    settings = {
        "stalenessGracePeriod": 5,
        "preemption": "pod",
        "minResources": True,
        "locality": local | {"label": "r"},
    }
    alone = gang(alone=(2, False)) | settings
    alone["members"]["alone"]["locality"] = {"within": "host", "label": "h"}
    groups = {"web": group(2), "learner": group(2), "alone": group(2)}
    asked = plan(groups, {"step": whole | settings, "one": alone}, backend=name, queue="no/queue")
    asked = asked.replace(operation=asked.operation.replace(wrapped=wrapped))
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}
    spine = {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "spec": {"tier": 7}}
    cluster = Asked(["Queue", "Topology", "Node", "HyperNode"], node, spine | {"metadata": {"name": "spine"}})
    found = [finding.message for finding in all_backends.PLACEMENT[name].inspect(asked, cluster)]
    return "\n".join([*all_backends.PLACEMENT[name].check(asked), *found])


@pytest.mark.parametrize("name", sorted(set(BACKENDS) - {"default"}))
def test_refusals_name_values_where_they_stand_in_a_chart_that_wraps_ours(name: str) -> None:
    path = r"(?<![\w.])((?:replica-operation\.)?(?:scheduling|groups)\.(?!k8s|volcano|run|x-k8s)[-\w.]+)"
    bare, below = (re.findall(path, refusals(name, wrapped=wrapped)) for wrapped in (False, True))
    assert bare != []
    assert below == [f"replica-operation.{found}" for found in bare]


@pytest.mark.parametrize("name", BACKENDS)
def test_a_backend_that_makes_gangs_answers_every_topic(name: str) -> None:
    backend = all_backends.PLACEMENT[name]
    assert set(backend.KEEPS) == (set(backend_base.TOPICS) if backend.GROUPING_KINDS else set())


@pytest.mark.parametrize("name", [name for name in BACKENDS if all_backends.PLACEMENT[name].GROUPING_KINDS])
def test_a_backend_refuses_a_member_that_is_replaced_by_surplus_pods_only(name: str) -> None:
    """The chart makes StatefulSets and Jobs of members, without surplus; on a full cluster that one never starts."""
    strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    groups = {"worker": group(2, kind="Deployment", spec={"strategy": strategy})}
    refusals = all_backends.PLACEMENT[name].check(plan(groups, {"train": gang(worker=(2, False))}, backend=name))
    assert any('member "worker"' in refusal for refusal in refusals)


@pytest.mark.parametrize("name", FOLDER)
def test_a_backend_has_all_verbs(name: str) -> None:
    backend = all_backends.PLACEMENT[name] if name in BACKENDS else all_backends.ADMISSION[name]
    assert [verb for verb in VERBS if not callable(getattr(backend, verb, None))] == []


@pytest.mark.parametrize("name", FOLDER)
def test_a_backend_sets_nothing_in_a_pod_template_but_what_it_says_that_it_owns(name: str) -> None:
    gangs = {"train": gang(worker=(2, False))} if name != "default" else None
    if name in BACKENDS:
        backend, asked = all_backends.PLACEMENT[name], plan({"worker": group(2)}, gangs, backend=name)
    else:
        backend, asked = all_backends.ADMISSION[name], admitted(name, {"worker": group(2)}, gangs)
    template: dict[str, Any] = {"metadata": {}, "spec": {}}
    marked = backend.stamp(around(template), asked.operation.groups["worker"], asked)
    assert marked == bool(backend.OWNED)
    assert {(part, key) for part, fields in template.items() for key in fields} <= {path[:2] for path in backend.OWNED}


def document(data: Any) -> str:
    return f"---\n{door.dump(data)}"


def streams() -> dict[str, str]:
    """Return a stream with a carrier that has no patches, and one that has."""
    spec, entry = carrier_spec({"worker": group(2)}, backend="default"), {"kind": "PostRendererRequired"}
    patch = {"merge": {"spec": {"hostPID": True}}}
    made = document(workload("op-worker", group(2)))
    return {
        name: made + document(entry | {"apiVersion": "helm-roster.dev/v1alpha1", "spec": {**spec, "patches": patches}})
        for name, patches in {"plain": {}, "patched": {"worker": {"x": patch}}}.items()
    }


def imported(text: str) -> set[str]:
    """Return what the post-renderer has imported after it rendered ``text``, besides the standard library."""
    render = "from helm_roster import postrender; assert postrender.run([]) == 0"
    loaded = modules(render, text) - modules("pass", "")
    return {name for name in loaded if name.partition(".")[0] not in sys.stdlib_module_names}


def modules(code: str, text: str) -> set[str]:
    """Return what Python has loaded after it ran ``code`` with ``text`` on standard input."""
    code += "; import sys; names = [*sys.modules]; import json; print(json.dumps(names), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr))


def test_the_render_path_leaves_out_what_takes_long_to_import() -> None:
    """It starts once for every call of Helm; each of these takes a tenth of its start or more."""
    loaded = modules("from helm_roster import postrender; assert postrender.run([]) == 0", streams()["plain"])
    assert loaded & {"dataclasses", "inspect", "traceback", "difflib", "pathlib", "subprocess"} == set()


@pytest.mark.parametrize(
    ("text", "libraries", "layers"),
    [
        pytest.param("", set(), set(), id="no carrier"),
        pytest.param(streams()["plain"], set(), set(), id="no patches"),
        pytest.param(streams()["patched"], {"jsonpatch", "jsonpointer"}, {"patches"}, id="patches"),
    ],
)
def test_the_render_path_imports_yaml_and_its_own_layers_only(text: str, libraries: set[str], layers: set[str]) -> None:
    names = imported(text)
    packages = {name.partition(".")[0] for name in names if "cython" not in name}  # what yaml's C part is made with
    assert packages - {"helm_roster", "yaml", "_yaml"} == libraries
    ours = {name.split(".")[1] for name in names if name.startswith("helm_roster.")}
    assert ours - RENDER_PATH == layers


@pytest.mark.parametrize(
    ("text", "backends"),
    [pytest.param("", set(), id="no carrier"), pytest.param(streams()["plain"], {"default"}, id="default")],
)
def test_a_render_imports_the_backend_that_is_asked_for_alone(text: str, backends: set[str]) -> None:
    loaded = {name.split(".")[2] for name in imported(text) if name.startswith("helm_roster.backends.")}
    assert loaded == backends
