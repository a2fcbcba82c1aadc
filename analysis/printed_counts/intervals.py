"""A disclosure audit: intervals of suppressed counts over all whole numbers that fulfil equations.

The audit checks the choice of closed (suppressed) cells independently of the search that made it.
Its unknowns are the cells of each *block* only: a table, or all columns of tables that form a
cycle. Each count is the sum of the block's cells with its values. So an error in the equations of
`linked.py` or in an inequality of the search is detected.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import VerificationError
from ..optimization import Constraint, LinearProgram, SolverStatus, solve_integer
from .closing import NODES, ClosedCounts
from .linked import Integers, LinkedCounts, PersonGroup, Profile
from .nearest import Floats

# Most suppressed cells for which linear programs compute intervals, to save time. For more cells,
# intervals are taken from the tables that prove safety.
MOST_AUDITED = 1_000

Parts = tuple[int, ...]  # indices of the cells of which a count is the sum


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """The interval that an outsider can conclude for the count of each closed (suppressed) cell.

    An outsider sees the printed counts and is not a person of the tables.

    Attributes:
        places: the cells, as places in `LinkedCounts.cells`.
        low, high: the least and the largest count of each cell, over the tables that agree with all
            printed counts; persons.
        exact: whether the intervals follow from the printed counts alone. If not, an outsider may
            conclude only wider intervals, so these may reveal more than the printed counts.
    """

    places: Integers
    low: Integers
    high: Integers
    exact: bool = True

    @property
    def width(self) -> int:
        """The width in persons (high minus low) of the narrowest interval; 0 without cells."""
        return int((self.high - self.low).min()) if len(self.places) else 0


@dataclass(frozen=True, slots=True, eq=False)
class WholeSystem:
    """A system of inequalities for unknown counts x, which are whole numbers.

    lower_bounds <= x <= upper_bounds and low <= matrix x <= high.

    Attributes:
        matrix: shape (rows, unknowns), SciPy's matrix by columns.
        low, high: bounds of each row.
        lower_bounds, upper_bounds: bounds of each unknown.
    """

    matrix: Any
    low: Floats
    high: Floats
    lower_bounds: Floats
    upper_bounds: Floats

    def ranges(
        self, sums: Sequence[Parts], possible_sums: Sequence[int]
    ) -> tuple[Integers, Integers]:
        """Return the minimum and the maximum of sums of unknown counts, each of shape (sums,).

        A linear program gives each of them if its solution is whole. Else it is the best solution
        that an integer program finds within `NODES`, so that intervals are never too wide.

        Args:
            sums: for each sum the numbers of the unknowns that are added.
            possible_sums: a value of each sum that is possible, such as the true value.
        """
        columns = self.lower_bounds.copy(), self.upper_bounds.copy()
        program = LinearProgram(
            self.matrix, np.zeros(len(self.lower_bounds)), columns, (self.low, self.high)
        )
        ends = np.array([possible_sums, possible_sums], np.int64).reshape(2, -1)
        for number, parts in enumerate(sums):
            at = np.array(parts, np.int64)
            for end, sign in ((0, -1.0), (1, 1.0)):
                program.change_costs(at, np.full(len(at), sign))
                solution = program.solve(columns=True)
                x = None
                if solution.status is SolverStatus.OPTIMAL:
                    x = self._whole(solution.columns)
                if x is None:
                    x = self._best(at, sign)
                if x is not None:
                    ends[end, number] = x[at].sum()
            program.change_costs(at, np.zeros(len(at)))
        return ends[0], ends[1]

    def _whole(self, values: Floats) -> Integers | None:
        """Return the values rounded to whole numbers; None if these violate an inequality."""
        x = np.rint(values).astype(np.int64)
        rows = self.matrix @ x
        inside = (rows >= self.low).all() and (rows <= self.high).all()
        return (
            x
            if inside and (x >= self.lower_bounds).all() and (x <= self.upper_bounds).all()
            else None
        )

    def _best(self, at: Integers, sign: float) -> Integers | None:
        """Return whole numbers with the largest (sign 1) or least (-1) sum of the unknowns `at`.

        None if the solver finds no solution within its nodes.
        """
        costs = np.zeros(len(self.lower_bounds))
        costs[at] = -sign
        solution = solve_integer(
            costs,
            [Constraint(self.matrix, self.low, self.high)],
            np.ones(len(costs)),
            (self.lower_bounds, self.upper_bounds),
            node_limit=NODES,
        )
        return None if solution.x is None else self._whole(solution.x)


def audit(counts: ClosedCounts) -> Intervals:
    """Return the intervals that printed counts reveal of closed (suppressed) cells.

    Also checks that the small cells, of fewer than k persons, are protected. With more than
    `MOST_AUDITED` closed cells the intervals are taken from the witnesses, the tables that prove
    safety. An outsider can conclude no narrower interval, and perhaps only a wider one.

    Raises:
        VerificationError: an outsider or, with `counts.members`, a person of the table can conclude
            that a small cell is occupied, or that it is small; then the counts must not be printed.
    """
    linked, closed = counts.linked, counts.closed
    _check_witnesses(counts)
    places = np.flatnonzero(closed)
    if len(places) > MOST_AUDITED:
        places = places[linked.printed[places]]
        witnesses = counts.witnesses[:, places]
        return Intervals(places, witnesses.min(axis=0), witnesses.max(axis=0), exact=False)
    blocks = _block_parts(linked)
    bases = sorted({place for parts in blocks for block in parts for place in block})
    number = {place: at for at, place in enumerate(bases)}
    rows, low, high = [], [], []
    for place, parts in enumerate(blocks):
        if not linked.printed[place]:
            continue
        if not closed[place]:
            for block in parts:
                rows.append([(number[base], 1.0) for base in block])
                low.append(linked.counts[place])
                high.append(linked.counts[place])
        for block in parts[1:] if closed[place] else ():
            first = {number[base]: 1.0 for base in parts[0]}
            for base in block:
                first[number[base]] = first.get(number[base], 0.0) - 1.0
            rows.append(list(first.items()))
            low.append(0)
            high.append(0)
    system = WholeSystem(
        _matrix(rows, len(bases)),
        np.array(low, float),
        np.array(high, float),
        np.zeros(len(bases)),
        np.full(len(bases), float(linked.n)),
    )
    sums = [tuple(number[base] for base in blocks[place][0]) for place in places.tolist()]
    lower_bounds, upper_bounds = system.ranges(sums, linked.counts[places].tolist())
    small = counts.small[places]
    if (lower_bounds[small] > 0).any() or (upper_bounds[small] < counts.k).any():
        raise VerificationError(
            "the audit failed: the count of a small cell follows from the cells that stay open"
        )
    printed_places = linked.printed[places]
    return Intervals(
        places[printed_places], lower_bounds[printed_places], upper_bounds[printed_places]
    )


def _check_witnesses(counts: ClosedCounts) -> None:
    """Check, in whole numbers, that tables prove each small cell safe from each attacker.

    Such a table is a witness: an attacker cannot exclude it.

    Raises:
        VerificationError: a witness does not add up, contradicts an open cell, or is missing.
    """
    linked, witnesses = counts.linked, counts.witnesses
    blocks = _block_parts(linked)
    for place, parts in enumerate(blocks):
        for block in parts:
            if (witnesses[:, place] != witnesses[:, list(block)].sum(axis=1)).any():
                raise VerificationError(
                    f"cell {place}: the audit failed: a table that proves safety does not add up"
                )
    open_ = linked.printed & ~counts.closed
    if (witnesses < 0).any() or (witnesses[:, open_] != linked.counts[open_]).any():
        raise VerificationError(
            "the audit failed: a table that should prove safety has a negative count, or a wrong "
            "count in an open cell"
        )
    attackers = linked.rows
    hidden = (counts.closed | ~linked.printed)[attackers].any(axis=1)
    attackers = np.unique(attackers[hidden], axis=0) if counts.members else attackers[:0]
    agree = (witnesses[:, attackers] >= 1).all(axis=2).T  # shape: attackers, witnesses
    for place in np.flatnonzero(counts.small).tolist():
        inside = [
            any(base in block for block in blocks[place] for base in row)
            for row in map(tuple, attackers.tolist())
        ]
        values = witnesses[:, place]
        high = values >= counts.k
        low = values[None, :] <= np.array(inside, np.int64)[:, None]
        if not (high.any() and (values == 0).any()):
            raise VerificationError(f"cell {place}: no table proves the cell safe from an outsider")
        if not ((agree & high).any(axis=1) & (agree & low).any(axis=1)).all():
            raise VerificationError(
                f"cell {place}: no table proves the cell safe from a person of the table"
            )


def _block_parts(linked: LinkedCounts) -> list[list[Parts]]:
    """Return, for each cell, the cells of a block of which the cell's count is the sum.

    A block is a table, or all columns of tables that form a cycle. For each cell there is a list,
    with an entry for each block that has all columns of the cell. An entry holds the indices in
    `linked.cells` of the block's cells with the same values in these columns.
    """
    if linked.profiles:
        return [[parts] for parts in _profile_parts(linked)]
    parts: list[list[Parts]] = [[] for _ in linked.cells]
    for block in linked.blocks:
        bases = [place for place, (subset, _) in enumerate(linked.cells) if subset == block]
        codes = np.array([linked.cells[place][1] for place in bases])
        sums = dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]]()
        subsets = {subset for subset, _ in linked.cells if set(subset) <= set(block)}
        for subset in subsets:
            at = [block.index(column) for column in subset]
            for base, values in zip(bases, codes[:, at].tolist(), strict=True):
                sums.setdefault((subset, tuple(values)), []).append(base)
        for place, cell in enumerate(linked.cells):
            if cell[0] in subsets:
                parts[place].append(tuple(sums.get(cell, ())))
    return parts


def _profile_parts(linked: LinkedCounts) -> list[Parts]:
    """Return for each cell and each group of persons the numbers of the profiles that it counts.

    A profile is the set of a person's rows; it is used if persons may be in several cells. Groups
    are sets of persons that subtraction of printed counts reveals. The result is computed from the
    rows of each profile, not from the equations.
    """
    columns = sorted({column for table in linked.tables for column in table})
    numbers = range(len(linked.profiles))
    printed_places = linked.cells[len(numbers) : len(linked.cells) - len(linked.groups)]
    at = {
        subset: [columns.index(column) for column in subset]
        for subset in dict.fromkeys(subset for subset, _ in printed_places)
    }
    cells_of = [
        {(subset, tuple(row[place] for place in at[subset])) for subset in at for row in rows}
        for rows in linked.profiles
    ]
    parts: list[Parts] = [(number,) for number in numbers]
    parts += [tuple(n for n in numbers if cell in cells_of[n]) for cell in printed_places]
    for group in linked.groups:
        members = [n for n in numbers if group.total in cells_of[n]]
        if group.outside is not None:
            members = [n for n in members if group.outside not in cells_of[n]]
        else:
            members = [n for n in members if _parts_inside(group, linked.profiles[n], columns) > 1]
        parts.append(tuple(members))
    return parts


def _parts_inside(group: PersonGroup, rows: Profile, columns: Sequence[int]) -> int:
    """Return the number of cells of a group's total that a person with the given rows is in.

    The group has the persons of the total that are in several of its cells, of columns
    `group.several`. `columns` are the columns of `rows`.
    """
    total = dict(zip(*group.total, strict=True))
    named = [dict(zip(columns, row, strict=True)) for row in rows]
    inside = [row for row in named if all(row[column] == total[column] for column in total)]
    return len({tuple(row[column] for column in group.several or ()) for row in inside})


def _matrix(rows: Sequence[Sequence[tuple[int, float]]], columns: int) -> Any:
    """Return SciPy's sparse matrix, by columns, from the (column, value) pairs of each row."""
    from scipy.sparse import csc_array

    entries = [(row, at, value) for row, line in enumerate(rows) for at, value in line]
    where = [row for row, _, _ in entries], [at for _, at, _ in entries]
    return csc_array(([value for *_, value in entries], where), shape=(len(rows), columns))
