"""Leakage of a threshold release: rows shared by k people are opened, all other rows stay hidden.

A released cell is a prefix of a row; the other columns are suppressed. Let n people be counted,
c(x) of them in cell x, and let column j have V_j values. The leakage in bits is

    of the counts        n sum_j log2 V_j - log2 multinomial(n; c) - sum over cells x of c(x) log2
                         (ways to fill the suppressed columns of x)
    of linked people     sum of log2 V_j over the columns that are open for each linked person

The first figure is the leakage if a suppressed value could be any value. That fewer than k people
share it reveals more, so the bits are a lower bound. They are exact if all people responded and no
value is suppressed; linked people are then taken out of the counts c. Best guesses are exact in the
same case. The party `randomness` and the analyst together compute the function of every possible
row: for them no value is suppressed.

A cell is certain if every possible row of its person has the same value in it. A person that is not
linked has one of the released cells. A suppressed value is not one of the values that would have
been opened (known by exclusion). The number of certain cells is a lower bound if a value is
suppressed. It leaves out the number of people that share a suppressed row, and conclusions of a
coalition member from its own row.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2, prod
from typing import TYPE_CHECKING

from ...protocol.wire.hiding_rules import BLANK
from .best_guesses import Method
from .fiber import log_multinomial

if TYPE_CHECKING:
    from ...protocol.knowledge.run_record import CountsSeen
    from ...protocol.knowledge.transcript import Row
    from ...protocol.knowledge.view import View
    from ...protocol.wire.messages import Counts

LN2 = 0.6931471805599453
Key = tuple[tuple[int, str], ...]  # a user's linked values: (column, value) pairs; () if none


def bits_of_counts(counts_seen: "CountsSeen", sizes: Sequence[int], users: int) -> float:
    """Return a lower bound, at least 0, on the bits that the counts of opened rows leak.

    sizes: number of values of each column. users: number of all people; the coalition does not know
    which of them was counted.
    """
    whole = sum(log2(size) for size in sizes)
    blanks = sum(
        people * sum(log2(sizes[j]) for j, value in enumerate(cell) if value == BLANK)
        for cell, people in counts_seen.counts.items()
    )
    absent = log_multinomial([counts_seen.people, users - counts_seen.people]) / LN2
    ways = log_multinomial(counts_seen.counts.values()) / LN2 + blanks + absent
    return max(counts_seen.people * whole - ways, 0.0)


def exact(counts_seen: "CountsSeen", users: int) -> bool:
    """Whether the leakage in bits of the counts of opened rows is exact, not just a lower bound.

    `bits_of_counts` is exact if all people responded and no value is suppressed.

    users: number of all people.
    """
    return counts_seen.people == users and not any(BLANK in cell for cell in counts_seen.counts)


@dataclass(frozen=True, slots=True)
class _LinkedValues:
    """The values that a view links to users, and the counts of all other users.

    Attributes:
        kinds: number of users by their linked values, and by whether the view shows that they were
            counted.
        rows: the linked values by column, for each key of `kinds` with linked values.
        unlinked_counts: the counts without the linked users.
        unsure: number of linked users that may still be in `unlinked_counts`.
    """

    kinds: Counter[tuple[Key, bool]]
    rows: "dict[Key, Row]"
    unlinked_counts: Counter[tuple[str, ...]]
    unsure: int

    @classmethod
    def from_view(
        cls, view: "View", counts_seen: "CountsSeen | None", columns: int
    ) -> "_LinkedValues":
        """Read the linked values of a view, and take linked users out of the counts, if any.

        counts_seen: the counts that the coalition read; None: no counts. columns: number of
        columns.
        """
        linked = view.pinned
        kinds = Counter(
            (_key(linked.get(i)), _is_known_respondent(view, counts_seen, i))
            for i in range(view.users)
        )
        rows = {key: row for row in linked.values() if (key := _key(row))}
        rows_left, unsure = Counter(counts_seen.counts if counts_seen else {}), 0
        for (key, is_present), people in kinds.items():
            if key and is_present and counts_seen:
                rows_left[_released(rows[key], counts_seen, columns)] -= people
            elif key:
                unsure += people
        return cls(kinds, rows, +rows_left, unsure)

    def linked(self) -> "Iterator[tuple[Row, int]]":
        """Yield the rows, or parts of rows, linked to users, each with its number of users."""
        return ((self.rows[key], people) for (key, _), people in self.kinds.items() if key)


def guesses(linked_values: _LinkedValues, sizes: Sequence[int], users: int) -> tuple[float, float]:
    """Return lower bounds on the expected numbers of rows and of cells that best guesses get right.

    The bounds are exact if all people responded and no value is suppressed: all unlinked users then
    have the same posterior.

    linked_values: values linked to users. sizes: number of values of each column. users: all
    people.
    """
    whole = sum(people for row, people in linked_values.linked() if len(row) == len(sizes))
    shared = max(
        (people for cell, people in linked_values.unlinked_counts.items() if BLANK not in cell),
        default=0,
    )
    rows = whole + max(shared - linked_values.unsure, (users - whole) / prod(sizes))
    cells = float(sum(len(row) * people for row, people in linked_values.linked()))
    for column, size in enumerate(sizes):
        values = Counter[str]()
        for cell, people in linked_values.unlinked_counts.items():
            values[cell[column]] += people
        del values[BLANK]
        free = users - sum(people for row, people in linked_values.linked() if column in row)
        cells += max(max(values.values(), default=0) - linked_values.unsure, free / size)
    return rows, cells


def _open_columns(cell: "Sequence[str]") -> tuple[int, ...]:
    """Return the columns of a released cell that are not suppressed."""
    return tuple(column for column, value in enumerate(cell) if value != BLANK)


def _open_values(counts_seen: "CountsSeen") -> int:
    """Return the number of values that are not suppressed, over all people."""
    return sum(people * len(_open_columns(cell)) for cell, people in counts_seen.counts.items())


def _certain_cells(
    view: "View", counts_seen: "CountsSeen | None", knowledge: _LinkedValues, sizes: Sequence[int]
) -> int:
    """Return a lower bound on the number of (person, column) values certain to a coalition.

    counts_seen: the counts with the most leakage; None: the coalition has read no counts.
    knowledge: the values linked to users. sizes: number of values of each column.
    """
    constant = [size == 1 for size in sizes]
    if (
        view.linked_columns and counts_seen and not knowledge.rows
    ):  # the run recorded only numbers of people, and all respondents are linked
        reported = sum(
            people * len(_open_columns(cell)) for cell, people in counts_seen.counts.items()
        )
        return max(reported, sum(constant) * view.users)
    certain = 0
    for (key, is_present), people in knowledge.kinds.items():
        row = knowledge.rows.get(key, {})
        cells: Counts = knowledge.unlinked_counts
        if key and counts_seen:
            cells = {_released(row, counts_seen, len(sizes)): people}
        for column, constant_value in enumerate(constant):
            sure = constant_value or column in row
            if not sure and is_present and counts_seen:
                sure = _is_certain(cells, counts_seen.counts, column, view)
            certain += people * sure
    return certain


def _key(row: "Row | None") -> Key:
    """Return a person's linked values as sorted pairs of column and value; () without values."""
    return tuple(sorted(row.items())) if row else ()


def _is_known_respondent(view: "View", counts_seen: "CountsSeen | None", person: int) -> bool:
    """Whether a coalition knows that a person was counted.

    counts_seen: the count that the coalition read; None: it read no count.
    """
    if counts_seen is None:
        return False
    respondents = view.respondents.get((counts_seen.round, counts_seen.columns))
    is_respondent = (
        respondents is not None
        and (view.sees_who or person in view.member_indices)
        and person in respondents
    )
    return is_respondent or counts_seen.people == view.users


def _released(row: "Row", counts_seen: "CountsSeen", columns: int) -> tuple[str, ...]:
    """Return the cell in which a person was counted: the longest counted prefix of its row.

    columns: number of columns.
    """
    whole = tuple(row.get(column, BLANK) for column in range(columns))
    for end in range(columns, -1, -1):
        cell = (*whole[:end], *(BLANK,) * (columns - end))
        if cell in counts_seen.counts:
            return cell
    return whole


def _is_certain(rows_left: "Counts", released: "Counts", column: int, view: "View") -> bool:
    """Whether all possible rows of a person have the same value in a column.

    rows_left: the cells that the person may be counted in. released: all released cells.
    """
    values_left = {cell[column] for cell in rows_left if cell[column] != BLANK}
    blank = [cell for cell in rows_left if cell[column] == BLANK]
    if len(values_left) > 1 or not blank:
        return len(values_left) == 1
    if not view.domains or None in view.domains:
        return False
    domains = [domain or 0 for domain in view.domains]
    if view.prefixes:
        excluded = {_excluded_next(cell, released, column) for cell in blank}
    else:
        excluded = {_excluded_values(released, column, domains)}
    values = next(iter(excluded))
    return len(excluded) == 1 and len(values) == domains[column] - 1 and not values_left & values


def _excluded_next(cell: tuple[str, ...], released: "Counts", column: int) -> frozenset[str]:
    """Return the values that a column cannot have in rows opened only up to the prefix `cell`.

    A value that is released after the same prefix is excluded: a row with this value would have
    been opened one column further. Empty if the column is not the next after the prefix.
    """
    end = len(_open_columns(cell))
    if column > end:
        return frozenset()
    return frozenset(pattern[end] for pattern in released if pattern[:end] == cell[:end]) - {BLANK}


def _excluded_values(released: "Counts", column: int, domains: Sequence[int]) -> frozenset[str]:
    """Return the values of a column that no person with a suppressed row can have.

    For such a value, every possible row with this value was opened. domains: number of values of
    each column.
    """
    rows_by_value = Counter(cell[column] for cell in released if BLANK not in cell)
    room = prod(domains) // domains[column]
    return frozenset(value for value, rows in rows_by_value.items() if rows == room)


def parts(view: "View", sizes: Sequence[int]) -> dict[str, object]:
    """Return the leakage figures of a view of a threshold release, as arguments of `Received`.

    The figures are people linked, certain cells, bits, best guesses and anonymity sets, by field
    name. sizes: number of values of each column.
    """
    users, row_bits = view.users, sum(log2(size) for size in sizes)
    best = max(
        view.counted,
        key=lambda counts_seen: (
            bits_of_counts(counts_seen, sizes, users),
            _open_values(counts_seen),
        ),
        default=None,
    )
    opened_rows = _LinkedValues.from_view(view, best, len(sizes))
    pinned = [(tuple(row), people) for row, people in opened_rows.linked()]
    # The run recorded no rows of single people, but all answers are linked to their senders: the
    # linked rows are then those of the most informative count.
    if view.linked_columns and best and not pinned:
        pinned = [(values, n) for cell, n in best.counts.items() if (values := _open_columns(cell))]
    linked_bits = sum(n * sum(log2(sizes[column]) for column in values) for values, n in pinned)
    people = sum(n for _, n in pinned)
    leakage = bits_of_counts(best, sizes, users) if best else 0.0
    # Linked rows and counts can contradict each other only if a party deviated from the protocol.
    fits = not opened_rows.rows or opened_rows.unlinked_counts.total() + people == users
    sure = best is not None and exact(best, users) and fits
    # all unlinked people are alike, so the leakage follows from their counts
    if sure and opened_rows.rows:
        leakage = users * row_bits - log_multinomial(opened_rows.unlinked_counts.values()) / LN2
    whole = sum(n for values, n in pinned if len(values) == len(sizes))
    full = whole == users
    right, cells = guesses(opened_rows, sizes, users)
    hidden_people = users - people
    sets = [(hidden_people, 1)] if hidden_people else []
    return {
        "linked": people,
        "cells_certain": _certain_cells(view, best, opened_rows, sizes),
        "bits": max(leakage, linked_bits),
        "exact": full or sure or (not pinned and not view.counted),
        "crowd": 1 if people else users,
        "rows_guessed": max(right, float(whole)),
        "rows_guessed_before": users / prod(sizes),
        "cells_guessed": max(cells, float(sum(n * len(values) for values, n in pinned))),
        "cells_guessed_before": sum(users / size for size in sizes),
        "sets": tuple(sets + ([(1, people)] if people else [])),
        "method": Method.EXACT if full or sure else Method.BOUNDED,
    }
