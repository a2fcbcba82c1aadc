"""What parties received where rows are opened that k people share, and the others stay closed.

A released cell is a prefix of a row, and blank from there on. Of n people, V_j values of column j:

    counts c of cells    n sum_j log2 V_j - log2 multinomial(n; c) - sum over cells c log2 (ways to
                         fill the blanks)
    people linked        sum over what is open of each of log2 V_j

The first is what counts tell if a blank could be anything; that it is shared by fewer than k people
tells more, so bits are at least so many, and exact where nothing is blank. `randomness` and the
reader together compute the function of every row that there may be: for them nothing is blank.

A cell is certain if every row that its person can have has one value there: the released cells
that are left once linked people are taken out, and for who may be blank every row, or next value,
that is not open (known by exclusion). Sizes of closed groups and what a member's own row tells of
its group are not used, so certain cells are at least so many where something is blank.
"""

from collections import Counter
from collections.abc import Sequence
from math import log2, prod
from typing import TYPE_CHECKING

from ...protocol.hiding import BLANK
from .best_guesses import Method
from .fiber import log_multinomial

if TYPE_CHECKING:
    from ...protocol.messages import Counts
    from ...protocol.record import CountsSeen
    from ...protocol.transcript import Row
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


def certain_cells(view: "View", seen: "CountsSeen | None", sizes: Sequence[int]) -> int:
    """How many (person, column) values are certain to a coalition, at least.

    seen: the counts that tell it most; None: it has read none.
    """
    constant = [size == 1 for size in sizes]
    linked = view.pinned
    if view.everybody and seen and not linked:  # all are linked, and nobody is recorded singly
        said = sum(people * len(_said(cell)) for cell, people in seen.counts.items())
        return max(said, sum(constant) * view.users)
    kinds = Counter((_key(linked.get(i)), _here(view, seen, i)) for i in range(view.users))
    rows = {key: row for row in linked.values() if (key := _key(row))}
    left = Counter(seen.counts if seen else {})
    for (key, here), people in kinds.items():
        if key and here and seen:
            left[_released(rows[key], seen, len(sizes))] -= people
    certain = 0
    for (key, here), people in kinds.items():
        row = rows.get(key, {}) if key else {}
        cells: Counts = +left if not key else {}
        if key and seen:
            cells = {_released(row, seen, len(sizes)): people}
        for column, one in enumerate(constant):
            known = one or column in row
            if not known and here and seen:
                known = _is_certain(cells, seen.counts, column, view)
            certain += people * known
    return certain


def _key(row: "Row | None") -> tuple[tuple[int, str], ...]:
    return tuple(sorted(row.items())) if row else ()


def _here(view: "View", seen: "CountsSeen | None", person: int) -> bool:
    """Whether a coalition knows that a person was counted."""
    if seen is None:
        return False
    came = view.came.get((seen.round, seen.columns))
    sees = came is not None and (view.sees_who or person in view.own) and person in came
    return sees or seen.people == view.users


def _released(row: "Row", seen: "CountsSeen", columns: int) -> tuple[str, ...]:
    """The released cell of a person, from the values that are known of it."""
    whole = tuple(row.get(column, BLANK) for column in range(columns))
    for end in range(columns, -1, -1):
        cell = (*whole[:end], *(BLANK,) * (columns - end))
        if cell in seen.counts:
            return cell
    return whole


def _is_certain(left: "Counts", released: "Counts", column: int, view: "View") -> bool:
    """Whether all rows that fit the cells that are left have one value in a column."""
    found = {cell[column] for cell in left if cell[column] != BLANK}
    if len(found) > 1:
        return False
    blank = [cell for cell in left if cell[column] == BLANK]
    if not blank:
        return bool(found)
    if not view.domains or None in view.domains:
        return False
    domains = [domain or 0 for domain in view.domains]
    if view.prefixes:
        fits = [_next_values(cell, released, column, domains) for cell in blank]
    else:
        fits = [_row_values(released, column, domains)]
    return not found and all(number == 1 for number in fits) and len(fits) == 1


def _next_values(
    cell: tuple[str, ...], released: "Counts", column: int, domains: Sequence[int]
) -> int:
    """How many values a column of a blank person can have where its row ends at a prefix."""
    end = len(_said(cell))
    if column > end:
        return domains[column]
    open_ = {other[end] for other in released if other[:end] == cell[:end]} - {BLANK}
    return domains[column] - len(open_)


def _row_values(released: "Counts", column: int, domains: Sequence[int]) -> int:
    """How many values a column has in the rows that are not open."""
    each = Counter(cell[column] for cell in released if BLANK not in cell)
    room = prod(domains) // domains[column]
    return domains[column] - sum(number == room for number in each.values())


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
    certain = certain_cells(view, best, sizes)
    right, cells = guesses(best, sizes, view.users)
    known = sum(n * len(said) for said, n in pinned)
    hidden = view.users - people
    sets = [(hidden, 1)] if hidden else []
    return {
        "linked": people,
        "cells_certain": certain,
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
