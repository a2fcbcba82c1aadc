"""What parties received where rows are opened that k people share, and the others stay closed.

A released cell is a prefix of a row, and blank from there on. Of n people, V_j values of column j:

    counts c of cells    n sum_j log2 V_j - log2 multinomial(n; c) - sum over cells c log2 (ways to
                         fill the blanks)
    people linked        sum over what is open of each of log2 V_j

The first is what counts tell if a blank could be anything; that it is shared by fewer than k people
tells more, so bits are at least so many, and exact where nothing is blank. `randomness` and the
reader together compute the function of every row that there may be: for them nothing is blank.
"""

from collections.abc import Sequence
from math import log2, prod
from typing import TYPE_CHECKING

from ...protocol.hiding import BLANK
from .best_guesses import Method
from .fiber import log_multinomial

if TYPE_CHECKING:
    from ...protocol.record import CountsSeen
    from ...protocol.view import View

LN2 = 0.6931471805599453


def bits_of_counts(seen: "CountsSeen", sizes: Sequence[int], users: int) -> float:
    """Bits that the counts of opened rows tell of who holds what, at least; at least 0.

    users: people among whom those who were counted are; who they are is not told.
    """
    whole = sum(log2(size) for size in sizes)
    blanks = sum(
        people * sum(log2(sizes[j]) for j, value in enumerate(cell) if value == BLANK)
        for cell, people in seen.counts.items()
    )
    absent = log_multinomial([seen.people, users - seen.people]) / LN2
    ways = log_multinomial(seen.counts.values()) / LN2 + blanks + absent
    return max(seen.people * whole - ways, 0.0)


def exact(seen: "CountsSeen", users: int) -> bool:
    """Whether these bits are all that the counts tell: everybody came, and nothing is blank."""
    return seen.people == users and not any(BLANK in cell for cell in seen.counts)


def guesses(seen: "CountsSeen | None", sizes: Sequence[int], users: int) -> tuple[float, float]:
    """Rows and cells that one guess for everybody gets right, at least, from these counts."""
    before = users / prod(sizes), sum(users / size for size in sizes)
    if seen is None or not seen.counts:
        return before
    rows = max((n for cell, n in seen.counts.items() if BLANK not in cell), default=0)
    columns = [dict[str, int]() for _ in sizes]
    for cell, people in seen.counts.items():
        for column, value in zip(columns, cell, strict=True):
            if value != BLANK:
                column[value] = column.get(value, 0) + people
    cells = sum(max(column.values(), default=0) for column in columns)
    return max(rows, before[0]), max(cells, before[1])


def _said(cell: "Sequence[str]") -> tuple[int, ...]:
    """The columns of a cell that are open."""
    return tuple(column for column, value in enumerate(cell) if value != BLANK)


def _told(seen: "CountsSeen") -> int:
    """Values that counts say, of all people."""
    return sum(people * len(_said(cell)) for cell, people in seen.counts.items())


def parts(view: "View", sizes: Sequence[int]) -> dict[str, object]:
    """The figures of a view of opened rows, by the names that they have in `Received`."""
    best = max(
        view.counted,
        key=lambda seen: (bits_of_counts(seen, sizes, view.users), _told(seen)),
        default=None,
    )
    told = bits_of_counts(best, sizes, view.users) if best else 0.0
    pinned = [(tuple(row), 1) for row in view.pinned.values() if row]
    if view.everybody and best and not pinned:  # single people are not recorded
        pinned = [(said, n) for cell, n in best.counts.items() if (said := _said(cell))]
    rows = sum(n * sum(log2(sizes[column]) for column in said) for said, n in pinned)
    sure = best is not None and exact(best, view.users)
    people = sum(n for _, n in pinned)
    whole = sum(n for said, n in pinned if len(said) == len(sizes))
    full = whole == view.users
    right, cells = guesses(best, sizes, view.users)
    known = sum(n * len(said) for said, n in pinned)
    hidden = view.users - people
    sets = [(hidden, 1)] if hidden else []
    return {
        "linked": people,
        "cells_certain": max(known, sum(size == 1 for size in sizes) * view.users),
        "bits": max(told, rows),
        "exact": full or (not pinned and (sure or not view.counted)),
        "crowd": 1 if people else view.users,
        "rows_guessed": max(right, float(whole)),
        "rows_guessed_before": view.users / prod(sizes),
        "cells_guessed": max(cells, float(known)),
        "cells_guessed_before": sum(view.users / size for size in sizes),
        "sets": tuple(sets + ([(1, people)] if people else [])),
        "method": Method.EXACT if full or sure else Method.BOUNDED,
    }
