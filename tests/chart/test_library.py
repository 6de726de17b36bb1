"""The presets of the library: each becomes what its golden says, sets no count, and goes with the others."""

from __future__ import annotations

import re
from itertools import combinations, pairwise

import pytest

from helm_roster.presets import library as files
from helm_roster.presets import model_group
from tools.preset_pages import kind_of

from tests.chart import library, validity
from tests.chart.library import ACCELERATORS, DEFINITIONS, FILES, KNOWN, LEVELS
from tests.chart.rendering import Chart, Values, paths

COUNTS = {"replicas", "minReplicas", "maxReplicas", "podsPerReplica", "accelerators"}
# What a provider or a project fixes; an empty one must be given.
IMAGES = {
    "roster/llm-d-decode": {""},
    "roster/tcpxo": {
        "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/nccl-plugin-gpudirecttcpx-dev:v1.0.8",
        "us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpxo/tcpgpudmarxd-dev:v1.0.14",
    },
}
BESIDES = [name for name, one in KNOWN.items() if kind_of(one) in {"Fabrics", "Pools"}]
# One of each sort: by resource and by claim, with and without a count to a node, a slice, a share.
SORTS = [
    *("roster/h200", "roster/h200-gke", "roster/h200-dra-efa", "roster/mi300x", "roster/gb200-gke", "roster/gaudi"),
    *("roster/trainium2-dra-group16", "roster/tpu-v6e-4x4", "roster/mig-h100-1g-10gb", "roster/time-sliced-l4"),
]
FABRICS = ["roster/efa-p5", "roster/roce-gke", "roster/nvl72", "roster/rdma-ib"]


def group(accelerator: str, *besides: str) -> Values:
    """Return a group of this accelerator, with a count that fits it."""
    counts = model_group.counts(KNOWN[accelerator].plain)
    own: Values = {"container": {"image": "example/app:1"}, "presets": [accelerator, *besides]}
    room = {"requests": {"memory": "64Gi"}}  # beside which Kubernetes takes huge pages
    return {**own, "resources": room, "accelerators": counts.accelerators, "podsPerReplica": counts.pods}


def composed(chart: Chart, groups: list[Values]) -> None:
    """Render groups as one operation, whose objects the API server would take."""
    values = library.operation({f"g{number}": one for number, one in enumerate(groups)})
    objects = chart.render(values)
    assert len(objects.workloads()) == len(groups)
    validity.check(objects.all)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path.stem)
def test_a_file_says_what_it_selects_for_whom_what_it_needs_and_where_it_is_from(file: files.PresetFile) -> None:
    assert file.head.missing == []
    assert file.head.about
    assert set(file.data) <= {"presets", "claims", "scheduling"}
    assert file.data.get("presets") or file.levels


def test_names_are_qualified_and_defined_once() -> None:
    names = [one.name for one in DEFINITIONS if one.is_preset]
    assert [name for name in names if not name.startswith("roster/")] == []
    assert len(names) == len(set(names)) == len({library.group_name(name) for name in names})


def test_claims_are_defined_once_and_each_is_used_by_a_preset_of_its_file() -> None:
    defined = [name for file in FILES for name in file.data.get("claims") or ()]
    assert len(defined) == len(set(defined))
    assert set(defined) == {name for one in KNOWN.values() for name in one.claims}
    assert [one.name for one in KNOWN.values() if len(one.claims) != len(one.plain.get("claims") or ())] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.path.stem)
def test_no_preset_sets_a_count_nor_an_image_that_is_a_users_choice(file: files.PresetFile) -> None:
    for name in library.named(file):
        assert [path for path in paths(KNOWN[name].plain) if path[-1] in COUNTS] == []
        containers = [*KNOWN[name].plain.get("init", {}).values(), *KNOWN[name].plain.get("sidecars", {}).values()]
        images = {container["image"] for container in containers if "image" in container}
        assert images == IMAGES.get(name, set()), name
        assert "image" not in KNOWN[name].plain.get("container", {})


def test_variants_of_a_model_ask_for_the_same_model_and_resource() -> None:
    for name in ACCELERATORS:
        whole, one = KNOWN[name], KNOWN[name].plain["accelerator"]
        for other in ACCELERATORS:
            if other.startswith(f"{name}-") and KNOWN[other].file == whole.file:
                variant = KNOWN[other].plain["accelerator"]
                assert variant["model"] == one["model"], other
                resources = {entry["resource"] for entry in (one, variant) if "resource" in entry}
                assert len(resources) < 2 or whole.file.path.stem in {"mig", "time-sliced"}, other


def test_a_slice_has_the_topology_of_its_name_and_of_its_nodes() -> None:
    slices = {name: one.plain for name, one in KNOWN.items() if "topology" in one.plain.get("accelerator", {})}
    assert len(slices) > 30
    for name, preset in slices.items():
        topology = preset["accelerator"]["topology"]
        assert topology in name.split("-"), name
        assert preset["environment"]["nodeSelector"]["cloud.google.com/gke-tpu-topology"] == topology, name


# What drivers call products, and whose `-dra` selects it.
PRODUCTS = {
    "NVIDIA A100-SXM4-40GB": ["a100-40gb"],
    "NVIDIA A100-SXM4-80GB": ["a100-80gb"],
    "NVIDIA A100 80GB PCIe": ["a100-80gb"],
    "NVIDIA H100 80GB HBM3": ["h100"],
    "NVIDIA H100 NVL": [],
    "NVIDIA H200": ["h200"],
    "NVIDIA GH200 480GB": [],
    "NVIDIA B200": ["b200"],
    "NVIDIA GB200": ["gb200"],
    "NVIDIA GB300": ["gb300"],
    "NVIDIA L4": ["l4"],
    "NVIDIA L40": [],
    "NVIDIA L40S": ["l40s"],
    "AMD_Instinct_MI300X_OAM": ["mi300x"],
    "AMD_Instinct_MI325_OAM": ["mi325x"],
}


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_selector_takes_its_model_and_no_other(product: str) -> None:
    found = []
    for name in ACCELERATORS:
        selectors = KNOWN[name].plain["accelerator"].get("claim", {}).get("selectors", [])
        patterns = [match for selector in selectors for match in re.findall(r"matches\('(.*)'\)", selector)]
        if name.endswith("-dra") and patterns and all(re.fullmatch(one, product.lower()) for one in patterns):
            found.append(name.removeprefix("roster/").removesuffix("-dra"))
    assert found == PRODUCTS[product]


@pytest.mark.parametrize("file", [file for file in FILES if library.named(file)], ids=lambda file: file.path.stem)
def test_each_preset_of_a_file_becomes_what_its_golden_says(chart4: Chart, file: files.PresetFile) -> None:
    """`make examples` writes them anew."""
    assert library.written(library.become(chart4, file)) == library.golden(file).read_text()
    for values in library.models(library.named(file)):
        validity.check(chart4.render(values).all)


def test_there_is_a_golden_for_each_file_and_none_besides() -> None:
    wanted = {library.golden(file) for file in FILES if library.named(file)}
    assert set(library.GOLDENS.iterdir()) == wanted


@pytest.mark.parametrize("accelerator", SORTS)
def test_every_fabric_and_pool_goes_with_accelerators_of_each_sort(chart4: Chart, accelerator: str) -> None:
    composed(chart4, [group(accelerator, beside) for beside in BESIDES])


def test_every_accelerator_goes_with_fabrics_of_each_sort(chart4: Chart) -> None:
    composed(chart4, [group(accelerator, *FABRICS) for accelerator in ACCELERATORS])


def test_every_two_fabrics_or_pools_go_together(chart4: Chart) -> None:
    """Four and four stand in one group, so that each meets each."""
    fours = [BESIDES[at : at + 4] for at in range(0, len(BESIDES), 4)]
    meetings = [[*some, *others] for some, others in combinations(fours, 2)]
    met = {frozenset(pair) for meeting in meetings for pair in combinations(meeting, 2)}
    assert met == {frozenset(pair) for pair in combinations(BESIDES, 2)}
    composed(chart4, [group("roster/h200", *meeting) for meeting in meetings])


def test_every_engine_goes_with_an_accelerator_and_fabrics(chart4: Chart) -> None:
    engines = [name for name, one in KNOWN.items() if kind_of(one) == "Profiles" and not one.plain.get("router")]
    assert len(engines) > 5
    for name in engines:
        (values,) = library.models([name])
        engine = values["groups"][library.group_name(name)]
        engine |= {"presets": ["roster/h200", *FABRICS, name], "accelerators": 8}
        validity.check(chart4.render(library.operation(values["groups"])).all)


def test_variants_of_one_model_go_together(chart4: Chart) -> None:
    composed(chart4, [group("roster/h200-gke", "roster/h200"), group("roster/mi300x", "roster/mi300x-aks")])


@pytest.mark.parametrize(("one", "other"), [*pairwise(SORTS[:1] + SORTS[3:]), ("roster/gb200", "roster/gb300")])
def test_two_models_in_one_group_are_refused(chart4: Chart, one: str, other: str) -> None:
    said = chart4.refusal(library.operation({"a": group(one, other)}))
    assert said.startswith("groups.a.presets: ")
    assert one in said
    assert other in said


def test_the_words_for_levels_are_the_same_on_every_platform_and_their_order_too() -> None:
    order = ["region", "zone", "spine", "block", "rack", "nvlink", "machine"]
    for file in LEVELS:
        names = list(file.levels)
        assert names == sorted(names, key=order.index), file.name
        assert {tuple(level) for level in file.levels.values()} == {("label",)}


def test_levels_of_a_file_are_there_for_locality(chart4: Chart) -> None:
    for file in LEVELS:
        members = {name: {} for name in file.levels}
        groups = {name: {"container": {"image": "i:1"}, "locality": {"within": name}} for name in file.levels}
        scheduling = {"gangs": {"all": {"members": members}}, "topology": {"levels": file.levels}}
        scheduling["placement"] = {"backend": "native"}
        resolved = chart4.resolved({"groups": groups, "scheduling": scheduling})
        assert resolved["scheduling"]["gangs"], file.name


def test_there_is_one_of_each_kind() -> None:
    assert {kind_of(one) for one in DEFINITIONS} == {"Accelerators", "Fabrics", "Pools", "Topology", "Profiles"}
