"""The command line from outside, with the real Helms and without a cluster."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click
import pytest
import yaml

from helm_roster import cli, errors

from tests.support.roster import cli as cli_of
from tests.support.runner import Runner

ROOT = Path(__file__).parents[1]
VERBS = {name: verb for name, verb in cli.cli.commands.items() if not isinstance(verb, click.Group)} | {
    f"{name} {below}": verb
    for name, group in cli.cli.commands.items()
    if isinstance(group, click.Group)
    for below, verb in group.commands.items()
}
RL = ROOT / "examples" / "03-rl-separated" / "values.yaml"
LIBRARIES = {"click", "helm_roster", "jinja2", "jsonpatch", "kubernetes", "rich", "yaml"}
TWO_ELASTIC = ["--set", "scheduling.gangs.step.members.scorer.min=1"]


def documents(text: str) -> dict[tuple[str, str], object]:
    """Return manifests as data, by kind and name."""
    found = [document for document in yaml.safe_load_all(text) if document]
    return {(entry["kind"], entry["metadata"]["name"]): entry for entry in found}


@pytest.mark.parametrize("name", {**cli.cli.commands, **VERBS})
def test_every_command_has_help_with_an_example(name: str) -> None:
    command = {**cli.cli.commands, **VERBS}[name]
    text = command.get_help(click.Context(command, info_name=name, **cli.cli.context_settings))
    assert f"  helm roster {name} " in text


def processor_seconds(command: list[str | Path], env: Mapping[str, str]) -> float:
    """Return the processor time of one run and of nothing else."""
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("args", [["--help"], ["upgrade", "--help"]], ids=" ".join)
def test_help_takes_less_than_150_milliseconds_or_twice_what_click_takes(roster4: Runner, args: list[str]) -> None:
    """The median counts, after a run that writes bytecode; on a busy machine twice what importing click takes."""
    help_, click_ = [roster4.program, *args], [Path(sys.executable), "-c", "import click"]
    processor_seconds(help_, roster4.env)
    runs = [[processor_seconds(command, roster4.env) for command in (help_, click_)] for _ in range(7)]
    ours, least = (statistics.median(column) for column in zip(*runs, strict=True))
    assert ours < max(0.15, 2 * least)


def test_help_imports_no_library_but_click_and_little_of_pythons_own() -> None:
    code = "import sys; from helm_roster import cli; cli.run(['plan', '--help']); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert loaded & LIBRARIES == {"click", "helm_roster"}
    assert loaded & {"dataclasses", "json", "pathlib", "shutil", "traceback", "urllib"} == set()


@pytest.mark.parametrize(("columns", "width"), [("200", 120), ("70", 70), ("9", 52), ("wide", 80), (None, 80)])
def test_help_is_as_wide_as_the_terminal_and_no_wider_than_can_be_read(
    roster4: Runner, columns: str | None, width: int
) -> None:
    said = roster4.with_env(**({"COLUMNS": columns} if columns else {}))("upgrade", "--help").stdout
    assert width - 12 < max(len(line) for line in said.splitlines() if not line.startswith("  helm")) <= width


# A shell's environment must not delete data, nor pods, and must not make any.
TWINLESS = {"delete_data", "recreate", "smoke_test", "with_dependents"}


@pytest.mark.parametrize("name", VERBS)
def test_every_option_has_an_environment_twin(name: str) -> None:
    options = [param for param in VERBS[name].params if isinstance(param, click.Option)]
    untwinned = [param.name for param in options if not param.envvar and "[env var: " not in (param.help or "")]
    assert set(untwinned) <= TWINLESS


def test_data_is_deleted_only_where_the_command_says_so() -> None:
    option = next(param for param in cli.cli.commands["cancel"].params if param.name == "delete_data")
    assert option.envvar is None


def test_gangs_are_restarted_only_where_the_command_says_so() -> None:
    option = next(param for param in cli.cli.commands["upgrade"].params if param.name == "recreate")
    assert option.envvar is None


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["install"], "Missing argument 'RELEASE'"),
        (["install", "rl", "./chart", "-f", "v.yaml"], "--chart names another"),
        (["plan", "rl", "./chart"], "--chart names another"),
        (["plan", "c.yaml"], "did you mean -f c.yaml?"),
        (["install", "rl", "c.yml"], "did you mean -f c.yml?"),
        (["install", "rl", "--post-renderer", "x"], "Helm takes one"),
        (["plan", "other", "--against", "rl"], "--against rl compares with that release: leave out other"),
        (["plan", "--against", "rl", "--explain", "a"], "are two questions"),
        (["status"], "Missing argument 'RELEASE'"),
        (["scale", "rl"], "name a group and its count, as in decode=12"),
        (["scale", "rl", "decode=+2"], '"decode=+2" is no group and count'),
        (["scale", "rl", "decode=2", "decode=3"], "is the second count of decode"),
        (["scale", "rl", "decode=2", "-f", "v.yaml"], "-f: scale changes counts and nothing else"),
        (["scale", "rl", "decode=2", "--force"], "--force: scale changes counts and nothing else"),
        (["scale", "rl", "decode=2", "--force-replace"], "--force-replace: scale changes counts"),
        (["scale", "rl", "decode=2", "--take-ownership"], "--take-ownership: scale changes counts"),
        (["scale", "rl", "decode=2", "--no-hooks=false"], "--no-hooks=false: scale changes counts"),
        (["scale", "rl", "decode=2", "--post-renderer", "x"], "Helm takes one"),
        (["cancel", "rl", "--timeout", "soon"], "is no duration"),
        (["logs", "rl", "-c", "main", "--all-containers"], "are two questions"),
        (["logs", "rl", "-f", "-p"], "there is nothing to --follow"),
        (["frobnicate"], "No such command 'frobnicate'"),
    ],
)
def test_a_wrong_command_line_ends_with_2(roster4: Runner, args: list[str], words: str) -> None:
    done = roster4.attempt(*args)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr


def test_template_prints_what_helm_prints_with_the_renderer(roster: Runner, helm: Runner) -> None:
    script = roster.program.with_name("roster-postrender")
    plugins = {"HELM_PLUGINS": str(ROOT / "plugin" / "helm4"), "HELM_ROSTER_POSTRENDER": str(script)}
    renderer = script if helm.major == 3 else "roster-postrender"
    plain = helm.with_env(**plugins) if helm.major == 4 else helm
    chart = ROOT / "charts" / "replica-operation"
    expected = plain("template", "rl", chart, "-f", RL, "--post-renderer", renderer).stdout
    assert roster("template", "rl", "-f", RL).stdout == expected


def test_template_gives_the_same_objects_on_both_helms(helm3: Runner, helm4: Runner) -> None:
    printed = [cli_of(helm)("template", "rl", "-f", RL, "-n", "team").stdout for helm in (helm3, helm4)]
    three, four = (documents(text) for text in printed)
    assert {kind for kind, _ in three} >= {"StatefulSet", "PodGroup", "CompositePodGroup"}
    assert three == four


def test_what_cannot_be_kept_is_refused_in_words_before_helm_applies_anything(roster: Runner) -> None:
    done = roster.attempt("install", "rl", "-f", RL, *TWO_ELASTIC)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith('Error: gang "step": two elastic members ("scorer", "rollout") cannot be placed')
    assert done.stderr.count("\n") == 1


def test_a_wrong_value_is_refused_in_the_charts_words(roster: Runner) -> None:
    done = roster.attempt("install", "rl", "-f", RL, "--set", "scheduling.gangs.step.members.nobody.min=1")
    assert done.returncode == 1
    assert "nobody" in done.stderr
    assert "Traceback" not in done.stderr


def test_helm_4_is_told_of_our_plugin_without_a_change_to_the_users_folder(roster4: Runner, tmp_path: Path) -> None:
    mine = tmp_path / "plugins"
    mine.mkdir()
    roster4.with_env(HELM_PLUGINS=str(mine))("template", "rl", "-f", RL)
    assert list(mine.iterdir()) == []


def test_a_renderer_that_the_user_installed_is_not_doubled(roster4: Runner, tmp_path: Path) -> None:
    (tmp_path / "postrender").symlink_to(ROOT / "plugin" / "helm4" / "postrender")
    done = roster4.with_env(HELM_PLUGINS=str(tmp_path))("template", "rl", "-f", RL)
    assert "kind: PodGroup" in done.stdout


def test_values_come_from_stdin(roster: Runner) -> None:
    assert "kind: PodGroup" in roster("template", "rl", "-f", "-", text=RL.read_text()).stdout


def test_the_namespace_may_stand_before_or_after_the_verb(roster4: Runner) -> None:
    before = roster4("-n", "team", "template", "rl", "-f", RL)
    after = roster4("template", "rl", "-f", RL, "--namespace=team")
    assert before.stdout == after.stdout


def test_the_chart_may_come_from_the_environment(roster4: Runner) -> None:
    done = roster4.with_env(HELM_ROSTER_CHART="/no/such/chart").attempt("template", "rl", "-f", RL)
    assert done.returncode == 1
    assert "/no/such/chart" in done.stderr


def test_helm_3_cannot_write_rendered_files_and_says_so(helm3: Runner, tmp_path: Path) -> None:
    done = cli_of(helm3).attempt("template", "rl", "-f", RL, "--output-dir", str(tmp_path / "out"))
    assert done.returncode == 1
    assert "use Helm 4" in done.stderr
    assert not (tmp_path / "out").exists()


def test_helm_4_writes_rendered_files(helm4: Runner, tmp_path: Path) -> None:
    cli_of(helm4)("template", "rl", "-f", RL, "--output-dir", str(tmp_path / "out"))
    assert any("kind: PodGroup" in path.read_text() for path in (tmp_path / "out").rglob("*.yaml"))


@pytest.mark.parametrize("words", [["cancel", "rl"], ["scale", "rl", "decode=2"]], ids=lambda words: words[0])
def test_where_helm_keeps_its_records_elsewhere_nothing_is_done(roster4: Runner, words: list[str]) -> None:
    done = roster4.with_env(HELM_DRIVER="sql").attempt(*words)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "HELM_DRIVER=sql keeps Helm's records outside" in done.stderr


def test_install_without_a_cluster_is_one_line_and_exit_code_4(roster: Runner) -> None:
    done = roster.attempt("install", "rl", "-f", RL)
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)
    assert done.stderr.startswith("Error: no cluster is configured")


ASKING = (
    *(["status", "rl"], ["wait", "rl"], ["list"], ["logs", "rl"], ["cancel", "rl"], ["scale", "rl", "decode=2"]),
    *(["install", "rl", "-f", RL], ["upgrade", "rl", "-f", RL], ["upgrade", "rl"]),
    ["plan", "-f", RL, "--against", "rl"],
)


@pytest.mark.parametrize("args", ASKING, ids=lambda args: str(args[0]))
def test_every_command_names_a_kubeconfig_or_context_that_is_not_there_alike(
    roster4: Runner, tmp_path: Path, args: list[str | Path]
) -> None:
    absent = roster4.with_env(KUBECONFIG=str(tmp_path / "absent")).attempt(*args)
    assert (absent.returncode, absent.stderr) == (
        1, f"Error: kubeconfig {tmp_path}/absent is not there: correct KUBECONFIG or --kubeconfig\n"
    )  # fmt: skip
    (tmp_path / "there").write_text('{"contexts": [{"name": "a"}], "current-context": "a"}')
    other = roster4.with_env(KUBECONFIG=str(tmp_path / "there"), HELM_KUBECONTEXT="b").attempt(*args)
    assert (other.returncode, other.stderr) == (
        1, f'Error: context "b" is not in kubeconfig {tmp_path}/there (it holds a): correct --kube-context\n'
    )  # fmt: skip


def test_plan_needs_no_release_and_no_cluster(roster: Runner) -> None:
    done = roster("plan", "-f", RL, "-o", "json")
    assert json.loads(done.stdout)["kind"] == "Plan"
    assert done.stderr == ""


def test_the_output_form_may_come_from_the_environment(roster4: Runner) -> None:
    done = roster4.with_env(HELM_ROSTER_OUTPUT="json")("plan", "-f", RL)
    assert json.loads(done.stdout)["kind"] == "Plan"


def test_results_come_as_yaml_too(roster4: Runner) -> None:
    assert yaml.safe_load(roster4("plan", "-f", RL, "-o", "yaml").stdout)["totals"]["pods"] > 0


def test_debug_shows_the_helm_commands(roster4: Runner) -> None:
    done = roster4("--debug", "template", "rl", "-f", RL)
    assert f"+ {roster4.env['HELM_BIN']} template rl" in done.stderr


def test_it_runs_as_a_module(helm4: Runner) -> None:
    done = Runner(Path(sys.executable), helm4.env)("-m", "helm_roster", "--version")
    assert done.stdout.startswith("helm-roster, version")


@pytest.mark.parametrize(
    ("raised", "code", "words"),
    [
        (errors.DeadlineError("over"), 5, "Error: over\n"),
        (errors.CancelledError("gone"), 6, "Error: gone\n"),
        (KeyboardInterrupt(), 130, "Error: interrupted\n"),
        (ZeroDivisionError("oops"), 3, "this is a bug in helm-roster 0.1.0"),
    ],
    ids=["timeout", "cancelled", "interrupt", "bug"],
)
def test_every_error_ends_at_one_boundary(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], raised: BaseException, code: int, words: str
) -> None:
    @click.command()
    def broken() -> None:
        raise raised

    monkeypatch.setitem(cli.cli.commands, "broken", broken)
    assert cli.run(["broken"]) == code
    assert words in capsys.readouterr().err


def test_an_interrupt_reaches_helm_and_ends_with_130(tmp_path: Path, roster4: Runner) -> None:
    slow = tmp_path / "helm"
    slow.write_text(
        """#!/bin/sh
case $1 in version) echo v4.3.1; exit;; env) exit;; history) exit 1;; esac
echo started >&2
exec sleep 60
"""
    )
    slow.chmod(0o755)
    cluster = {"HELM_KUBEAPISERVER": "http://127.0.0.1:1"}
    environment = {**roster4.env, **cluster, "HELM_BIN": str(slow), "PYTHONUNBUFFERED": "1"}
    # Nothing to render, since its record cannot be read, and no cluster to look at.
    command = [str(roster4.program), "upgrade", "rl", "--reuse-values", "--dry-run=client"]
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  (background jobs ignore ^C)
    ) as process:  # fmt: skip
        assert process.stderr is not None
        assert "Helm alone checks" in process.stderr.readline()
        assert process.stderr.readline() == "started\n"
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=20) == 130


def run_in_shell(roster4: Runner, line: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which $ROSTER is our program."""
    environment = {**roster4.env, "ROSTER": str(roster4.program), **more}
    command = ["bash", "-c", line]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        pytest.param(
            "plan -f VALUES >/dev/full", 4, ["the output cannot be written: No space left on device"], id="full"
        ),
        pytest.param("plan -f VALUES >&-", 0, [], id="closed"),
        pytest.param("plan -f nowhere 2>&-", 1, [], id="no stderr"),
    ],
)
def test_output_that_nothing_takes_is_no_bug(roster4: Runner, line: str, code: int, words: list[str]) -> None:
    done = run_in_shell(roster4, f'"$ROSTER" {line.replace("VALUES", str(RL))}')
    assert (done.returncode, done.stderr.splitlines()) == (code, [f"Error: {text}" for text in words])


def test_an_interrupt_of_the_start_ends_with_130(tmp_path: Path, roster4: Runner) -> None:
    (tmp_path / "click.py").write_text("raise KeyboardInterrupt")
    done = roster4.with_env(PYTHONPATH=str(tmp_path)).attempt("--help")
    assert (done.returncode, done.stderr) == (130, "Error: interrupted\n")


def test_a_reader_that_stops_is_no_error(roster4: Runner) -> None:
    done = run_in_shell(roster4, f'"$ROSTER" template rl -f {RL} | head -0; echo "${{PIPESTATUS[0]}}"')
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_what_the_encoding_has_not_is_escaped(roster4: Runner) -> None:
    path = "groups.learner.environment.annotations"
    line = f'"$ROSTER" plan -f {RL} --explain {path} --set {path}.note=größe→4'
    done = run_in_shell(roster4, line, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "gr\\xf6\\xdfe\\u21924" in done.stdout
