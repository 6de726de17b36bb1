"""Every example is a test: what it renders stands beside it, or the words with which it is refused.

``make examples`` writes the expected files anew. The release is called as the folder, without its number.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

import pytest

from tests.support import clients, manifests, pages, shell
from tests.support.roster import CHART, EXAMPLES, PlainHelm, cli, given
from tests.support.runner import Runner, isolated

FOLDERS = sorted(path.parent for path in EXAMPLES.glob("*/values.yaml"))
RENDERED = [folder for folder in FOLDERS if not (folder / "expected.err").exists()]
REFUSED = [folder for folder in FOLDERS if (folder / "expected.err").exists()]


def release(folder: Path) -> str:
    return folder.name.partition("-")[2]


def rendered(helm: Runner, folder: Path) -> str:
    done = PlainHelm(helm)("template", release(folder), CHART, *given(folder / "values.yaml"))
    return manifests.write(manifests.read(done.stdout))


def refusal(helm: Runner, folder: Path) -> str:
    done = cli(helm).attempt("template", release(folder), *given(folder / "values.yaml"))
    assert done.returncode == 1, done.stderr
    assert done.stdout == ""
    return done.stderr


def test_there_are_examples_of_both_sorts() -> None:
    assert len(RENDERED) >= 3
    assert len(REFUSED) >= 2


@pytest.mark.parametrize("folder", RENDERED, ids=lambda folder: folder.name)
def test_an_example_renders_what_stands_beside_it(helm: Runner, folder: Path) -> None:
    assert rendered(helm, folder) == (folder / "expected.yaml").read_text()


@pytest.mark.parametrize("folder", RENDERED, ids=lambda folder: folder.name)
def test_our_template_command_gives_what_plain_helm_gives(helm: Runner, folder: Path) -> None:
    done = cli(helm)("template", release(folder), *given(folder / "values.yaml"))
    assert manifests.write(manifests.read(done.stdout)) == (folder / "expected.yaml").read_text()


@pytest.mark.parametrize("folder", REFUSED, ids=lambda folder: folder.name)
def test_a_refused_example_says_what_stands_beside_it(helm: Runner, folder: Path) -> None:
    assert refusal(helm, folder) == (folder / "expected.err").read_text()


@pytest.mark.parametrize("folder", REFUSED, ids=lambda folder: folder.name)
def test_the_command_of_a_refused_example_is_refused(helm4: Runner, tmp_path: Path, folder: Path) -> None:
    (command,) = pages.commands((folder / "README.md").read_text())
    done = shell.make(helm4, tmp_path).attempt(command)
    assert (done.returncode, done.stdout) == (1, "")
    assert (folder / "expected.err").read_text() in done.stderr


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_example_tells_what_it_is_for(folder: Path) -> None:
    assert (folder / "README.md").read_text().startswith("# ")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_an_example_that_is_installed_says_at_its_end_how_to_cancel_it(folder: Path) -> None:
    told = (folder / "README.md").read_text()
    installed = re.findall(r"^helm(?:-roster)? install (\S+)", told, re.MULTILINE)
    last = told.rstrip().rpartition("\n\n")[2]
    assert [name for name in installed if f"`helm-roster cancel {name}` ends " not in last] == []


def test_examples_of_hardware_need_no_patches() -> None:
    of_hardware = [folder for folder in FOLDERS if "presets/" in (folder / "README.md").read_text()]
    assert len(of_hardware) >= 6
    assert [folder.name for folder in of_hardware if "\npatches:" in (folder / "values.yaml").read_text()] == []


def test_every_example_is_in_the_list_of_them() -> None:
    told = (EXAMPLES / "README.md").read_text()
    assert [folder.name for folder in FOLDERS if f"]({folder.name})" not in told] == []


def rewrite() -> None:
    """Write every expected file from what Helm 4 renders now."""
    program = clients.ensure("helm-4.3")
    with tempfile.TemporaryDirectory() as home:
        helm = Runner(program, {**isolated(Path(home), HELM_BIN=str(program)), "PATH": os.environ["PATH"]}, 4)
        for folder in RENDERED:
            (folder / "expected.yaml").write_text(rendered(helm, folder))
        for folder in REFUSED:
            (folder / "expected.err").write_text(refusal(helm, folder))
    print(f"wrote {len(FOLDERS)} examples; read the diff", file=sys.stderr)


if __name__ == "__main__":
    rewrite()
