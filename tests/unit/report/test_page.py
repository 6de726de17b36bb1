"""The page of a plan: all that the JSON says, escaped, and nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest

from helm_roster.policy import changes, totals
from helm_roster.policy.claims import Claim
from helm_roster.policy.origins import Origin
from helm_roster.report import changes_report, explanation, page, plan_json

from tests.unit.builders import gang, group, plan

HOSTILE = """<script>alert('1')</script>"><img src="x" onerror=y>&amp;"""
LIMITS = {"cpu": 2, "memory": "3Gi", "example.com/nic": 5}
POD, GPUS = (
    {"containers": [{"name": "main", "resources": {"limits": {**LIMITS, **more}}}]}
    for more in ({}, {"nvidia.com/gpu": 8})
)


class Seen(HTMLParser):
    """What a browser reads: the texts, and the tags with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.texts.append(data.strip())


def document(word: str = "w", **replaced: Any) -> dict[str, Any]:
    """Return a plan with something in all its parts; ``word`` stands wherever a text can."""
    groups = {
        "decode": group(4, accelerators=8, pod=GPUS),
        "web": group(2, kind="Deployment", pod=POD, autoscaling={"owner": "hpa", "min": 1, "max": 7}),
    }
    step = gang(decode=(3, True, 6))
    step["members"]["decode"]["locality"] = {"within": "rack", "required": False, "segment": 5}
    settings = {"minResources": True, "stalenessGracePeriod": 97, "preemption": "pod"}
    made = plan(groups, {"step": step | settings | {"locality": {"within": "block", "required": True}}})
    claims = [Claim(name=f"{word}-c", group="decode", count=4, size="9Gi", kept=True)]
    found = plan_json.document(made, totals.count(made), [f"{word} g"], [f"{word} of helm roster upgrade"], claims)
    before = {"kind": "Thing", "metadata": {"name": word}, "spec": {"text": word, "many": [1]}}
    after = {"kind": "Thing", "metadata": {"name": word}, "spec": {"text": "new", "many": [2]}}
    changed = changes_report.document(changes.compare([before], [after], changes.Ways("op")), "op", 17)
    return {**found, "changes": changed, **replaced}


def leaves(node: Any) -> Iterator[str]:
    """Yield all that a document says; of numbers and truth values the texts."""
    if isinstance(node, dict):
        for value in node.values():
            yield from leaves(value)
    elif isinstance(node, list):
        for entry in node:
            yield from leaves(entry)
    elif not isinstance(node, bool) and node is not None:
        yield str(node)


@pytest.mark.parametrize(
    "part",
    ["operation", "placement", "gangs", "groups", "totals", "minimumToStart", "rolloutPeak", "atMost", "claims"],
)
def test_everything_in_a_part_of_the_plan_is_on_the_page(part: str) -> None:
    texts = Seen(page.of_plan(document())).texts
    said = {*texts, *re.findall(r"[^\s(),]+", " ".join(texts))}
    assert [leaf for leaf in leaves(document()[part]) if leaf not in said] == []


def test_the_models_of_a_part_are_on_the_page() -> None:
    texts = Seen(page.of_plan(document())).texts
    at = texts.index("Accelerators by model")
    assert [text for text in texts[at:] if text][:10] == [
        *("Accelerators by model", "model", "total", "minimum to start", "rollout peak", "at most"),
        *("NVIDIA H200", "32", "24", "32"),
    ]


def test_a_place_is_told_of_the_gang_then_of_the_member() -> None:
    texts = Seen(page.of_plan(document())).texts
    assert "one block, one rack, 5 at a time (preferred)" in texts


def test_warnings_guarantees_and_all_differences_are_on_the_page() -> None:
    texts = Seen(page.of_plan(document())).texts
    assert {"w of helm-roster upgrade", "w g", "against op, revision 17", "Thing w"} <= {*texts}
    assert {"spec.text", "w", "new", "spec.many", "[1]", "[2]"} <= {*texts}


def test_what_is_not_there_has_no_heading() -> None:
    found = document(gangs=[], claims=[], warnings=[], guarantees=[])
    del found["changes"]
    texts = Seen(page.of_plan(found)).texts
    assert not {"Gangs", "Volume claims", "Warnings", "What placement keeps", "All that differs"} & {*texts}


def test_hostile_texts_are_escaped() -> None:
    plain = Seen(page.of_plan(document()))
    seen = Seen(page.of_plan(document(HOSTILE)))
    assert (seen.tags, seen.attributes) == (plain.tags, plain.attributes)
    assert sum(HOSTILE in text for text in seen.texts) >= 5


def test_an_explanation_is_a_page_too_and_escaped() -> None:
    asked = plan({"a": group(1)}).operation.groups["a"]
    origin = Origin(path=HOSTILE, value="v", layer="groups.a", key="groups.a.x")
    seen = Seen(page.of_explanation(explanation.document(asked, "x", [origin], ["p"])))
    assert {HOSTILE, "v", "groups.a", "not read here", "Who set a.x"} <= {*seen.texts}
    assert "patches change the objects after all this: p" in seen.texts
    assert not {"script", "img"} & {*seen.tags}


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    text = page.of_plan(document())
    seen = Seen(text)
    assert not {"script", "link", "img", "iframe", "object"} & {*seen.tags}
    assert not {name for name in seen.attributes if name in {"src", "href"} or name.startswith("on")}
    assert not [word for word in ("url(", "@import", "://") if word in text]


@pytest.mark.parametrize("media", ["(prefers-color-scheme: dark)", "print"])
def test_the_page_suits_dark_screens_and_paper(media: str) -> None:
    assert f"@media {media}" in page.of_plan(document())


def test_a_table_does_not_load_the_templates() -> None:
    code = "import sys; from helm_roster.commands import explain, plan; print('jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
