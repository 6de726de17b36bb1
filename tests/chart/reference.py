"""Writes the table of values in the chart's README from the schema: `python -m tests.chart.reference`."""

from __future__ import annotations

from tests.chart import schema
from tests.support.roster import CHART

README = CHART / "README.md"
BEGIN = "<!-- values: written by `python -m tests.chart.reference` -->\n"
END = "<!-- end of values -->\n"


def table() -> str:
    """Return the Markdown table of all documented keys."""
    rows = [_row(".".join(path), node) for path, node in schema.documented().items()]
    return "\n".join(["| Key | Type | Meaning |", "| --- | --- | --- |", *rows, ""])


def _row(key: str, node: schema.Node) -> str:
    """Return a key's row. The title says what is taken where the type admits more, for a refusal in words of ours."""
    kinds = node.get("title") or " or ".join(kind for kind in node["type"] if kind != "null")
    text = node["description"].replace("|", "\\|")
    return f"| `{key}` | {kinds} | {text} |"


def main() -> None:
    """Put the table between the marks."""
    head, _, rest = README.read_text().partition(BEGIN)
    README.write_text(f"{head}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}")


if __name__ == "__main__":
    main()
