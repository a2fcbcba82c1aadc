"""Others of a third value that families list: those of their matrix, and all of them."""

from itertools import permutations

import numpy as np
import pytest
from veilmix.analysis.randomizers import (
    GRR,
    Bloom,
    Hadamard,
    HadamardBlocks,
    LocalHash,
    ProjectiveGeometry,
    Randomizer,
    SubsetSelection,
    product,
)
from veilmix.analysis.randomizers.matrix_neighbours import merged
from veilmix.analysis.randomizers.neighbour_laws import PairLaw
from veilmix.analysis.shuffled import shuffle
from veilmix.analysis.shuffled.any_others import listed

Kind = tuple[tuple[float, ...], ...]


def kind_of(others: np.ndarray, own: np.ndarray, other: np.ndarray) -> Kind:
    """What a report says of others, u and v, by the likelihoods that it has."""
    laws = merged(np.column_stack([others, own, other]))
    rounded = np.round(laws, 10) + 0.0
    return tuple(sorted(map(tuple, rounded.tolist())))


def kinds_of_matrix(randomizer: Randomizer) -> set[Kind]:
    """All pairs of values, and others of any value but the own one."""
    Q, a = randomizer.matrix, range(randomizer.inputs)
    return {kind_of(Q[:, z], Q[:, u], Q[:, v]) for u, v in permutations(a, 2) for z in a if z != u}


def kinds_of_pair(pair: PairLaw) -> set[Kind]:
    """Of both directions."""
    own, other = pair.law * pair.u_ratios, pair.law * pair.v_ratios
    return {kind_of(pair.law, own, other), kind_of(pair.law, other, own)}


FAMILIES = [
    ProjectiveGeometry(6, 3, 3, 1.1),
    ProjectiveGeometry(4, 3, 2, 1.1),
    ProjectiveGeometry(3, 2, 3, 1.1),
    ProjectiveGeometry(13, 3, 3, 2.0),
    ProjectiveGeometry(20, 2, 5, 1.0),
    SubsetSelection(5, 2, 1.1),
    Hadamard(5, 2.0),
    HadamardBlocks(9, 4, 2.0),
    LocalHash(5, 4, 1.0),
    LocalHash(3, 2, 1.0),
    LocalHash(10, 3, 1.0),
    LocalHash(5, 7, 1.0),
    product(GRR(4, 0.7), GRR(4, 1.3)),
    product(Hadamard(3, 0.7), SubsetSelection(3, 2, 1.0)),
]


@pytest.mark.parametrize("randomizer", FAMILIES, ids=str)
def test_listed_values_are_those_of_the_matrix_and_all_of_them(randomizer: Randomizer) -> None:
    of_matrix = kinds_of_matrix(randomizer)
    found = set[Kind]()
    for case in randomizer.neighbours():
        assert listed(case)
        blanket, pairs = case
        for pair in pairs:
            kinds = kinds_of_pair(pair)
            assert kinds & of_matrix
            found |= kinds
            hidden = blanket.weight * pair.law * np.asarray(pair.shared)
            for law in (pair.law, pair.law * pair.u_ratios, pair.law * pair.v_ratios):
                assert (hidden <= law * (1 + 1e-9)).all()
    assert of_matrix <= found


def test_words_beside_which_others_hide_least_are_words_of_the_list() -> None:
    bloom = Bloom(("a", "b", "c", "d"), 1.2, bits=8, hashes=2, cohorts=2)
    known = kinds_of_matrix(bloom)
    for _, pairs in bloom.neighbours():
        assert len(pairs) == 2
        assert all(kinds_of_pair(pair) & known for pair in pairs)


@pytest.mark.parametrize(
    ("randomizer", "n", "width"),
    [
        (ProjectiveGeometry.best(32, 3.0), 100, 0.003),
        (LocalHash.olh(32, 3.0), 1_000, 0.01),
        (product(GRR(3, 1.5), GRR(3, 1.5)), 1_000, 0.01),
        (Bloom(tuple(map(str, range(32))), 3.0), 1_000, 0.29),
    ],
    ids=str,
)
@pytest.mark.slow
def test_others_of_a_third_value_make_a_band_narrow(
    randomizer: Randomizer, n: int, width: float
) -> None:
    """With others of the doubted values alone they are 28, 24, 3.5 and 40 % wide."""
    assert shuffle(randomizer, n).width <= width
