"""Certified lower and upper bounds of delta as functions of epsilon: a band.

A randomizer's neighbours are the report distributions of pairs of values (`neighbour_laws.py`). The
class of the randomizer (GRR, unary encoding ...) lists them. If the matrix is small, they are also
computed from the matrix (`matrix_neighbours.py`). Each list gives a lower and an upper bound; the
better of both is certified too.
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
# Relative width of the interval of epsilon at which a search ends: in the full computation, and in
# a quick one with few grid points.
NARROW, NARROW_BY_POINTS = 1e-6, 1e-3
# Bounds use the report distributions of pairs of values, which each class of randomizers lists by
# formula. The list computed from the randomizer's matrix gives a second bound, if outputs x
# inputs^3, and the number of pairs up to symmetry, are at most these; a larger list would take too
# long.
SMALL, SOME_CASES = 1 << 18, 64
# The possible values of all other people are enumerated, or divided into parts with a bound for
# each, only if the attacked person has at most this many pairs of values up to symmetry. Each pair
# takes long.
FEW_CASES = 16


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of computing a bound on delta, in numbers of points.

    Numbers of points, unlike seconds, give the same bound in every run.

    Attributes:
        fine: grid points per standard deviation of one person's term in the sums that bound delta.
        narrow: relative width of the interval at which the search for an epsilon ends.
        thorough: whether slow methods are tried too: enumerating the values of all people,
            replacing each person's term by a common one (`any_others.py`), and dividing the
            possible values of other people into parts.
    """

    fine: float = FINE
    narrow: float = NARROW
    thorough: bool = True

    @classmethod
    def from_points(cls, points: int | None) -> "Effort":
        """Return the full effort, or the effort of a quick computation with few grid points.

        points: grid points per standard deviation of a term in the sums that bound delta, >= 2;
        None: full effort.
        """
        if points is None:
            return cls()
        return cls(float(whole(points, "points", 2)), NARROW_BY_POINTS, thorough=False)


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Lower and upper bounds of delta after shuffling, from a list of pairs of values.

    Attributes:
        cases: report distributions of pairs of values (`Neighbours`). The largest delta among
            these pairs is the largest of all pairs.
        n: number of reports.
        effort: numbers of grid points, and whether slow methods are tried.
        mixed: enumerated data sets in which other people have several values, for the lower bound.
    """

    cases: Sequence[Neighbours]
    n: int
    effort: Effort
    mixed: Sequence[NeighbourPairs] = ()

    @property
    def rule(self) -> str:
        """The names of the methods that give the bounds, in words."""
        if not any(pairs for _, pairs in self.cases):
            return CLONES
        return MIXED if self.mixed else RULE

    @property
    def parted(self) -> bool:
        """Whether the slow bounds of delta apply that divide other people's values into parts.

        Each part then has its own upper bound. The slow bounds need thorough effort, the report
        distribution of every value, and at most `FEW_CASES` pairs of values up to symmetry.
        """
        has_few_cases = len(self.cases) <= FEW_CASES
        return self.effort.thorough and has_few_cases and all(map(listed, self.cases))

    def low(self, epsilon: float) -> float:
        """Return a lower bound of delta at epsilon > 0, the largest over all pairs of values."""
        best = max((pairs.delta(epsilon) for pairs in self.mixed), default=0.0)
        # Pairs of values with the largest local delta come first. A later pair is then skipped if
        # its local delta is below the best lower bound so far.
        lists = {id(equals): equals for _, equals in self.cases}
        for estimate, pair in sorted(
            (
                (pair.local_delta(epsilon), pair)
                for equals in lists.values()
                for pair in telling(equals)
            ),
            key=lambda candidate: -candidate[0],
        ):
            if estimate > best:  # else skipped, because shuffling never raises the local delta
                best = max(best, min_delta(pair, self.n, epsilon, best, self.effort.fine))
        return best

    def high(self, epsilon: float) -> float:
        """Return an upper bound of delta at epsilon > 0, which holds for all pairs of values."""
        best, exchanged = 0.0, dict[int, float]()
        for case in self.cases:
            blanket, equals = case
            highest = blanket.local_delta(epsilon)
            if highest > best:
                highest = min(highest, max_delta(blanket, self.n, epsilon, best, self.effort.fine))
            if highest > best and self.effort.thorough:
                # This bound, with a common term for all people, covers both u against v and v
                # against u. So it is computed once for both.
                if id(equals) not in exchanged:
                    exchanged[id(equals)] = any_others_delta(case, self.n, epsilon, highest)
                highest = min(highest, exchanged[id(equals)])
            best = max(best, highest)
        return best

    @property
    def by_blankets(self) -> "Band":
        """The same bounds of delta, with a quicker upper bound: privacy blankets alone.

        A privacy blanket is the part of other people's reports common to all values. The slower
        upper bound, with a common term for all people in a sum, is left out.
        """
        return replace(self, effort=replace(self.effort, thorough=False))

    @property
    def given_away(self) -> float:
        """A lower bound of delta at every epsilon: the probability of reports that reveal a value.

        Such a report is possible only for one value of the attacked person, and for no other
        person.
        """
        pairs = [pair for _, equals in self.cases for pair in equals]
        ways = [way.given_away for pair in pairs for way in (pair, pair.reversed())]
        return max(ways, default=0.0)


def bands(randomizer: Randomizer, n: int, effort: Effort) -> list[Band]:
    """Return a band (lower and upper bounds of delta) from each list of a randomizer's neighbours.

    Neighbours are the report distributions of pairs of values. The list that the randomizer's class
    gives by formula comes first, then the list from its matrix, if the matrix is small.

    n: number of reports.
    effort: numbers of grid points, and whether slow methods are tried.
    """
    own_cases, *general = readings(randomizer)
    # A matrix may have hundreds of pairs of values up to symmetry. Then data sets are enumerated
    # only for the first pair, which other people's reports hide least.
    sampled_cases = own_cases if len(own_cases) <= FEW_CASES else own_cases[:1]
    first = Band(own_cases, n, effort, mixed_pairs(n, sampled_cases) if effort.thorough else ())
    # The list from the matrix improves the bounds of small crowds. The slow bounds with a common
    # term for all people help in large crowds, so they are left out.
    return [first, *(Band(cases, n, replace(effort, thorough=False)) for cases in general)]


@lru_cache(maxsize=32)
def readings(randomizer: Randomizer) -> tuple[Sequence[Neighbours], ...]:
    """Return the lists of report distributions of pairs of values, for bounds after shuffling.

    The first list is that of the randomizer's class. A second is computed from the matrix, if the
    matrix is small and the class has a list of its own.
    """
    own_cases = randomizer.neighbours()
    small = randomizer.outputs * randomizer.inputs**3 <= SMALL and randomizer.is_readable
    general = (
        matrix_neighbours(randomizer.matrix) if small and randomizer.knows_neighbours else None
    )
    return (own_cases, general) if general and len(general) <= SOME_CASES else (own_cases,)


def upper_delta(band_list: Sequence[Band], epsilon: float) -> float:
    """Return the least upper bound of delta at epsilon over all bands; infinite without bands.

    A band has a lower and an upper bound of delta, computed from one list of a randomizer's pairs
    of values.
    """
    return min((band.high(epsilon) for band in band_list), default=inf)


def lower_delta(band_list: Sequence[Band], epsilon: float) -> float:
    """Return the largest lower bound of delta at epsilon over all bands; 0 without bands.

    A band has a lower and an upper bound of delta, computed from one list of a randomizer's pairs
    of values.
    """
    return max((band.low(epsilon) for band in band_list), default=0.0)
