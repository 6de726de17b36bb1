"""Fails when code grows past what one can read at a sitting. The limits are those of CONTRIBUTING.md."""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "plugin" / "helm_roster"
TEMPLATES = ROOT / "charts"

MODULE_LINES = 400
TEMPLATE_LINES = 100
FUNCTION_LINES = 60
FUNCTION_MEDIAN = 10
FUNCTION_P90 = 30
CLI_LINES = 200


def main() -> int:
    """Print every limit that is broken; return how the process should exit."""
    broken = [*_modules(), *_templates(), *_functions()]
    print(*broken, sep="\n", file=sys.stderr)
    if not broken:
        print("size gates hold")
    return 1 if broken else 0


def _modules() -> Iterator[str]:
    for path in sorted(PACKAGE.rglob("*.py")):
        limit = CLI_LINES if path.name == "cli.py" else MODULE_LINES
        yield from _too_long(path, limit)


def _templates() -> Iterator[str]:
    for path in sorted([*TEMPLATES.rglob("*.tpl"), *TEMPLATES.rglob("templates/**/*.yaml")]):
        yield from _too_long(path, TEMPLATE_LINES)


def _too_long(path: Path, limit: int) -> Iterator[str]:
    lines = len(path.read_text().splitlines())
    if lines > limit:
        yield f"{path.relative_to(ROOT)}: {lines} lines, at most {limit}: split it by what its parts are about"


def _functions() -> Iterator[str]:
    sizes = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                size = _code_lines(node)
                sizes.append(size)
                if size > FUNCTION_LINES:
                    where = f"{path.relative_to(ROOT)}:{node.lineno}"
                    yield f"{where}: {node.name} has {size} lines, at most {FUNCTION_LINES}"
    median, p90 = statistics.median(sizes), statistics.quantiles(sizes, n=10)[-1]
    if median > FUNCTION_MEDIAN:
        yield f"half of all functions have more than {FUNCTION_MEDIAN} lines (median {median})"
    if p90 > FUNCTION_P90:
        yield f"one function in ten has more than {FUNCTION_P90} lines (90th percentile {p90:.0f})"


def _code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return a function's lines without its docstring."""
    first = node.body[0]
    is_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    documented = (first.end_lineno or first.lineno) - first.lineno + 1 if is_docstring else 0
    return (node.end_lineno or node.lineno) - node.lineno + 1 - documented


if __name__ == "__main__":
    sys.exit(main())
