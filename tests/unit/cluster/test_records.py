"""Which objects hold Helm's record."""

from __future__ import annotations

import pytest

from helm_roster.cluster import records


@pytest.mark.parametrize(("driver", "plural"), [("", "secrets"), ("secret", "secrets"), ("configmap", "configmaps")])
def test_the_storage_driver_decides(driver: str, plural: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELM_DRIVER", driver)
    assert records.storage().plural == plural
