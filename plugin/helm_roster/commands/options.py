"""The options that several commands share, and how a command line is split between Helm and us."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import click
from click.core import ParameterSource

from helm_roster import assets, constants, errors
from helm_roster.helm import flags

_HAND_OVER_REPLICAS: Final = "--hand-over-replicas"
# How to have done what policy.handover refuses.
ACCEPT_RESET: Final = f"pass {_HAND_OVER_REPLICAS} to accept that"
_TIMEOUT: Final = "10m"
_SECONDS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}

# Helm's flags that name the cluster, each with the variable in which Helm hands it to its plugins. Set from the
# command line, they go into our environment, where Helm and our own client find them alike.
_CLUSTER: Final = (
    (("-n", "--namespace"), "HELM_NAMESPACE", "Namespace of the operation."),
    (("--kube-context",), "HELM_KUBECONTEXT", "Context of the kubeconfig to use."),
    (("--kubeconfig",), "KUBECONFIG", "Kubeconfig files."),
    (("--kube-apiserver",), "HELM_KUBEAPISERVER", "Address of the API server."),
    (("--kube-token",), "HELM_KUBETOKEN", "Bearer token."),
    (("--kube-ca-file",), "HELM_KUBECAFILE", "Certificate authority of the API server."),
    (("--kube-tls-server-name",), "HELM_KUBETLS_SERVER_NAME", "Name on the API server's certificate."),
    (("--kube-insecure-skip-tls-verify",), "HELM_KUBEINSECURE_SKIP_TLS_VERIFY", "Do not verify the API server."),
    (("--kube-as-user",), "HELM_KUBEASUSER", "User to impersonate."),
    (("--kube-as-group",), "HELM_KUBEASGROUPS", "Group to impersonate; may be repeated."),
    (("--debug",), "HELM_DEBUG", "Show the Helm commands that are run."),
)
_SWITCHES: Final = frozenset({"HELM_KUBEINSECURE_SKIP_TLS_VERIFY", "HELM_DEBUG"})
_LISTS: Final = frozenset({"HELM_KUBEASGROUPS"})

# The name that a plan goes by where the user gives none, as that of `helm template`.
NO_RELEASE: Final = "release-name"

Command = Callable[..., Any]


class HelmCommand(click.Command):
    """A command that passes on to Helm whatever is not an option of its own.

    The callback gets ``helm_args``. Where it has a ``release``, the one positional argument goes there; a command that
    ``takes_more`` gets the others in front of Helm's flags.
    """

    takes_more = False

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Sort the command line before click reads our part of it."""
        options = [param for param in [*self.params, self.get_help_option(ctx)] if isinstance(param, click.Option)]
        names = {name for option in options for name in option.opts}
        alone = {name for option in options if option.is_flag for name in option.opts}
        split = flags.split(args, own=names, own_standalone=alone)
        release = next((param for param in self.params if param.name == "release"), None)
        self._check(ctx, split, release)
        positionals = split.positionals or [str(release.get_default(ctx) or "")] if release else []
        return super().parse_args(ctx, [*split.own, "--", *positionals, *split.passed])

    def _check(self, ctx: click.Context, split: flags.Split, release: click.Parameter | None) -> None:
        allowed = 1 if release else 0
        if not self.takes_more and (file := next(filter(_is_values_file, split.positionals), None)):
            msg = f"{file!r} is a values file: did you mean -f {file}?"
            raise click.UsageError(msg, ctx)
        if len(split.positionals) > allowed and not self.takes_more:
            extra = split.positionals[allowed]
            msg = f"{extra!r} is one argument too many: the bundled chart is used, --chart names another"
            raise click.UsageError(msg, ctx)
        asks_help = any(word in {"-h", "--help"} for word in split.own)
        if release is not None and release.required and not split.positionals and not asks_help:
            raise click.MissingParameter(ctx=ctx, param=release)


def _is_values_file(word: str) -> bool:
    return word.endswith((".yaml", ".yml"))


class CountsCommand(HelmCommand):
    """A command that takes counts of groups behind the release."""

    takes_more = True


class Duration(click.ParamType[float]):
    """A duration as Helm writes it (``90s``, ``5m``, ``1h30m``); seconds to us."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        """Return the seconds."""
        if isinstance(value, float):
            return value
        parts = re.findall(r"(\d+(?:\.\d+)?)(ms|h|m|s)", str(value))
        if not parts or "".join(number + unit for number, unit in parts) != str(value):
            self.fail(f"{value!r} is no duration; write 90s, 5m or 1h30m", param, ctx)
        return sum(float(number) * _SECONDS[unit] for number, unit in parts)


def timeout_of(helm_args: Sequence[str]) -> float:
    """Return in seconds how long we follow what Helm did: by Helm's own ``--timeout``, or as long as ``wait`` waits.

    Raises:
        UsageError: It is no duration.
    """
    said = flags.value(helm_args, "--timeout") or os.environ.get("HELM_ROSTER_TIMEOUT") or _TIMEOUT
    try:
        return Duration().convert(said, None, None)
    except click.BadParameter as error:
        msg = f"--timeout: {error.message}"
        raise errors.UsageError(msg) from error


def cluster(command: Command) -> Command:
    """Add the options that name the cluster and namespace; they work before and after the verb."""
    for names, variable, text in reversed(_CLUSTER):
        kind: dict[str, Any] = {"is_flag": True} if variable in _SWITCHES else {"multiple": variable in _LISTS}
        told = f"{text}  [env var: {variable}]"
        add = click.option(*names, expose_value=False, callback=_export(variable), help=told, **kind)
        command = add(command)
    return command


def chart(command: Command) -> Command:
    """Add ``--chart``."""
    text = "Chart to use instead of the bundled one: a folder, an archive, or a reference that Helm knows."
    return click.option("--chart", envvar=assets.CHART_VARIABLE, show_envvar=True, metavar="CHART", help=text)(command)


def passes_on(command: Command) -> Command:
    """Add what every verb takes that hands its command line on to Helm: a release, Helm's own flags, our options."""
    for add in (
        cluster,
        chart,
        click.argument("helm_args", nargs=-1, type=click.UNPROCESSED),
        click.argument("release"),
    ):
        command = add(command)
    return command


def hand_over_replicas(command: Command) -> Command:
    """Add ``--hand-over-replicas``."""
    text = "Let autoscaling begin on groups that run, although Kubernetes then takes 1 until the autoscaler raises it."
    return click.option(
        _HAND_OVER_REPLICAS, is_flag=True, envvar="HELM_ROSTER_HAND_OVER_REPLICAS", show_envvar=True, help=text
    )(command)


def recreate(command: Command) -> Command:
    """Add ``--recreate``."""
    text = (
        "Restart gangs that cannot go on as they run: delete all their pods at once, and wait until enough new ones "
        "are placed, at most for --timeout (10m where it is not given)."
    )
    # No environment twin: it would delete the pods of every upgrade of a shell.
    return click.option(constants.RECREATE, is_flag=True, help=text)(command)


def skip_checks(command: Command) -> Command:
    """Add ``--skip-checks``."""
    text = (
        "Do not ask whether the cluster can take the operation: kinds, queues and quota, topologies, and what the API "
        "server says of each object."
    )
    return click.option(
        constants.SKIP_CHECKS, is_flag=True, envvar="HELM_ROSTER_SKIP_CHECKS", show_envvar=True, help=text
    )(command)


def with_dependents(command: Command) -> Command:
    """Add ``--with-dependents``."""
    text = "Replace also the pods of groups that read the counts of others (as count, hosts, pods or urls)."
    return click.option(constants.WITH_DEPENDENTS, is_flag=True, help=text)(command)


def refuse_skipping(helm_args: Sequence[str], *, skip_checks: bool, recreate: bool = False) -> None:
    """Refuse ``--skip-checks`` where it makes no sense; from the environment it then has no effect, if it may.

    Raises:
        UsageError: It does not go with the other flags.
    """
    if skip_checks and recreate:
        msg = (
            f"{constants.SKIP_CHECKS} with {constants.RECREATE} would delete pods that run though the new ones may "
            "never be placed: leave one of them out"
        )
        raise errors.UsageError(msg)
    context = click.get_current_context(silent=True)
    source = context.get_parameter_source("skip_checks") if context else None
    if skip_checks and flags.is_dry_run(helm_args) and source is not ParameterSource.ENVIRONMENT:
        msg = f"{constants.SKIP_CHECKS} with --dry-run: nothing is applied, and so nothing checked for it: leave it out"
        raise errors.UsageError(msg)


class Form(click.Choice[str]):
    """How to print a result. A form that only other results have counts for none where the environment asks for it."""

    elsewhere = frozenset({"html"})

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401
        """Return the form."""
        if param and ctx and value in self.elsewhere.difference(self.choices):
            is_for_all = ctx.get_parameter_source(str(param.name)) is ParameterSource.ENVIRONMENT
            value = param.get_default(ctx) if is_for_all else value
        return super().convert(value, param, ctx)


def output(variable: str, *more: str) -> Callable[[Command], Command]:
    """Add ``-o``; ``more`` are forms that not every result has."""
    kinds = Form(["table", "json", "yaml", *more])
    return click.option(
        "-o", "--output", type=kinds, default="table", show_default=True, envvar=variable, show_envvar=True,
        help="How to print the result.",
    )  # fmt: skip


def _export(variable: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def callback(ctx: click.Context, param: click.Parameter, value: str | bool | Sequence[str] | None) -> None:  # noqa: FBT001
        del ctx, param
        if value is True:
            os.environ[variable] = "true"
        elif isinstance(value, str):
            os.environ[variable] = value
        elif value:
            os.environ[variable] = ",".join(value)

    return callback
