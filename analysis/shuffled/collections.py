"""Deltas after shuffling over every collection of values, by enumeration, up to symmetry.

n people have one of a values each and report by the matrix Q. All that a shuffled collection tells
is how often each report came in. Of the n - 1 others every multiset of values is tried, for every
pair of values of the doubted person and in both directions. Two things keep that small:

    rows        reports that say the same of all values at hand (proportional rows of Q) are one
    symmetry    permutations of the values that only permute the reports change no delta: one
                collection of each orbit is enough

Laws are built person by person from sums of products of positive numbers: every probability keeps
its relative accuracy, and a delta is right to about 1e-12 of itself.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, pairwise, permutations
from math import comb, exp

import numpy as np
import numpy.typing as npt

from ..randomizers import Randomizer
from ..randomizers.matrix_neighbours import DIGITS, merged
from ..randomizers.neighbour_laws import Neighbours
from ..validation import Floats

# Outcomes of all collections together: bounds memory (16 bytes each) and time.
MOST_OUTCOMES = 3_000_000
# Collections of all others up to which they are listed, and values with which symmetries are found.
MOST_COLLECTIONS, MOST_VALUES = 40_000, 6
# Entries of a matrix that is read for all collections of so few people.
MOST_ENTRIES, FEW_PEOPLE = 1 << 16, 256

Population = tuple[int, ...]  # people with each value


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The laws of what comes in of many pairs of neighbours, one after the other.

    Attributes:
        one, other: probabilities of the same outcomes, shape (outcomes,).
        starts: where each pair begins, shape (pairs,).
        others: the populations beside the doubted person, of each pair.
    """

    one: Floats
    other: Floats
    starts: npt.NDArray[np.intp]
    others: Sequence[Population]

    def deltas(self, epsilon: float) -> Floats:
        """The hockey-stick delta of each pair, in the worse direction."""
        growth = exp(epsilon)
        forth = np.maximum(self.one - growth * self.other, 0.0)
        back = np.maximum(self.other - growth * self.one, 0.0)
        sums = (np.add.reduceat(gain, self.starts) for gain in (forth, back))
        return np.asarray(np.maximum(*sums))

    def delta(self, epsilon: float) -> float:
        """The largest of them."""
        return float(self.deltas(epsilon).max())

    def worst(self, epsilon: float) -> Population:
        """The others of the worst pair."""
        return self.others[int(self.deltas(epsilon).argmax())]


@lru_cache(maxsize=2)  # up to 48 MB each
def every_pair(n: int, randomizer: Randomizer) -> Pairs | None:
    """All neighbouring collections of n reports, where they are few enough."""
    if n > FEW_PEOPLE or randomizer.outputs * randomizer.inputs > MOST_ENTRIES:
        return None
    return all_pairs(randomizer.matrix, n)


def mixed_pairs(n: int, cases: Sequence[Neighbours]) -> list[Pairs]:
    """Neighbours whose others have two or three values, of the cases where those are few enough.

    The first cases count: beyond `MOST_OUTCOMES` of all together no further one is listed.
    """
    pairs: list[Pairs] = []
    for pair in (pair for _, equals in cases for pair in equals[-1:]):
        columns = np.column_stack([pair.own, pair.other, np.ones_like(pair.own)])
        laws = columns * pair.law[:, None]
        # The others have v themselves, or a third value.
        kept = laws[:, :2] if np.array_equal(pair.other, columns[:, 2]) else laws
        total = sum(len(known.one) for known in pairs)
        if n > FEW_PEOPLE or total > MOST_OUTCOMES:
            break
        if (some := some_pairs(kept, n)) is not None:
            pairs.append(some)
    return pairs


def all_pairs(Q: Floats, n: int) -> Pairs | None:
    """Every pair of neighbouring collections of n people, up to symmetry; None if too many.

    Args:
        Q: the randomizer's matrix, shape (b, a).
        n: people, >= 1.
    """
    rows, a = merged(Q), Q.shape[1]
    if symmetric(rows):
        return _collected(_any_values(rows, n, min(a, n + 1)), n)
    if a > MOST_VALUES or comb(n + a - 2, a - 1) > MOST_COLLECTIONS:
        return None
    group = symmetries(rows)
    if comb(n + len(rows) - 1, n) * comb(n + a - 2, a - 1) > MOST_OUTCOMES * len(group):
        return None
    return _collected(_few_values(rows, group, n), n)


def some_pairs(Q: Floats, n: int) -> Pairs | None:
    """The pairs at which column 0 becomes column 1 while the others have any values of Q's.

    With up to three columns, that is populations of up to three values; where those are too many,
    of two values; None where these are too many too.
    """
    rows, a = merged(Q), Q.shape[1]
    for values in range(a, 1, -1):
        jobs = [
            Job(merged(rows[:, columns]), tuple(map(columns.index, some)), _spread(n - 1, values))
            for some in combinations(range(a), values)
            for columns in [[0, 1, *sorted(set(some) - {0, 1})]]
            if comb(n + values - 2, n - 1) <= MOST_COLLECTIONS
        ]
        if jobs and (pairs := _collected(iter(jobs), n)) is not None:
            return pairs
    return None


def symmetric(rows: Floats) -> bool:
    """Whether every permutation of the values only permutes the reports."""
    first, *rest = range(rows.shape[1])
    # A swap and a rotation make all permutations.
    return _keeps(rows, [rest[0], first, *rest[1:]]) and _keeps(rows, [*rest, first])


def symmetries(rows: Floats) -> list[tuple[int, ...]]:
    """All permutations of the values that only permute the reports."""
    return [order for order in permutations(range(rows.shape[1])) if _keeps(rows, order)]


def _keeps(rows: Floats, order: Sequence[int]) -> bool:
    return np.array_equal(_listed(rows), _listed(rows[:, list(order)]))


def _listed(rows: Floats) -> Floats:
    rounded: Floats = np.round(rows, DIGITS)
    return rounded[np.lexsort(rounded.T)]


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """Populations of one set of values, doubted between columns 0 and 1 of some rows.

    Attributes:
        rows: merged rows, shape (outcomes, values at hand).
        values: the columns that the others have.
        populations: how many of them have each, in an order that changes little at a time.
    """

    rows: Floats
    values: tuple[int, ...]
    populations: Sequence[Population]

    def outcomes(self, n: int) -> int:
        """Entries of all laws together."""
        return len(self.populations) * comb(n + len(self.rows) - 1, n)


class Ladder:
    """All outcomes of 0, 1, .. n reports of b kinds, and where one more report of each leads.

    Outcomes are numbered by keys, sums of one random number for each report; that no two of them
    meet is checked.
    """

    def __init__(self, b: int, n: int) -> None:
        weights = np.random.default_rng(b).integers(0, 1 << 63, b, dtype=np.uint64)
        keys = np.zeros(1, np.uint64)
        self.steps: list[npt.NDArray[np.intp]] = []
        for people in range(1, n + 1):
            more = keys[:, None] + weights
            keys, step = np.unique(more, return_inverse=True)
            if len(keys) != comb(people + b - 1, people):
                raise AssertionError("two outcomes have one key")
            self.steps.append(step.reshape(more.shape))

    def add(self, law: Floats, people: int, row: Floats) -> Floats:
        """The law of one report more than `people`, drawn from `row`, shape (b,)."""
        chances = (law[:, None] * row).ravel()
        return np.asarray(np.bincount(self.steps[people].ravel(), chances), np.float64)


def _any_values(rows: Floats, n: int, a: int) -> Iterator[Job]:
    """All values alike: 0 or 1 is doubted; of further values only how many people have each."""
    for further in range(a - 1):
        populations = [
            (first, second, *rest)
            for spent in range(further, n if further else 1)
            for rest in _partitions(spent, further, spent)
            for second in range((n - 1 - spent) // 2 + 1)
            for first in [n - 1 - spent - second]
        ]
        if further + 2 <= a and populations:
            kept = merged(rows[:, : further + 2])
            yield Job(kept, tuple(range(further + 2)), populations)


def _few_values(rows: Floats, group: Sequence[tuple[int, ...]], n: int) -> Iterator[Job]:
    """Any matrix of few values: pairs and populations, one of each orbit."""
    a = rows.shape[1]
    seen: set[frozenset[int]] = set()
    for u, v in combinations(range(a), 2):
        if frozenset((u, v)) in seen:
            continue
        seen |= {frozenset((g[u], g[v])) for g in group}
        fixing = [g for g in group if {g[u], g[v]} == {u, v}]
        order = [u, v, *(x for x in range(a) if x not in (u, v))]
        kept = [
            tuple(counts[x] for x in order)
            for counts in _spread(n - 1, a)
            if _first_of(counts, fixing)
        ]
        yield Job(rows[:, order], tuple(range(a)), kept)


def _first_of(population: Population, group: Sequence[tuple[int, ...]]) -> bool:
    """Whether no symmetry makes a later population of it."""
    return all(tuple(population[x] for x in g) <= population for g in group)


def _spread(people: int, values: int) -> list[Population]:
    """All ways to give so many people so many values."""
    spread = []
    for cuts in combinations_with_replacement(range(people + 1), values - 1):
        ends = (0, *cuts, people)
        spread.append(tuple(after - before for before, after in pairwise(ends)))
    return spread


def _partitions(total: int, parts: int, most: int) -> Iterator[Population]:
    """Numbers >= 1 that sum to `total`, never rising, each at most `most`."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(min(most, total - parts + 1), 0, -1):
        for rest in _partitions(total - first, parts - 1, first):
            yield (first, *rest)


def _collected(jobs: Iterator[Job], n: int) -> Pairs | None:
    """The laws of all jobs; None beyond `MOST_OUTCOMES`."""
    listed, total = [], 0
    for job in jobs:
        total += job.outcomes(n)
        if total > MOST_OUTCOMES:
            return None
        listed.append(job)
    first: list[Floats] = []
    other: list[Floats] = []
    others: list[Population] = []
    for job in listed:
        ladder, laws = Ladder(len(job.rows), n), {(0,) * len(job.values): np.ones(1)}
        for population in job.populations:
            beside = _law(job, population, ladder, laws)
            first.append(ladder.add(beside, n - 1, job.rows[:, 0]))
            other.append(ladder.add(beside, n - 1, job.rows[:, 1]))
            others.append(population)
    starts = np.cumsum([0, *(len(law) for law in first)])[:-1]
    return Pairs(np.concatenate(first), np.concatenate(other), starts, others)


def _law(
    job: Job, population: Population, ladder: Ladder, laws: dict[Population, Floats]
) -> Floats:
    """The law of what the others report, from that of one person less."""
    if (known := laws.get(population)) is not None:
        return known
    last = max(i for i, people in enumerate(population) if people)
    fewer = tuple(people - (i == last) for i, people in enumerate(population))
    law = ladder.add(_law(job, fewer, ladder, laws), sum(fewer), job.rows[:, job.values[last]])
    laws[population] = law
    return law
