"""Reads our Markdown pages: blocks of code, the commands in them, and tables."""

from __future__ import annotations

import re

COMMANDS = ("sh", "console")


def section(text: str, title: str) -> str:
    """Return what stands below a heading of the second level, up to the next one."""
    (found,) = re.findall(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return str(found)


def anchors(text: str) -> set[str]:
    """Return the anchors that the headings get."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def blocks(text: str, *languages: str) -> list[str]:
    """Return the blocks of code in these languages."""
    return re.findall(rf"```(?:{'|'.join(languages)})\n(.*?)```", text, re.DOTALL)


def commands(text: str) -> list[str]:
    """Return the lines that a reader is told to run, without the words behind #."""
    lines = (line for block in blocks(text, *COMMANDS) for line in block.splitlines())
    return [line.partition(" # ")[0].strip() for line in lines if line.strip() and not line.startswith("#")]


def rows(text: str) -> list[list[str]]:
    """Return the cells of all tables, row by row, without heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads = {index for index, line in enumerate(lines) if line.startswith("| ---")}
    kept = (line for index, line in enumerate(lines) if not {index, index + 1} & heads)
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in kept]


def code(cell: str) -> list[str]:
    """Return what stands between backticks."""
    return re.findall(r"`([^`]+)`", cell)
