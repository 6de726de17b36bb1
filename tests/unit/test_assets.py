"""Where the chart and the plugin folder are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from helm_roster import assets, errors


def test_the_chart_that_is_named_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM_ROSTER_CHART", "/from/env")
    assert (assets.chart("oci://mine"), assets.chart()) == ("oci://mine", "/from/env")


def test_without_a_name_the_bundled_chart_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HELM_ROSTER_CHART", raising=False)
    assert (Path(assets.chart()) / "Chart.yaml").is_file()


def test_the_helm_4_folder_holds_the_plugin() -> None:
    assert (assets.helm4_plugins() / "postrender" / "plugin.yaml").is_file()


def test_a_broken_installation_is_said(tmp_path: Path) -> None:
    with pytest.raises(errors.BadInputError, match="the thing is missing from this installation"):
        assets._first((tmp_path / "no",), "thing", "install again")
