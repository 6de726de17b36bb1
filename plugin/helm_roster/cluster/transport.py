"""The parts of the kubernetes client that are a transport, without its 800 models.

``import kubernetes`` imports all that it holds, and takes 0.6 s: more than all else that most commands do. What is used
here needs little of it, so the packages whose ``__init__`` imports the rest stand in empty meanwhile.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Final, NamedTuple

_WHOLE: Final = "kubernetes"
_EMPTY: Final = (_WHOLE, f"{_WHOLE}.client", f"{_WHOLE}.utils")


class Transport(NamedTuple):
    """The class ``Configuration``, the module ``rest``, and the package ``config``; the client ships no types."""

    configuration: Any
    rest: Any
    config: Any


@functools.cache
def load() -> Transport:
    """Return the parts; of a client that is built otherwise than those known, with all that it imports."""
    if _WHOLE not in sys.modules:
        with contextlib.suppress(ImportError, AttributeError), _emptied() as client:
            client.Configuration = importlib.import_module(f"{client.__name__}.configuration").Configuration
            return _parts(client.Configuration)
    return _parts(importlib.import_module(f"{_WHOLE}.client").Configuration)


def _parts(configuration: object) -> Transport:
    rest, config = (importlib.import_module(f"{_WHOLE}.{name}") for name in ("client.rest", "config"))
    return Transport(configuration, rest, config)


@contextlib.contextmanager
def _emptied() -> Iterator[Any]:
    """Have the packages stand in empty in the block, and yield the one that is ``client``.

    None of what was imported stays known afterwards: whoever imports the client gets all of it.
    """
    found = importlib.util.find_spec(_WHOLE)
    places = list(found.submodule_search_locations or []) if found else []
    try:
        for name in _EMPTY:
            package: Any = ModuleType(name)
            package.__path__ = ["/".join([place, *name.split(".")[1:]]) for place in places]
            sys.modules[name] = package
        client: Any = sys.modules[_EMPTY[1]]
        client.ApiClient = None  # imported by name where kubeconfigs are read, and not used for that
        yield client
    finally:
        for name in [name for name in sys.modules if name.partition(".")[0] == _WHOLE]:
            del sys.modules[name]
