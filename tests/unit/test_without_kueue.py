"""What becomes of Kueue's tests on a machine where it cannot run."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from tests import conftest
from tests.cluster import admission


@pytest.mark.parametrize(
    ("required", "end"), [("", pytest.skip.Exception), ("1", pytest.fail.Exception)], ids=["elsewhere", "CI"]
)
def test_where_no_certificate_can_be_laid_they_are_skipped_with_the_reason_and_fail_in_ci(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, required: str, end: type[BaseException]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(admission, "CERTIFICATES", tmp_path / "file" / "certs")
    monkeypatch.setenv("ROSTER_REQUIRE_CLUSTER", required)
    with pytest.raises(end, match=f"Kueue looks for a certificate in {tmp_path}/file/certs, which cannot be made"):
        next(inspect.unwrap(conftest.kueue)({}, None))
