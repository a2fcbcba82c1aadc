"""Bloom filters with flipped bits, decoded by least squares: RAPPOR for words of a dictionary.

Each person draws one of m cohorts, sets the h bits of its word in a filter of k bits by the
cohort's hashes, and flips every bit with probability q = 1 / (1 + e^(eps / 2h)): two words differ
in at most 2 h bits, so a report costs eps (U. Erlingsson, V. Pihur, A. Korolova, CCS 2014, with f =
2 q and without the second, instantaneous noise). Participants need no dictionary, and two words may
share bits; the decoder has candidates. With the counts of 1-bits among the reports

    y = m / n * sum over the cohort's reports of (bit - q) / (1 - 2 q)

estimates X p without bias at every bit of every cohort: X[(c, i), x] is 1 if word x sets bit i in
cohort c. Shares of the words are the least-squares solution G y, G the left inverse of X; unbiased
if the columns of X are linearly independent. For its variance, w a row of G and w_c its part in
cohort c,

    n Var = m s^2 |w|^2 + sum over x of p_x (m sum over c of (w_c X_cx)^2 - (w X_x)^2),
    s^2 = q (1 - q) / (1 - 2 q)^2.

A person with a word that is no candidate is counted as a mixture of candidates that share its bits.
RAPPOR also keeps only significant candidates; that is left to the intervals, which hold if every
person has a candidate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from math import exp, log
from typing import Any

import numpy as np
import numpy.typing as npt

from ...deprecated import keeps_old
from ...errors import ParameterError
from ..validation import Counts, Floats, as_probabilities, sequence, whole
from .bit_vectors import fill_coins, hex_width, to_hex
from .estimate import Estimate
from .expected_limits import ExpectedLimits, expected_by_law
from .filter_neighbours import filter_neighbours
from .moment_limits import ShareLaw, coins, largest
from .neighbour_laws import Neighbours, clone_neighbours
from .numerical_capacity import two_inputs
from .randomizer import Bits, Randomizer, Seed, as_epsilon, as_generator, as_symbols
from .row_numbers import check_rows

# Defaults: bits of a filter, hashes of a word, least number of cohorts. RAPPOR's paper uses 128, 2
# and 8 to 64.
BITS, HASHES, COHORTS = 32, 2, 8
# Most candidate words: their least-squares inverse is a dense matrix.
MOST_WORDS = 2048
MOST_COHORTS = 256
# Most words of which all pairs are compared for bounds after shuffling.
MOST_COMPARED = 256


@dataclass(frozen=True, slots=True, eq=False)
class FilterReports:
    """Reports of users who randomize a Bloom filter of their word; one row for each person.

    Attributes:
        cohorts: the number of the cohort that each person drew, shape (people,).
        bits: the filter of each person, with flipped bits, shape (people, bits).
    """

    cohorts: npt.NDArray[np.int64]
    bits: Bits

    def __len__(self) -> int:
        """Return the number of reports, one for each person."""
        return len(self.cohorts)


@keeps_old(many="cohort_count")
@dataclass(frozen=True, eq=True)
class Bloom(Randomizer):
    """A local randomizer of words: each person sends a Bloom filter of its word with flipped bits.

    Attributes:
        words: the candidates, 2 to 2,048 different texts.
        epsilon: local epsilon in nats, > 0.
        bits: k, the length of a filter; a multiple of 8.
        hashes: h, the bits that a word sets.
        cohorts: m, the number of cohorts, each with its own hash functions; None: enough for twice
            as many bits as words, at least 8.
    """

    words: tuple[str, ...]
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]
    bits: int = BITS
    hashes: int = HASHES
    cohorts: int | None = None

    any_size = True

    def __post_init__(self) -> None:
        """Validate the parameters and choose the number of cohorts if it is None."""
        words = tuple(sequence(self.words, "words", f"2 to {MOST_WORDS:,} different texts"))
        texts = {word for word in words if isinstance(word, str)}
        if not 2 <= len(words) <= MOST_WORDS or len(texts) < len(words):
            raise ParameterError(
                f"words: found {len(words)}, of which {len(texts)} are different texts; needs 2 to "
                f"{MOST_WORDS:,} different texts"
            )
        bits, hashes = whole(self.bits, "bits", 8), whole(self.hashes, "hashes", 1)
        if bits % 8 or hashes > bits // 2:
            raise ParameterError(
                f"bits: found {bits}; needs a multiple of 8, at least twice `hashes` = {hashes}"
            )
        cohorts = max(COHORTS, -(-2 * len(words) // bits)) if self.cohorts is None else self.cohorts
        if not 1 <= whole(cohorts, "cohorts", 1) <= MOST_COHORTS:
            raise ParameterError(f"cohorts: found {cohorts}; needs 1 to {MOST_COHORTS}")
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "epsilon", as_epsilon(self.epsilon))
        object.__setattr__(self, "cohorts", cohorts)

    def __str__(self) -> str:
        """Return the parameters in a line: words, bits, hashes, cohorts and epsilon."""
        return (
            f"Bloom({self.a} words, {self.bits} bits, {self.hashes} hashes, {self.cohorts} "
            f"cohorts, epsilon={self.epsilon:g})"
        )

    @property
    def a(self) -> int:
        """The number of candidate words: the values that the decoder can distinguish."""
        return len(self.words)

    @property
    def inputs(self) -> int:
        """The number of candidate words."""
        return self.a

    @property
    def cohort_count(self) -> int:
        """The number m of cohorts, each with its own hash functions."""
        return self.cohorts or COHORTS

    @property
    def outputs(self) -> int:
        """The number of possible reports: cohorts times 2^bits filters."""
        return self.cohort_count << self.bits

    @property
    def q(self) -> float:
        """The probability that a bit is flipped."""
        return 1 / (1 + exp(self.epsilon / (2 * self.hashes)))

    @cached_property
    def filters(self) -> Bits:
        """The bits of every word in every cohort, shape (cohorts, words, bits)."""
        filters = np.zeros((self.cohort_count, self.a, self.bits), np.uint8)
        for cohort in range(self.cohort_count):
            for x, word in enumerate(self.words):
                filters[cohort, x, bits_of(word, cohort, self.bits, self.hashes)] = 1
        return filters

    @cached_property
    def design(self) -> Floats:
        """The 0/1 matrix X of the module's docstring: whether each word sets a bit of a cohort.

        Shape (cohorts * bits, a).
        """
        return self.filters.transpose(0, 2, 1).reshape(-1, self.a).astype(np.float64)

    @cached_property
    def inverse(self) -> Floats:
        """The least-squares left inverse G of the design matrix, shape (a, cohorts * bits).

        Raises a ParameterError if the filters do not determine the shares of the words.
        """
        if np.linalg.matrix_rank(self.design) < self.a:
            raise ParameterError(
                f"{self}: the filters of some words are linear combinations of other filters, so "
                "shares are not determined; take more cohorts"
            )
        return np.asarray(np.linalg.pinv(self.design), np.float64)

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        rows = np.arange(1 << self.bits)[:, None] >> np.arange(self.bits - 1, -1, -1) & 1
        distances = (rows[None, :, None, :] ^ self.filters[:, None, :, :]).sum(axis=-1)
        law = self.q**distances * (1 - self.q) ** (self.bits - distances) / self.cohort_count
        return np.asarray(law.reshape(-1, self.a), np.float64)

    def symbols(self, reports: FilterReports) -> npt.NDArray[np.int64]:
        """Return each report's row number in the matrix: by cohort, then by the filter's number."""
        check_rows(self)
        number = reports.bits.astype(np.int64) @ (1 << np.arange(self.bits - 1, -1, -1))
        return np.asarray((reports.cohorts << self.bits) + number)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> FilterReports:
        """Return one report for each person: a drawn cohort and the word's flipped filter.

        Args:
            x: which word each has, shape (people,).
            rng: generator or seed.
        """
        values, rng = as_symbols(x, self.a), as_generator(rng)
        cohorts = rng.integers(0, self.cohort_count, len(values))
        lies = np.empty((len(values), self.bits), np.uint8)
        fill_coins(lies, self.q, rng)
        return FilterReports(cohorts, self.filters[cohorts, values] ^ lies)

    @property
    def positions(self) -> int:
        """The length of `support_counts`, a list of counts.

        There is a count for each cohort, and a count for each bit of its filters.
        """
        return self.cohort_count * (self.bits + 1)

    def support_counts(self, reports: FilterReports) -> Counts:
        """Return the reports of each cohort, each followed by the 1-bits at its positions."""
        supports = np.zeros((self.cohort_count, self.bits + 1), np.int64)
        np.add.at(supports[:, 0], reports.cohorts, 1)
        np.add.at(supports[:, 1:], reports.cohorts, reports.bits)
        return supports.ravel()

    def estimate(self, reports: FilterReports, *, population: bool = False) -> Estimate:
        """Return unbiased shares of the candidate words, by least squares."""
        counts = self.support_counts(reports)
        return self.estimate_tally(counts, len(reports), population=population)

    def estimate_tally(
        self, counts: npt.ArrayLike, people: int, *, population: bool = False
    ) -> Estimate:
        """Return unbiased shares of the candidate words from the counts of `support_counts`."""
        people = whole(people, "people", 1)
        table = np.asarray(counts, np.float64).reshape(self.cohort_count, self.bits + 1)
        filter_ones = (table[:, 1:] - self.q * table[:, :1]) / (1 - 2 * self.q)
        shares = self.inverse @ (self.cohort_count / people * filter_ones).ravel()
        clipped_shares = np.clip(shares, 0.0, 1.0)
        noise = self._noise(
            clipped_shares / clipped_shares.sum()
            if clipped_shares.any()
            else np.full(self.a, 1 / self.a)
        )
        return Estimate.from_noise(
            shares,
            noise / people,
            people,
            str(self),
            kind="distribution",
            population=population,
            laws=self._share_law,
        )

    def _share_law(self, place: int) -> ShareLaw:
        """Return the distribution of one report's contribution to the estimated share of a word.

        A report is a drawn cohort and independent bits, so its moments are known. place: number of
        the word.
        """
        weights = self.cohort_count * self.inverse[place].reshape(self.cohort_count, self.bits)
        zeros, ones_moments = (
            coins(weights, chance, 1 - self.q, self.q) for chance in (self.q, 1 - self.q)
        )
        filters = self.filters.transpose(0, 2, 1).astype(np.float64)  # shape: cohorts, bits, words

        def moments(tilts: Floats) -> Floats:
            """Return log E exp(tilt * contribution) for each tilt and each true word."""
            moments_of_zeros = zeros(tilts)
            filter_moments = ((ones_moments(tilts) - moments_of_zeros)[:, :, None, :] @ filters)[
                :, :, 0
            ]
            filter_moments += moments_of_zeros.sum(axis=2)[..., None]
            return np.asarray(np.logaddexp.reduce(filter_moments, axis=1) - log(self.cohort_count))

        reach = float(np.abs(weights).sum(axis=1).max()) * (1 - self.q) / (1 - 2 * self.q)
        return ShareLaw(largest(moments, np.arange(self.a) == place), reach)

    def expected_limits(self, people: int) -> tuple[ExpectedLimits, ...]:
        """Return 95 % confidence limits at expected counts, for the word of largest variance."""
        worst = int(self._noise(np.full(self.a, 1 / self.a)).argmax())
        return (expected_by_law("shares", people, self._share_law(worst)),)

    def variance(self, p: npt.ArrayLike, people: int) -> Floats:
        """Exact variance of each share given people with these shares, shape (inputs,)."""
        return self._noise(as_probabilities(p)) / whole(people, "people", 1)

    def _noise(self, shares: Floats) -> Floats:
        """Return n times the variance of each estimated share, given the words' true shares."""
        spread = self.cohort_count * self.q * (1 - self.q) / (1 - 2 * self.q) ** 2
        parts = self.inverse.reshape(self.a, self.cohort_count, self.bits)
        expected_parts = np.stack(
            [parts[:, c] @ self.filters[c].T for c in range(self.cohort_count)]
        )
        second = self.cohort_count * (expected_parts**2 @ shares).sum(axis=0)
        return np.asarray(spread * (self.inverse**2).sum(axis=1) + second - shares)

    def noise(self) -> float:
        """Variance of one report's estimate of a share, averaged over uniform words."""
        return float(self._noise(np.full(self.a, 1 / self.a)).mean())

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): an upper bound in nats on a report's information on its sender.

        The bound is log n for n people, or log of the number of words if that is less; not
        attained.
        """
        return min(log(people), log(self.a)), False

    def contraction(self) -> float:
        """Return an upper bound on the contraction coefficient, in [0, 1].

        It is exact for two words with filters that differ in 2 h bits in every cohort; h is the
        number of hashes.
        """
        from scipy.stats import binom

        agree = np.arange(2 * self.hashes + 1)
        law = np.asarray(binom.pmf(agree, 2 * self.hashes, self.q))
        return two_inputs(law, law[::-1])

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two words, for bounds after shuffling.

        There is one case for each number of bits that two words share, cohort by cohort. With too
        many words the case of any randomizer of this epsilon is returned instead.
        """
        if self.a > MOST_COMPARED:
            return [clone_neighbours(self.epsilon)]
        return filter_neighbours(self.filters, self.q)

    def log_likelihood(self, values: npt.NDArray[Any], own: Any, rng: Seed) -> Floats:
        """Return the log-likelihood of simulated reports under each word, shape (own, values).

        own: the row of each sender in `values`. Terms of the report alone are left out. Each bit in
        which a report agrees with a word's filter adds epsilon / (2 h) nats, h hashes a word.
        """
        sampled_reports = self.sample(values[own, 0], rng)
        words = self.filters[sampled_reports.cohorts][:, values[:, 0]]
        agreements = (words == sampled_reports.bits[:, None, :]).sum(axis=2)
        return np.asarray(agreements * (self.epsilon / (2 * self.hashes)), np.float64)

    @property
    def text_width(self) -> int:
        """The number of hexadecimal digits of a report: two for the cohort, two for eight bits."""
        return 2 + hex_width(self.bits)

    def encode(self, reports: FilterReports, domain: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return reports as hexadecimal text: the cohort, then the filter, eight bits to a byte."""
        pairs = zip(reports.cohorts.tolist(), to_hex(reports.bits), strict=True)
        return [f"{cohort:02x}{bits}" for cohort, bits in pairs]

    def decode(self, texts: Sequence[str]) -> FilterReports:
        """Return reports from hexadecimal texts; texts with an unknown cohort are left out."""
        packed = np.frombuffer(bytes.fromhex("".join(texts)), np.uint8).reshape(len(texts), -1)
        readable = packed[packed[:, 0] < self.cohort_count]
        return FilterReports(
            readable[:, 0].astype(np.int64), np.unpackbits(readable[:, 1:], axis=1)
        )


def bits_of(word: str, cohort: int, bits: int, hashes: int) -> list[int]:
    """Return the `hashes` different bit positions that a word sets in the filters of a cohort.

    Hashes are taken in turn; a repeated position is skipped.
    """
    places: dict[int, None] = {}
    turn = 0
    while len(places) < hashes:
        digest = blake2b(word.encode(), digest_size=8, key=b"%d.%d" % (cohort, turn)).digest()
        places[int.from_bytes(digest, "big") % bits] = None
        turn += 1
    return list(places)
