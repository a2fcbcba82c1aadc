"""Split and mix: what the shares add up to, what hides them, and how many of them are needed."""

from itertools import permutations, product
from math import exp, sqrt

import numpy as np
import pytest
from scipy.stats import chi2
from veilmix.analysis.randomizers import SplitMix
from veilmix.analysis.randomizers.split_mix import (
    DELTA,
    MODULUS,
    STEPS,
    _parts,
    distance,
    shares_needed,
)
from veilmix.errors import ParameterError

ONE = SplitMix(tuple(map(float, range(11))), 1.0, 100)


def parts(matchings: tuple[tuple[int, ...], ...], n: int) -> int:
    """Into how many parts n and n people fall who are joined by these matchings."""
    leader = list(range(2 * n))

    def find(i: int) -> int:
        while leader[i] != i:
            i = leader[i]
        return i

    for matching in matchings:
        for i, j in enumerate(matching):
            leader[find(i)] = find(n + j)
    return len({find(i) for i in range(2 * n)})


@pytest.mark.parametrize(("n", "k", "M"), [(2, 4, 16), (3, 3, 5), (4, 3, 3), (3, 4, 7)])
def test_the_bound_on_parts_is_above_all_matchings(n: int, k: int, M: int) -> None:
    every = list(product(permutations(range(n)), repeat=k))
    counts = [parts(matchings, n) for matchings in every]
    exact = sum(M ** (C - 1) for C in counts if C > 1) / len(every)
    assert exact <= exp(_parts(n, k, M)) <= 1.5 * exact


def test_shares_hide_uniform_numbers_as_bounded() -> None:
    """Two people, three shares modulo 3: every view, against uniform shares with that sum."""
    n, k, M = 2, 3, 3
    apart = []
    for x in product(range(M), repeat=n):
        views: dict[tuple[tuple[int, ...], ...], float] = {}
        for first in product(range(M), repeat=n * (k - 1)):
            rows = [first[i * (k - 1) : (i + 1) * (k - 1)] for i in range(n)]
            full = [(*row, (x[i] - sum(row)) % M) for i, row in enumerate(rows)]
            seen = tuple(tuple(sorted(row[j] for row in full)) for j in range(k))
            views[seen] = views.get(seen, 0.0) + 1 / M ** (n * (k - 1))
        ideal: dict[tuple[tuple[int, ...], ...], float] = {}
        for z in product(range(M), repeat=n * k):
            if (sum(z) - sum(x)) % M == 0:
                seen = tuple(tuple(sorted(z[j::k])) for j in range(k))
                ideal[seen] = ideal.get(seen, 0.0) + 1 / M ** (n * k - 1)
        keys = views.keys() | ideal.keys()
        apart.append(sum(abs(views.get(s, 0) - ideal.get(s, 0)) for s in keys) / 2)
    assert np.mean(apart) <= distance(n, k, M)


def test_enough_shares_and_not_one_more() -> None:
    assert shares_needed(100, 1.0) == 14
    for people in (16, 100, 1000):
        copies = shares_needed(people, 1.0) - 1
        assert (1 + exp(1.0)) * distance(people, copies) <= DELTA
        assert (1 + exp(1.0)) * distance(people, copies - 1) > DELTA
    assert shares_needed(1000, 1.0) <= shares_needed(100, 1.0) <= shares_needed(16, 1.0)


def test_sums_are_unbiased_with_the_noise_of_one_curator() -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(0, 11, 100)
    sums = []
    for _ in range(400):
        shares = ONE.sample(x, rng)
        sums.append(ONE.measures(ONE.support_counts(shares), 100)[1])
    values = np.array([number.value for number in sums])
    truth = sums[0].truth(np.bincount(x, minlength=11) / 100)
    assert truth == pytest.approx(x.sum())
    assert abs(values.mean() - truth) < 4 * sums[0].error / sqrt(400)
    assert values.std() == pytest.approx(sums[0].error, rel=0.2)
    alpha = exp(-1 / STEPS)
    laplace = sqrt(2 * alpha) / (1 - alpha) * 10 / STEPS
    assert sums[0].error == pytest.approx(laplace, rel=0.01)


def test_a_share_by_itself_says_nothing() -> None:
    shares = ONE.sample(np.full(2000, 10), 5)
    assert shares.shape == (2000, ONE.messages_per_person)
    for column in shares.T:
        seen = np.bincount(column // (MODULUS // 16), minlength=16)
        assert chi2.sf(((seen - 125) ** 2 / 125).sum(), 15) > 1e-4


def test_missing_shares_give_no_number() -> None:
    counts = ONE.support_counts(ONE.sample(np.full(50, 3), 5)[:, 1:])
    assert ONE.measures(counts, 50) == ()


def test_texts_come_back_and_a_crowd_is_needed() -> None:
    shares = ONE.sample(np.arange(11), 1)
    texts = ONE.encode(shares, ())
    assert (ONE.decode(texts) == shares.ravel()).all()
    assert {len(text) for text in texts} == {ONE.text_width}
    assert len(ONE.decode(["7ffffff"])) == 0
    with pytest.raises(ParameterError, match="people"):
        SplitMix((0.0, 1.0), 1.0, 5)
