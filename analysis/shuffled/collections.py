"""Deltas after shuffling over every collection of values, by enumeration, up to symmetry.

n people have one of a values each and report by the matrix Q; a collection is all their values.
Shuffled reports reveal only the number of each report. For the attacked person every pair of values
is tried, in both directions. For the other n - 1 people every population is tried: the number of
people with each value. Two reductions keep that small:

    rows        reports (rows of Q) with proportional probabilities for all values that occur are
                merged
    symmetry    permutations of the values that only permute the reports change no delta, so a
                single collection among all its permutations is enough

Distributions are built person by person from sums of products of positive numbers. So every
probability keeps its relative accuracy, and a delta is right to about 1e-12 of itself.
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

# Limit of the outcomes of all enumerated populations together, which bounds memory (16 bytes each)
# and time. Beyond it, fewer data sets are listed, or none.
MOST_OUTCOMES = 3_000_000
# MOST_COLLECTIONS: most populations (numbers of other people with each value) that are enumerated.
# MOST_VALUES: most values for which symmetries of the randomizer are searched. Beyond a limit,
# fewer data sets are listed, or none.
MOST_COLLECTIONS, MOST_VALUES = 40_000, 6
# Most entries of a randomizer's matrix, and most people, for which the values of all people are
# enumerated; beyond a limit delta is only bounded.
MOST_ENTRIES, FEW_PEOPLE = 1 << 16, 256

Population = tuple[int, ...]  # the number of other people with each value


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourPairs:
    """The distributions of shuffled reports for many pairs of neighbouring data sets.

    Two neighbours differ in the value of the attacked person.

    Attributes:
        first_law, second_law: for each outcome its probability if the attacked person has the
            first value, and the second, shape (outcomes,). The outcomes of all pairs follow one
            another.
        starts: index of each pair's first outcome, shape (pairs,).
        populations: for each pair the number of other people with each value.
    """

    first_law: Floats
    second_law: Floats
    starts: npt.NDArray[np.intp]
    populations: Sequence[Population]

    def deltas(self, epsilon: float) -> Floats:
        """Return the hockey-stick delta of each pair of neighbouring data sets, shape (pairs,).

        The delta of a pair is the larger delta of the first data set against the second, and of the
        second against the first.
        """
        growth = exp(epsilon)
        forth = np.maximum(self.first_law - growth * self.second_law, 0.0)
        back = np.maximum(self.second_law - growth * self.first_law, 0.0)
        sums = (np.add.reduceat(gain, self.starts) for gain in (forth, back))
        return np.asarray(np.maximum(*sums))

    def delta(self, epsilon: float) -> float:
        """Return the largest hockey-stick delta of all pairs of neighbouring data sets."""
        return float(self.deltas(epsilon).max())

    def worst(self, epsilon: float) -> Population:
        """Return the number of other people with each value for which delta is largest."""
        return self.populations[int(self.deltas(epsilon).argmax())]


@lru_cache(maxsize=2)  # few results are cached, because a result takes up to 48 MB
def every_pair(n: int, randomizer: Randomizer) -> NeighbourPairs | None:
    """Return all pairs of neighbouring data sets of n reports; None if they are too many.

    Neighbours differ in one person's value. Pairs that a symmetry of the randomizer turns into each
    other are listed once.
    """
    if n > FEW_PEOPLE or randomizer.outputs * randomizer.inputs > MOST_ENTRIES:
        return None
    return all_pairs(randomizer.matrix, n)


def mixed_pairs(n: int, cases: Sequence[Neighbours]) -> list[NeighbourPairs]:
    """Return pairs of neighbouring data sets in which other people have two or three values.

    The attacked person has u or v; other people have u, v and a third value. Pairs of values are
    taken in order until `MOST_OUTCOMES` outcomes are listed; a pair with too many is left out.

    n: number of reports.
    cases: report distributions for pairs of values u and v (`Neighbours`).
    """
    pairs: list[NeighbourPairs] = []
    for pair in (pair for _, equals in cases for pair in equals[-1:]):
        columns = np.column_stack([pair.u_ratios, pair.v_ratios, np.ones_like(pair.u_ratios)])
        laws = columns * pair.law[:, None]
        # The columns are the report distributions of u, of v, and of a third value that other
        # people have. If the third value is v itself, two columns are enough.
        columns_used = laws[:, :2] if np.array_equal(pair.v_ratios, columns[:, 2]) else laws
        total = sum(len(pair_list.first_law) for pair_list in pairs)
        if n > FEW_PEOPLE or total > MOST_OUTCOMES:
            break
        if (sampled_pairs := some_pairs(columns_used, n)) is not None:
            pairs.append(sampled_pairs)
    return pairs


def all_pairs(Q: Floats, n: int) -> NeighbourPairs | None:
    """Return every pair of neighbouring data sets of n people; None if too many.

    Neighbours differ in one person's value. Pairs that a symmetry of the randomizer turns into each
    other are listed once.

    Args:
        Q: the randomizer's matrix, shape (reports, inputs).
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


def some_pairs(Q: Floats, n: int) -> NeighbourPairs | None:
    """Return neighbouring data sets in which a person's value changes from 0 to 1.

    Other people have up to as many different values as the matrix has columns, in every combination
    of their numbers of people. If there are too many such pairs, other people have fewer different
    values, two at the least. None if there are still too many. The matrix has at most three
    columns.

    Args:
        Q: the randomizer's matrix, shape (reports, values).
        n: people, >= 1.
    """
    rows, a = merged(Q), Q.shape[1]
    for values in range(a, 1, -1):
        jobs = [
            NeighbourJob(
                merged(rows[:, columns]), tuple(map(columns.index, subset)), _spread(n - 1, values)
            )
            for subset in combinations(range(a), values)
            for columns in [[0, 1, *sorted(set(subset) - {0, 1})]]
            if comb(n + values - 2, n - 1) <= MOST_COLLECTIONS
        ]
        if jobs and (pairs := _collected(iter(jobs), n)) is not None:
            return pairs
    return None


def symmetric(rows: Floats) -> bool:
    """Whether every permutation of the values only permutes the reports, as for GRR.

    GRR is generalized randomized response.

    rows: the randomizer's matrix, shape (reports, values).
    """
    first, *rest = range(rows.shape[1])
    # The swap of two values and the rotation of all generate every permutation, so testing these
    # two is enough.
    return _is_symmetry(rows, [rest[0], first, *rest[1:]]) and _is_symmetry(rows, [*rest, first])


def symmetries(rows: Floats) -> list[tuple[int, ...]]:
    """Return all permutations of the values that only permute the reports.

    rows: the randomizer's matrix, shape (reports, values).
    """
    return [order for order in permutations(range(rows.shape[1])) if _is_symmetry(rows, order)]


def _is_symmetry(rows: Floats, order: Sequence[int]) -> bool:
    """Whether this permutation of the values only permutes the reports.

    rows: the randomizer's matrix, shape (reports, values).
    order: the permuted column numbers.
    """
    return np.array_equal(_listed(rows), _listed(rows[:, list(order)]))


def _listed(rows: Floats) -> Floats:
    """Return the rows rounded and sorted, to compare matrices up to the order of rows."""
    rounded: Floats = np.round(rows, DIGITS)
    return rounded[np.lexsort(rounded.T)]


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourJob:
    """An enumeration task: an attacked person with value 0 or 1, and populations of other people.

    A population is the number of other people with each value.

    Attributes:
        rows: the randomizer's probabilities of each outcome, shape (outcomes, values). Columns 0
            and 1 are the attacked person's two values. Outcomes with proportional rows are merged.
        values: the columns of other people's values.
        populations: the number of people with each of `values`.
    """

    rows: Floats
    values: tuple[int, ...]
    populations: Sequence[Population]

    def outcomes(self, n: int) -> int:
        """Return the number of probabilities to compute: populations times outcomes of n reports.

        A population is the number of other people with each value. An outcome is the number of each
        report.

        n: number of reports.
        """
        return len(self.populations) * comb(n + len(self.rows) - 1, n)


class OutcomeLadder:
    """All outcomes of up to n reports of b kinds, and for each the outcome after one more report.

    An outcome is the number of each report. The table of next outcomes makes it fast to add a
    person to a distribution. An outcome is identified by a sum of random numbers, a number for each
    report; that no two sums are equal is checked.
    """

    def __init__(self, b: int, n: int) -> None:
        """List the outcomes (numbers of each report), and each outcome after a further report.

        b: number of different reports.
        n: the largest number of people, who send one report each.
        """
        weights = np.random.default_rng(b).integers(0, 1 << 63, b, dtype=np.uint64)
        keys = np.zeros(1, np.uint64)
        self.steps: list[npt.NDArray[np.intp]] = []
        for people in range(1, n + 1):
            more = keys[:, None] + weights
            keys, step = np.unique(more, return_inverse=True)
            if len(keys) != comb(people + b - 1, people):
                raise AssertionError("two outcomes of shuffled reports have the same random key")
            self.steps.append(step.reshape(more.shape))

    def add(self, law: Floats, people: int, row: Floats) -> Floats:
        """Return the distribution of outcomes after one more report.

        law: the distribution of the outcomes of `people` reports.
        people: number of reports so far.
        row: probabilities of the further report, shape (b,).
        """
        chances = (law[:, None] * row).ravel()
        return np.asarray(np.bincount(self.steps[people].ravel(), chances), np.float64)


def _any_values(rows: Floats, n: int, a: int) -> Iterator[NeighbourJob]:
    """Yield the populations to enumerate if the randomizer treats all values alike.

    A population is the number of other people with each value. The attacked person has value 0 or
    1; further values are interchangeable, so their numbers are listed in falling order only.

    rows: the randomizer's matrix with merged rows, shape (reports, values).
    n: number of people.
    a: number of values that can occur.
    """
    for further in range(a - 1):
        populations = [
            (first, second, *rest)
            for people_used in range(further, n if further else 1)
            for rest in _partitions(people_used, further, people_used)
            for second in range((n - 1 - people_used) // 2 + 1)
            for first in [n - 1 - people_used - second]
        ]
        if further + 2 <= a and populations:
            merged_rows = merged(rows[:, : further + 2])
            yield NeighbourJob(merged_rows, tuple(range(further + 2)), populations)


def _few_values(rows: Floats, group: Sequence[tuple[int, ...]], n: int) -> Iterator[NeighbourJob]:
    """Yield the populations to enumerate for each pair of values of the attacked person.

    A population is the number of other people with each value. Of populations that a symmetry of
    the randomizer turns into each other, only one is listed.

    rows: the randomizer's matrix with merged rows, shape (reports, values).
    group: permutations of the values that only permute the reports.
    n: number of people.
    """
    a = rows.shape[1]
    visited: set[frozenset[int]] = set()
    for u, v in combinations(range(a), 2):
        if frozenset((u, v)) in visited:
            continue
        visited |= {frozenset((g[u], g[v])) for g in group}
        fixing = [g for g in group if {g[u], g[v]} == {u, v}]
        order = [u, v, *(x for x in range(a) if x not in (u, v))]
        populations = [
            tuple(counts[x] for x in order)
            for counts in _spread(n - 1, a)
            if _is_first_of_orbit(counts, fixing)
        ]
        yield NeighbourJob(rows[:, order], tuple(range(a)), populations)


def _is_first_of_orbit(population: Population, group: Sequence[tuple[int, ...]]) -> bool:
    """Whether no symmetry of the randomizer turns this population into a later population.

    A population is the number of other people with each value; later is in lexicographic order.

    group: the symmetries: permutations of the values that only permute the reports.
    """
    return all(tuple(population[x] for x in g) <= population for g in group)


def _spread(people: int, values: int) -> list[Population]:
    """Return all ways to distribute a number of people over a number of values.

    Each way is the number of people with each value.
    """
    spread = []
    for cuts in combinations_with_replacement(range(people + 1), values - 1):
        ends = (0, *cuts, people)
        spread.append(tuple(upper_end - lower_end for lower_end, upper_end in pairwise(ends)))
    return spread


def _partitions(total: int, parts: int, limit: int) -> Iterator[Population]:
    """Yield the ways to write `total` as `parts` falling numbers >= 1, each at most `limit`."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(min(limit, total - parts + 1), 0, -1):
        for rest in _partitions(total - first, parts - 1, first):
            yield (first, *rest)


def _collected(jobs: Iterator[NeighbourJob], n: int) -> NeighbourPairs | None:
    """Return the distributions of outcomes for the populations of all tasks, for n reports.

    A task has two values of the attacked person, and populations: numbers of other people with each
    value. None if there are more than `MOST_OUTCOMES` outcomes together.
    """
    listed, total = [], 0
    for job in jobs:
        total += job.outcomes(n)
        if total > MOST_OUTCOMES:
            return None
        listed.append(job)
    first: list[Floats] = []
    second_laws: list[Floats] = []
    populations: list[Population] = []
    for job in listed:
        ladder, laws = OutcomeLadder(len(job.rows), n), {(0,) * len(job.values): np.ones(1)}
        for population in job.populations:
            law_of_others = _law(job, population, ladder, laws)
            first.append(ladder.add(law_of_others, n - 1, job.rows[:, 0]))
            second_laws.append(ladder.add(law_of_others, n - 1, job.rows[:, 1]))
            populations.append(population)
    starts = np.cumsum([0, *(len(law) for law in first)])[:-1]
    return NeighbourPairs(np.concatenate(first), np.concatenate(second_laws), starts, populations)


def _law(
    job: NeighbourJob, population: Population, ladder: OutcomeLadder, laws: dict[Population, Floats]
) -> Floats:
    """Return the distribution of other people's reports for a population.

    A population is the number of other people with each value. The distribution is computed from
    that of a population with a person less.

    job: the task, with the randomizer's probabilities.
    ladder: for each outcome the outcome after one more report.
    laws: cached distributions by population; gets new entries.
    """
    if (law_of_population := laws.get(population)) is not None:
        return law_of_population
    last = max(i for i, people in enumerate(population) if people)
    fewer = tuple(people - (i == last) for i, people in enumerate(population))
    law = ladder.add(_law(job, fewer, ladder, laws), sum(fewer), job.rows[:, job.values[last]])
    laws[population] = law
    return law
