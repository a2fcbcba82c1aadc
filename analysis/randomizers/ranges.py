"""Hierarchical histograms: the number of people in a range of numbers, and quantiles.

The numbers, in order, are the leaves of a tree: B leaves to a node, B nodes to the next, down to at
least two at the top. Each person draws one level of h and reports its node there by optimised
unary encoding with the whole budget (G. Cormode, T. Kulkarni, D. Srivastava, Answering range
queries under local differential privacy, VLDB 2019, Sections 4.4 and 4.5: TreeOUE, users sampled,
constrained inference). A node's share, from the reports c that have a 1 there,

    y = h / n * sum over the reports at its level of (bit - lie) / (truth - lie)

is unbiased. Levels inform each other: the shares of the leaves are the least-squares fit x = G y +
c with total 1. G depends on the tree only, so x is unbiased, and with D the diagonal of

    D_j = h (s0 + f_j (s1 + 1 - s0)),  s0 = lie (1 - lie)/(truth - lie)^2,  s1 of truth the same,

f_j the true share of node j, the variance of any combination w x given the people is exactly

    n Var = sum over nodes of (w G)_j^2 D_j  -  sum over leaves of p_x (w G a_x)^2

a_x the nodes above leaf x: reports of different nodes of one level are uncorrelated, and a person
reports at one level only. The worst neighbours differ at every level; then a report is one of unary
encoding.
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

MOST_LEAVES = 1024  # most numbers: the least-squares matrix has an entry for each pair
FANOUT = 4  # default children of a node; the paper's best for consistent trees are 4 to 8
QUARTERS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True, eq=False)
class NodeReports:
    """Reports about the nodes of a tree, made by `Ranges`.

    A person draws a level and reports a noisy bit for each node of it.

    Attributes:
        levels: the level of each person, from the top, shape (people,).
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

    Attributes:
        points: the numbers, 2 to 1,024, all different.
        epsilon: local epsilon in nats, > 0.
        fanout: B, the children of a node, >= 2.
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
        """The place of each input among the ordered numbers."""
        return np.argsort(np.argsort(self.points))

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """The number of leaves below a node of each level, from the top."""
        widths = [1]
        while -(-self.a // (widths[-1] * self.fanout)) > 1:
            widths.append(widths[-1] * self.fanout)
        return tuple(reversed(widths))

    @cached_property
    def nodes(self) -> tuple[int, ...]:
        """The number of nodes of each level, from the top."""
        return tuple(-(-self.a // width) for width in self.widths)

    @cached_property
    def _coins(self) -> UnaryEncoding:
        """The unary encoding with which a person reports its node of the drawn level."""
        return UnaryEncoding.oue(max(2, self.nodes[-1]), self.epsilon)

    @property
    def outputs(self) -> int:
        """The number of possible reports: sets of nodes of one level of the tree, all levels."""
        return int(sum(1 << count for count in self.nodes))

    @cached_property
    def paths(self) -> Floats:
        """0/1 matrix of the nodes above each ordered leaf, level by level.

        Shape (nodes, inputs).
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
        """Return a drawn level and the randomized bits of its nodes for each person.

        Args:
            x: which number each has, shape (people,).
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
        """Return each report's row number in the matrix: by level, then by its bits as a number."""
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
        """Return the reports at each level from the top, each followed by 1-bits at its nodes."""
        supports = []
        for level, count in enumerate(self.nodes):
            rows = reports.bits[reports.levels == level]
            supports.append(np.append(len(rows), rows[:, :count].sum(axis=0, dtype=np.int64)))
        return np.concatenate(supports)

    def _node_shares(self, counts: npt.ArrayLike, people: int) -> Floats:
        """Return the unbiased share of people below each node, shape (nodes,).

        counts: those of `support_counts`.
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
        """The pair (G, c): the leaves' least-squares shares are G times the nodes' shares, plus c.

        Leaves and nodes are those of the tree over the numbers; the leaves' shares sum to 1.
        """
        A = self.paths
        inverse = np.linalg.inv(A.T @ A)
        row_sums = inverse.sum(axis=1)
        centre = row_sums / row_sums.sum()
        G = inverse @ A.T
        return G - np.outer(centre, G.sum(axis=0)), centre

    def _variances(self, weights: Floats, shares: Floats) -> Floats:
        """Return n times the exact variance of weighted sums of the leaves' shares, shape (k,).

        weights: k x a. shares: true shares of the ordered leaves.
        """
        t, q = self._coins.kappa, self._coins.lam
        low, high = q * (1 - q) / (t - q) ** 2, t * (1 - t) / (t - q) ** 2
        D = len(self.nodes) * (low + self.paths @ shares * (high + 1 - low))
        rows = weights @ self._fit[0]
        return np.asarray(np.maximum(rows**2 @ D - (rows @ self.paths) ** 2 @ shares, 0.0))

    def _ordered(self, counts: npt.ArrayLike, people: int) -> Floats:
        """Return unbiased shares of the numbers in ascending order, from `support_counts`; (a,)."""
        G, centre = self._fit
        return np.asarray(G @ self._node_shares(counts, whole(people, "people", 1)) + centre)

    def estimate(self, reports: NodeReports, *, population: bool = False) -> Estimate:
        """Return unbiased shares of the numbers, in the order of `points`."""
        counts = self.support_counts(reports)
        return self.estimate_tally(counts, len(reports), population=population)

    def estimate_tally(
        self, counts: npt.ArrayLike, people: int, *, population: bool = False
    ) -> Estimate:
        """Return unbiased shares of the numbers from the counts of `support_counts`."""
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
        """Return the distribution of a report's contribution to the share of a set of leaves.

        inside: a mask of the ordered leaves.
        """
        return leaves_law(inside, self._fit, self.nodes, self.paths, self._coins)

    def variance(self, p: npt.ArrayLike, people: int) -> Floats:
        """Return the exact variance of each estimated share. p: the true shares.

        Shape (inputs,).
        """
        ordered = as_probabilities(p)[np.argsort(self.points)]
        return self._variances(np.eye(self.a), ordered)[self.order] / whole(people, "people", 1)

    def range_variance(self, first: int, last: int, p: npt.ArrayLike, people: int) -> float:
        """Return the exact variance of the estimated share of people in a range of numbers.

        first, last: ordered leaves at its ends, both in the range. p: the true shares of the
        numbers.
        """
        ordered = as_probabilities(p)[np.argsort(self.points)]
        inside = ((np.arange(self.a) >= first) & (np.arange(self.a) <= last))[None, :]
        return float(self._variances(inside.astype(np.float64), ordered)[0]) / people

    def measures(self, counts: npt.ArrayLike, people: int) -> tuple[Measure, ...]:
        """Return the quartiles, and the share of people in each quarter of the list of numbers.

        counts: those of `support_counts`.
        """
        ordered, points = self._ordered(counts, people), np.sort(self.points)
        shares = _clipped(ordered)
        order = np.argsort(self.points)
        errors = np.sqrt(self._variances(np.tril(np.ones((self.a, self.a))), shares) / people)
        sums = np.cumsum(ordered)
        sets = [*np.tri(self.a, dtype=np.bool_)[:-1]]  # without the last set, which is all people
        up_to = cache(with_everybody(limits_of_sets(ordered, people, sets, self._share_law)))
        quantiles = [quantile(q, points, sums, errors, up_to, lambda p: p[order]) for q in QUARTERS]

        def error(inside: Leaves) -> float:
            """Return the standard error of the share of people in a set of leaves."""
            all_leaves = inside[None, :].astype(np.float64)
            return sqrt(float(self._variances(all_leaves, shares)[0]) / people)

        quarters = quarter_shares(ordered, people, points, order, error, self._share_law)
        return (*quantiles, *quarters)

    def expected_limits(self, people: int) -> tuple[ExpectedLimits, ...]:
        """Return expected 95 % limits of the share of a quarter of the numbers, and of the median.

        The median is left out for many numbers.
        """
        points, tree = np.sort(self.points), (self.widths, self.nodes, self._coins)
        return expected_ranges(people, points, tree, self._share_law, self.measures)

    def noise(self) -> float:
        """Return the variance of one report's estimate of a share, for uniform numbers."""
        return float(self._variances(np.eye(self.a), np.full(self.a, 1 / self.a)).mean())

    def noise_of(self, task: str) -> float:
        """Return the noise of a task: averaged over all ranges for "ranges", else of shares."""
        if task != "ranges":
            return self.noise()
        bounds = np.tril(np.ones((self.a + 1, self.a)), -1)  # row i: the first i leaves
        pairs = [(i, j) for i in range(self.a + 1) for j in range(i)]
        if len(pairs) > MOST_LEAVES:
            rng = np.random.default_rng(0)
            pairs = [pairs[k] for k in rng.choice(len(pairs), MOST_LEAVES, replace=False)]
        weights = np.array([bounds[i] - bounds[j] for i, j in pairs])
        return float(self._variances(weights, np.full(self.a, 1 / self.a)).mean())

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): a report's most information about which of n people sent it.

        In nats: the mean of the capacities of the tree's levels; not attained.
        """
        coins = self._coins
        capacities = [unary_capacity(coins.kappa, coins.lam, min(people, n)) for n in self.nodes]
        return float(np.mean(capacities)), False

    def contraction(self) -> float:
        """Return the contraction coefficient of two numbers with different nodes at every level.

        The levels are those of the tree over the numbers.
        """
        return two_inputs(*unary_pair(self._coins.kappa, self._coins.lam))

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two numbers, for bounds after shuffling.

        The numbers differ at every level of the tree, so reports are those of unary encoding.
        Levels with equal nodes have equal distributions, the mean of the distributions of other
        levels.
        """
        return [coin_neighbours(self.nodes[0], self._coins.kappa, self._coins.lam)]

    def log_likelihood(self, values: npt.NDArray[Any], own: Any, rng: Seed) -> Floats:
        """Return the log-likelihood of simulated reports under each number, shape (own, values).

        own: the row of each sender in `values`. Terms of the report alone are left out. It is
        epsilon if the report has a 1 at the node above the number, else 0.
        """
        rows = self.sample(values[own, 0], rng)
        width = np.array(self.widths)[rows.levels, None]
        node = self.order[values[:, 0]][None, :] // width
        return np.asarray(np.take_along_axis(rows.bits, node, axis=1) * self.epsilon, np.float64)

    @property
    def text_width(self) -> int:
        """The number of hexadecimal digits of a report: one for the level, two for eight bits."""
        return 1 + hex_width(self.a)

    def encode(self, reports: NodeReports, domain: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return reports as hexadecimal text: the level, then the bits, eight to a byte."""
        pairs = zip(reports.levels.tolist(), to_hex(reports.bits), strict=True)
        return [f"{level:x}{bits}" for level, bits in pairs]

    def decode(self, texts: Sequence[str]) -> NodeReports:
        """Return reports from hexadecimal texts.

        Texts with an unknown level, or with a 1 beyond the last node of the level, are left out.
        """
        levels = np.array([int(text[0], 16) for text in texts], np.int64)
        packed = np.frombuffer(bytes.fromhex("".join(text[1:] for text in texts)), np.uint8)
        bits = np.unpackbits(packed.reshape(len(texts), -1), axis=1)
        is_known = levels < len(self.nodes)
        nodes = np.array(self.nodes)[np.where(is_known, levels, 0)]
        is_known &= ~(bits & (np.arange(bits.shape[1]) >= nodes[:, None])).any(axis=1)
        return NodeReports(levels[is_known], bits[is_known][:, : self.a])


def _clipped(shares: Floats) -> Floats:
    """Return shares with negative values set to 0 and total 1, for estimates of variances."""
    clipped = np.clip(shares, 0.0, 1.0)
    return np.asarray(clipped / clipped.sum())
