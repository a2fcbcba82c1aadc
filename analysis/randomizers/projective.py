"""Projective geometry response: report a point of the plane of the true symbol.

Symbols and reports are points of the projective space of t coordinates modulo a prime q. A point is
a vector modulo q with 1 as the first entry that is not 0. The plane of a symbol x is the
hyperplane of the points y with <x, y> = 0 modulo q. There are K = (q^t - 1)/(q - 1) points in all,
c = (q^(t-1) - 1)/(q - 1) on a plane, and i = (q^(t-2) - 1)/(q - 1) on two different planes at once.
With the matrix Q, a person with symbol x reports the point y with probability

    Q[y, x] = e^eps / S if <x, y> = 0, else 1 / S,     S = c e^eps + K - c

A report supports the symbols with planes that contain it: the true symbol and a given other symbol
with the probabilities

    truth = c e^eps / S     lie = (i e^eps + c - i) / S

V. Feldman, J. Nelson, H. Nguyen, K. Talwar, Private frequency estimation via projective geometry,
ICML 2022. With q near e^eps + 1 its variance is near that of subset selection, with log2 K bits a
report. Here all supporting reports are counted by one Fourier transform of q^t entries; the paper's
dynamic program is not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp, log
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from ..validation import Counts, Floats, whole
from .neighbour_laws import Neighbours, PairLaw
from .numbered import Numbered
from .numerical_capacity import two_inputs
from .pure import Pure
from .randomizer import (
    Seed,
    Symbols,
    as_epsilon,
    as_generator,
    as_symbols,
)

# Most vectors of the space, because the Fourier transform that counts reports holds them all in
# memory; more are refused.
LARGEST = 1 << 22
LARGEST_FIELD = 2039  # the largest prime q with q^2 vectors, the fewest of a space, below LARGEST


@dataclass(frozen=True, slots=True)
class ProjectiveGeometry(Numbered, Pure):
    """Projective geometry response for a symbols: a report is the number of a point of a space.

    The space is that of vectors of t coordinates modulo q, without regard to multiples. Each symbol
    has a plane in it; the points of the plane of the true symbol are more probable reports.

    Attributes:
        a: number of symbols, 2 .. K, where K = (q^t - 1)/(q - 1) is the number of points.
        q: number of elements of the field, a prime, 2 .. 2039.
        t: number of coordinates, >= 2; q^t is at most 2^22.
        epsilon: local epsilon in nats, > 0.
    """

    a: int
    q: int
    t: int
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]

    any_size: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Validate the parameters and convert them to plain numbers and tuples."""
        object.__setattr__(self, "a", whole(self.a, "a", 2))
        object.__setattr__(self, "q", whole(self.q, "q", 2))
        object.__setattr__(self, "t", whole(self.t, "t", 2))
        object.__setattr__(self, "epsilon", as_epsilon(self.epsilon))
        if self.q not in _primes():
            raise ParameterError(f"q: found {self.q}; needs a prime, 2 to {LARGEST_FIELD}")
        if self.t >= LARGEST.bit_length() or self.q**self.t > LARGEST:
            raise ParameterError(f"t: found {self.t}; needs {self.q}^t of at most 2^22")
        if self.a > self.outputs:
            raise ParameterError(
                f"a: found {self.a}; needs at most {self.outputs} symbols, the number of "
                "points of the space for this q and t"
            )

    @classmethod
    def best(cls, a: int, epsilon: float) -> ProjectiveGeometry:
        """Return the randomizer with the prime q of least variance for symbols that no person has.

        q is the number of elements of the field over which the projective space is built.

        Args:
            a: number of symbols, 2 .. 2^22 - 1.
            epsilon: local epsilon in nats, > 0.

        Raises:
            ParameterError: there is no space of at most 2^22 vectors with enough points.
        """
        a, epsilon = whole(a, "a", 2), as_epsilon(epsilon)
        sizes = ((q, _coordinates(a, q)) for q in _primes())
        candidates = [cls(a, q, t, epsilon) for q, t in sizes if q**t <= LARGEST]
        if not candidates:
            raise ParameterError(f"a: found {a}; needs at most {LARGEST - 1}")
        return max(candidates, key=lambda candidates: candidates.precision)

    def __str__(self) -> str:
        return f"ProjectiveGeometry(a={self.a}, q={self.q}, t={self.t}, epsilon={self.epsilon:g})"

    @property
    def inputs(self) -> int:
        """The number a of input symbols: the values that a person may have."""
        return self.a

    @property
    def outputs(self) -> int:
        """The number K of possible reports: the points of the projective space."""
        return _point_count(self.q, self.t)

    @property
    def truth(self) -> float:
        """The probability that a report, a point, is on the plane of the true symbol.

        It is c e^eps / (c e^eps + K - c), where c of all K points are on a plane.
        """
        plane = _point_count(self.q, self.t - 1)
        return 1 / (1 + (self.outputs - plane) / plane * exp(-self.epsilon))

    @property
    def lie(self) -> float:
        """The probability that a report supports a given symbol that its person does not have.

        That is: the reported point is on the plane of this symbol.
        """
        plane, intersection = _point_count(self.q, self.t - 1), _point_count(self.q, self.t - 2)
        own_chance = intersection / plane
        other_chance = (plane - intersection) / (self.outputs - plane)
        return self.truth * own_chance + (1 - self.truth) * other_chance

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        high = self.truth / _point_count(self.q, self.t - 1)
        inside = self.supports(np.arange(self.outputs))
        return np.where(inside, high, high * exp(-self.epsilon))

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Symbols:
        """Return the number of a randomly drawn point for each person.

        Args:
            x: true symbols, shape (people,).
            rng: generator or seed.
        """
        vectors = _vectors(self.q, self.t)[as_symbols(x, self.a)].astype(np.int64)
        rng = as_generator(rng)
        people = np.arange(len(vectors))
        first = (vectors != 0).argmax(axis=1)  # index of the first nonzero entry, which is 1
        inside = rng.random(len(vectors)) < self.truth
        # A point y on the plane has <x, y> = 0. All its entries except that at `first` are drawn
        # freely, but not all 0 if y is to be on the plane. The entry at `first` is then solved for,
        # so that <x, y> is the drawn product.
        free = rng.integers(inside.astype(np.int64), self.q ** (self.t - 1))
        places = np.arange(self.t - 1)
        dual_vectors = np.zeros_like(vectors)
        dual_vectors[people[:, None], places + (places >= first[:, None])] = _digits(
            free, self.q, self.t - 1
        )
        product = np.where(inside, 0, rng.integers(1, self.q, len(vectors)))
        dual_vectors[people, first] = (product - (vectors * dual_vectors).sum(axis=1)) % self.q
        return _numbers(dual_vectors, self.q)

    def tally(self, reports: npt.ArrayLike) -> tuple[Counts, int]:
        """Return (the number of reports that support each symbol, the number of all reports).

        A point y supports the symbols x with <x, y> = 0 modulo q. All symbols are counted by one
        Fourier transform: summed over the q - 1 multiples of y, the q-th roots of unity to the
        power <x, y> give q - 1 if y supports x, and -1 otherwise.
        """
        symbols = as_symbols(reports, self.outputs, "reports")
        symbol_counts, vectors = (
            np.bincount(symbols, minlength=self.outputs),
            _vectors(self.q, self.t),
        )
        report_table = np.zeros((self.q,) * self.t)
        for factor in range(1, self.q):
            report_table[tuple(entry * np.int64(factor) % self.q for entry in vectors.T)] = (
                symbol_counts
            )
        sums = np.fft.fftn(report_table).real[tuple(vectors[: self.a].T)]
        return np.rint((sums + len(symbols)) / self.q).astype(np.int64), len(symbols)

    def supports(self, reports: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return a mask of the symbols that each report supports, shape (people, inputs).

        A report is a point y. It supports the symbols x with <x, y> = 0 modulo q: their planes
        contain y.
        """
        symbols = as_symbols(reports, self.outputs, "reports")
        self._check_supports(len(symbols))
        vectors = _vectors(self.q, self.t)
        report_vectors, planes = (
            vectors[symbols].astype(np.int64),
            vectors[: self.a].T.astype(np.int64),
        )
        return np.asarray(report_vectors @ planes % self.q == 0)

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): a report's most information about which of n people sent it.

        In nats. The bound is log K less the entropy of a report given the symbol, for K possible
        reports, and at most log n. attained: whether all K points are symbols and n is at least K.
        Small cases with at least as many people as symbols are computed from the matrix.
        """
        if self._is_computed(people):
            return super(ProjectiveGeometry, self).capacity(people)
        plane, p = _point_count(self.q, self.t - 1), self.truth
        information = p * log(p / plane)
        if p < 1:
            information += (1 - p) * log((1 - p) / (self.outputs - plane))
        whole_space = self.a == self.outputs and people >= self.a
        return min(log(self.outputs) + information, log(people)), whole_space

    def contraction(self) -> float:
        """Return the contraction coefficient of two symbols, in [0, 1].

        It is the largest share of any information about the symbol that a report retains. It is
        computed from whether the reported point is on the planes of both symbols, of only the first
        or the second, or of neither.
        """
        u, v, _ = self._kinds()
        return two_inputs(u, v)

    def _kinds(self) -> tuple[Floats, Floats, Floats]:
        """Return the report distributions of two symbols u and v, and of a uniform point.

        Outcomes: the reported point is on the planes of both u and v, of u only, of v only, or of
        neither.
        """
        plane, intersection = _point_count(self.q, self.t - 1), _point_count(self.q, self.t - 2)
        kind_sizes = np.array(
            [
                intersection,
                plane - intersection,
                plane - intersection,
                self.outputs - 2 * plane + intersection,
            ]
        )
        high, low = self.truth / plane, (1 - self.truth) / (self.outputs - plane)
        u, v = kind_sizes * [high, high, low, low], kind_sizes * [high, low, high, low]
        return u, v, kind_sizes / self.outputs

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two symbols u and v, for bounds after shuffling.

        All pairs of symbols are alike. The privacy blanket, a distribution that other people's
        reports have with some probability for any symbol, is a uniform point. Outcomes: whether the
        reported point is on the planes of u, of v, and of a third symbol z that all other people
        have. If z is on the line through u and v, the plane of z contains all points common to the
        planes of u and v. It contains no other point of these two planes. If z is not on the line,
        the three planes are in general position.
        """
        u, v, b = self._kinds()
        plane = _point_count(self.q, self.t - 1)
        weight = (1 - self.truth) * self.outputs / (self.outputs - plane)
        equals = [PairLaw.over(v, u, v, shared=b)]
        if self.a > 2:
            equals.append(self._pair_among(self._on_the_line()))
        # A line has q + 1 points, and the first q + 1 points are a line. So only with more symbols
        # can a third symbol be off the line through two symbols.
        if self.a > self.q + 1:
            equals.append(self._pair_among(self._off_the_line()))
        return [(PairLaw.over(b, u, v, weight), equals)]

    def _on_the_line(self) -> Counts:
        """Return the numbers of points on and off the planes of three symbols u, v and z on a line.

        The points on a symbol's plane are its more probable reports. Shape (2, 2, 2): the axes are
        u, v and z; index 0 is on the plane, 1 off it.
        """
        plane, intersection = _point_count(self.q, self.t - 1), _point_count(self.q, self.t - 2)
        only_one_plane = plane - intersection
        rest = self.outputs - intersection - 3 * only_one_plane
        return np.array(
            [
                [[intersection, 0], [0, only_one_plane]],
                [[0, only_one_plane], [only_one_plane, rest]],
            ]
        )

    def _off_the_line(self) -> Counts:
        """Return the numbers of points on and off the planes of three symbols not on a line.

        The points on a symbol's plane are its more probable reports. Shape (2, 2, 2): an axis for
        each symbol; index 0 is on the plane, 1 off it.
        """
        plane, two, three = (_point_count(self.q, self.t - i) for i in (1, 2, 3))
        in_one_plane = plane - 2 * two + three
        rest = self.outputs - 3 * plane + 3 * two - three
        in_two_planes = two - three
        return np.array(
            [
                [[three, in_two_planes], [in_two_planes, in_one_plane]],
                [[in_two_planes, in_one_plane], [in_one_plane, rest]],
            ]
        )

    def _pair_among(self, kind_sizes: Counts) -> PairLaw:
        """Return the report distributions of two symbols u and v, all other people having symbol z.

        A reported point is more probable if it is on the plane of the person's symbol. kind_sizes:
        the numbers of points on and off the planes of u, v and z, shape (2, 2, 2); index 0 is on
        the plane.
        """
        plane = _point_count(self.q, self.t - 1)
        chance = np.array([self.truth / plane, (1 - self.truth) / (self.outputs - plane)])
        u, v, z = (
            np.float64(kind_sizes * chance[place]).ravel() for place in np.indices((2, 2, 2))
        )
        uniform = kind_sizes / self.outputs
        return PairLaw.over(z, u, v, shared=uniform.ravel())


def _point_count(q: int, t: int) -> int:
    """Return the number of points of a projective space of t coordinates: (q^t - 1)/(q - 1)."""
    return (int(q**t) - 1) // (q - 1)


def _coordinates(a: int, q: int) -> int:
    """Return the least number t >= 2 of coordinates of a projective space with at least a points.

    q: the number of elements of the field.
    """
    t = 2
    while _point_count(q, t) < a:
        t += 1
    return t


@lru_cache(maxsize=1)
def _primes() -> tuple[int, ...]:
    """Return all primes up to LARGEST_FIELD."""
    sieve = np.ones(LARGEST_FIELD + 1, np.bool_)
    sieve[:2] = False
    for number in range(2, int(LARGEST_FIELD**0.5) + 1):
        if sieve[number]:
            sieve[number * number :: number] = False
    return tuple(np.flatnonzero(sieve).tolist())


def _digits(numbers: npt.NDArray[np.int64], q: int, t: int) -> npt.NDArray[np.int64]:
    """Return the t digits of each number to the base q, the highest first; shape (numbers, t)."""
    return np.stack(np.unravel_index(numbers, (q,) * t), axis=1)


@lru_cache(maxsize=4)
def _vectors(q: int, t: int) -> npt.NDArray[np.int16]:
    """Return the vectors of all points of a projective space, shape (K, t).

    They are in the order of the points' numbers. q: the number of elements of the field. t: the
    number of coordinates. K: the number of points.
    """
    numbers = [np.arange(q**free, 2 * q**free) for free in range(t)]
    vectors = _digits(np.concatenate(numbers), q, t).astype(np.int16)
    vectors.flags.writeable = False
    return vectors


def _numbers(vectors: npt.NDArray[np.int64], q: int) -> Symbols:
    """Return the number of each vector's point, the multiple of the vector with first entry 1.

    First entry means the first that is not 0. q: the modulus. No vector is 0.
    """
    t = vectors.shape[1]
    inverse = np.array([pow(number, -1, q) if number else 0 for number in range(q)])
    first = (vectors != 0).argmax(axis=1)
    leading = vectors[np.arange(len(vectors)), first]
    points = vectors * inverse[leading][:, None] % q
    powers = q ** np.arange(t - 1, -1, -1, dtype=np.int64)
    free = powers[first]  # q to the number of entries after the first nonzero entry
    return np.asarray(points @ powers - free + (free - 1) // (q - 1))
