"""Groups of people with counts that follow from several counts by arithmetic.

Several sessions count different sets of people. The difference of two counts is then the count of
the people in one session and not in the other, which may be few. A *pattern* is the set of sessions
that a person attended, an *atom* all people of one pattern. Each session counts a 0/1 vector over
the atoms. A group is subtractable if its own 0/1 vector is a rational combination of these vectors:
the same combination of the counts is the count of the group, in every cell.

    sessions   all (60 people), all less ten                  atoms    10, 50
    vectors    (1, 1), (0, 1)                                 groups   (1, 1), (0, 1), (1, 0)

The reduced matrix of the sessions has a column with a single 1 for each of its `rank` rows, the
pivots, so a 0/1 vector of the span is the sum of the rows with its pivots: 2^rank sums list all.
Entries are fractions. The sums are whole numbers: a column times its denominators. With at most
MOST_RANK rows of 0 and 1 these are below 10^5, so 64 bits hold them.

Other combinations (people counted twice, or partly) bound counts as well. They are not examined
here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from math import lcm

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError

MOST_RANK = 12  # limit of the rank, so that at most 2^12 = 4,096 sums are formed
AT_ONCE = 256  # number of sums that are in memory together

Vectors = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Combination:
    """A subtractable group: people with counts that follow from the sessions' counts by arithmetic.

    Attributes:
        atoms: numbers of its atoms (people who attended the same sessions), ascending.
        weights: the factor of each session's counts in the combination.
    """

    atoms: tuple[int, ...]
    weights: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """The matrix of sessions over atoms in reduced row echelon form, with its row operations.

    An atom is all people who attended the same sessions.

    Attributes:
        rows: the reduced rows.
        factors: for each row, the factors of the sessions.
        pivots: for each row, the atom with 1 in this row and 0 in the others.
        atoms: the number of atoms.
    """

    rows: tuple[tuple[Fraction, ...], ...]
    factors: tuple[tuple[Fraction, ...], ...]
    pivots: tuple[int, ...]
    atoms: int

    @property
    def rank(self) -> int:
        """The number of linearly independent sessions."""
        return len(self.pivots)

    def whole(self) -> tuple[Vectors, Vectors]:
        """Return the rows in whole numbers, and the factor of each column.

        Each column is multiplied by the least common multiple of its denominators.
        """
        scale = [lcm(*(row[atom].denominator for row in self.rows)) for atom in range(self.atoms)]
        rows = [[int(x * by) for x, by in zip(row, scale, strict=True)] for row in self.rows]
        shape = (self.rank, self.atoms)
        return np.array(rows, np.int64).reshape(shape), np.array(scale, np.int64)

    def holds(self, atoms: Sequence[int]) -> bool:
        """Whether the counts of a group follow from the sessions' counts by arithmetic.

        atoms: the group, as numbers of atoms (people who attended equal sessions).
        """
        inside = set(atoms)
        picked = [row for row, pivot in zip(self.rows, self.pivots, strict=True) if pivot in inside]
        return all(
            sum((row[atom] for row in picked), Fraction(0)) == (atom in inside)
            for atom in range(self.atoms)
        )


def span_of(sessions: Sequence[Sequence[int]], atoms: int) -> Span:
    """Row-reduce the matrix of sessions over atoms (people of the same sessions), exactly.

    sessions: for each session, a 0 or 1 for each atom. The reduction ends at rank MOST_RANK + 1,
    because `subtractable` refuses such a rank.
    """
    rows = [[Fraction(x) for x in session] for session in sessions]
    factors = [[Fraction(i == j) for j in range(len(rows))] for i in range(len(rows))]
    pivots: list[int] = []
    for atom in range(atoms):
        top = len(pivots)
        pivot_row = next((i for i in range(top, len(rows)) if rows[i][atom]), None)
        if pivot_row is None:
            continue
        if top > MOST_RANK:
            break
        for table in (rows, factors):
            table[top], table[pivot_row] = table[pivot_row], table[top]
        _clear(rows, factors, top, atom)
        pivots.append(atom)
    pivot_rows = slice(len(pivots))
    return Span(
        tuple(map(tuple, rows[pivot_rows])),
        tuple(map(tuple, factors[pivot_rows])),
        tuple(pivots),
        atoms,
    )


def _clear(rows: list[list[Fraction]], factors: list[list[Fraction]], top: int, atom: int) -> None:
    """Scale row `top` so that its entry at `atom` is 1, and make it 0 in all other rows.

    The factors of the sessions undergo the same row operations.
    """
    by = rows[top][atom]
    for table in (rows, factors):
        table[top] = [x / by for x in table[top]]
    for i in range(len(rows)):
        if i != top and (times := rows[i][atom]):
            for table in (rows, factors):
                table[i] = [x - times * y for x, y in zip(table[i], table[top], strict=True)]


def subtractable(span: Span) -> list[Combination]:
    """Return every group with a count that follows from the sessions, the sessions included.

    Raises ParameterError beyond rank MOST_RANK.
    """
    if span.rank > MOST_RANK:
        raise ParameterError(
            f"sessions: found rank {span.rank}; at most {MOST_RANK} is accepted, which is "
            f"{1 << MOST_RANK:,} combinations"
        )
    rows, scale = span.whole()
    combinations_found: list[Combination] = []
    choices = product((0, 1), repeat=span.rank)
    while batch := list(islice(choices, AT_ONCE)):
        picked = np.array(batch, np.int64).reshape(len(batch), span.rank)
        sums = picked @ rows
        fits = ((sums == 0) | (sums == scale)).all(axis=1) & sums.any(axis=1)
        for place in np.flatnonzero(fits).tolist():
            atoms = tuple(np.flatnonzero(sums[place]).tolist())
            combinations_found.append(Combination(atoms, _weights(span, batch[place])))
    return combinations_found


def _weights(span: Span, picked: Sequence[int]) -> tuple[Fraction, ...]:
    """Return the factor of each session in a sum of reduced rows.

    picked: 0 or 1 for each reduced row of the span.
    """
    rows = [row for row, bit in zip(span.factors, picked, strict=True) if bit]
    return tuple(sum(column, Fraction(0)) for column in zip(*rows, strict=True))
