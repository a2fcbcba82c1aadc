"""Frequent values of an open domain: each person reports a prefix of its own text.

A text has at most L bytes and is padded with zeros. Each person draws a level of L and reports
the first l bytes of its text, l being the level, by local hashing with the whole epsilon (T. Wang,
N. Li, S. Jha, Locally differentially private heavy hitter identification, arXiv 1708.06674: PEM,
people split in groups, each of which reports a prefix). A list of values is not needed. The reader,
the party that opens the reports, extends the prefixes with enough supporting reports, a byte at a
time, and finds the texts (`prefix_search.py`).

The hash of x under the key u is the j low coordinates of u_1 x_1 + ... + u_l x_l in GF(2^16), with
x_i the bytes and g = 2^j hash values. Two different prefixes differ in some byte, so their hashes
collide with probability exactly 1/g, for any length. A report supports a prefix if it has the hash
of that prefix: the true prefix with probability p = e^eps / (g + e^eps - 1), any other with q =
1/g. Of n people m are at the levels that show a prefix, and c of them support it:

    y = (c / m - q) / (p - q)

is an unbiased estimate of the share f of all people with the prefix, given m. The m people are
drawn without replacement, so exactly

    Var = (f p (1 - p) + (1 - f) q (1 - q)) / (m (p - q)^2) + f (1 - f) / m (n - m) / (n - 1).

g is the power of two of least variance; below epsilon 10 any other g has at most 7 % less. `binary`
is g = 2, one bit beside a key: it has the variance of Bassily and others, Practical locally private
heavy hitters, NeurIPS 2017, without the collisions of their sketch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import tanh
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...deprecated import accepts_old, keeps_old
from ...errors import ParameterError
from ..validation import Counts, Floats, as_probabilities, crowd, sequence, whole
from .estimate import Estimate
from .expected_limits import ExpectedLimits
from .galois import shift
from .grr import GRR
from .limits import ConfidenceLimits, joined
from .neighbour_laws import Neighbours, hash_neighbours
from .prefix_errors import Trials, drawn_limits, expected_found, min_share
from .prefix_search import DEGREE, FoundValues, PrefixReports, Words, best_values, search
from .randomizer import Randomizer, Seed, Symbols, as_epsilon, as_generator, as_symbols
from .row_numbers import check_rows
from .share_limits import share_limits
from .symmetric_capacity import spread, symmetric

# Most bytes of a text; longer texts are refused. Each number of bytes is a level, the length of a
# reported prefix.
MOST_BYTES = 64


@keeps_old(of="with_words", least_share="smallest_share")
@dataclass(frozen=True, eq=True)
class PrefixTree(Randomizer):
    """A local randomizer of texts of an open domain: a report is a noisy hash of a prefix.

    Attributes:
        words: known texts, the inputs of `sample` and `estimate`; `find` does not use them. They
            may be () at first: `with_words` sets them.
        epsilon: local epsilon in nats, > 0.
        width: L, bytes of UTF-8 of the longest text, 1 to 64; None: that of `words`.
        g: number of hash values, a power of two, 2 .. 2^16; None: that of least variance.
    """

    words: tuple[str, ...]
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]
    width: int | None = None
    g: int | None = None

    any_size: ClassVar[bool] = True
    gives_shares: ClassVar[bool] = False
    finds: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Validate the texts and choose the width and the number of hash values if None."""
        words = tuple(sequence(self.words, "words", "a sequence of texts"))
        if not all(isinstance(word, str) for word in words) or len(set(words)) < len(words):
            raise ParameterError(
                "words: found an item that is no text, or a text twice; needs different texts"
            )
        longest = max((len(word.encode()) for word in words), default=0)
        width = max(1, longest) if self.width is None else whole(self.width, "width", 1)
        if not longest <= width <= MOST_BYTES:
            raise ParameterError(
                f"width: found {width}, and the longest word has {longest} bytes; at most "
                f"{MOST_BYTES} are accepted"
            )
        if any("\0" in word for word in words):
            raise ParameterError(
                "words: a text holds the character 0, which ends texts; needs texts without this "
                "character"
            )
        epsilon = as_epsilon(self.epsilon)
        g = best_values(epsilon) if self.g is None else whole(self.g, "g", 2)
        if g & (g - 1) or g > 1 << DEGREE:
            raise ParameterError(f"g: found {g}; needs a power of two up to 2^{DEGREE}")
        for name, value in (("words", words), ("epsilon", epsilon), ("width", width), ("g", g)):
            object.__setattr__(self, name, value)

    @classmethod
    def binary(cls, words: Sequence[str], epsilon: float, width: int | None = None) -> PrefixTree:
        """Return the randomizer with two hash values: a report is one bit beside its key.

        words: known texts. epsilon: local epsilon in nats. width: most bytes of a text; None: that
        of `words`.
        """
        return cls(tuple(sequence(words, "words", "a sequence of texts")), epsilon, width, 2)

    def with_words(self, words: Sequence[str]) -> PrefixTree:
        """Return a randomizer with these texts as inputs and otherwise equal parameters."""
        return PrefixTree(
            tuple(sequence(words, "words", "a sequence of texts")), self.epsilon, self.width, self.g
        )

    def __str__(self) -> str:
        return f"PrefixTree({self.levels} bytes, g={self.values}, epsilon={self.epsilon:g})"

    @property
    def levels(self) -> int:
        """The number L of levels, the possible lengths in bytes of a reported prefix."""
        return self.width or 1

    @property
    def values(self) -> int:
        """The number g of hash values."""
        return self.g or 2

    @property
    def a(self) -> int:
        """The number of known texts, `words`."""
        return len(self.words)

    @property
    def inputs(self) -> int:
        """The number of known texts, `words`."""
        return self.a

    @property
    def outputs(self) -> int:
        """The number of possible reports: levels (lengths of a prefix) x keys x hash values."""
        return self.levels * self.values << DEGREE * self.levels

    @property
    def truth(self) -> float:
        """The probability p that a report supports the prefix of its person.

        That is: the report has the true hash value.
        """
        return GRR(self.values, self.epsilon).truth

    @property
    def lie(self) -> float:
        """The probability 1/g that a report supports a given prefix that its person does not have.

        g is the number of hash values.
        """
        return 1 / self.values

    @cached_property
    def texts(self) -> npt.NDArray[np.uint8]:
        """The bytes of the known texts, padded with zeros, shape (a, width)."""
        padded = b"".join(word.encode().ljust(self.levels, b"\0") for word in self.words)
        return np.frombuffer(padded, np.uint8).reshape(-1, self.levels)

    def hashed(self, keys: Words, levels: npt.ArrayLike, texts: npt.ArrayLike) -> Symbols:
        """Return the hash value of a prefix of each text under each person's key, shape (people,).

        Args:
            keys: shape (people, width).
            levels: number of bytes of the prefix, shape (people,).
            texts: bytes, shape (people, width).
        """
        words = np.array(texts, np.uint64)
        words[np.arange(self.levels) >= np.asarray(levels)[:, None]] = 0
        nonzero = np.flatnonzero(words.any(axis=0))  # columns to hash: a byte 0 contributes 0
        power, hashes = np.asarray(keys[:, nonzero], np.uint64), np.zeros(len(words), np.uint64)
        for bit in range(8):
            mask = np.uint64(0) - (words[:, nonzero] >> np.uint64(bit) & np.uint64(1))
            hashes ^= np.bitwise_xor.reduce(power & mask, axis=1)
            power = shift(power, DEGREE)
        return (hashes & np.uint64(self.values - 1)).astype(np.int64)

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of input x."""
        keys, inner = self._every_key(), GRR(self.values, self.epsilon).matrix
        rows = []
        for level in range(1, self.levels + 1):
            at = np.full(len(keys), level)
            hashes = [self.hashed(keys, at, np.tile(text, (len(keys), 1))) for text in self.texts]
            rows.append(inner[:, np.stack(hashes, axis=1)].transpose(1, 0, 2).reshape(-1, self.a))
        return np.concatenate(rows) / (len(keys) * self.levels)

    def _every_key(self) -> Words:
        """Return all possible keys in the order of their numbers, shape (keys, width)."""
        number = np.arange(1 << DEGREE * self.levels, dtype=np.uint64)
        places = np.uint64(DEGREE) * np.arange(self.levels - 1, -1, -1, dtype=np.uint64)
        return (number[:, None] >> places & np.uint64((1 << DEGREE) - 1)).astype(np.uint16)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> PrefixReports:
        """Return a drawn level, a random key and a noisy hash value of each person.

        The level is the length of the reported prefix.

        Args:
            x: the index in `words` of each person's text, shape (people,).
            rng: generator or seed.
        """
        symbols, rng = as_symbols(x, self.a), as_generator(rng)
        levels = rng.integers(1, self.levels + 1, len(symbols))
        keys = rng.integers(0, 1 << DEGREE, (len(symbols), self.levels), dtype=np.uint16)
        values = self.hashed(keys, levels, self.texts[symbols])
        return PrefixReports(levels, keys, GRR(self.values, self.epsilon).sample(values, rng))

    def symbols(self, reports: PrefixReports) -> Symbols:
        """Return each report's row number in the matrix: by level, then key, then hash value.

        The level is the length of the reported prefix.
        """
        check_rows(self)
        keys = np.zeros(len(reports), np.int64)
        for word in reports.keys.T:
            keys = keys << DEGREE | word
        at = (reports.levels - 1 << DEGREE * self.levels) + keys
        return np.asarray(at * self.values + reports.values)

    @property
    def positions(self) -> int:
        """The length of `support_counts`: a count for each level (bytes of a prefix)."""
        return self.levels

    def support_counts(self, reports: PrefixReports) -> Counts:
        """Return the number of reports at each level (bytes of a prefix), shape (levels,)."""
        return np.bincount(reports.levels - 1, minlength=self.levels)

    def find(self, reports: PrefixReports) -> FoundValues:
        """Return the texts that many people have, found from their reports alone."""
        return search(self, reports)

    def smallest_share(self, people: int) -> float:
        """Return the least share of people at which a value is missed with probability 5 % at most.

        The probability counts the random choice of each person's level, the length of its reported
        prefix. The result is infinite if even a value of all people is missed more often.
        """
        return min_share(Trials.drawn(crowd(people), self.levels, self.truth, self.lie))

    def expected_limits(self, people: int) -> tuple[ExpectedLimits, ...]:
        """Return expected 95 % limits of the share of people with a text of `levels` bytes.

        The result also has the least share of people at which such a text is found.
        """
        return (expected_found(people, self.levels, (self.truth, self.lie)),)

    def estimate(self, reports: PrefixReports, *, population: bool = False) -> Estimate:
        """Return unbiased shares of the known texts, from the reports that show each text whole.

        A report shows a text whole if its prefix has `whole_from` bytes or more. population:
        whether the standard errors also count drawing the people from a large population.
        """
        estimates = [self.share_of(reports, text) for text in self.texts]
        shares, noise = np.array(estimates).reshape(-1, 2).T

        def limits(alpha: float) -> ConfidenceLimits:
            """Return confidence limits of the shares of all known texts, shape (a,).

            Each pair of limits misses its share with probability alpha at most.
            """
            parts = [self.limits_of(reports, x, alpha, population=population) for x in self.texts]
            return joined(parts)

        estimate_parts = shares, noise, len(reports), str(self)
        return Estimate.from_noise(
            *estimate_parts, kind="bits", population=population, limits=limits
        )

    def limits_of(
        self,
        reports: PrefixReports,
        text: npt.NDArray[np.uint8],
        alpha: float,
        *,
        population: bool = False,
    ) -> ConfidenceLimits:
        """Return confidence limits of the share of people with a text, shape (1,).

        Args:
            reports: the reports of all people.
            text: bytes, padded with zeros, shape (width,).
            alpha: probability that the limits miss the share.
            population: whether to bound the share in a population from which the people were drawn.
        """
        agree, reports_used = self.agreeing(reports, text)
        law = self.truth, self.lie
        if population and reports_used:
            return share_limits(np.array([agree]), reports_used, *law, alpha, population=True)
        return drawn_limits(agree, reports_used, len(reports), law, alpha)

    def agreeing(self, reports: PrefixReports, text: npt.NDArray[np.uint8]) -> tuple[int, int]:
        """Return (reports that support a text, reports about prefixes that show the whole text).

        A report supports a text if its hash value is that of the text's prefix. text: bytes, padded
        with zeros, shape (width,).
        """
        is_used = reports.levels >= self.whole_from(text)
        reports_used = int(is_used.sum())
        rows = np.broadcast_to(text, (reports_used, self.levels))
        hashed = self.hashed(reports.keys[is_used], reports.levels[is_used], rows)
        return int((hashed == reports.values[is_used]).sum()), reports_used

    def share_of(self, reports: PrefixReports, text: npt.NDArray[np.uint8]) -> tuple[float, float]:
        """Return (unbiased share of people with a text, the variance of that estimate).

        text: bytes, padded with zeros, shape (width,).
        """
        agree, reports_used = self.agreeing(reports, text)
        share = (agree / max(1, reports_used) - self.lie) / (self.truth - self.lie)
        return share, self.share_variance(min(1.0, max(0.0, share)), reports_used, len(reports))

    def whole_from(self, text: npt.NDArray[np.uint8]) -> int:
        """Return the least number of bytes of a prefix that shows the whole text and its end.

        A text of `width` bytes has no end mark, so `width` bytes show it whole.
        """
        return min(int(np.count_nonzero(text)) + 1, self.levels)

    @accepts_old(many="level_people")
    def share_variance(self, share: float, level_people: int, people: int) -> float:
        """Return the exact variance of an estimated share of people with a text.

        Args:
            share: the true share.
            level_people: the number of people with a reported prefix that shows the whole text.
            people: the number of all people.
        """
        if not level_people:
            return float("inf")
        p, q = self.truth, self.lie
        noise = (share * p * (1 - p) + (1 - share) * q * (1 - q)) / (p - q) ** 2
        drawing_noise = share * (1 - share) * (people - level_people) / max(1, people - 1)
        return (noise + drawing_noise) / level_people

    def variance(self, p: npt.ArrayLike, people: int) -> Floats:
        """Return the variance of the estimated share of each known text, shape (inputs,).

        People report prefixes of random lengths. The number of people with a prefix long enough
        to show the whole text is taken as expected. p: the true shares.
        """
        people, shares = whole(people, "people", 1), as_probabilities(p)
        reports_per_value = [
            max(1, round(people * (self.levels + 1 - self.whole_from(text)) / self.levels))
            for text in self.texts
        ]
        pairs = zip(shares.tolist(), reports_per_value, strict=True)
        return np.array([self.share_variance(share, count, people) for share, count in pairs])

    def noise(self) -> float:
        """Return n times the variance of the estimated share of a text that none of n people has.

        The text has `levels` bytes, so it is whole only in the longest prefixes.
        """
        p, q = self.truth, self.lie
        return self.levels * q * (1 - q) / (p - q) ** 2

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): a report's most information about which of n people sent it.

        In nats. The bound is the capacity of GRR on the hash values; attained is False, because the
        bound may not be reached.
        """
        return symmetric(self.values, self.epsilon, min(people, self.values)), False

    def contraction(self) -> float:
        """Return the contraction coefficient (1 - 1/g) theta tanh(eps / 2), in [0, 1].

        It is the largest share of any information about the text that a report retains. Two texts
        that differ in their first byte reach it. theta = (e^eps - 1)/(g + e^eps - 1), for g hash
        values.
        """
        return (1 - self.lie) * spread(self.values, self.epsilon) * tanh(self.epsilon / 2)

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two texts, for bounds after shuffling.

        The two texts differ in their first byte, so all their prefixes differ and the distributions
        are as in local hashing. Texts with a common prefix are harder to distinguish: reports
        about that prefix have equal distributions.
        """
        return [hash_neighbours(self.values, self.truth, self.epsilon)]

    def log_likelihood(self, values: npt.NDArray[Any], own: Any, rng: Seed) -> Floats:
        """Return the log-likelihood of simulated reports under each text, shape (own, values).

        It is epsilon if the report has the hash value of the text's prefix, else 0. Terms that are
        equal for all texts are left out.

        values: the indices of the texts in `words`, shape (values, 1). own: the row of each sender
        in `values`.
        """
        sample = self.sample(values[own, 0], rng)
        likelihood = np.zeros((len(sample), len(values)))
        for column, text in enumerate(self.texts[values[:, 0]]):
            rows = np.broadcast_to(text, (len(sample), self.levels))
            likelihood[:, column] = self.hashed(sample.keys, sample.levels, rows) == sample.values
        return likelihood * self.epsilon

    @property
    def _digits(self) -> int:
        """The number of hexadecimal digits of a hash value."""
        return len(f"{self.values - 1:x}")

    @property
    def text_width(self) -> int:
        """The number of hexadecimal digits of a report: level, key and hash value.

        There are two for the level (length of the prefix), four for each element of the key, and
        `_digits` for the hash value.
        """
        return 2 + 4 * self.levels + self._digits

    def encode(self, reports: PrefixReports, domain: Sequence[str]) -> list[str]:  # noqa: ARG002
        """Return reports as hexadecimal text: level (length of the prefix), key, and hash value."""
        rows = zip(reports.levels.tolist(), reports.keys, reports.values.tolist(), strict=True)
        return [
            f"{level:02x}{key.astype('>u2').tobytes().hex()}{value:0{self._digits}x}"
            for level, key, value in rows
        ]

    def decode(self, texts: Sequence[str]) -> PrefixReports:
        """Return reports from hexadecimal texts; an unknown level or hash value is left out."""
        end = 2 + 4 * self.levels
        levels = np.array([int(text[:2], 16) for text in texts], np.int64)
        keys = np.frombuffer(bytes.fromhex("".join(text[2:end] for text in texts)), ">u2")
        values = np.array([int(text[end:], 16) for text in texts], np.int64)
        is_valid = (levels >= 1) & (levels <= self.levels) & (values < self.values)
        rows = keys.reshape(len(texts), self.levels).astype(np.uint16)
        return PrefixReports(levels[is_valid], rows[is_valid], values[is_valid])
