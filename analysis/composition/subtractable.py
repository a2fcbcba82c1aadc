"""The groups of people that several counts give by arithmetic.

A *pattern* is the set of sessions that a person attended, an *atom* all people of one pattern. Each
session counts a 0/1 vector over the atoms. A group is subtractable if its own 0/1 vector is a
rational combination of these: the same combination of the counts is the count of the group, in
every cell.

    sessions   all (60 people), all less ten                  atoms    10, 50
    vectors    (1, 1), (0, 1)                                 groups   (1, 1), (0, 1), (1, 0)

The reduced matrix of the sessions has a column with a single 1 for each of its `rank` rows, the
pivots, so a 0/1 vector of the span is the sum of the rows whose pivot it has: 2^rank sums list all.
Entries are fractions. The sums are whole numbers: a column times its denominators. With at most
MOST_RANK rows of 0 and 1 these are below 10^5, so 64 bits hold them.

Combinations that give no 0/1 vector (people who count twice, or partly) bound counts as well. They
are not examined here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from math import lcm

import numpy as np
from numpy.typing import NDArray

from ...errors import ParameterError

MOST_RANK = 12  # 4,096 sums
AT_ONCE = 256  # sums in memory

Vectors = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Combination:
    """A subtractable group.

    Attributes:
        atoms: those that it consists of, by number, ascending.
        weights: the factor of each session.
    """

    atoms: tuple[int, ...]
    weights: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """Sessions over atoms, reduced.

    Attributes:
        rows: the reduced rows.
        factors: of the sessions, for each row.
        pivots: the atom whose column is 1 in this row and 0 in the others.
        atoms: the number of atoms.
    """

    rows: tuple[tuple[Fraction, ...], ...]
    factors: tuple[tuple[Fraction, ...], ...]
    pivots: tuple[int, ...]
    atoms: int

    @property
    def rank(self) -> int:
        """The number of sessions that are no combination of others."""
        return len(self.pivots)

    def whole(self) -> tuple[Vectors, Vectors]:
        """The rows with each column times its denominators, and these factors of the columns."""
        scale = [lcm(*(row[atom].denominator for row in self.rows)) for atom in range(self.atoms)]
        rows = [[int(x * by) for x, by in zip(row, scale, strict=True)] for row in self.rows]
        shape = (self.rank, self.atoms)
        return np.array(rows, np.int64).reshape(shape), np.array(scale, np.int64)

    def holds(self, atoms: Sequence[int]) -> bool:
        """Whether a group is a combination of the sessions."""
        inside = set(atoms)
        picked = [row for row, pivot in zip(self.rows, self.pivots, strict=True) if pivot in inside]
        return all(
            sum((row[atom] for row in picked), Fraction(0)) == (atom in inside)
            for atom in range(self.atoms)
        )


def span_of(sessions: Sequence[Sequence[int]], atoms: int) -> Span:
    """Row-reduce sessions x atoms, exactly. sessions: for each, 0 or 1 an atom.

    It ends at rank MOST_RANK + 1, beyond which nothing is listed.
    """
    rows = [[Fraction(x) for x in session] for session in sessions]
    factors = [[Fraction(i == j) for j in range(len(rows))] for i in range(len(rows))]
    pivots: list[int] = []
    for atom in range(atoms):
        top = len(pivots)
        found = next((i for i in range(top, len(rows)) if rows[i][atom]), None)
        if found is None:
            continue
        if top > MOST_RANK:
            break
        for table in (rows, factors):
            table[top], table[found] = table[found], table[top]
        _clear(rows, factors, top, atom)
        pivots.append(atom)
    kept = slice(len(pivots))
    return Span(
        tuple(map(tuple, rows[kept])), tuple(map(tuple, factors[kept])), tuple(pivots), atoms
    )


def _clear(rows: list[list[Fraction]], factors: list[list[Fraction]], top: int, atom: int) -> None:
    """Make a pivot 1, and its column 0 in all other rows; the factors follow."""
    by = rows[top][atom]
    for table in (rows, factors):
        table[top] = [x / by for x in table[top]]
    for i in range(len(rows)):
        if i != top and (times := rows[i][atom]):
            for table in (rows, factors):
                table[i] = [x - times * y for x, y in zip(table[i], table[top], strict=True)]


def subtractable(span: Span) -> list[Combination]:
    """Every group that the sessions give, the sessions themselves among them.

    ParameterError beyond rank MOST_RANK.
    """
    if span.rank > MOST_RANK:
        raise ParameterError(
            f"sessions: found rank {span.rank}; at most {MOST_RANK} is accepted, which is "
            f"{1 << MOST_RANK:,} combinations"
        )
    rows, scale = span.whole()
    found: list[Combination] = []
    choices = product((0, 1), repeat=span.rank)
    while chosen := list(islice(choices, AT_ONCE)):
        picked = np.array(chosen, np.int64).reshape(len(chosen), span.rank)
        sums = picked @ rows
        fits = ((sums == 0) | (sums == scale)).all(axis=1) & sums.any(axis=1)
        for place in np.flatnonzero(fits).tolist():
            atoms = tuple(np.flatnonzero(sums[place]).tolist())
            found.append(Combination(atoms, _weights(span, chosen[place])))
    return found


def _weights(span: Span, picked: Sequence[int]) -> tuple[Fraction, ...]:
    """The factor of each session in a sum of reduced rows."""
    rows = [row for row, bit in zip(span.factors, picked, strict=True) if bit]
    return tuple(sum(column, Fraction(0)) for column in zip(*rows, strict=True))
