"""Hadamard response in blocks: the paper's formulas, exact variances and limits by enumeration."""

from math import exp

import numpy as np
import pytest
from sample_kit import sampled
from veilmix.analysis.randomizers import (
    Hadamard,
    HadamardBlocks,
    ProjectiveGeometry,
    SubsetSelection,
)
from veilmix.analysis.shuffled import shuffle
from veilmix.analysis.shuffled.bands import Band, Effort
from veilmix.analysis.shuffled.collections import every_pair
from veilmix.errors import ParameterError

SOME = [
    HadamardBlocks(5, 4, 1.1),  # two blocks, one with two rows
    HadamardBlocks(6, 2, 0.7),  # a block for each symbol
    HadamardBlocks(3, 4, 0.9),  # one block
    HadamardBlocks(9, 4, 1.5),
    HadamardBlocks(9, 8, 2.0),
]


def gains(made: HadamardBlocks) -> np.ndarray:
    """What each report adds to the estimate of each share, shape (outputs, a)."""
    rows = np.eye(made.outputs, dtype=int)
    counts = [made.support_counts(np.flatnonzero(row)) for row in rows]
    return np.array([made.estimate_tally(count, 1).shares for count in counts])


def test_one_block_is_hadamard_response() -> None:
    whole, blocks = Hadamard(6, 1.3), HadamardBlocks(6, 8, 1.3)
    assert blocks.blocks == 1
    assert blocks.matrix == pytest.approx(whole.matrix)
    assert blocks.noise() == pytest.approx(whole.noise())
    reports = whole.sample(np.arange(600) % 6, 1)
    assert blocks.estimate(reports).shares == pytest.approx(whole.estimate(reports).shares)


@pytest.mark.parametrize("made", SOME, ids=str)
def test_columns_are_those_of_the_paper(made: HadamardBlocks) -> None:
    """A symbol has b / 2 columns, two of a block b / 4 in common, two of different blocks none."""
    held = made.supports(np.arange(made.outputs)).astype(int)
    shared = held.T @ held
    block = np.arange(made.a) % made.blocks
    together = block[:, None] == block
    assert (shared.diagonal() == made.width // 2).all()
    np.fill_diagonal(together, val=False)
    assert (shared[together] == made.width // 4).all()
    assert (shared[block[:, None] != block] == 0).all()
    assert made.outputs == made.width * made.blocks
    e = exp(made.epsilon)
    assert made.gain == pytest.approx(2 * (e - 1 + 2 * made.blocks) / (e - 1))


@pytest.mark.parametrize("made", SOME, ids=str)
def test_variance_is_that_of_every_report_listed(made: HadamardBlocks) -> None:
    p = np.arange(1.0, made.a + 1)
    p /= p.sum()
    Q, gain = made.matrix, gains(made)
    mean = Q.T @ gain
    assert mean == pytest.approx(np.eye(made.a), abs=1e-9)
    second = np.einsum("yx,yk,x->k", Q, gain**2, p)
    given_people = second - np.einsum("xk,x->k", mean**2, p)
    assert made.variance(p, 7) == pytest.approx(given_people / 7, rel=1e-9)
    drawn = made.variance(p, 7, population=True)
    assert drawn == pytest.approx((second - p**2) / 7, rel=1e-9)
    uniform = made.variance(np.full(made.a, 1 / made.a), 1)
    assert made.noise() == pytest.approx(uniform.mean(), rel=1e-9)


def test_a_width_is_chosen_among_all() -> None:
    for a, epsilon in ((50, 0.3), (50, 2.2), (50, 4.0), (10, 6.0), (1000, 5.0)):
        widths = [1 << j for j in range(1, a.bit_length() + 1)]
        every = [HadamardBlocks(a, width, epsilon).noise() for width in widths]
        assert HadamardBlocks.best(a, epsilon).noise() == min(every)
        assert every[-1] == pytest.approx(Hadamard(a, epsilon).noise())


@pytest.mark.parametrize("epsilon", [1.0, 2.0, 3.0, 4.0, 5.0])
def test_with_many_values_it_has_up_to_twice_the_error_of_subsets(epsilon: float) -> None:
    blocks, subsets = HadamardBlocks.best(1000, epsilon), SubsetSelection.best(1000, epsilon)
    ratio = blocks.noise() / subsets.noise()
    assert 2 * (1 - exp(-epsilon)) * 0.999 < ratio < 2.03
    assert ratio > ProjectiveGeometry.best(1000, epsilon).noise() / subsets.noise()
    assert (blocks.noise() < Hadamard(1000, epsilon).noise()) == (epsilon > 1)


@pytest.mark.parametrize("made", [SOME[0], SOME[1], HadamardBlocks(6, 4, 0.9)], ids=str)
@pytest.mark.parametrize("n", [2, 4])
def test_bands_after_shuffling_hold_every_collection(made: HadamardBlocks, n: int) -> None:
    pairs = every_pair(n, made)
    assert pairs is not None
    own = Band(made.neighbours(), n, Effort())
    for share in (0.2, 0.7):
        epsilon = share * made.epsilon
        exact = pairs.delta(epsilon)
        assert own.low(epsilon) <= exact * (1 + 1e-9)
        assert exact <= own.high(epsilon) * (1 + 1e-9)


@pytest.mark.parametrize(("n", "width"), [(100, 0.005), (10_000, 1e-4)])
def test_bands_of_a_large_crowd_are_narrow(n: int, width: float) -> None:
    """Every value of the others is known, so terms are exchanged (decision 53)."""
    band = shuffle(HadamardBlocks.best(32, 3.0), n)
    assert band.low < band.high < band.low * (1 + width)


def signed_law(made: HadamardBlocks, holders: int, near: int, others: int) -> np.ndarray:
    """The law of (reports that support the symbol) - (others in its block), from -n to n."""
    block = np.arange(made.a) % made.blocks
    signs = np.sign(gains(made)[:, 0]).astype(int)
    law = np.ones(1)
    chosen = [0, int(np.flatnonzero(block == 0)[-1]), int(np.flatnonzero(block != 0)[0])]
    for x, people in zip(chosen, (holders, near, others), strict=True):
        one = np.bincount(signs + 1, weights=made.matrix[:, x], minlength=3)
        for _ in range(people):
            law = np.convolve(law, one)
    return law


def limits_of_sums(made: HadamardBlocks, people: int) -> tuple[np.ndarray, np.ndarray]:
    """The limits of the share of symbol 0 for each sum of signs, from -n to n."""
    known = []
    for signs in range(-people, people + 1):
        supporting, against = max(signs, 0), max(-signs, 0)
        counts = np.zeros(made.positions, int)
        counts[0], counts[made.a] = supporting, supporting + against
        counts[made.a + 1] = people - supporting - against
        low, high = made.estimate_tally(counts, people).interval()
        known.append((low[0], high[0]))
    low, high = np.array(known).T
    return low, high


@pytest.mark.parametrize("people", sampled([5, 10, 30, 100], 0, 1))
def test_limits_hold_a_share_by_enumeration(people: int) -> None:
    """Everybody alike, nobody, one person, half; the rest near, elsewhere, or both."""
    for epsilon in (0.5, 2.0, 4.0, 8.0):
        made = HadamardBlocks(9, 4, epsilon)
        low, high = limits_of_sums(made, people)
        assert low.min() >= 0
        assert high.max() <= 1
        assert (high > low).all()
        for holders in sorted({0, 1, people // 2, people}):
            rest = people - holders
            for near in sorted({0, rest // 2, rest}):
                law = signed_law(made, holders, near, rest - near)
                truth = holders / people
                assert law[(low <= truth + 1e-12) & (truth <= high + 1e-12)].sum() >= 0.95


@pytest.mark.parametrize(
    ("a", "width", "message"),
    [
        (5, 3, "width: found 3; needs a power of two"),
        (5, 1, "width: found 1"),
        (1, 2, "a: found 1"),
        (1 << 24, 2, r"at most 2\^24"),
    ],
)
def test_impossible_blocks_are_refused(a: int, width: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        HadamardBlocks(a, width, 1.0)


def test_counts_that_no_reports_have_are_refused() -> None:
    made = SOME[0]
    with pytest.raises(ParameterError, match=r"counts: shape \(5,\); needs \(7,\)"):
        made.estimate_tally([1] * 5, 5)
    with pytest.raises(ParameterError, match="counts: needs whole numbers"):
        made.estimate_tally([1] * 6 + [9], 5)
    with pytest.raises(ParameterError, match=r"at most 2\^24"):
        HadamardBlocks.best(1 << 24, 1.0)


def test_reports_of_no_budget_estimate_nothing() -> None:
    made = HadamardBlocks.best(10, 1e-300)
    assert made.blocks == 1
    for asked in (made.noise, lambda: made.estimate([0, 1])):
        with pytest.raises(ParameterError, match="do not depend on the value"):
            asked()
