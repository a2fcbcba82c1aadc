"""Groups that counts give by arithmetic, against a listing of every vector of 0 and 1."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from veilmix.analysis.composition import subtractable as module
from veilmix.analysis.composition.subtractable import Combination, span_of, subtractable
from veilmix.errors import ParameterError

Rows = list[tuple[int, ...]]


def spanned(rows: Rows, atoms: int) -> set[tuple[int, ...]]:
    """Every 0/1 vector, not 0, whose addition leaves the rank of the sessions as it is."""
    rank = np.linalg.matrix_rank(np.array(rows))
    return {
        vector
        for vector in product((0, 1), repeat=atoms)
        if any(vector) and np.linalg.matrix_rank(np.array([*rows, vector])) == rank
    }


def vector(found: Combination, atoms: int) -> tuple[int, ...]:
    return tuple(int(atom in found.atoms) for atom in range(atoms))


def test_groups_are_all_vectors_of_the_span() -> None:
    """Of 60 random sessions of up to seven atoms; each is the combination that it says."""
    rng, beyond = np.random.default_rng(34), 0
    for _ in range(60):
        sessions, atoms = (int(x) for x in rng.integers((1, 1), (6, 8)))
        rows: Rows = [tuple(row) for row in rng.integers(0, 2, (sessions, atoms)).tolist()]
        found = subtractable(span_of(rows, atoms))
        assert {vector(group, atoms) for group in found} == spanned(rows, atoms), rows
        assert len({group.atoms for group in found}) == len(found)
        for group in found:
            sums = [
                sum((w * row[atom] for w, row in zip(group.weights, rows, strict=True)), Fraction())
                for atom in range(atoms)
            ]
            assert tuple(sums) == vector(group, atoms)
            beyond += vector(group, atoms) not in rows
    assert beyond > 50  # groups that are no session


def test_two_of_three_give_each() -> None:
    """Of ab, bc and ac: a, with a half of two and less a half of the third."""
    found = {group.atoms: group.weights for group in subtractable(span_of([
        (1, 1, 0), (0, 1, 1), (1, 0, 1)], 3))}  # fmt: skip
    half = Fraction(1, 2)
    assert found[0,] == (half, -half, half)
    assert found[1,] == (half, half, -half)
    assert found[2,] == (-half, half, half)
    assert len(found) == 7


def test_a_span_holds_its_groups_and_no_others() -> None:
    span = span_of([(1, 1, 1), (0, 1, 1)], 3)
    assert [span.holds(atoms) for atoms in ((0,), (1, 2), (0, 1, 2), (1,), (0, 2))] == [
        *(True, True, True),
        *(False, False),
    ]
    assert not span_of([], 2).holds((0,))
    assert subtractable(span_of([], 2)) == []


def test_nothing_is_lost_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    span = span_of(np.triu(np.ones((6, 6), int)).tolist(), 6)
    whole = subtractable(span)
    monkeypatch.setattr(module, "AT_ONCE", 5)
    assert subtractable(span) == whole
    assert len(whole) == 2**6 - 1


def test_beyond_the_fixed_number_nothing_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_RANK", 5)
    assert len(subtractable(span_of(np.eye(5, dtype=int).tolist(), 5))) == 2**5 - 1
    span = span_of(np.eye(14, dtype=int).tolist(), 14)
    assert span.rank == 6
    with pytest.raises(
        ParameterError,
        match=r"found 6 or more with independent counts; at most 5 are accepted, .* 32 comb",
    ):
        subtractable(span)
