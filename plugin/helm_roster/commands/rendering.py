"""Renders an operation as ``install`` would, without a cluster: ``helm template``, then the renderer in this process.

So a refusal comes as one line of ours, before Helm is asked to apply anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from helm_roster import constants, errors
from helm_roster.helm import flags, run
from helm_roster.model import operation as operations
from helm_roster.model.plan import Plan
from helm_roster.render import index, pipeline, stream

_PREFIX = re.compile(r"^Error: (?:INSTALLATION FAILED: |UPGRADE FAILED: )?")
_WHERE = re.compile(r"^execution error at \([^)]*\): ")
_SCHEMA = "values don't meet the specifications of the schema"


def render(release: str, helm_args: Sequence[str], chart: Path | str) -> Plan:
    """Render ``chart`` with Helm's own flags for values, run the renderer over it, and return the plan.

    Raises:
        BadInputError: The values or the chart are wrong, in Helm's or the chart's own words.
        RefusedError: A backend cannot keep what was asked.
    """
    asked = ["template", release, str(chart), *flags.for_template(helm_args)]
    try:
        printed = run.capture([*asked, "--api-versions", constants.RESOLVED_CAPABILITY])
    except run.HelmError as error:
        raise errors.BadInputError(reason(error.stderr)) from error
    resolved, rest = _take_resolved(printed, chart)
    return pipeline.render(rest).plan or pipeline.read_plan(rest, operations.read(resolved))


def reason(stderr: str) -> str:
    """Return Helm's error without what only matters to authors of charts: one line, or a sorted list of lines."""
    lines = [line for line in stderr.strip().splitlines() if not line.startswith(("WARNING", "level=", "Use --debug"))]
    text = "\n".join(line for line in lines if line.strip())
    text = _WHERE.sub("", _PREFIX.sub("", text))
    if text.startswith(_SCHEMA):
        return "\n".join(_schema_lines(text))
    return text or "helm template failed without a word; run it yourself with --debug"


def _schema_lines(text: str) -> list[str]:
    """Return a schema's complaints in a fixed order: Helm prints them in another order at each run."""
    found = sorted(line.removeprefix("- ").strip() for line in text.splitlines() if line.startswith("- "))
    return ["the values do not fit the chart:", *(f"  {line}" for line in found)]


def _take_resolved(text: str, chart: Path | str) -> tuple[object, str]:
    """Return the resolved operation's spec, and the stream without it."""
    documents = stream.split(text)
    found = index.find(documents, constants.RESOLVED_KIND)
    if len(found) != 1:
        msg = (
            f"{chart} prints {len(found)} operations where there should be one: "
            "helm roster works with the chart replica-operation, installed as a release of its own"
        )
        raise errors.BadInputError(msg)
    rest = "".join(document.text for place, document in enumerate(documents) if place != found[0].position)
    return found[0].data.get("spec"), rest
