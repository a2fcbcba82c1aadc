"""Hierarchical histograms: the number of people in a range of numbers, and quantiles.

The possible numbers, in order, are the leaves of a tree: a node is above B leaves, a node of the
next level above B such nodes, and so on, with at least two nodes at the top level. Each person
draws a level of h, and reports its node of that level by optimised unary encoding with the whole
epsilon (G. Cormode, T. Kulkarni, D. Srivastava, Answering range queries under local differential
privacy, VLDB 2019, Sections 4.4 and 4.5: TreeOUE, users sampled, constrained inference). Such a
report has a noisy bit for each node: 1 with probability `truth` at the person's node, with
probability `lie` at another. Of n people the share below a node is estimated by

    y = h / n * sum over the reports at its level of (bit - lie) / (truth - lie)

which is unbiased. All levels together give better estimates: the shares x of the leaves are the
least-squares solution x = G y + c with total 1. The matrix G and the vector c depend on the tree
only, so x is unbiased. D_j is the mean square of a report's contribution to y at node j:

    D_j = h (s0 + f_j (s1 + 1 - s0)),  s0 = lie (1 - lie)/(truth - lie)^2,
                                       s1 = truth (1 - truth)/(truth - lie)^2

where f_j is the true share below node j. The variance of any combination w x, given the people, is
exactly

    n Var = sum over nodes of (w G)_j^2 D_j  -  sum over leaves of p_x (w G a_x)^2

with p_x the true share of leaf x and a_x the nodes above it. The reports of different nodes of one
level are uncorrelated, and a person reports at one level only. For bounds after shuffling, the
worst two values differ at every level; then a report is as in unary encoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ..validation import Counts, Floats, as_probabilities, whole
from .bit_channel_capacity import unary_capacity, unary_pair
from .bit_vectors import fill_coins, hex_width, to_hex, to_symbols
from .estimate import Estimate
from .expected_limits import ExpectedLimits
from .measure import Measure
from .moment_limits import ShareLaw
from .neighbour_laws import Neighbours, coin_neighbours
from .numerical_capacity import two_inputs
from .points import as_points
from .quantile import quantile
from .quarter_shares import expected_ranges, quarter_shares
from .randomizer import Bits, Randomizer, Seed, Symbols, as_epsilon, as_generator, as_symbols
from .range_limits import Leaves, leaves_law, limits_of_sets, with_everybody
from .row_numbers import check_rows
from .unary import UnaryEncoding

# most numbers, because the least-squares matrix has an entry for each pair; more are refused
MOST_LEAVES = 1024
FANOUT = 4  # default children of a node; the paper's best for consistent trees are 4 to 8
QUARTERS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True, eq=False)
class NodeReports:
    """Reports about the nodes of a tree over the possible numbers, made by `Ranges`.

    Each person draws a level of the tree and reports a noisy bit for each node of that level.

    Attributes:
        levels: the level that each person drew, 0 at the top, shape (people,).
        bits: shape (people, leaves); bits after the last node of a level are 0.
    """

    levels: npt.NDArray[np.int64]
    bits: Bits

    def __len__(self) -> int:
        """Return the number of reports, one for each person."""
        return len(self.levels)


@dataclass(frozen=True, eq=True)
class Ranges(Randomizer):
    """A local randomizer of numbers for shares in ranges and quantiles: a tree over the numbers.

    The possible numbers are the leaves; each person reports its node of a randomly drawn level.

    Attributes:
        points: the numbers, 2 to 1,024, all different.
        epsilon: local epsilon in nats, > 0.
        fanout: B, the number of children of a node, >= 2.
    """

    points: tuple[float, ...]
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]
    fanout: int = FANOUT

    any_size = True

    def __post_init__(self) -> None:
        """Validate the parameters and convert them to plain numbers and tuples."""
        object.__setattr__(self, "points", as_points(self.points, MOST_LEAVES))
        object.__setattr__(self, "epsilon", as_epsilon(self.epsilon))
        object.__setattr__(self, "fanout", whole(self.fanout, "fanout", 2))

    def __str__(self) -> str:
        return f"Ranges({self.a} numbers, fanout={self.fanout}, epsilon={self.epsilon:g})"

    @property
    def a(self) -> int:
        """The number of leaves of the tree: possible numbers."""
        return len(self.points)

    @property
    def inputs(self) -> int:
        """The number of leaves of the tree: possible numbers."""
        return self.a

    @cached_property
    def order(self) -> npt.NDArray[np.int64]:
        """The rank of each input among the numbers in ascending order, from 0; shape (inputs,)."""
        return np.argsort(np.argsort(self.points))

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """The number of leaves (possible numbers) below a node of each level, from the top."""
        widths = [1]
        while -(-self.a // (widths[-1] * self.fanout)) > 1:
            widths.append(widths[-1] * self.fanout)
        return tuple(reversed(widths))

    @cached_property
    def nodes(self) -> tuple[int, ...]:
        """The number of nodes of each level of the tree, from the top."""
        return tuple(-(-self.a // width) for width in self.widths)

    @cached_property
    def _coins(self) -> UnaryEncoding:
        """The unary encoding with which a person reports its node of the drawn level."""
        return UnaryEncoding.oue(max(2, self.nodes[-1]), self.epsilon)

    @property
    def outputs(self) -> int:
        """The number of possible reports: for each level of the tree, all sets of its nodes."""
        return int(sum(1 << count for count in self.nodes))

    @cached_property
    def paths(self) -> Floats:
        """A 0/1 matrix: whether each node of the tree is above each leaf, a possible number.

        Shape (nodes, inputs): nodes level by level from the top, leaves in ascending order.
        """
        leaf = np.arange(self.a)
        rows = [
            leaf // width == np.arange(count)[:, None]
            for width, count in zip(self.widths, self.nodes, strict=True)
        ]
        return np.concatenate(rows).astype(np.float64)

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        parts = []
        for width, count in zip(self.widths, self.nodes, strict=True):
            coins = UnaryEncoding(count, self._coins.kappa, self._coins.lam)
            parts.append(coins.matrix[:, self.order // width])
        return np.concatenate(parts) / len(parts)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> NodeReports:
        """Return a drawn level of the tree, and the noisy bits of its nodes, for each person.

        Args:
            x: the index in `points` of each person's number, shape (people,).
            rng: generator or seed.
        """
        leaves, rng = self.order[as_symbols(x, self.a)], as_generator(rng)
        levels = rng.integers(0, len(self.widths), len(leaves))
        bits = np.zeros((len(leaves), self.a), np.uint8)
        fill_coins(bits, self._coins.lam, rng)
        people = np.arange(len(leaves))
        node = leaves // np.array(self.widths)[levels]
        bits[people, node] = rng.random(len(leaves)) < self._coins.kappa
        bits *= np.arange(self.a) < np.array(self.nodes)[levels, None]
        return NodeReports(levels, bits)

    def symbols(self, reports: NodeReports) -> Symbols:
        """Return each report's row number in the matrix: by level, then by its bits as a number.

        The level is that of the tree over the numbers.
        """
        check_rows(self)
        rows, first = np.zeros(len(reports), np.int64), 0
        for level, count in enumerate(self.nodes):
            at = reports.levels == level
            if at.any():
                rows[at] = first + to_symbols(reports.bits[at, :count])
            first += 1 << count
        return rows

    @property
    def positions(self) -> int:
        """The length of `support_counts`: a count for each level of the tree, and each node."""
        return sum(self.nodes) + len(self.nodes)

    def support_counts(self, reports: NodeReports) -> Counts:
        """Return, for each level of the tree, the number of its reports and of 1-bits at each node.

        All counts are in one list, from the top level: the reports of a level come before the
        1-bits at its nodes.
        """
        supports = []
        for level, count in enumerate(self.nodes):
            rows = reports.bits[reports.levels == level]
            supports.append(np.append(len(rows), rows[:, :count].sum(axis=0, dtype=np.int64)))
        return np.concatenate(supports)

    def _node_shares(self, counts: npt.ArrayLike, people: int) -> Floats:
        """Return the unbiased share of people below each node of the tree, shape (nodes,).

        A node stands for a range of numbers. counts: the result of `support_counts`, for each level
        the number of its reports and of 1-bits at each node. people: the number of all reports.
        """
        node_counts, first, shares = np.asarray(counts, np.float64), 0, []
        coins, h = self._coins, len(self.nodes)
        for count in self.nodes:
            one_counts = node_counts[first + 1 : first + 1 + count]
            shares.append((one_counts - node_counts[first] * coins.lam) / (coins.kappa - coins.lam))
            first += count + 1
        return h * np.concatenate(shares) / people

    @cached_property
    def _fit(self) -> tuple[Floats, Floats]:
        """The pair (G, c) of the least-squares fit of the leaves' shares to the nodes' shares.

        The shares of the leaves are G times the shares of the nodes, plus c. Leaves are possible
        numbers, nodes are ranges of them in a tree. The leaves' shares sum to 1.
        """
        A = self.paths
        inverse = np.linalg.inv(A.T @ A)
        row_sums = inverse.sum(axis=1)
        centre = row_sums / row_sums.sum()
        G = inverse @ A.T
        return G - np.outer(centre, G.sum(axis=0)), centre

    def _variances(self, weights: Floats, shares: Floats) -> Floats:
        """Return n times the exact variance of weighted sums of the shares of n people; shape (k,).

        weights: a weight of each number in each of k sums, shape (k, a). shares: the true shares of
        the a numbers. The numbers are in ascending order.
        """
        t, q = self._coins.kappa, self._coins.lam
        low, high = q * (1 - q) / (t - q) ** 2, t * (1 - t) / (t - q) ** 2
        D = len(self.nodes) * (low + self.paths @ shares * (high + 1 - low))
        rows = weights @ self._fit[0]
        return np.asarray(np.maximum(rows**2 @ D - (rows @ self.paths) ** 2 @ shares, 0.0))

    def _ordered(self, counts: npt.ArrayLike, people: int) -> Floats:
        """Return unbiased shares of the numbers in ascending order, shape (a,).

        counts: the result of `support_counts`. people: the number of all reports.
        """
        G, centre = self._fit
        return np.asarray(G @ self._node_shares(counts, whole(people, "people", 1)) + centre)

    def estimate(self, reports: NodeReports, *, population: bool = False) -> Estimate:
        """Return unbiased shares of people with each number, in the order of `points`.

        population: whether the errors also count drawing the people from a large population.
        """
        counts = self.support_counts(reports)
        return self.estimate_tally(counts, len(reports), population=population)

    def estimate_tally(
        self, counts: npt.ArrayLike, people: int, *, population: bool = False
    ) -> Estimate:
        """Return unbiased shares of people with each number, from counts of reports.

        Args:
            counts: the result of `support_counts`.
            people: the number of all reports.
            population: whether the errors also count drawing the people from a large population.
        """
        ordered = self._ordered(counts, people)
        noise = self._variances(np.eye(self.a), _clipped(ordered)) / people
        return Estimate.from_noise(
            ordered[self.order],
            noise[self.order],
            people,
            str(self),
            kind="distribution",
            population=population,
            laws=lambda place: self._share_law(np.arange(self.a) == self.order[place]),
        )

    def _share_law(self, inside: npt.NDArray[np.bool_]) -> ShareLaw:
        """Return the distribution of a report's contribution to the share of a set of numbers.

        inside: for each number, in ascending order, whether it is in the set.
        """
        return leaves_law(inside, self._fit, self.nodes, self.paths, self._coins)

    def variance(self, p: npt.ArrayLike, people: int) -> Floats:
        """Return the exact variance of each estimated share, shape (inputs,).

        p: the true share of each number. people: the number of reports.
        """
        ordered = as_probabilities(p)[np.argsort(self.points)]
        return self._variances(np.eye(self.a), ordered)[self.order] / whole(people, "people", 1)

    def range_variance(self, first: int, last: int, p: npt.ArrayLike, people: int) -> float:
        """Return the exact variance of the estimated share of people in a range of numbers.

        Args:
            first: the rank of the range's least number among all numbers in ascending order, from
                0.
            last: the rank of the range's largest number.
            p: the true share of each number.
            people: the number of reports.
        """
        ordered = as_probabilities(p)[np.argsort(self.points)]
        inside = ((np.arange(self.a) >= first) & (np.arange(self.a) <= last))[None, :]
        return float(self._variances(inside.astype(np.float64), ordered)[0]) / people

    def measures(self, counts: npt.ArrayLike, people: int) -> tuple[Measure, ...]:
        """Return the quartiles, and the share of people in each quarter of the list of numbers.

        counts: the result of `support_counts`. people: the number of all reports.
        """
        ordered, points = self._ordered(counts, people), np.sort(self.points)
        shares = _clipped(ordered)
        order = np.argsort(self.points)
        errors = np.sqrt(self._variances(np.tril(np.ones((self.a, self.a))), shares) / people)
        sums = np.cumsum(ordered)
        # sets of the first i numbers, without the last set: it has all people
        sets = [*np.tri(self.a, dtype=np.bool_)[:-1]]
        up_to = cache(with_everybody(limits_of_sets(ordered, people, sets, self._share_law)))
        quantiles = [quantile(q, points, sums, errors, up_to, lambda p: p[order]) for q in QUARTERS]

        def error(inside: Leaves) -> float:
            """Return the standard error of the share of people in a set of numbers (a mask)."""
            all_leaves = inside[None, :].astype(np.float64)
            return sqrt(float(self._variances(all_leaves, shares)[0]) / people)

        quarters = quarter_shares(ordered, people, points, order, error, self._share_law)
        return (*quantiles, *quarters)

    def expected_limits(self, people: int) -> tuple[ExpectedLimits, ...]:
        """Return expected 95 % limits of the share of a quarter of the numbers, and of the median.

        The median is left out for more than 256 numbers. people: the number of reports.
        """
        points, tree = np.sort(self.points), (self.widths, self.nodes, self._coins)
        return expected_ranges(people, points, tree, self._share_law, self.measures)

    def noise(self) -> float:
        """Return the variance of one report's estimate of a share, for uniform numbers."""
        return float(self._variances(np.eye(self.a), np.full(self.a, 1 / self.a)).mean())

    def noise_of(self, task: str) -> float:
        """Return the variance of one report's estimate of a share of people, for uniform numbers.

        task: "ranges" for the mean over all ranges of numbers; otherwise the mean over single
        numbers.
        """
        if task != "ranges":
            return self.noise()
        # row i: the first i leaves (numbers in ascending order)
        bounds = np.tril(np.ones((self.a + 1, self.a)), -1)
        pairs = [(i, j) for i in range(self.a + 1) for j in range(i)]
        if len(pairs) > MOST_LEAVES:
            rng = np.random.default_rng(0)
            pairs = [pairs[k] for k in rng.choice(len(pairs), MOST_LEAVES, replace=False)]
        weights = np.array([bounds[i] - bounds[j] for i, j in pairs])
        return float(self._variances(weights, np.full(self.a, 1 / self.a)).mean())

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): a report's most information about which of n people sent it.

        In nats. A report is about one level of the tree over the numbers; the bound is the mean of
        the capacities of the levels. attained is False, because the bound may not be reached.
        """
        coins = self._coins
        capacities = [unary_capacity(coins.kappa, coins.lam, min(people, n)) for n in self.nodes]
        return float(np.mean(capacities)), False

    def contraction(self) -> float:
        """Return the contraction coefficient of two numbers with different nodes at every level.

        It is the largest share of any information about which of the two numbers a person has that
        the report retains. The levels belong to the tree over the numbers.
        """
        return two_inputs(*unary_pair(self._coins.kappa, self._coins.lam))

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two numbers, for bounds after shuffling.

        The two numbers have different nodes at every level of the tree, so reports are as in
        unary encoding. Numbers with the same node at some level are harder to distinguish: reports
        about that level have equal distributions.
        """
        return [coin_neighbours(self.nodes[0], self._coins.kappa, self._coins.lam)]

    def log_likelihood(self, values: npt.NDArray[Any], own: Any, rng: Seed) -> Floats:
        """Return the log-likelihood of simulated reports under each number, shape (own, values).

        It is epsilon if the report has a 1 at the node above the number in the tree, else 0. Terms
        that are equal for all numbers are left out.

        values: the indices of the numbers in `points`, shape (values, 1). own: the row of each
        sender in `values`.
        """
        rows = self.sample(values[own, 0], rng)
        width = np.array(self.widths)[rows.levels, None]
        node = self.order[values[:, 0]][None, :] // width
        return np.asarray(np.take_along_axis(rows.bits, node, axis=1) * self.epsilon, np.float64)

    @property
    def text_width(self) -> int:
        """The number of hexadecimal digits of a report: its tree level, then bits packed in bytes.

        A report names a level of the tree over the numbers (1 digit), and has a bit vector (2
        digits for each byte). The vector has `a` bits, as many as there are numbers, so that all
        reports have one size.
        """
        return 1 + hex_width(self.a)

    def encode(self, reports: NodeReports, domain: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return reports as hexadecimal text: the tree's level, then the bits, eight to a byte."""
        pairs = zip(reports.levels.tolist(), to_hex(reports.bits), strict=True)
        return [f"{level:x}{bits}" for level, bits in pairs]

    def decode(self, texts: Sequence[str]) -> NodeReports:
        """Return reports from hexadecimal texts.

        Texts with an unknown level of the tree, or with a 1 beyond the last node of the level, are
        left out.
        """
        levels = np.array([int(text[0], 16) for text in texts], np.int64)
        packed = np.frombuffer(bytes.fromhex("".join(text[1:] for text in texts)), np.uint8)
        bits = np.unpackbits(packed.reshape(len(texts), -1), axis=1)
        is_known = levels < len(self.nodes)
        nodes = np.array(self.nodes)[np.where(is_known, levels, 0)]
        is_known &= ~(bits & (np.arange(bits.shape[1]) >= nodes[:, None])).any(axis=1)
        return NodeReports(levels[is_known], bits[is_known][:, : self.a])


def _clipped(shares: Floats) -> Floats:
    """Return shares with negative values set to 0 and total 1, to estimate variances."""
    clipped = np.clip(shares, 0.0, 1.0)
    return np.asarray(clipped / clipped.sum())
