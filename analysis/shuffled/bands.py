"""Certified lower and upper bounds of delta as functions of epsilon: a band.

A randomizer's neighbours are the laws of its reports for pairs of values (`neighbour_laws.py`).
They are given by its family (GRR, unary encoding ...), if it has one, and computed from its matrix,
if that is small (`matrix_neighbours.py`). Each gives a lower and an upper bound; the better of both
is certified too.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf

from ..randomizers import Randomizer
from ..randomizers.matrix_neighbours import matrix_neighbours
from ..randomizers.neighbour_laws import Neighbours
from ..validation import whole
from .any_others import any_others_delta, listed
from .collections import NeighbourPairs, mixed_pairs
from .pair_bounds import FINE, max_delta, min_delta, telling

UPPER = "upper: exchange of terms, privacy blanket or local"
RULE = f"lower: others of one value; {UPPER}"
MIXED = f"lower: others of up to three values; {UPPER}"
CLONES = "lower: none; upper: clones of a randomizer of this local epsilon, or local"
# Relative width of the interval of epsilon at which a search ends: with full effort, and with few
# lattice points.
NARROW, NARROW_BY_POINTS = 1e-6, 1e-3
# Neighbours read from a randomizer's matrix are used beside those that its family lists, if outputs
# x inputs^3 and the number of kinds of neighbours are at most these.
SMALL, SOME_CASES = 1 << 18, 64
# Populations of other people are listed, or bounded in parts, only if at most this many kinds of
# neighbours exist.
FEW_CASES = 16


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of computing a bound, in numbers of points, not seconds: it is repeatable.

    Attributes:
        fine: lattice points to one deviation of a term.
        narrow: relative width of the interval in which an epsilon is sought.
        thorough: whether slow methods are tried too: listing all collections, exchanging each
            person's term for the widest (`any_others.py`), bounds population by population.
    """

    fine: float = FINE
    narrow: float = NARROW
    thorough: bool = True

    @classmethod
    def from_points(cls, points: int | None) -> "Effort":
        """Return the full effort, or a single pass with this number of lattice points."""
        if points is None:
            return cls()
        return cls(float(whole(points, "points", 2)), NARROW_BY_POINTS, thorough=False)


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Lower and upper bounds of delta after shuffling, from a list of neighbours.

    Attributes:
        cases: neighbours (laws of reports for pairs of values) that bound every pair of values.
        n: number of reports.
        effort: numbers of points.
        mixed: neighbours with several values among other people, listed, for the lower bound.
    """

    cases: Sequence[Neighbours]
    n: int
    effort: Effort
    mixed: Sequence[NeighbourPairs] = ()

    @property
    def rule(self) -> str:
        """The names of the methods of its bounds, in words."""
        if not any(pairs for _, pairs in self.cases):
            return CLONES
        return MIXED if self.mixed else RULE

    @property
    def parted(self) -> bool:
        """Whether the slow bounds, population by population, can be computed with this effort.

        They need all values of other people, of few kinds.
        """
        has_few_cases = len(self.cases) <= FEW_CASES
        return self.effort.thorough and has_few_cases and all(map(listed, self.cases))

    def low(self, epsilon: float) -> float:
        """Return a lower bound of delta at epsilon > 0."""
        best = max((pairs.delta(epsilon) for pairs in self.mixed), default=0.0)
        # Pairs with the largest local delta come first: later pairs need only a rough bound.
        lists = {id(equals): equals for _, equals in self.cases}  # two directions may share a list
        for estimate, pair in sorted(
            (
                (pair.local_delta(epsilon), pair)
                for equals in lists.values()
                for pair in telling(equals)
            ),
            key=lambda candidate: -candidate[0],
        ):
            if estimate > best:  # else skipped, as shuffling never raises the local delta
                best = max(best, min_delta(pair, self.n, epsilon, best, self.effort.fine))
        return best

    def high(self, epsilon: float) -> float:
        """Return an upper bound of delta at epsilon > 0."""
        best, exchanged = 0.0, dict[int, float]()
        for case in self.cases:
            blanket, equals = case
            highest = blanket.local_delta(epsilon)
            if highest > best:
                highest = min(highest, max_delta(blanket, self.n, epsilon, best, self.effort.fine))
            if highest > best and self.effort.thorough:
                # An exchange bounds both directions of two values.
                if id(equals) not in exchanged:
                    exchanged[id(equals)] = any_others_delta(case, self.n, epsilon, highest)
                highest = min(highest, exchanged[id(equals)])
            best = max(best, highest)
        return best

    @property
    def by_blankets(self) -> "Band":
        """The band with a quicker upper bound: privacy blankets alone, no exchange of terms."""
        return replace(self, effort=replace(self.effort, thorough=False))

    @property
    def given_away(self) -> float:
        """A lower bound of delta at every epsilon: the probability of reports excluding a value."""
        pairs = [pair for _, equals in self.cases for pair in equals]
        ways = [way.given_away for pair in pairs for way in (pair, pair.reversed())]
        return max(ways, default=0.0)


def bands(randomizer: Randomizer, n: int, effort: Effort) -> list[Band]:
    """Return a band (lower and upper bounds of delta) from each list of a randomizer's neighbours.

    The list of its family comes first.
    """
    own_cases, *general = readings(randomizer)
    # A matrix may have hundreds of kinds of neighbours: only the least hidden kind is listed.
    sampled_cases = own_cases if len(own_cases) <= FEW_CASES else own_cases[:1]
    first = Band(own_cases, n, effort, mixed_pairs(n, sampled_cases) if effort.thorough else ())
    # The matrix's neighbours beside a family's own serve small crowds: no terms are exchanged.
    return [first, *(Band(cases, n, replace(effort, thorough=False)) for cases in general)]


@lru_cache(maxsize=32)
def readings(randomizer: Randomizer) -> tuple[Sequence[Neighbours], ...]:
    """Return the neighbours by the randomizer's family, and by its matrix if it is small."""
    own_cases = randomizer.neighbours()
    small = randomizer.outputs * randomizer.inputs**3 <= SMALL and randomizer.is_readable
    general = (
        matrix_neighbours(randomizer.matrix) if small and randomizer.knows_neighbours else None
    )
    return (own_cases, general) if general and len(general) <= SOME_CASES else (own_cases,)


def upper_delta(band_list: Sequence[Band], epsilon: float) -> float:
    """Return the least upper bound of delta at epsilon; infinite without bands."""
    return min((band.high(epsilon) for band in band_list), default=inf)


def lower_delta(band_list: Sequence[Band], epsilon: float) -> float:
    """Return the largest lower bound of delta at epsilon; 0 without bands."""
    return max((band.low(epsilon) for band in band_list), default=0.0)
