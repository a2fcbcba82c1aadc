"""Hash families that collide with probability exactly 1/g, by counting all keys."""

from itertools import combinations

import numpy as np
import pytest
from veilmix.analysis.randomizers import LocalHash, hash_families
from veilmix.analysis.randomizers.galois import hadamard, invert, modulus, multiply
from veilmix.analysis.randomizers.hash_families import DigitFamily, FieldFamily, family
from veilmix.errors import ParameterError


@pytest.mark.parametrize("k", range(1, 9))
def test_fields_are_fields(k: int) -> None:
    x = np.arange(1 << k, dtype=np.uint64)
    table = multiply(x[:, None], x[None, :], k)
    assert (table == table.T).all()
    assert (np.sort(table[1:, 1:], axis=1) == x[1:]).all()
    assert (multiply(x[1:], invert(x[1:], k), k) == 1).all()
    # Distributive over addition, which is XOR.
    for y in range(1 << k):
        shifted = x ^ np.uint64(y)
        assert (table[:, shifted] == table ^ table[:, [y]]).all()


@pytest.mark.parametrize("k", [16, 24, 27, 31])
def test_inverses_in_large_fields(k: int) -> None:
    x = np.random.default_rng(k).integers(1, 1 << k, 200, dtype=np.uint64)
    assert (multiply(x, invert(x, k), k) == 1).all()
    assert modulus(8) == 0b100011011


@pytest.mark.parametrize(
    ("a", "g"), [(4, 2), (8, 4), (5, 4), (3, 8), (5, 3), (4, 5), (7, 6), (3, 9), (10, 15)]
)
def test_any_two_symbols_hash_independently_and_uniformly(a: int, g: int) -> None:
    hashes = family(a, g)
    keys = hashes.keys()
    assert len(keys) == hashes.size
    assert (hashes.number(keys) == np.arange(hashes.size)).all()
    values = hashes.hash(keys[:, None], np.arange(a)[None, :]).astype(np.int64)
    for x, y in combinations(range(a), 2):
        together = np.bincount(values[:, x] * g + values[:, y], minlength=g * g)
        assert (together == hashes.size // (g * g)).all()


def test_families_that_are_only_universal_would_bias_the_estimate() -> None:
    # Paper 003 asks for collisions <= 1/g. Permutations of 3 values: none; expectation 0.25 of 0.5.
    def expectation(collision: float, share: float, g: int) -> float:
        """E phat(x) = (P(support) - 1/g) / (truth - 1/g) as truth -> 1 (no noise)."""
        return (share + (1 - share) * collision - 1 / g) / (1 - 1 / g)

    assert expectation(0.0, 0.5, 3) == pytest.approx(0.25)
    modular = [(u, v) for u in range(5) for v in range(5)]
    pairs = list(combinations(range(5), 2))
    hits = sum(
        ((u * x + v) % 5) % 3 == ((u * y + v) % 5) % 3 for u, v in modular if u for x, y in pairs
    )
    collision = hits / (20 * len(pairs))
    assert collision == pytest.approx(0.2)
    assert expectation(collision, 0.5, 3) == pytest.approx(0.40)
    assert expectation(1 / 3, 0.5, 3) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("a", "g"), [(1000, 2), (37, 4), (600, 64), (100, 256), (50, 6), (200, 7), (30, 101)]
)
def test_tallies_equal_a_scan_of_the_domain(a: int, g: int) -> None:
    hashed = LocalHash(a, g, 1.0)
    reports = hashed.sample(np.arange(400) % a, rng=a)
    scan = hashed.supports(reports).sum(axis=0)
    assert (hashed.tally(reports)[0] == scan).all()


@pytest.mark.parametrize(("a", "j"), [(16, 1), (16, 2), (11, 4), (5, 5), (9, 3)])
def test_both_roads_of_the_field_family_agree_also_at_key_zero(
    a: int, j: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the reports are counted in several pieces, of which the last is shorter."""
    monkeypatch.setattr(hash_families, "BLOCK", 128)
    hashes = FieldFamily(a, j)
    rng = np.random.default_rng(j)
    keys = hashes.draw(300, rng)
    keys[:40, 0] = 0
    target = rng.integers(0, 1 << j, 300, dtype=np.uint64) ^ keys[:, 1]
    assert (
        hashes._by_preimages(keys[:, 0], target) == hashes._by_characters(keys[:, 0], target)
    ).all()


def test_the_digit_family_uses_the_least_prime_factor() -> None:
    assert (DigitFamily(100, 35).base, DigitFamily(100, 35).digits) == (5, 3)
    assert (DigitFamily(100, 101).base, DigitFamily(100, 101).digits) == (101, 1)
    assert (DigitFamily(9, 6).base, DigitFamily(9, 6).digits) == (2, 4)
    # Digits in base g itself would collide too often for composite g: 2 u is even mod 6.
    even = {2 * u % 6 for u in range(6)}
    assert len(even) == 3


def test_optimal_hashing_takes_the_best_power_of_two() -> None:
    for epsilon, g in ((0.5, 2), (1.0, 4), (2.0, 8), (3.0, 16)):
        chosen = LocalHash.olh(100, epsilon)
        rivals = [LocalHash(100, 1 << j, epsilon) for j in range(1, 9)]
        rare = np.zeros(100)
        rare[0] = 1
        assert chosen.variance(rare, 1)[1] == min(r.variance(rare, 1)[1] for r in rivals)
        assert chosen.g == g


def test_a_hundred_thousand_symbols_from_preimages_stay_unbiased() -> None:
    hashed = LocalHash(100_000, 1 << 16, 12.0)
    x = np.repeat([3, 99_999], [700, 300])
    estimate = hashed.estimate(hashed.sample(x, rng=1))
    assert abs(estimate.shares[3] - 0.7) < 5 * estimate.errors[3]
    assert abs(estimate.shares[99_999] - 0.3) < 5 * estimate.errors[99_999]
    assert abs(estimate.shares.sum() - 1) < 5 * 100_000**0.5 * estimate.errors[0]


def test_hadamard_is_the_signed_sum() -> None:
    values = np.random.default_rng(0).integers(-9, 9, 16)
    signs = [[(-1) ** (f & x).bit_count() for f in range(16)] for x in range(16)]
    assert (hadamard(values.copy()) == np.array(signs) @ values).all()


def test_foreign_reports_are_refused() -> None:
    reports = LocalHash(10, 4, 1.0).sample([1, 2], rng=0)
    with pytest.raises(ParameterError, match=r"reports\.keys"):
        LocalHash(10, 6, 1.0).estimate(reports)
    with pytest.raises(ParameterError, match="HashReports"):
        LocalHash(10, 4, 1.0).estimate([1, 2])
    with pytest.raises(ParameterError, match=r"reports\.values"):
        LocalHash(10, 2, 1.0).estimate(LocalHash(10, 4, 1.0).sample(np.arange(100) % 10, rng=0))
    with pytest.raises(ParameterError, match="keys of this hash family"):
        LocalHash(1000, 4, 1.0).estimate(LocalHash(100_000, 4, 1.0).sample(np.arange(9), rng=0))


@pytest.mark.parametrize(
    ("a", "g"), [(3, 2), (8, 2), (5, 4), (9, 4), (16, 8), (5, 5), (12, 3), (10, 6), (3, 9)]
)
def test_three_symbols_meet_as_often_as_is_said(a: int, g: int) -> None:
    hashes = family(a, g)
    values = hashes.hash(hashes.keys()[:, None], np.arange(a)[None, :])
    met = [
        float((values[:, x] == values[:, y])[values[:, x] == values[:, z]].sum()) / len(values)
        for x, y, z in combinations(range(a), 3)
    ]
    least, *_, most = sorted([*hashes.meetings] * 2)
    assert min(met) == pytest.approx(least)
    assert max(met) == pytest.approx(most)
    assert family(2, g).meetings == ()
