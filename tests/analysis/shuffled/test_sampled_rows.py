"""Sampling and threshold: the exact delta against every table, every draw, every view of few."""

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb, exp, log, log1p

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from veilmix.analysis.shuffled.sampled_rows import (
    PARTS,
    rate_parts,
    removed_delta,
    replaced_delta,
    smallest_epsilon,
)
from veilmix.errors import ParameterError

Law = dict[object, Fraction]
NOBODY = ""  # whose message is a cover in any case


def view(said: tuple[str, ...], k: int, reads: str) -> object:
    """What is seen of messages: the release, or closed sizes besides, or everything."""
    groups = Counter(message for message in said if message)
    opened = frozenset((row, many) for row, many in groups.items() if many >= k)
    if reads == "release":
        return opened
    if reads == "all":
        return frozenset(groups.items())
    closed = [many for many in groups.values() if many < k]
    return opened, tuple(sorted((*closed, *[1] * (len(said) - sum(groups.values())))))


def law(table: tuple[str, ...], k: int, p: Fraction, reads: str) -> Law:
    """The law of what is seen, by every draw of everybody."""
    chances: Law = {}
    for draws in product((True, False), repeat=len(table)):
        chance = Fraction(1)
        for taken in draws:
            chance *= p if taken else 1 - p
        said = tuple(row if taken else NOBODY for row, taken in zip(table, draws, strict=True))
        seen = view(said, k, reads)
        chances[seen] = chances.get(seen, Fraction(0)) + chance
    return chances


def hockey_stick(own: Law, other: Law, grown: Fraction) -> Fraction:
    return sum(
        (max(p - grown * other.get(at, Fraction(0)), 0) for at, p in own.items()), Fraction()
    )


def brute(n: int, k: int, p: Fraction, epsilon: float, reads: str, change: str) -> Fraction:
    """The largest delta of all pairs of tables of n people; a row for each, three at most.

    Who counts groups needs more rows: the others are worst where no two have the same.
    """
    names = "abcde"[: n if reads == "messages" else 3]
    grown, worst = Fraction(exp(epsilon)), Fraction(0)
    for others in combinations_with_replacement(names, n - 1):
        laws = {row: law((row, *others), k, p, reads) for row in (*names, NOBODY)}
        for target, other in product(laws, repeat=2):
            if target != other and (NOBODY in (target, other)) == (change == "removed"):
                worst = max(worst, hockey_stick(laws[target], laws[other], grown))
    return worst


CASES = [(n, k, p) for n in (2, 4, 5) for k in (1, 2, 3) for p in (Fraction(1, 4), Fraction(1, 2))]


@pytest.mark.parametrize(("n", "k", "p"), CASES)
@pytest.mark.parametrize("epsilon", [0.75, 1.0, 2.0])
def test_removed_is_the_largest_of_all_tables(n: int, k: int, p: Fraction, epsilon: float) -> None:
    worst = brute(n, k, p, epsilon, "release", "removed")
    told = removed_delta(k, p, epsilon, n)  # type: ignore[arg-type]
    assert float(told) == pytest.approx(float(worst), rel=1e-12)
    assert float(told) >= float(worst) * (1 - 1e-15)


@pytest.mark.parametrize(("n", "k", "p"), [(4, 2, Fraction(1, 4)), (4, 3, Fraction(1, 2))])
@pytest.mark.parametrize("reads", ["release", "messages"])
def test_replaced_is_not_below_any_table(n: int, k: int, p: Fraction, reads: str) -> None:
    for epsilon in (0.8, 1.5):
        worst = brute(n, k, p, epsilon, reads, "replaced")
        opens = k if reads == "release" else 2
        told = replaced_delta(opens, p, epsilon, n)  # type: ignore[arg-type]
        removed = removed_delta(opens, p, epsilon, n)  # type: ignore[arg-type]
        assert float(removed) * (1 - 1e-11) <= float(worst) <= float(told)


@pytest.mark.parametrize(("n", "k"), [(3, 3), (5, 3), (5, 4)])
@pytest.mark.parametrize("epsilon", [0.75, 1.5])
def test_who_counts_closed_groups_sees_as_if_two_opened(n: int, k: int, epsilon: float) -> None:
    p = Fraction(1, 4)
    worst = brute(n, k, p, epsilon, "messages", "removed")
    assert float(removed_delta(2, 0.25, epsilon, n)) == pytest.approx(float(worst), rel=1e-12)
    assert worst > brute(n, k, p, epsilon, "release", "removed")


def test_who_tries_rows_sees_as_if_one_opened() -> None:
    worst = brute(4, 3, Fraction(1, 4), 1.0, "all", "removed")
    assert float(removed_delta(1, 0.25, 1.0, 4)) == pytest.approx(float(worst), rel=1e-12)
    assert float(worst) >= 0.25


def exact(k: int, p: Fraction, epsilon: float, n: int) -> Fraction:
    """The maximum as it is defined, with whole numbers, over all m."""
    grown = Fraction(exp(epsilon))

    def pmf(m: int, j: int) -> Fraction:
        return comb(m, j) * p**j * (1 - p) ** (m - j) if j <= m else Fraction(0)

    return max(
        (
            sum(
                (max(pmf(m, j) - grown * pmf(m - 1, j), Fraction(0)) for j in range(k, m + 1)),
                Fraction(0),
            )
            for m in range(1, n + 1)
        ),
        default=Fraction(0),
    )


@settings(max_examples=40, deadline=None)
@given(some.integers(1, 9), some.integers(1, 15), some.floats(0, 3), some.integers(1, 26))
def test_the_search_stops_at_no_maximum(k: int, sixteenths: int, more: float, n: int) -> None:
    p = Fraction(sixteenths, 16)
    epsilon = smallest_epsilon(float(p)) + more
    told = removed_delta(k, float(p), epsilon, n)
    assert float(told) == pytest.approx(float(exact(k, p, epsilon, n)), rel=1e-9, abs=1e-300)


@settings(max_examples=25, deadline=None)
@given(some.integers(2, 40), some.floats(0.01, 0.8), some.floats(0.2, 3))
def test_what_helps_and_what_does_not(k: int, rate: float, more: float) -> None:
    epsilon = smallest_epsilon(rate) + more
    told = removed_delta(k, rate, epsilon, 5000)
    assert told <= removed_delta(k - 1, rate, epsilon, 5000)
    assert removed_delta(k, rate, epsilon + 0.1, 5000) <= told
    assert told >= removed_delta(k, rate, epsilon, 100)
    assert replaced_delta(k, rate, epsilon, 5000) >= told
    assert float(told) >= (rate_parts(rate) / PARTS) ** k * (1 - 1e-9)  # k people, all take part


def test_many_more_people_change_nothing() -> None:
    """From some crowd on none is worst: the search ends there, not at the number of people."""
    told = removed_delta(10, 0.1, 1.0, 32_561)
    assert told == removed_delta(10, 0.1, 1.0, 10**12)
    assert told.crowd == 14
    assert "delta <= 9.98012e-09 at epsilon = 1, one row removed" in str(told)


def test_too_few_people_open_nothing() -> None:
    assert removed_delta(5, 0.5, 1.0, 4) == 0


def test_the_end_of_an_open_prefix_tells_of_one_person() -> None:
    """Why prefixes and sampling do not go together: all others open (a), so one ends there."""
    p, k = Fraction(1, 10), 2

    def law_of(target: tuple[str, str] | None) -> Law:
        chances: Law = {}
        for others in range(9):  # of 8 people with (a, b)
            chance = comb(8, others) * p**others * (1 - p) ** (8 - others)
            for taken in (True, False) if target else (False,):
                mine = (p if taken else 1 - p) if target else Fraction(1)
                whole = others if others >= k else 0
                prefix = others + taken if others + taken >= k else 0
                seen = (prefix, whole)
                chances[seen] = chances.get(seen, Fraction(0)) + chance * mine
        return chances

    with_it, without = law_of(("a", "c")), law_of(None)
    worst = hockey_stick(with_it, without, Fraction(10**6))
    crowd = sum(comb(8, j) * p**j * (1 - p) ** (8 - j) for j in range(k, 9))
    assert worst == p * sum(
        (comb(8, j) * p**j * (1 - p) ** (8 - j) for j in range(1, 9)), Fraction(0)
    )
    assert worst > p * crowd
    assert worst > 100 * removed_delta(10, 0.1, 1.0, 9)


def test_rates_are_those_that_people_draw() -> None:
    assert rate_parts(0.5) == PARTS // 2
    assert rate_parts(1e-12) == 1
    assert rate_parts(1 - 1e-12) == PARTS - 1
    assert smallest_epsilon(0.5) == pytest.approx(log(2))
    assert smallest_epsilon(0.25) >= -log1p(-0.25)


@pytest.mark.parametrize(
    ("given_", "name"),
    [
        ((0, 0.1, 1.0, 9), "k"),
        ((5, 0.0, 1.0, 9), "rate"),
        ((5, 1.0, 1.0, 9), "rate"),
        ((5, "a", 1.0, 9), "rate"),
        ((5, 0.5, 0.5, 9), "epsilon"),
        ((5, 0.5, 51.0, 9), "epsilon"),
        ((5, 0.5, "a", 9), "epsilon"),
        ((5, 0.5, 1.0, 0), "people"),
    ],
)
def test_wrong_arguments_are_one_clear_error(given_: tuple[object, ...], name: str) -> None:
    for function in (removed_delta, replaced_delta):
        with pytest.raises(ParameterError, match=f"^{name}: found"):
            function(*given_)  # type: ignore[arg-type]
