"""The calls of docs/recipes.md: what other tools do with the post-renderer, done in their way."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from tests.support import pages, shell
from tests.support.roster import CHART, EXAMPLES, POSTRENDER, ROOT, cli
from tests.support.runner import Runner

PAGE = (ROOT / "docs" / "recipes.md").read_text()
GANG = EXAMPLES / "02-gang-training" / "values.yaml"


def kinds(text: str) -> list[str]:
    return sorted(document["kind"] for document in yaml.safe_load_all(text) if document)


def rendered(manifests: str, *, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Start the renderer as Terraform's provider does: by its path, without arguments."""
    return subprocess.run(
        [str(POSTRENDER)], input=manifests, env=environment, capture_output=True, text=True, check=False
    )


def test_the_renderer_needs_no_environment_and_no_arguments(helm3: Runner) -> None:
    manifests = helm3("template", "train", CHART, "-f", GANG).stdout
    done = rendered(manifests, environment={})
    assert done.returncode == 0, done.stderr
    assert done.stdout == cli(helm3)("template", "train", "-f", GANG).stdout


def test_an_error_is_one_line_for_a_caller(helm3: Runner) -> None:
    wrong = ("--set", "scheduling.placement.backend=slurm")
    done = rendered(helm3("template", "train", CHART, "-f", GANG, *wrong).stdout, environment={})
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)


def test_a_plain_path_is_what_helm_3_starts(helm3: Runner) -> None:
    bare = Runner(helm3.program, {name: value for name, value in helm3.env.items() if name != "PATH"}, 3)
    done = bare("template", "train", CHART, "-f", GANG, "--post-renderer", POSTRENDER)
    assert "PodGroup" in kinds(done.stdout)


@pytest.mark.parametrize("words", ["--post-renderer roster-postrender", "--post-renderer=roster-postrender"])
def test_one_name_of_the_renderer_is_right_for_both_helms(helm: Runner, tmp_path: Path, words: str) -> None:
    """What helm-diff and Helmfile hand on to `helm template` as it stands."""
    run = shell.make(helm, tmp_path)
    alone = f"export PATH={tmp_path / 'bin'}:/usr/bin:/bin"
    if helm.major == 4:
        run(f"{alone}; helm-roster setup --helm4")
    printed = run(f"{alone}; helm template train charts/replica-operation -f {GANG} {words}").stdout
    assert "PodGroup" in kinds(printed)


def test_the_pages_pipe_works_as_it_stands(helm: Runner, tmp_path: Path) -> None:
    run = shell.make(helm, tmp_path)
    (run.folder / "values.yaml").write_text(GANG.read_text())
    (pipe,) = [command for command in pages.commands(PAGE) if "|" in command]
    run(pipe)
    assert "PodGroup" in kinds((run.folder / "manifests.yaml").read_text())
