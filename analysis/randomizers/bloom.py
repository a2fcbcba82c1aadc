"""Bloom filters with flipped bits, decoded by least squares: RAPPOR for words of a dictionary.

A person draws one of m cohorts. A Bloom filter is a row of k bits; the cohort's hash functions set
h bits for the person's word. Every bit is then flipped with probability
q = 1 / (1 + e^(eps / 2h)). Two words differ in at most 2 h bits, so a report has the local epsilon
eps (U. Erlingsson, V. Pihur, A. Korolova, CCS 2014, with f = 2 q and without the second,
instantaneous noise). Users need no dictionary, and two words may share bits. The decoder has a list
of candidate words. Let n be the number of people and p the shares of the words. For each bit of
each cohort,

    y = m / n * sum over the cohort's reports of (bit - q) / (1 - 2 q)

estimates X p without bias, where X[(c, i), x] is 1 if word x sets bit i in cohort c. The estimated
shares are the least-squares solution G y, with G the left inverse of X. They are unbiased if the
columns of X are linearly independent. The variance of a word's share, with w the word's row of G
and w_c the part of w for cohort c, is

    n Var = m s^2 |w|^2 + sum over x of p_x (m sum over c of (w_c X_cx)^2 - (w X_x)^2),
    s^2 = q (1 - q) / (1 - 2 q)^2.

A person with a word that is no candidate is counted as a mixture of candidates that share its bits.
RAPPOR keeps only significant candidates. Here confidence intervals take that place; they hold if
every person's word is a candidate.
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

# Defaults: bits of a filter, bits that a word sets, least number of cohorts. RAPPOR's paper uses
# 128, 2 and 8 to 64.
BITS, HASHES, COHORTS = 32, 2, 8
# Most candidate words, because the left inverse that estimates their shares is a dense matrix.
MOST_WORDS = 2048
MOST_COHORTS = 256
# Most words for which all pairs are compared, for bounds after shuffling. For more words the worst
# case of any randomizer with this epsilon is used.
MOST_COMPARED = 256


@dataclass(frozen=True, slots=True, eq=False)
class FilterReports:
    """Reports of users: randomized Bloom filters of their words; a row for each person.

    A Bloom filter is a row of bits, of which a word sets a few. Users are divided at random into
    cohorts with different hash functions.

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

    A Bloom filter is a row of bits, of which a word sets a few by hash functions. Each person draws
    a cohort, which determines these functions, at random.

    Attributes:
        words: the candidates, 2 to 2,048 different texts.
        epsilon: local epsilon in nats, > 0.
        bits: the length of a filter; a multiple of 8.
        hashes: the bits that a word sets.
        cohorts: the number of cohorts; None: the least number of 8 or more for which the filters of
            all cohorts have together at least two bits for each word.
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
        """The number of cohorts: random groups of users, each with hash functions of its own."""
        return self.cohorts or COHORTS

    @property
    def outputs(self) -> int:
        """The number of possible reports: for each cohort, 2^bits filters.

        A cohort is a random group of users with hash functions of its own.
        """
        return self.cohort_count << self.bits

    @property
    def q(self) -> float:
        """The probability that a bit is flipped."""
        return 1 / (1 + exp(self.epsilon / (2 * self.hashes)))

    @cached_property
    def filters(self) -> Bits:
        """The bits of every word in every cohort, before noise, shape (cohorts, words, bits).

        A cohort is a random group of users with hash functions of its own.
        """
        filters = np.zeros((self.cohort_count, self.a, self.bits), np.uint8)
        for cohort in range(self.cohort_count):
            for x, word in enumerate(self.words):
                filters[cohort, x, bits_of(word, cohort, self.bits, self.hashes)] = 1
        return filters

    @cached_property
    def design(self) -> Floats:
        """The 0/1 design matrix: whether each word sets each bit of each cohort's filters.

        Shape (cohorts * bits, words).
        """
        return self.filters.transpose(0, 2, 1).reshape(-1, self.a).astype(np.float64)

    @cached_property
    def inverse(self) -> Floats:
        """The least-squares left inverse of the design matrix, shape (words, cohorts * bits).

        It estimates the shares of the words from the shares of 1-bits.

        Raises:
            ParameterError: the filters do not determine the shares of the words.
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
        """Return each report's row number in the matrix: by cohort, then by the filter's number.

        The filter is read as a binary number.
        """
        check_rows(self)
        number = reports.bits.astype(np.int64) @ (1 << np.arange(self.bits - 1, -1, -1))
        return np.asarray((reports.cohorts << self.bits) + number)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> FilterReports:
        """Return a report for each person: a drawn cohort, and the word's filter with flipped bits.

        Args:
            x: index of each person's word, shape (people,).
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

        For each cohort, a random group of users, there is a count of reports and a count for each
        bit of the filters.
        """
        return self.cohort_count * (self.bits + 1)

    def support_counts(self, reports: FilterReports) -> Counts:
        """Return, for each cohort, the number of its reports and of their 1-bits at each position.

        A flat array: the numbers of a cohort (a random group of users) stand together, reports
        first.
        """
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
        """Return unbiased shares of people with each candidate word.

        counts: the result of `support_counts`. people: the number of reports. population: whether
        the errors also count drawing the people from a large population.
        """
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
        """Return the distribution of a report's contribution to the estimated share of a word.

        A report is a drawn cohort (which selects the hash functions) and independent bits, so the
        moments are known in closed form. place: number of the word.
        """
        weights = self.cohort_count * self.inverse[place].reshape(self.cohort_count, self.bits)
        zeros, ones_moments = (
            coins(weights, chance, 1 - self.q, self.q) for chance in (self.q, 1 - self.q)
        )
        filters = self.filters.transpose(0, 2, 1).astype(np.float64)  # shape: cohorts, bits, words

        def moments(tilts: Floats) -> Floats:
            """Return log E exp(tilt * c) for each tilt and each word that the sender may have.

            c is the contribution of a report to the estimated share of a word.
            """
            moments_of_zeros = zeros(tilts)
            filter_moments = ((ones_moments(tilts) - moments_of_zeros)[:, :, None, :] @ filters)[
                :, :, 0
            ]
            filter_moments += moments_of_zeros.sum(axis=2)[..., None]
            return np.asarray(np.logaddexp.reduce(filter_moments, axis=1) - log(self.cohort_count))

        reach = float(np.abs(weights).sum(axis=1).max()) * (1 - self.q) / (1 - 2 * self.q)
        return ShareLaw(largest(moments, np.arange(self.a) == place), reach)

    def expected_limits(self, people: int) -> tuple[ExpectedLimits, ...]:
        """Return the 95 % limits of the share of the word with the largest variance.

        The limits are those at the expected counts of reports. people: the number of reports.
        """
        worst = int(self._noise(np.full(self.a, 1 / self.a)).argmax())
        return (expected_by_law("shares", people, self._share_law(worst)),)

    def variance(self, p: npt.ArrayLike, people: int) -> Floats:
        """The exact variance of each estimated share, shape (words,).

        p: the true shares of the words, shape (words,). people: the number of reports.
        """
        return self._noise(as_probabilities(p)) / whole(people, "people", 1)

    def _noise(self, shares: Floats) -> Floats:
        """Return n times the variance of each estimated share, for n people.

        shares: the true shares of the words.
        """
        spread = self.cohort_count * self.q * (1 - self.q) / (1 - 2 * self.q) ** 2
        parts = self.inverse.reshape(self.a, self.cohort_count, self.bits)
        expected_parts = np.stack(
            [parts[:, c] @ self.filters[c].T for c in range(self.cohort_count)]
        )
        second = self.cohort_count * (expected_parts**2 @ shares).sum(axis=0)
        return np.asarray(spread * (self.inverse**2).sum(axis=1) + second - shares)

    def noise(self) -> float:
        """The variance of a single report's estimate of a word's share, for uniform words."""
        return float(self._noise(np.full(self.a, 1 / self.a)).mean())

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): an upper bound in nats on a report's information on its sender.

        For n = `people` the bound is log n, or the log of the number of words if that is less.
        `attained` is False, because a report reveals less.
        """
        return min(log(people), log(self.a)), False

    def contraction(self) -> float:
        """Return an upper bound on the contraction coefficient, in [0, 1].

        The coefficient is the largest share of any information in the sender's word that a report
        retains. The bound is exact for two words with no bit in common in any cohort. A cohort is a
        random group of users with hash functions of its own.
        """
        from scipy.stats import binom

        agree = np.arange(2 * self.hashes + 1)
        law = np.asarray(binom.pmf(agree, 2 * self.hashes, self.q))
        return two_inputs(law, law[::-1])

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two words, for bounds after shuffling.

        There is a case for each number of bits that two words share, cohort by cohort. With more
        than `MOST_COMPARED` words the worst case for any randomizer of this epsilon is returned
        instead.
        """
        if self.a > MOST_COMPARED:
            return [clone_neighbours(self.epsilon)]
        return filter_neighbours(self.filters, self.q)

    def log_likelihood(self, values: npt.NDArray[Any], own: Any, rng: Seed) -> Floats:
        """Return the log-likelihood of simulated reports under each word, shape (own, values).

        Each bit in which a report agrees with a word's filter adds epsilon / (2 h) nats, for h bits
        that a word sets. Terms that do not depend on the word are left out.

        values: numbers of the words, shape (values, 1). own: the row of each sender in `values`.
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

    A hash function that repeats a position is skipped, and the next is used. bits: the length of a
    filter.
    """
    places: dict[int, None] = {}
    turn = 0
    while len(places) < hashes:
        digest = blake2b(word.encode(), digest_size=8, key=b"%d.%d" % (cohort, turn)).digest()
        places[int.from_bytes(digest, "big") % bits] = None
        turn += 1
    return list(places)
