"""Groups of people with counts that follow from the counts of several sessions by arithmetic.

Several sessions count different sets of people. The difference of two counts is then the count of
the people in one session and not in the other, which may be few. A *pattern* is the set of sessions
that a person attended, an *atom* all people of one pattern. Each session counts the people of some
atoms, so it is a vector with a 0 or 1 for each atom. A group of people is subtractable if its own
0/1 vector is a combination of the sessions' vectors with rational factors. The same combination of
the sessions' counts is then the count of the group, in every cell.

    sessions   all (60 people), all less ten                  atoms    10, 50
    vectors    (1, 1), (0, 1)                                 groups   (1, 1), (0, 1), (1, 0)

Row reduction turns the vectors of the sessions into `rank` independent rows. Each row has an atom,
its pivot, where it has 1 and all other rows have 0. So a combination with entries 0 and 1 has
factors 0 and 1, and adding up every subset of the rows, 2^rank sums, finds all groups. Entries are
fractions; each column is multiplied by its denominators to give whole numbers. With at most
MOST_RANK rows made from 0 and 1 these are below 10^5, so 64 bits hold them.

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

# limit of the rank, the number of linearly independent sessions, because 2^rank sums are formed
# (2^12 = 4,096); beyond, ParameterError is raised
MOST_RANK = 12
AT_ONCE = 256  # number of sums of rows that are computed together, which bounds the memory

Vectors = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Combination:
    """A subtractable group: people with counts that follow from the sessions' counts by arithmetic.

    Attributes:
        atoms: indices of the group's atoms, ascending; an atom is all people of the same sessions.
        weights: for each session, the factor of its counts; the sum is the count of the group.
    """

    atoms: tuple[int, ...]
    weights: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """The row-reduced matrix of sessions, which shows the groups with counts that follow.

    An atom is all people who attended the same sessions. The vector of a session has 1 for each
    atom with people of the session, else 0. Each reduced row is a combination of these vectors.

    Attributes:
        rows: the reduced rows, an entry for each atom.
        factors: for each row, the factor of each session in the combination.
        pivots: for each row, the atom with 1 in this row and 0 in all other rows.
        atoms: the number of atoms.
    """

    rows: tuple[tuple[Fraction, ...], ...]
    factors: tuple[tuple[Fraction, ...], ...]
    pivots: tuple[int, ...]
    atoms: int

    @property
    def rank(self) -> int:
        """The least number of sessions that give the counts of all sessions by arithmetic.

        It is the rank of the matrix of sessions: a row for each session, with a 0 or 1 for each set
        of people who attended the same sessions.
        """
        return len(self.pivots)

    def whole(self) -> tuple[Vectors, Vectors]:
        """Return the reduced rows in whole numbers, and the factor that made each column whole.

        A column is a set of people who attended the same sessions. Its factor is the least common
        multiple of its denominators.
        """
        scale = [lcm(*(row[atom].denominator for row in self.rows)) for atom in range(self.atoms)]
        rows = [[int(x * by) for x, by in zip(row, scale, strict=True)] for row in self.rows]
        shape = (self.rank, self.atoms)
        return np.array(rows, np.int64).reshape(shape), np.array(scale, np.int64)

    def holds(self, atoms: Sequence[int]) -> bool:
        """Whether the counts of a group follow from the sessions' counts by arithmetic.

        atoms: the group, as numbers of atoms (people of the same sessions).
        """
        inside = set(atoms)
        picked = [row for row, pivot in zip(self.rows, self.pivots, strict=True) if pivot in inside]
        return all(
            sum((row[atom] for row in picked), Fraction(0)) == (atom in inside)
            for atom in range(self.atoms)
        )


def span_of(sessions: Sequence[Sequence[int]], atoms: int) -> Span:
    """Row-reduce the matrix of sessions, exactly: a row for each session, a column for each atom.

    An atom is all people who attended the same sessions.

    Args:
        sessions: for each session and each atom, 1 if its people attended the session, else 0.
        atoms: the number of atoms.

    Returns:
        The reduced matrix. The reduction ends at rank MOST_RANK + 1, because `subtractable` refuses
        such a rank.
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
    """Scale row `top` so that its entry at `atom` is 1, and subtract multiples from all other rows.

    All other rows then have 0 at `atom`, the index of a column. Rows are sessions, or combinations
    of sessions; columns are sets of people who attended the same sessions. The factors of the
    sessions undergo the same row operations. Both tables are changed in place.
    """
    by = rows[top][atom]
    for table in (rows, factors):
        table[top] = [x / by for x in table[top]]
    for i in range(len(rows)):
        if i != top and (times := rows[i][atom]):
            for table in (rows, factors):
                table[i] = [x - times * y for x, y in zip(table[i], table[top], strict=True)]


def subtractable(span: Span) -> list[Combination]:
    """Return every group of people with a count that follows from the sessions' counts.

    The people of each session are such a group too. span: the row-reduced sessions. Raises
    ParameterError if the rank, the number of independent sessions, is above MOST_RANK.
    """
    if span.rank > MOST_RANK:
        raise ParameterError(
            f"sessions: found {span.rank} or more with independent counts; at most {MOST_RANK} "
            f"are accepted, because each of their {1 << MOST_RANK:,} combinations is examined"
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
    """Return the factor of each session's counts in the sum of some reduced rows.

    A reduced row is a combination of sessions; `span.factors` holds its factors. picked: for each
    reduced row, 1 if it is in the sum, else 0.
    """
    rows = [row for row, bit in zip(span.factors, picked, strict=True) if bit]
    return tuple(sum(column, Fraction(0)) for column in zip(*rows, strict=True))
