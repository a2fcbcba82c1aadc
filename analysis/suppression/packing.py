"""A search for the columns of largest total weight with a bound on exposed people within a limit.

A column is dropped, or kept at one of its thresholds, counts of people. At a threshold t, R_j is
the number of people with a rare value of column j (a value of fewer than t people), and N_j the
number of its other values. With R = sum R_j and P = prod N_j, at most R + scale P people are
exposed: all people with a rare value, and a limited number in each of P cells. This covers all
rules but Theorem 2 (`composition/bounds.py`).

Columns and thresholds are chosen together, column by column. A partial choice matters only through
the triple (R, P, gain), gain a sum of weights: less R, less P and more gain are better however the
choice continues. So only undominated triples are kept, and the search is exact. The coverage bound
has a further term, a maximum over columns; the column that attains it is fixed in turn, and the
other columns are searched as before (`composition/coverage.py`).

A triple is dropped if even the best continuation cannot reach the best set known. Each further
column j costs at least the minimum over t of R_j + scale P (N_j - 1) of the people still allowed; a
fractional knapsack with these costs bounds the gain.

Gains are integers, weight * (d + 1) + 1 for d columns, so of sets with equal weight the set with
more columns wins; then the lower bound, then lexicographic order decides. A set is stored as a
number in which column 0 is the highest bit. So among sets of one size, the first in order is the
largest number.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..composition.coverage import leaf_pairs, leaf_values, weakest
from ..composition.pareto import Front, Growth, Numbers, Options, ragged
from ..exposure.counts import Integers, Steps

# most columns to choose from, because a set is stored as the bits of a signed 64-bit number
MAX_COLUMNS = 62

# A key of a set of columns: (total weight, -bound on exposed people, the set as a binary number).
# The set with the largest key is best.
Key = tuple[int, int, int]


@dataclass(frozen=True, slots=True, eq=False)
class _Triples:
    """Partial choices of columns and thresholds, each with a triple (R, P, gain), as arrays.

    A threshold divides the values of a column into rare and common values. The bound on exposed
    people grows with R and P.

    Attributes:
        rare: R, people with a rare value in a kept column.
        cells: P, the product of the kept columns' numbers of common values.
        gain: sum of the kept columns' gains (weights).
        member: the set of kept columns as a binary number in which column 0 is the highest bit.
    """

    rare: Integers
    cells: Numbers
    gain: Integers
    member: Integers  # the set of columns in binary; column 0 is the highest bit

    def select_choices(self, keep: Integers | NDArray[np.bool_]) -> "_Triples":
        """Return the partial choices of columns with these indices or in this mask."""
        return _Triples(self.rare[keep], self.cells[keep], self.gain[keep], self.member[keep])

    def join(self, further: "_Triples") -> "_Triples":
        """Return these and further partial choices of columns in joint arrays."""
        pairs = zip(
            (self.rare, self.cells, self.gain, self.member),
            (further.rare, further.cells, further.gain, further.member),
            strict=True,
        )
        return _Triples(*(np.concatenate(pair) for pair in pairs))


@dataclass(slots=True)
class Packing:
    """A search for the set of columns with the largest gain and a bound of at most `max_exposed`.

    The bound on exposed people is R + scale P. R is the number of people with a value below a
    column's threshold, P the product of a factor for each column, such as the number of its other
    values.

    Attributes:
        steps: per column, R and the number of other values at each threshold.
        gains: gains[j]: gain (weight) of column j.
        required: columns of every set.
        options: per column, the addition to R and the factor of P at each threshold.
        scale: people assumed in each of the P cells.
        max_exposed: most people that may be exposed.
        best: the best set so far: (gain, -people of the bound, set as a number).
        growth: the least growth of the bound by each column.
    """

    steps: Sequence[Steps]
    gains: Sequence[int]
    required: frozenset[int]
    options: Sequence[Options]
    # People assumed in each cell of common values: k - 1, the most in an exposed cell, for the
    # coverage bound; k for other bounds.
    scale: int
    max_exposed: int  # most people that may be exposed
    best: Key
    growth: Growth = field(init=False)

    def __post_init__(self) -> None:
        """Compute the least growth of the bound on exposed people by each column."""
        self.growth = Growth(self.options, self.scale)

    def bit(self, j: int) -> int:
        """Return the bit of column j in the number of a set of columns; column 0 is the highest."""
        return 1 << (len(self.steps) - 1 - j)

    def greedy(self) -> None:
        """Record a first set of columns, by adding columns while the bound stays within the limit.

        The bound is on exposed people. Columns are added in two orders: by gain (weight) divided by
        the least growth of the bound in people, and by gain alone. The better set is recorded.
        """
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
        """Search all sets of columns by the bound R + scale P on exposed people.

        R is the number of people with rare values, P the product of the numbers of common values.
        For Theorem 3 of paper 000, P is the product of n / threshold. The rules theorem3 and
        refined use this bound. The coverage bound is at most as large, so the sets found are safe
        under the coverage bound too.
        """
        self.greedy()
        last_triples = self._triples(None, 0)
        self._offer(
            last_triples.gain,
            last_triples.rare + self.scale * last_triples.cells,
            last_triples.member,
        )

    def coverage(self) -> None:
        """Search all sets of columns by the coverage bound on exposed people.

        The bound is R + (k - 1) (P - H): R people with rare values, P cells of common values, H a
        maximum over columns. Each column in turn is taken as the column that attains the maximum.
        """
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
        """Record the best of these sets of columns within the limit, if it beats `best`.

        Args:
            gain: gain (weight) of each set.
            people: bound on exposed people of each set.
            member: the columns of each set as a binary number.
        """
        # Theorem 3 bounds people by a fraction, which is rounded down because people are whole.
        people = np.floor(people).astype(np.int64)
        safe = np.flatnonzero(people <= self.max_exposed)
        if safe.size:
            best = safe[np.lexsort((member[safe], -people[safe], gain[safe]))[-1]]
            self.best = max(self.best, (int(gain[best]), -int(people[best]), int(member[best])))

    def _triples(self, last: int | None, slack: int) -> _Triples:
        """Return all partial choices of columns and thresholds that may still lead to the best set.

        A choice has a triple (R, P, gain): people with rare values, cells of common values, weight.
        Choices are left out if another choice is at least as good in all three.

        Args:
            last: a column that is left out, as it is added at the end; None: no such column.
            slack: subtracted from P in tests of the limit: 1 for the coverage bound, else 0.
        """
        zero = np.zeros(1, dtype=np.int64)
        triples = _Triples(zero, Front.empty(self.options[0]).product, zero, zero)
        order = self._order(last)
        for position, j in enumerate(order):
            column_triples = self._keep(triples, j, slack)
            triples = column_triples if j in self.required else triples.join(column_triples)
            triples = self._prune(triples, order[position + 1 :], last, slack)
            triples = triples.select_choices(undominated(triples))
        return triples

    def _order(self, last: int | None) -> list[int]:
        """Return the columns without `last`: required columns first, then by gain per least cost.

        The gain is a column's weight, the least cost the least growth of the bound, in people.
        """
        cost = [self.growth.joint_growth([j])[0] for j in range(len(self.steps))]
        worth = [self.gains[j] / (cost[j] + 1) for j in range(len(self.steps))]
        other_columns = (j for j in range(len(self.steps)) if j != last)
        return sorted(other_columns, key=lambda j: (j not in self.required, -worth[j]))

    def _keep(self, triples: _Triples, j: int, slack: int) -> _Triples:
        """Return the partial choices extended by column j, at each threshold within the limit.

        `triples` are choices of columns and thresholds. `slack` is subtracted from the number of
        cells: 1 for the coverage bound, else 0.
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
        """Return the partial choices that may still beat the best set of columns known.

        Choices that expose more than `max_exposed` people are dropped too.

        Args:
            triples: choices of columns and thresholds.
            rest: the columns still to be decided.
            last: the column that is added at the end, or None.
            slack: subtracted from the number of cells: 1 for the coverage bound, else 0.
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
        triples, reach = triples.select_choices(keep), reach[keep]
        sure += sum(self.gains[j] for j in must)
        more = self._knapsack(
            triples.cells, self.max_exposed - reach, [j for j in rest if j not in must]
        )
        top = triples.gain + (sure + more)
        gain, people, _ = self.best
        return triples.select_choices((top > gain) | ((top == gain) & (reach < 1 - people)))

    def _knapsack(self, cells: Numbers, room: NDArray[np.float64], free: list[int]) -> Integers:
        """Return an upper bound on the gain (weight) of further columns, by a fractional knapsack.

        Parts of columns may be added; the result is rounded down.

        Args:
            cells: number of cells of each partial choice.
            room: people that may still be exposed, for each partial choice.
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
            # the columns before this index add no exposed people, so they are always taken
            last_free = np.flatnonzero(cumulative_costs == 0)[-1]
            at_point = place == point
            filled = np.interp(room[at_point], cumulative_costs[last_free:], gained[last_free:])
            more[at_point] = np.floor(filled * (1 + 1e-12) + 1e-6)
        return more


def undominated(triples: _Triples) -> Integers:
    """Return the indices of the triples that no other triple equals or betters in R, P and gain.

    A triple is a partial choice of columns: R people with rare values, P cells of common values,
    gain the weight. The set of columns is a number in binary, column 0 the highest bit. Of equal
    triples, the triple with the larger number stays. Triples of equal P are compared first. Then
    the distinct values of P are grouped in blocks of neighbours. Each second block is compared with
    the block before, of smaller P; the blocks double in size until one is left.
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
    """Drop the triples of each second block that a triple of the block before equals or betters.

    A triple (R, P, gain) is a partial choice of columns: R people with rare values, P cells, gain
    the weight. A block is a range of values of P. The block before has smaller P, so only R and
    gain are compared.

    Args:
        keep: indices of the triples that are compared.
        rare: rank of R of every triple.
        rank: rank of the gain of every triple.
        block: block of every triple.
    """
    right = block[keep] % 2
    pair = block[keep] // 2
    # The sort key orders by pair of blocks, then by R (people with rare values), then the block of
    # smaller P first. All factors are below 2^31, so the key fits into 64 bits.
    order = np.argsort((pair * rare.size + rare[keep]) * 2 + right)
    keep, right, pair = keep[order], right[order], pair[order]
    base = pair * (rank.size + 1)
    best = np.maximum.accumulate(np.where(right, base, base + rank[keep] + 1))
    bettered = (right == 1) & (best - base >= rank[keep] + 1)
    survivors: Integers = keep[~bettered]
    return survivors
