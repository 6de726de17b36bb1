"""Frozen values with named fields: what a frozen, keyword-only dataclass is to its users, without its price.

The renderer starts once for every ``helm`` call, and ``dataclasses`` alone, with all that it imports and compiles for
each class, takes as long as the whole import of PyYAML. So what the render path makes is a ``Frozen``.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self, dataclass_transform


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Frozen:
    """A base class; the annotations of a subclass are its fields, their values in the class the defaults.

    Defaults are shared between instances: never one that can be changed.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[frozenset[str]] = frozenset()
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:  # noqa: D105
        cls._fields = tuple(cls.__annotations__)
        cls._names = frozenset(cls._fields)
        cls._defaults = {name: cls.__dict__[name] for name in cls._fields if name in cls.__dict__}

    def __init__(self, **values: Any) -> None:  # noqa: ANN401  (mypy knows each subclass's own)
        found = {**self._defaults, **values}
        if found.keys() != self._names:
            odd = ", ".join(sorted(found.keys() ^ self._names))
            msg = f"{type(self).__name__} has the fields {', '.join(self._fields)}; missing or unknown: {odd}"
            raise TypeError(msg)
        self.__dict__.update(found)

    def replace(self, **values: Any) -> Self:  # noqa: ANN401
        """Return a copy with other values of some fields."""
        return type(self)(**{**self._values(), **values})

    def __setattr__(self, name: str, value: object) -> None:  # noqa: D105
        msg = f"{type(self).__name__} is frozen: replace() makes another with a {name} of its own"
        raise AttributeError(msg)

    def __eq__(self, other: object) -> bool:  # noqa: D105
        return isinstance(other, Frozen) and type(other) is type(self) and self._values() == other._values()

    def __hash__(self) -> int:  # noqa: D105
        return hash(tuple(self._values().values()))

    def __repr__(self) -> str:  # noqa: D105
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self._values().items())})"

    def _values(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self._fields}
