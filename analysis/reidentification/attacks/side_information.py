"""An attack on a release by an attacker that knows some columns of all people.

The attacker knows by name the values of each person in some columns, the known cell k. The release
shows rows y without names. All people are equally likely. Let c(k, y) be the number of people with
known cell k and released row y, c(y) with row y, and n_k with cell k. The row y belongs to a given
person with known cell k with posterior probability c(k, y) / (c(y) n_k). So the best guesses name

    found = sum over y of max over k of c(k, y) / n_k        people correctly, in expectation.

The Bayes error is 1 - found / n for n people. I(K; Y) is the information in the row Y about the
known cell K of its owner, in bits (paper 003, (4)).

If the release shows all the known columns, y determines k, and `found` is the number of known cells
that occur: an equivalence class of any size yields one person in expectation. Known columns that
are not released help through c: the attacker is assumed to know the joint counts, the strongest
case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import Any

import numpy as np
import numpy.typing as npt

from ....deprecated import accepts_old, keeps_old
from ....errors import ParameterError
from ...exposure.cells import as_columns, as_table, cells_of
from ...validation import Floats, as_counts
from ..fano import fano_bound, uniform_prior_error
from ..joint_law import Joint, weighted_counts
from ..personal_information import pie

Keys = npt.NDArray[np.int64]


@keeps_old(found="expected_matches", known="known_columns")
@dataclass(frozen=True, slots=True)
class Identified:
    """The success of an attacker that knows some columns of all people and sees a release.

    Attributes:
        people: number of people, n.
        expected_matches: expected people named correctly by the best guesses; in (0, n].
        certain: number of people with a row that the attacker links to them with certainty.
        bits: I(K; Y), the information in a released row Y about its owner, from the values K in the
            known columns.
        known_columns, released: indices of the known and of the released columns.
    """

    people: int
    expected_matches: float
    certain: int
    bits: float
    known_columns: tuple[int, ...]
    released: tuple[int, ...]

    @property
    def error(self) -> float:
        """The Bayes error: the share of rows that even the best attacker names wrongly."""
        return 1 - self.expected_matches / self.people

    @property
    def fano(self) -> float:
        """The attacker's least error by Fano's inequality from `bits`; at most the error `error`.

        `bits` is the information in a released row about its owner, `error` the Bayes error.
        """
        return fano_bound(self.bits, uniform_prior_error(self.people))

    def __str__(self) -> str:
        """Return a sentence for reports: columns, people re-identified or certain, and bits."""
        return (
            f"knowing columns {list(self.known_columns)} and seeing {list(self.released)}: "
            f"{self.expected_matches:,.1f} of {self.people:,} people found in expectation "
            f"({self.expected_matches / self.people:.2%}), {self.certain:,} for certain; "
            f"{self.bits:.2f} of {log2(self.people):.2f} bits"
        )


@accepts_old(known="known_columns")
def find_people(
    table: npt.ArrayLike,
    known_columns: Sequence[int],
    released: Sequence[int] | None = None,
    people: npt.ArrayLike | None = None,
) -> Identified:
    """Attack an exact release of some columns with knowledge of some columns; return its success.

    Args:
        table: n x d integer codes, n >= 2; a masked value has a code of its own.
        known_columns: indices of the columns that the attacker knows of all people.
        released: indices of the columns of the release; all if not given.
        people: number of people with each row of `table`; 1 each if not given.
    """
    codes = as_table(table)
    one_person = np.ones(codes.shape[0], np.int64)
    weights = one_person if people is None else as_counts(people).astype(np.int64)
    if len(weights) != len(codes) or weights.sum() < 2 or weights.min() < 1:
        raise ParameterError(
            f"table: {weights.sum()} people in {codes.shape[0]} rows; needs at least two, and "
            "at least one for every row"
        )
    mine = as_columns(known_columns, codes.shape[1])
    released_columns = as_columns(
        range(codes.shape[1]) if released is None else released, codes.shape[1]
    )
    cells = cells_of(codes, mine), cells_of(codes, released_columns)
    return _attack(counted(*cells, weights), tuple(mine), tuple(released_columns))


@accepts_old(known="known_table")
def find_in(known_table: npt.ArrayLike, released: npt.ArrayLike) -> Identified:
    """Attack a release with knowledge of another table, such as the original of a masked release.

    >>> from veilmix.analysis.reidentification import find_in
    >>> find_in([[0], [1], [1]], [[0], [1], [1]]).certain
    1

    Args:
        known_table: n x d integer codes; the attacker knows that row u belongs to person u.
        released: n x e integer codes; row u is released about person u. The attacker sees the rows
            but not the owners.
    """
    mine, released_table = as_table(known_table), as_table(released)
    if mine.shape[0] != released_table.shape[0] or mine.shape[0] < 2:
        raise ParameterError(
            f"released: {released_table.shape[0]} rows for {mine.shape[0]} people; needs a row for "
            "each person, and at least two people"
        )
    columns = tuple(range(mine.shape[1])), tuple(range(released_table.shape[1]))
    cells = cells_of(mine, columns[0]), cells_of(released_table, columns[1])
    return _attack(counted(*cells, np.ones(len(mine), np.int64)), *columns)


def people_found(counts: Any, Q: Any = None) -> float:
    """Return the expected number of people named correctly, from counts; also if Q randomizes.

    Args:
        counts: numbers of people by known cell (rows: a combination of values that the attacker
            knows) and true released value (columns), dense or sparse; a row may be 0.
        Q: the randomizer of the released value (reports x inputs or with `.matrix`), None if exact.

    Returns:
        Expected number of people named correctly: sum over reports y of max over known cells k of
        E[c(k, y)] / n_k. c(k, y) is the number of people with k and y, n_k with k.
    """
    from scipy.sparse import csr_array

    table = csr_array(counts)
    if table.dtype.kind not in "iu" or table.ndim != 2 or (table.nnz and table.data.min() < 0):
        raise ParameterError("counts: needs whole numbers of people, known cells x released values")
    people = np.asarray(table.sum(axis=1)).ravel()
    if int(people.sum()) < 2:
        raise ParameterError(f"counts: {int(people.sum())} people; needs at least two")
    inhabited = table[np.flatnonzero(people)].tocsr()
    # The attacker cannot distinguish the n_k people of a known cell, so a named one is the right
    # one with probability 1/n_k.
    shares = inhabited.multiply(1 / people[people > 0][:, None]).tocsr()
    if Q is None:
        return float(shares.max(axis=0).sum())
    return _blurred(shares, Q)


def _blurred(shares: Any, Q: Any) -> float:
    """Return the expected number of people named correctly if Q changes released values.

    shares: c(k, y) / n_k, with c(k, y) the people with known cell k and true released value y, and
    n_k the people with k; known cells x released values.
    Q: the randomizer of the released value.
    """
    from ...randomizers.channel import as_stochastic

    form = getattr(Q, "identity_form", None)
    if form is not None:
        if shares.shape[1] != Q.inputs:
            raise ParameterError(
                f"counts: {shares.shape[1]} released values; {Q} has {Q.inputs} inputs; needs "
                "as many"
            )
        theta, nu = form
        return float(theta * shares.max(axis=0).sum() + Q.inputs * nu)
    matrix = as_stochastic(getattr(Q, "matrix", Q))
    if shares.shape[1] != matrix.shape[1]:
        raise ParameterError(
            f"counts: {shares.shape[1]} released values; Q has {matrix.shape[1]} inputs; needs "
            "as many"
        )
    return float((shares @ matrix.T).max(axis=0).sum())


def counted(known_cells: Keys, released_cells: Keys, people: npt.NDArray[Any]) -> PeopleByCell:
    """Count people by known cell and released value.

    A known cell is a combination of values in the columns that the attacker knows.

    Args:
        known_cells: the number of each row's known cell, 0, 1, ..., shape (rows,).
        released_cells: the number of each row's released value, 0, 1, ..., shape (rows,).
        people: the number of people with each row, above 0; whole, or expected.
    """
    cells, values = int(known_cells.max()) + 1, int(released_cells.max()) + 1
    pairs, place = np.unique(known_cells * np.int64(values) + released_cells, return_inverse=True)
    weight = weighted_counts(place, people, len(pairs))
    return PeopleByCell(cells, values, pairs // values, pairs % values, weight)


@dataclass(frozen=True, slots=True, eq=False)
class PeopleByCell:
    """Numbers of people by known cell and released value, for each pair that occurs.

    A known cell is a combination of values in the columns that the attacker knows of each person by
    name. A released value is a row of the release, which has no names.

    Attributes:
        cells, values: numbers of known cells and of released values.
        row, column: known cell and released value of each pair, shape (pairs,).
        people: people with this known cell and released value, above 0, whole or expected, shape
            (pairs,).
    """

    cells: int
    values: int
    row: Keys
    column: Keys
    people: Floats

    @property
    def each(self) -> Floats:
        """The people in each known cell (values that the attacker knows), shape (cells,)."""
        return weighted_counts(self.row, self.people, self.cells)

    @property
    def expected_matches(self) -> float:
        """The expected number of people named correctly by the attacker's best guesses."""
        best = np.zeros(self.values)
        np.maximum.at(best, self.column, self.people * (1 / self.each)[self.row])
        return float(best.sum())

    @property
    def certain(self) -> int:
        """The number of people with a released row that cannot belong to another person, rounded.

        Such a person is alone in the known cell, the values that the attacker knows. Also no person
        of another known cell has the same released value.
        """
        is_only_row = np.bincount(self.column, minlength=self.values)[self.column] == 1
        is_certain = np.isclose(self.each, 1)[self.row]
        return round(float(self.people[is_certain & is_only_row].sum()))

    @property
    def bits(self) -> float:
        """The information in a released row Y about its owner's known cell K, I(K; Y), in bits.

        The known cell is the combination of values that the attacker knows of a person.
        """
        if self.cells < 2:
            return 0.0
        mass = self.people / self.people.sum()
        return pie(Joint(self.cells, self.values, self.row, self.column, mass))


def _attack(
    counts: PeopleByCell, known_columns: tuple[int, ...], released: tuple[int, ...]
) -> Identified:
    """Return the attacker's success from the counts of people by known cell and released value.

    known_columns, released: indices of the columns, copied into the result.
    """
    people = int(counts.people.sum())
    return Identified(
        people, counts.expected_matches, counts.certain, counts.bits, known_columns, released
    )
