"""Writes the generated pages: commands from ``--help``, JSON shapes from docstrings, values, backends, presets.

With them it writes the table of Kubernetes' fields, which is no page.
"""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from helm_roster import cli

ROOT = Path(__file__).parent.parent
COMMAND_LINE = ROOT / "docs" / "command-line.md"
JSON = ROOT / "docs" / "json.md"
SCHEMAS = ROOT / "docs" / "schemas"
SHAPES = {
    "plan": "helm_roster.report.plan_json",
    "plan --explain": "helm_roster.report.explanation",
    "status": "helm_roster.report.status_json",
    "The verdicts of status": "helm_roster.policy.health",
    "list": "helm_roster.commands.list",
    "logs": "helm_roster.report.log_lines",
    "wait": "helm_roster.commands.wait",
    "When a wait ends": "helm_roster.policy.waiting",
    "scale": "helm_roster.report.scaling_report",
    "suspend and resume": "helm_roster.commands.suspend",
    "cancel": "helm_roster.commands.cancel",
    "What holds what is left": "helm_roster.policy.holding",
    "presets list": "helm_roster.commands.presets_list",
    "presets show": "helm_roster.commands.presets_show",
    "presets lint": "helm_roster.commands.presets_lint",
    "presets check": "helm_roster.commands.presets_check",
    "doctor": "helm_roster.commands.doctor",
    "setup": "helm_roster.commands.setup",
}

_COMMAND_LINE_HEAD = """# The command line

Written by `make docs` from `--help`. `helm-roster` and `helm roster` are the same; flags that are not ours go to Helm.
"""
_JSON_HEAD = """# JSON results

Written by `make docs`. Every result has `apiVersion` and `kind`; a change that breaks readers changes `apiVersion`.
Keys may be added. The schemas, one a kind:
"""


def command_line() -> str:
    """Return the page of commands."""
    return "\n".join([_COMMAND_LINE_HEAD, *_helps(cli.cli, "helm roster")])


def json_shapes() -> str:
    """Return the page of JSON shapes."""
    sections = [_JSON_HEAD, *(f"- [{path.name}](schemas/{path.name})" for path in sorted(SCHEMAS.glob("*.json"))), ""]
    for title, module in SHAPES.items():
        text = inspect.getdoc(importlib.import_module(module)) or ""
        sections.append(f"## {title}\n\n{text.replace('``', '`')}\n")
    return "\n".join(sections)


def _helps(command: click.Command, name: str) -> Iterator[str]:
    """Yield the help of a command, then that of those below it."""
    yield _help(command, name)
    for below, verb in sorted(command.commands.items() if isinstance(command, click.Group) else ()):
        yield from _helps(verb, f"{name} {below}")


def _help(command: click.Command, name: str) -> str:
    settings = {**cli.cli.context_settings, "max_content_width": 100}
    context = click.Context(command, info_name=name, terminal_width=100, **settings)
    text = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    return f"## {name}\n\n```text\n{text}\n```\n"


def main() -> None:
    """Write all pages."""
    COMMAND_LINE.parent.mkdir(exist_ok=True)
    COMMAND_LINE.write_text(command_line())
    JSON.write_text(json_shapes())
    for module in ("tests.chart.reference", "tools.kubernetes_fields", "tools.backend_pages", "tools.preset_pages"):
        subprocess.run([sys.executable, "-m", module], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
