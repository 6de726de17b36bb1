"""The docs say what is there: generated pages are up to date, and what the README shows can be run."""

from __future__ import annotations

import json
import re
import typing
from pathlib import Path

import pytest
import yaml

from helm_roster import all_backends, cli
from helm_roster.policy import changes
from tools import backend_pages, docs, kubernetes_fields, preset_pages

from tests.chart import library
from tests.support import pages, roster
from tests.support.roster import EXAMPLES, PRESETS, ROOT
from tests.support.runner import Runner

README = (ROOT / "README.md").read_text()
PAGES = sorted(
    str(path.relative_to(ROOT))
    for pattern in ("*.md", "docs/**/*.md", "charts/*/README.md", "examples/**/README.md")
    for path in ROOT.glob(pattern)
)


def test_the_page_of_commands_is_up_to_date() -> None:
    assert docs.COMMAND_LINE.read_text() == docs.command_line()


def test_the_page_of_json_shapes_is_up_to_date() -> None:
    assert docs.JSON.read_text() == docs.json_shapes()


def test_the_table_of_kubernetes_fields_is_up_to_date() -> None:
    assert kubernetes_fields.TABLE.read_text() == kubernetes_fields.text()


def test_the_index_of_backends_is_up_to_date() -> None:
    assert backend_pages.INDEX.read_text() == backend_pages.index()


def test_the_catalogue_of_presets_is_up_to_date_and_has_each() -> None:
    page = preset_pages.PAGE.read_text()
    assert preset_pages.page() == page
    names = [*library.KNOWN, *(file.path.name for file in library.FILES)]
    assert [name for name in names if name not in page] == []


def test_that_no_backend_keeps_segments_is_said_and_true() -> None:
    text = backend_pages.INDEX.read_text()
    rows = [line for line in text.splitlines() if line.startswith("| each four pods of a group within one rack")]
    asked = [len(all_backends.PLACEMENT), *(len(found.PLACEMENTS) for found in all_backends.ADMISSION.values())]
    assert [row.count("| refused") for row in rows] == asked
    assert "is kept by no backend yet where replicas are single pods" in " ".join(text.split())
    assert "No backend keeps it yet" in (ROOT / "charts/replica-operation/values.schema.json").read_text()


@pytest.mark.parametrize("page", sorted(backend_pages.PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_a_backends_page_tells_what_it_keeps_and_is_up_to_date(page: Path) -> None:
    text, backend = page.read_text(), backend_pages.pages()[page]
    assert backend_pages.page(text, backend) == text
    assert [topic for topic in backend.KEEPS if f"| {topic} | {backend.KEEPS[topic]} |" not in text] == []


@pytest.mark.parametrize(
    "name",
    [*(name for name, found in all_backends.PLACEMENT.items() if found.GROUPING_KINDS), *all_backends.ADMISSION],
)
def test_the_index_leads_from_a_backend_to_more_about_it(name: str) -> None:
    assert re.search(rf"^\| `{name}` \|.*\]\((backends|\.\./examples)/", backend_pages.INDEX.read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", sorted(cli.cli.commands))
def test_the_readme_names_every_command(name: str) -> None:
    assert re.search(rf"helm[- ]roster.*\b{name}\b", README)


def test_the_readmes_values_are_planned_as_they_stand(helm: Runner, tmp_path: Path) -> None:
    (block,) = pages.blocks(README, "yaml")
    values = tmp_path / "readme.yaml"
    values.write_text(block)
    plan = json.loads(roster.cli(helm)("plan", "-f", PRESETS / "h200.yaml", "-f", values, "-o", "json").stdout)
    assert plan["totals"]["accelerators"] == {"NVIDIA H200": 12}


def test_one_word_of_the_page_on_choosing_presets_moves_decode(helm4: Runner, tmp_path: Path) -> None:
    block, *_ = pages.blocks((ROOT / "docs" / "choosing-presets.md").read_text(), "yaml")
    files = [word for name in ("h200", "mi300x") for word in ("-f", str(PRESETS / f"{name}.yaml"))]
    before, decode, after = block.partition("decode: {presets: [roster/")
    models = {}
    for word in ("h200", "mi300x"):
        values = tmp_path / f"{word}.yaml"
        values.write_text(before + decode + word + after.removeprefix("h200"))
        plan = json.loads(roster.cli(helm4)("plan", *files, "-f", values, "-o", "json").stdout)
        models[word] = plan["totals"]["accelerators"]
    assert models == {"h200": {"NVIDIA H200": 24}, "mi300x": {"AMD Instinct MI300X": 16, "NVIDIA H200": 8}}


def test_the_values_of_the_page_on_claims_are_counted(helm4: Runner, tmp_path: Path) -> None:
    (block,) = pages.blocks((ROOT / "docs" / "claims.md").read_text(), "yaml")
    values = tmp_path / "claims.yaml"
    values.write_text(block)
    plan = json.loads(roster.cli(helm4)("plan", "-f", values, "-o", "json").stdout)
    assert plan["totals"]["accelerators"] == {"NVIDIA H200": 8}
    assert plan["totals"]["other"] == {"roce.networking.k8s.aws": "8"}


def test_presets_of_the_page_on_writing_them_render_and_the_whole_file_is_lint_free(
    helm4: Runner, tmp_path: Path
) -> None:
    for number, block in enumerate(pages.blocks((ROOT / "docs" / "writing-presets.md").read_text(), "yaml")):
        values = tmp_path / f"{number}.yaml"
        values.write_text(block)
        (name,) = yaml.safe_load(block)["presets"]
        assert roster.cli(helm4)("presets", "show", name, "--example", "-f", values).stdout
    assert roster.cli(helm4)("presets", "lint", tmp_path / "0.yaml").stderr == "1 preset in 1 file: 0 findings\n"


def test_the_readme_and_the_json_page_tell_every_action_of_a_comparison() -> None:
    (table,) = re.findall(r"\| `--against` says .*?\n\n", README, re.DOTALL)
    for action in typing.get_args(changes.Action):
        assert re.search(rf"^\| .*\b{action}\b.* \|", table, re.MULTILINE), action
        assert f"`{action}`" in (ROOT / "docs" / "json.md").read_text()


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    here = ROOT / page
    links = re.findall(r"\]\(([^):#]*)(?:#([^)]*))?\)", here.read_text())
    lost = [link for link, _ in links if not (here.parent / link).exists()]
    targets = [(here.parent / link if link else here, anchor) for link, anchor in links if anchor]
    assert lost + [anchor for target, anchor in targets if anchor not in pages.anchors(target.read_text())] == []


def test_the_plan_of_the_first_example_is_what_the_readme_says(helm4: Runner) -> None:
    values = EXAMPLES / "01-sglang-disaggregated" / "values.yaml"
    said = roster.cli(helm4)("plan", *roster.given(values)).stdout
    assert re.search(r"total +13 +12 NVIDIA H200", said)
