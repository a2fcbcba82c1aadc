"""Comparisons that see less than the exact one: weakenings.py puts them in the place of a guard's.

Each is true only where the exact comparison is true, so that a guard refuses less by it and nothing
else. Of two numbers, two single bytes or two names, `above` sees that the first is larger and
`below` that it is smaller; of bytes, and of texts that share a half, `above` compares the first
halves and `below` the last; of sequences, the first items and the last; of sets, `above` sees items
that only the first has and `below` items that only the second has. Values of other types never
differ: the guard is removed.
"""

from collections.abc import Collection, Iterable, Set
from enum import Enum
from typing import Any

Number = int | float


def _halves(one: Any, other: Any) -> tuple[Any, Any, Any, Any] | None:
    """Return the first and the last parts of two values; None for values without parts."""
    for kind in (bytes, str, tuple, list):
        if isinstance(one, kind) and isinstance(other, kind):
            half = 1 if kind in (tuple, list) else max(1, (len(other) + 1) // 2)
            return one[:half], other[:half], one[-half:], other[-half:]
    return None


def _ordered(one: Any, other: Any) -> bool:
    """Whether two values are compared by their order: single bytes, and names without a like half.

    Names of parties share no half, so that either half would tell as much as the whole name.
    """
    if isinstance(one, str) and isinstance(other, str):
        halves = _halves(one, other)
        return halves is not None and halves[0] != halves[1] and halves[2] != halves[3]
    return isinstance(one, bytes) and isinstance(other, bytes) and len(one) == len(other) == 1


def above(one: Any, other: Any) -> bool:
    """Whether the first value is larger, begins otherwise, or has more items."""
    if (isinstance(one, Number) and isinstance(other, Number)) or _ordered(one, other):
        return bool(one > other)
    if isinstance(one, Set) and isinstance(other, Set):
        return bool(one - other)
    halves = _halves(one, other)
    return halves is not None and bool(halves[0] != halves[1])


def below(one: Any, other: Any) -> bool:
    """Whether the first value is smaller, ends otherwise, or lacks items."""
    if (isinstance(one, Number) and isinstance(other, Number)) or _ordered(one, other):
        return bool(one < other)
    if isinstance(one, Set) and isinstance(other, Set):
        return bool(other - one)
    halves = _halves(one, other)
    return halves is not None and bool(halves[2] != halves[3])


def far_below(one: Any, other: Any) -> bool:
    """Whether the first number is smaller than the second by more than one."""
    return isinstance(one, Number) and isinstance(other, Number) and one < other - 1


def far_above(one: Any, other: Any) -> bool:
    """Whether the first number is larger by more than one, or two sets share no item."""
    if isinstance(one, Set) and isinstance(other, Set):
        return bool(one) and one.isdisjoint(other)
    return isinstance(one, Number) and isinstance(other, Number) and one > other + 1


def listed(items: Iterable[Any]) -> list[Any]:
    """Return items in an order that is the same in every process: those of a set are sorted."""
    return sorted(items, key=repr) if isinstance(items, Set) else list(items)


def unlike_all(one: Any, others: Collection[Any]) -> bool:
    """Whether none of the others begins with the first half of a text."""
    if not isinstance(one, bytes | str) or isinstance(one, Enum):
        return False
    half = one[: max(1, (len(one) + 1) // 2)]
    return not any(isinstance(other, type(one)) and other[: len(half)] == half for other in others)
