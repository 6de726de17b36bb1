"""What the registry says of all backends together."""

from __future__ import annotations

import pytest

from helm_roster import all_backends


@pytest.mark.parametrize("asked", all_backends.PLACEMENT)
def test_no_patch_may_set_what_is_the_asked_backends_and_any_may_what_is_only_anothers(asked: str) -> None:
    """As with labels and annotations in the values: what means nothing to the backend is for a scheduler unknown."""
    assert set(all_backends.owned(asked, "none")) == set(all_backends.PLACEMENT[asked].OWNED)


@pytest.mark.parametrize("asked", all_backends.ADMISSION)
def test_what_admission_owns_is_no_patchs_neither_beside_any_placement(asked: str) -> None:
    admission = all_backends.ADMISSION[asked]
    for placement in admission.PLACEMENTS:
        owned = {*all_backends.PLACEMENT[placement].OWNED, *admission.OWNED}
        assert set(all_backends.owned(placement, asked)) == owned
