"""What the registry says of all backends together."""

from __future__ import annotations

import pytest

from helm_roster import all_backends


@pytest.mark.parametrize("name", all_backends.PLACEMENT)
def test_the_schedulers_name_is_owned_where_the_backend_that_is_asked_for_sets_it(name: str) -> None:
    backend = all_backends.PLACEMENT[name]
    assert (("spec", "schedulerName") in all_backends.owned(name)) == (("spec", "schedulerName") in backend.OWNED)


@pytest.mark.parametrize("asked", all_backends.PLACEMENT)
def test_what_else_any_backend_sets_is_owned_whichever_is_asked_for(asked: str) -> None:
    owned = {path for backend in all_backends.PLACEMENT.values() for path in backend.OWNED}
    assert owned - set(all_backends.owned(asked)) <= {("spec", "schedulerName")}
