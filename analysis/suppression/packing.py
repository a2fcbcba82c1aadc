"""The heaviest set of columns with a bound within a number of people, for all rules but Theorem 2.

The columns and their thresholds are chosen together: a column is left out (adds no weight, no rare
people, multiplies the cells by 1) or kept at one of its thresholds. A partial choice matters only
through (R, P, gain), the rare people, the product of cells, and the weight: less R, less P and more
gain is better, for every continuation. So undominated triples are merged column by column, exactly.
For the coverage bound the column that attains the maximum is fixed in turn (coverage.py), which
leaves the same problem for the other columns.

A triple is dropped if even a fractional knapsack cannot lift it to the best set known: each further
column j costs at least min over t of [R_j + (k-1) P (N_j - 1)] of the people left.

Gains are integers, weight * (d + 1) + 1, so more columns decide between equal weights; then the
lower bound decides, then the lexicographically first set. A set is a number with bit j for column j
mirrored (column 0 the highest), so among sets of one size the first is the largest number.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..composition.coverage import leaf_pairs, leaf_values, weakest
from ..composition.pareto import Front, Growth, Numbers, Options, ragged
from ..exposure.counts import Integers, Steps

MAX_COLUMNS = 62  # a set is stored as a signed 64-bit number

Key = tuple[int, int, int]  # (gain, -people, set), the largest is best


@dataclass(frozen=True, slots=True, eq=False)
class _Triples:
    """Partial choices of columns and thresholds, each by a triple (R, P, gain), as arrays.

    Attributes:
        rare: people with rare values, R.
        cells: product of the numbers of common values, P.
        gain: total gain of the kept columns.
        member: the set of columns as a binary number in which column 0 is the highest bit.
    """

    rare: Integers
    cells: Numbers
    gain: Integers
    member: Integers  # the set of columns in binary; column 0 is the highest bit

    def take(self, keep: Integers | NDArray[np.bool_]) -> "_Triples":
        """Return the partial choices at these places."""
        return _Triples(self.rare[keep], self.cells[keep], self.gain[keep], self.member[keep])

    def join(self, further: "_Triples") -> "_Triples":
        """Return these partial choices and further partial choices together."""
        pairs = zip(
            (self.rare, self.cells, self.gain, self.member),
            (further.rare, further.cells, further.gain, further.member),
            strict=True,
        )
        return _Triples(*(np.concatenate(pair) for pair in pairs))


@dataclass(slots=True)
class Packing:
    """A search for the set of columns with the largest gain and a bound of at most `max_exposed`.

    Attributes:
        steps: per column, the effect of each threshold.
        gains: gains[j]: gain of column j.
        required: columns of every set.
        options: per column, the added people and the factor of each threshold.
        scale: k - 1 for the coverage bound, else k.
        max_exposed: people that a bound may reach.
        best: the best set so far: (gain, -people of its bound, set as a number).
        growth: the least by which each column can make a bound grow.
    """

    steps: Sequence[Steps]
    gains: Sequence[int]
    required: frozenset[int]
    options: Sequence[Options]
    scale: int  # people assumed in each exposed cell: k - 1 for the coverage bound, else k
    max_exposed: int  # most people that may be exposed
    best: Key
    growth: Growth = field(init=False)

    def __post_init__(self) -> None:
        """Compute the least growth of the bound by each column."""
        self.growth = Growth(self.options, self.scale)

    def bit(self, j: int) -> int:
        """Return the bit of column j in the number of a set; column 0 is the highest."""
        return 1 << (len(self.steps) - 1 - j)

    def greedy(self) -> None:
        """Find a first set: add every column that still fits, the best gain per person first."""
        for order in (self._order(None), sorted(self._order(None), key=lambda j: -self.gains[j])):
            front, gain, member = Front.empty(self.options[0]), 0, 0
            for j in sorted(order, key=lambda j: j not in self.required):
                wider = front.merge(j, self.options[j], self.scale, self.max_exposed + 1)
                if wider.rare.size:
                    front, gain, member = wider, gain + self.gains[j], member | self.bit(j)
                elif j in self.required:
                    return
            people = int((front.rare + self.scale * front.product).min())
            self.best = max(self.best, (gain, -people, member)) if member else self.best

    def product(self) -> None:
        """Search all sets by the bound R + scale * P: refined and Theorem 3; above it, coverage.

        R is the people with rare values, P the product of the numbers of common values.
        """
        self.greedy()
        last_triples = self._triples(None, 0)
        self._offer(
            last_triples.gain,
            last_triples.rare + self.scale * last_triples.cells,
            last_triples.member,
        )

    def coverage(self) -> None:
        """Search all sets under the coverage bound: each column in turn attains the maximum."""
        self.product()
        for last, steps in enumerate(self.steps):
            rest = self._triples(last, 1)
            front = Front(rest.rare, rest.cells)
            entry, option = leaf_pairs(front, steps, self.scale, self.max_exposed + 1)
            if entry.size:
                rare, cells = rest.rare[entry], rest.cells[entry]
                people = leaf_values(steps, self.scale, rare, cells, option)
                gain = rest.gain[entry] + self.gains[last]
                self._offer(gain, people, rest.member[entry] | self.bit(last))

    def _offer(self, gain: Integers, people: Numbers, member: Integers) -> None:
        """Record the best of these sets as the best of the search, if it fits and is better.

        gain, people, member: gain, bound on exposed people, and columns of each set, as arrays.
        """
        people = np.floor(people).astype(np.int64)  # as Theorem 3 gives fractions of people
        safe = np.flatnonzero(people <= self.max_exposed)
        if safe.size:
            best = safe[np.lexsort((member[safe], -people[safe], gain[safe]))[-1]]
            self.best = max(self.best, (int(gain[best]), -int(people[best]), int(member[best])))

    def _triples(self, last: int | None, slack: int) -> _Triples:
        """Return all partial choices without the column `last` that may still matter.

        A choice is a triple of rare people R, cells P and gain that no other triple betters in all
        three. `slack` is subtracted from P in tests: 1 for the coverage bound.
        """
        zero = np.zeros(1, dtype=np.int64)
        triples = _Triples(zero, Front.empty(self.options[0]).product, zero, zero)
        order = self._order(last)
        for position, j in enumerate(order):
            column_triples = self._keep(triples, j, slack)
            triples = column_triples if j in self.required else triples.join(column_triples)
            triples = self._prune(triples, order[position + 1 :], last, slack)
            triples = triples.take(undominated(triples))
        return triples

    def _order(self, last: int | None) -> list[int]:
        """Return the columns but `last`: required columns first, then by gain per least cost."""
        cost = [self.growth.joint_growth([j])[0] for j in range(len(self.steps))]
        worth = [self.gains[j] / (cost[j] + 1) for j in range(len(self.steps))]
        other_columns = (j for j in range(len(self.steps)) if j != last)
        return sorted(other_columns, key=lambda j: (j not in self.required, -worth[j]))

    def _keep(self, triples: _Triples, j: int, slack: int) -> _Triples:
        """Return the partial choices extended by column j, at each threshold that may fit.

        `slack` is subtracted from the number of cells: 1 for the coverage bound, else 0.
        """
        front = Front(triples.rare, triples.cells)
        entry, option = ragged(front, self.options[j], self.scale, self.max_exposed + 1, slack)
        return _Triples(
            triples.rare[entry] + self.options[j].rare[option],
            triples.cells[entry] * self.options[j].factor[option],
            triples.gain[entry] + self.gains[j],
            triples.member[entry] | self.bit(j),
        )

    def _prune(
        self, triples: _Triples, rest: Sequence[int], last: int | None, slack: int
    ) -> _Triples:
        """Drop partial choices that expose too many people, or cannot reach the best known set.

        Too many are more than `max_exposed`. `rest` are the columns still to come.
        """
        must = [j for j in rest if j in self.required]
        bound = self.growth.joint_growth(must)
        sure = 0
        if last is not None:
            bound = bound + weakest(self.growth, [last], [last])
            sure = self.gains[last]
        reach = (
            triples.rare + self.scale * (triples.cells - slack) + Growth.read(bound, triples.cells)
        )
        keep = np.flatnonzero(reach < self.max_exposed + 1)
        triples, reach = triples.take(keep), reach[keep]
        sure += sum(self.gains[j] for j in must)
        more = self._knapsack(
            triples.cells, self.max_exposed - reach, [j for j in rest if j not in must]
        )
        top = triples.gain + (sure + more)
        gain, people, _ = self.best
        return triples.take((top > gain) | ((top == gain) & (reach < 1 - people)))

    def _knapsack(self, cells: Numbers, room: NDArray[np.float64], free: list[int]) -> Integers:
        """Return an upper bound on the gain of further columns, by a fractional knapsack.

        Columns are divisible; the result is rounded down.

        cells: number of cells of each partial choice.
        room: people that may still be exposed.
        free: the columns that may be added.
        """
        more = np.zeros(cells.size, dtype=np.int64)
        place = np.frexp(cells)[1] - 1
        gains = np.array([self.gains[j] for j in free], dtype=np.float64)
        growth = self.growth.each(free)
        for point in np.flatnonzero(np.bincount(place)):
            costs = growth[:, point]
            best = np.argsort(costs / gains, kind="stable")
            cumulative_costs = np.concatenate(([0.0], np.cumsum(costs[best])))
            gained = np.concatenate(([0.0], np.cumsum(gains[best])))
            last_free = np.flatnonzero(cumulative_costs == 0)[-1]  # columns up to it cost no people
            at_point = place == point
            filled = np.interp(room[at_point], cumulative_costs[last_free:], gained[last_free:])
            more[at_point] = np.floor(filled * (1 + 1e-12) + 1e-6)
        return more


def undominated(triples: _Triples) -> Integers:
    """Return the places of the triples that no other triple equals or betters in R, P and gain.

    A triple is a partial choice of columns: R is the people with rare values, P the product of
    cells. Of equal triples the set of the larger number stays. First within equal P, by running
    maxima; then blocks of neighbouring values of P against the block before, doubling the blocks.
    """
    groups, group = np.unique(triples.cells, return_inverse=True)
    rank = np.unique(triples.gain, return_inverse=True)[1]
    rares, rare = np.unique(triples.rare, return_inverse=True)
    order = np.lexsort((-triples.member, -rank, group * rares.size + rare))
    rank_count = rank.size + 1
    segment = group[order] * rank_count + rank[order] + 1
    best_before = np.maximum.accumulate(np.concatenate(([0], segment[:-1])))
    keep = order[segment > best_before]
    width = 1
    while width < groups.size:
        keep = _against_left(keep, rare, rank, group // width)
        width *= 2
    return keep


def _against_left(keep: Integers, rare: Integers, rank: Integers, block: Integers) -> Integers:
    """Drop the triples of odd blocks that a triple of the even block before equals or betters.

    A triple is the rare people R, cells P and gain of a partial choice. The even block has a
    smaller P, so only R and gain are compared.
    """
    right = block[keep] % 2
    pair = block[keep] // 2
    # One number sorts by pair of blocks, then by rare people, then the left block before the right:
    # all numbers are below 2^31.
    order = np.argsort((pair * rare.size + rare[keep]) * 2 + right)
    keep, right, pair = keep[order], right[order], pair[order]
    base = pair * (rank.size + 1)
    best = np.maximum.accumulate(np.where(right, base, base + rank[keep] + 1))
    bettered = (right == 1) & (best - base >= rank[keep] + 1)
    survivors: Integers = keep[~bettered]
    return survivors
