"""What parties received where rows are opened that k people share, and the others stay closed.

A released cell is a prefix of a row, and blank from there on. Of n people, V_j values of column j:

    counts c of cells    n sum_j log2 V_j - log2 multinomial(n; c) - sum over cells c log2 (ways to
                         fill the blanks)
    people linked        sum over what is open of each of log2 V_j

The first is what counts tell if a blank could be anything; that it is shared by fewer than k people
tells more, so bits are at least so many. Where everybody came and nothing is blank they are exact,
with the people linked taken out of c; so are the guesses. `randomness` and the reader together
compute the function of every row that there may be: for them nothing is blank.

A cell is certain if every row that its person can have has one value there: the released cells
that are left once linked people are taken out, and for who may be blank every row, or next value,
that is not open (known by exclusion). Sizes of closed groups and what a member's own row tells of
its group are not used, so certain cells are at least so many where something is blank.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
Key = tuple[tuple[int, str], ...]  # values by column, in order; () where nothing is linked


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


@dataclass(frozen=True, slots=True)
class _Known:
    """The values that a view links to users, and the counts of all other users.

    Attributes:
        kinds: users by their linked values, and by whether the view shows that they were counted.
        rows: the linked values of each kind that has any.
        left: the counts without the linked users.
        unsure: linked users who may still be in `left`.
    """

    kinds: Counter[tuple[Key, bool]]
    rows: "dict[Key, Row]"
    left: Counter[tuple[str, ...]]
    unsure: int

    @classmethod
    def of(cls, view: "View", seen: "CountsSeen | None", columns: int) -> "_Known":
        """Read a view. seen: the counts; None: the view has none."""
        linked = view.pinned
        kinds = Counter((_key(linked.get(i)), _here(view, seen, i)) for i in range(view.users))
        rows = {key: row for row in linked.values() if (key := _key(row))}
        left, unsure = Counter(seen.counts if seen else {}), 0
        for (key, here), people in kinds.items():
            if key and here and seen:
                left[_released(rows[key], seen, columns)] -= people
            elif key:
                unsure += people
        return cls(kinds, rows, +left, unsure)

    def linked(self) -> "Iterator[tuple[Row, int]]":
        """Iterate over the linked rows, or parts of rows, with their numbers of users."""
        return ((self.rows[key], people) for (key, _), people in self.kinds.items() if key)


def guesses(known: _Known, sizes: Sequence[int], users: int) -> tuple[float, float]:
    """Return lower bounds on the expected rows and cells that best guesses get right.

    Both are exact if `exact` holds: all unlinked users then have one posterior.
    """
    whole = sum(people for row, people in known.linked() if len(row) == len(sizes))
    shared = max((people for cell, people in known.left.items() if BLANK not in cell), default=0)
    rows = whole + max(shared - known.unsure, (users - whole) / prod(sizes))
    cells = float(sum(len(row) * people for row, people in known.linked()))
    for column, size in enumerate(sizes):
        values = Counter[str]()
        for cell, people in known.left.items():
            values[cell[column]] += people
        del values[BLANK]
        free = users - sum(people for row, people in known.linked() if column in row)
        cells += max(max(values.values(), default=0) - known.unsure, free / size)
    return rows, cells


def _said(cell: "Sequence[str]") -> tuple[int, ...]:
    """The columns of a cell that are open."""
    return tuple(column for column, value in enumerate(cell) if value != BLANK)


def _told(seen: "CountsSeen") -> int:
    """Values that counts say, of all people."""
    return sum(people * len(_said(cell)) for cell, people in seen.counts.items())


def _certain_cells(
    view: "View", seen: "CountsSeen | None", known: _Known, sizes: Sequence[int]
) -> int:
    """How many (person, column) values are certain to a coalition, at least.

    seen: the counts that tell it most; None: it has read none.
    """
    constant = [size == 1 for size in sizes]
    if view.everybody and seen and not known.rows:  # all are linked; nobody is recorded singly
        said = sum(people * len(_said(cell)) for cell, people in seen.counts.items())
        return max(said, sum(constant) * view.users)
    certain = 0
    for (key, here), people in known.kinds.items():
        row = known.rows.get(key, {})
        cells: Counts = known.left
        if key and seen:
            cells = {_released(row, seen, len(sizes)): people}
        for column, one in enumerate(constant):
            sure = one or column in row
            if not sure and here and seen:
                sure = _is_certain(cells, seen.counts, column, view)
            certain += people * sure
    return certain


def _key(row: "Row | None") -> Key:
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
    blank = [cell for cell in left if cell[column] == BLANK]
    if len(found) > 1 or not blank:
        return len(found) == 1
    if not view.domains or None in view.domains:
        return False
    domains = [domain or 0 for domain in view.domains]
    if view.prefixes:
        excluded = {_excluded_next(cell, released, column) for cell in blank}
    else:
        excluded = {_excluded_values(released, column, domains)}
    values = next(iter(excluded))
    return len(excluded) == 1 and len(values) == domains[column] - 1 and not found & values


def _excluded_next(cell: tuple[str, ...], released: "Counts", column: int) -> frozenset[str]:
    """The values that a column of a blank person cannot have where its row ends at a prefix."""
    end = len(_said(cell))
    if column > end:
        return frozenset()
    return frozenset(other[end] for other in released if other[:end] == cell[:end]) - {BLANK}


def _excluded_values(released: "Counts", column: int, domains: Sequence[int]) -> frozenset[str]:
    """The values of a column of which every row is open: no blank person has them."""
    each = Counter(cell[column] for cell in released if BLANK not in cell)
    room = prod(domains) // domains[column]
    return frozenset(value for value, rows in each.items() if rows == room)


def parts(view: "View", sizes: Sequence[int]) -> dict[str, object]:
    """The figures of a view of opened rows, by the names that they have in `Received`."""
    users, row_bits = view.users, sum(log2(size) for size in sizes)
    best = max(
        view.counted,
        key=lambda seen: (bits_of_counts(seen, sizes, users), _told(seen)),
        default=None,
    )
    known = _Known.of(view, best, len(sizes))
    pinned = [(tuple(row), people) for row, people in known.linked()]
    if view.everybody and best and not pinned:  # single people are not recorded
        pinned = [(said, n) for cell, n in best.counts.items() if (said := _said(cell))]
    linked_bits = sum(n * sum(log2(sizes[column]) for column in said) for said, n in pinned)
    people = sum(n for _, n in pinned)
    told = bits_of_counts(best, sizes, users) if best else 0.0
    fits = not known.rows or known.left.total() + people == users  # where nobody lies
    sure = best is not None and exact(best, users) and fits
    if sure and known.rows:  # all people who are not linked share the rows that are left
        told = users * row_bits - log_multinomial(known.left.values()) / LN2
    whole = sum(n for said, n in pinned if len(said) == len(sizes))
    full = whole == users
    right, cells = guesses(known, sizes, users)
    hidden = users - people
    sets = [(hidden, 1)] if hidden else []
    return {
        "linked": people,
        "cells_certain": _certain_cells(view, best, known, sizes),
        "bits": max(told, linked_bits),
        "exact": full or sure or (not pinned and not view.counted),
        "crowd": 1 if people else users,
        "rows_guessed": max(right, float(whole)),
        "rows_guessed_before": users / prod(sizes),
        "cells_guessed": max(cells, float(sum(n * len(said) for said, n in pinned))),
        "cells_guessed_before": sum(users / size for size in sizes),
        "sets": tuple(sets + ([(1, people)] if people else [])),
        "method": Method.EXACT if full or sure else Method.BOUNDED,
    }
