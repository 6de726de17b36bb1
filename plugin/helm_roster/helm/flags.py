"""Reads Helm's own command-line flags, as far as we must: all of them are passed on verbatim.

To tell ``--wait ./chart`` (a chart) from ``--version 1.2`` (a value) one has to know which flags stand alone.
The list is that of ``install``, ``upgrade`` and ``template`` in Helm 3.19 and 4.3; a flag that is not in it is
taken to have a value. ``tests/test_helm_flags.py`` compares it with the ``--help`` of both.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from helm_roster import errors

# Also flags with an optional value: that one must follow an equals sign (--wait=legacy).
STANDALONE: Final = frozenset(
    f"--{name}"
    for name in (
        *("atomic", "cleanup-on-fail", "create-namespace", "debug", "dependency-update", "devel"),
        *("disable-openapi-validation", "dry-run", "enable-dns", "force", "force-conflicts", "force-replace"),
        *("generate-name", "help", "hide-notes", "hide-secret", "include-crds", "insecure-skip-tls-verify"),
        *("install", "is-upgrade", "kube-insecure-skip-tls-verify", "no-hooks", "pass-credentials", "plain-http"),
        *("release-name", "render-subchart-notes", "replace", "reset-then-reuse-values", "reset-values"),
        *("reuse-values", "rollback-on-failure", "skip-crds", "skip-schema-validation", "skip-tests"),
        *("take-ownership", "validate", "verify", "wait", "wait-for-jobs"),
    )
)
_STANDALONE_LETTERS: Final = frozenset("ghi")
# Stands alone for `install` and has a value for `upgrade` (Helm 4).
_EITHER: Final = "--server-side"
_EITHER_VALUES: Final = frozenset({"true", "false", "auto"})
# Flags that `helm template` lacks, reads differently (--server-side), or that would hide a part of the operation.
_NOT_OF_TEMPLATE: Final = frozenset(
    {
        *("--cleanup-on-fail", "--hide-secret", "--history-max", "--install", "-i", "--output", "-o"),
        *("--reset-then-reuse-values", "--reset-values", "--reuse-values", "--hide-notes", "--render-subchart-notes"),
        *("--server-side", "--dry-run", "--output-dir", "--show-only", "-s", "--validate"),
    }
)
# Flags that say where a chart is, and how to get it.
_OF_CHARTS: Final = frozenset(
    {
        *("--version", "--repo", "--devel", "--username", "--password", "--ca-file", "--cert-file", "--key-file"),
        *("--keyring", "--verify", "--insecure-skip-tls-verify", "--pass-credentials", "--plain-http"),
    }
)
# With these, the values of the release that runs come in; and also where no value is given at all.
_REUSING: Final = ("--reuse-values", "--reset-then-reuse-values")
VALUES: Final = ("-f", "--values", "--set", "--set-file", "--set-json", "--set-literal", "--set-string")


class Flag(NamedTuple):
    """One word or pair of the command line. ``name`` is empty for a positional argument, whose ``value`` it is."""

    name: str
    value: str | None
    tokens: tuple[str, ...]


class Split(NamedTuple):
    """A command line by who reads it: our own options, positional arguments, and what Helm gets."""

    own: list[str]
    positionals: list[str]
    passed: list[str]


def read(args: Sequence[str], standalone: Collection[str] = STANDALONE) -> Iterator[Flag]:
    """Yield the flags and positional arguments of ``args`` in their order."""
    rest = deque(args)
    while rest:
        word = rest.popleft()
        if word == "--":
            yield from (Flag(name="", value=later, tokens=(later,)) for later in rest)
            return
        if not word.startswith("-") or word == "-":
            yield Flag(name="", value=word, tokens=(word,))
        else:
            yield _flag(word, rest, standalone)


def split(args: Sequence[str], *, own: Collection[str], own_standalone: Collection[str] = ()) -> Split:
    """Sort ``args``: ``own`` are the names of our options (``-n``, ``--chart``), some of which take no value."""
    result = Split(own=[], positionals=[], passed=[])
    for flag in read(args, STANDALONE.difference(own).union(own_standalone)):
        if not flag.name:
            result.positionals.append(str(flag.value))
        elif flag.name in own:
            result.own.extend(flag.tokens)
        else:
            result.passed.extend(flag.tokens)
    return result


def has(args: Sequence[str], *names: str) -> bool:
    """Return whether one of the flags ``names`` is given and not switched off by ``=false``."""
    return any(flag.name in names and flag.value != "false" for flag in read(args))


def value(args: Sequence[str], name: str) -> str | None:
    """Return the last value of the flag ``name``; empty for one that stands alone, None where it is absent."""
    found = [flag for flag in read(args) if flag.name == name]
    return (found[-1].value or "") if found else None


def for_template(args: Sequence[str]) -> list[str]:
    """Return those of ``args`` with which ``helm template`` prints the whole of what would be installed."""
    return [token for flag in read(args) if flag.name not in _NOT_OF_TEMPLATE for token in flag.tokens]


def for_show(args: Sequence[str]) -> list[str]:
    """Return those of ``args`` with which ``helm show`` finds the same chart."""
    return [token for flag in read(args) if flag.name in _OF_CHARTS for token in flag.tokens]


def is_dry_run(args: Sequence[str]) -> bool:
    """Return whether Helm is asked to change nothing."""
    return value(args, "--dry-run") not in (None, "none", "false")


def reuses_values(args: Sequence[str]) -> bool:
    """Return whether ``helm upgrade`` goes on from the values of the running release, which its flags do not show.

    Source: helm pkg/action/upgrade.go, ``reuseValues``.
    """
    if has(args, "--reset-values"):
        return False
    return has(args, *_REUSING) or not gives_values(args)


def gives_values(args: Sequence[str]) -> bool:
    """Return whether one of Helm's flags for values is given."""
    return any(flag.name in VALUES for flag in read(args))


def refuse_post_renderer(args: Sequence[str]) -> None:
    """Refuse a post-renderer of the user's.

    Raises:
        UsageError: One is given: Helm 4 takes only one, and ours must see what is applied.
    """
    if has(args, "--post-renderer", "--post-renderer-args"):
        msg = (
            "--post-renderer cannot be given: helm roster passes its own, and Helm takes one; "
            "put your changes into the values, or run helm itself with a renderer that calls roster-postrender"
        )
        raise errors.UsageError(msg)


def _flag(word: str, rest: deque[str], standalone: Collection[str]) -> Flag:
    """Read one flag, and its value out of ``rest`` where it has one."""
    if word.startswith("--"):
        name, equals, attached = word.partition("=")
        alone = name in standalone or (name == _EITHER and (not rest or rest[0] not in _EITHER_VALUES))
    else:
        name, equals, attached = word[:2], word[2:], word[2:].removeprefix("=")
        alone = word[1] in _STANDALONE_LETTERS
    if equals or alone or not rest:
        return Flag(name=name, value=attached if equals else None, tokens=(word,))
    following = rest.popleft()
    return Flag(name=name, value=following, tokens=(word, following))
