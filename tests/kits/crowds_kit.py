"""Known small crowds by their definition: all tables of so many people are listed."""

from collections.abc import Iterator
from itertools import combinations

Table = tuple[int, ...]  # people by row


def tables(people: int, rows: int) -> Iterator[Table]:
    """All counts of so many people over so many rows."""
    if rows == 1:
        yield (people,)
        return
    for first in range(people + 1):
        for rest in tables(people - first, rows - 1):
            yield (first, *rest)


def is_crowd_known(found: list[Table], k: int) -> bool:
    """Whether some set of rows holds 1 to k - 1 people in every one of these tables."""
    width = len(found[0])
    for size in range(1, width + 1):
        for some in combinations(range(width), size):
            held = [sum(table[row] for row in some) for table in found]
            if min(held) >= 1 and max(held) < k:
                return True
    return False
