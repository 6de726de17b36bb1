"""Which objects hold Helm's record."""

from __future__ import annotations

import pytest

from helm_roster import errors
from helm_roster.cluster import records


@pytest.mark.parametrize(("driver", "plural"), [("", "secrets"), ("secret", "secrets"), ("configmap", "configmaps")])
def test_the_storage_driver_decides(driver: str, plural: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM_DRIVER", driver)
    assert records.storage().plural == plural


@pytest.mark.parametrize("driver", ["sql", "memory"])
def test_records_outside_of_the_cluster_are_refused(driver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM_DRIVER", driver)
    with pytest.raises(errors.RefusedError, match=f"HELM_DRIVER={driver} keeps Helm's records outside"):
        records.refuse_outside()


@pytest.mark.parametrize("driver", ["", "secret", "secrets", "configmap", "configmaps"])
def test_records_in_the_cluster_are_not_refused(driver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM_DRIVER", driver)
    records.refuse_outside()
