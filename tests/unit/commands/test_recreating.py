"""What may not stand beside --recreate."""

from __future__ import annotations

import pytest

from helm_roster import errors
from helm_roster.commands import against, options, recreating


@pytest.mark.parametrize(
    "flags",
    [["--wait"], ["--wait=watcher"], ["--wait-for-jobs"], ["--atomic"], ["--rollback-on-failure", "-f", "v.yaml"]],
    ids=" ".join,
)
def test_helms_own_waiting_is_refused(flags: list[str]) -> None:
    with pytest.raises(errors.UsageError, match=f"leave {flags[0].partition('=')[0]} out"):
        recreating.prepare("op", flags)


@pytest.mark.parametrize("flags", [[], ["--wait=false"], ["--wait=hookOnly"], ["--atomic=false"]], ids=" ".join)
def test_what_does_not_wait_for_pods_is_taken(flags: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(against, "running", lambda _: None)
    assert recreating.prepare("op", flags) is not None


def test_where_helm_only_tries_nothing_is_followed() -> None:
    assert recreating.prepare("op", ["--dry-run=server"]) is None


@pytest.mark.parametrize(
    ("flags", "variable", "seconds"), [([], "", 600), ([], "30s", 30), (["--timeout", "2m"], "30s", 120)]
)
def test_the_time_is_that_of_helms_flag_or_of_wait(
    flags: list[str], variable: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HELM_ROSTER_TIMEOUT", variable)
    assert options.timeout_of(flags) == seconds


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(errors.UsageError, match="--timeout: 'soon' is no duration"):
        options.timeout_of(["--timeout", "soon"])
