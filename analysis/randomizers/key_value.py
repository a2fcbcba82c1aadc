"""Pairs of a key and a number: the number of people with a key, and the mean of their numbers.

Inputs are texts `key=number`; a text without a number is no pair. A number is scaled to t in
[-1, 1], the least of all to -1 and the largest to 1. It is reported as a random sign, 1 with
probability (1 + t) / 2. For each key j a report contains 1, -1 or neither. Every family in this
package has three probabilities:

    person with j       reports j with probability a, and then its true sign with probability p
    person without j    reports j with probability b, with either sign

Let n+ and n- of n reports contain 1 and -1 for j. Let f be the share of people with j, and s the
sum of their t divided by the number of all people. f and s are estimated without bias:

    f = ((n+ + n-) / n - b) / (a - b)              s = (n+ - n-) / (n a (2 p - 1))

For fixed people, exactly,

    n (a - b)^2 Var f = f a (1 - a) + (1 - f) b (1 - b)
    n (a (2 p - 1))^2 Var s = f a + (1 - f) b - (a (2 p - 1))^2 mean of t^2 over all people

The mean t of people with j is s / f; its limits hold for any number of people with j
(`key_limits.py`). X. Gu, M. Li, Y. Cheng, L. Xiong, Y. Cao (PCKV, USENIX Security 2020) estimate
the same f and s / f, and then clip. Here a person has a single pair, so there is no padding or
sampling.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from ...deprecated import keeps_old
from ...errors import ParameterError
from ..validation import Floats, as_floats, as_probabilities, sequence, whole
from .estimate import Estimate
from .expected_limits import ExpectedLimits, expected_shares
from .key_limits import expected_key_mean, key_mean_limits
from .limits import moved
from .measure import Measure
from .neighbour_laws import Neighbours, PairLaw
from .randomizer import Randomizer, as_epsilon
from .share_limits import share_limits

# A person's input: the index of its key, and 0 for sign 1 or 1 for sign -1. None: the person has no
# key, or a key outside the list considered.
Has = tuple[int, int] | None
# Number of keys that bounds after shuffling consider: up to two keys of the attacked person's two
# possible values, and a third key of other people.
WATCHED = 3
NEEDS = "texts key=number with at least two different numbers, each text once"


@keeps_old(own="own_key_chance", other="other_key_chance")
@dataclass(frozen=True, eq=True)
class KeyValue(Randomizer):
    """A local randomizer of pairs `key=number`; the kinds of noise are in `key_value_reports.py`.

    A number is reported as a random sign: 1 for the largest number, -1 for the least.

    Attributes:
        pairs: the texts that people may have, `key=number`; other texts are no pair.
        epsilon: local epsilon in nats, > 0.
    """

    pairs: tuple[str, ...]
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]

    any_size = True
    gives_shares = False

    def __post_init__(self) -> None:
        """Validate the pairs: two different numbers, and two keys or a text without a key."""
        texts = tuple(sequence(self.pairs, "pairs", NEEDS))
        if not all(isinstance(text, str) for text in texts) or len(set(texts)) < len(texts):
            raise ParameterError(f"pairs: needs {NEEDS}")
        object.__setattr__(self, "pairs", texts)
        object.__setattr__(self, "epsilon", as_epsilon(self.epsilon))
        numbers = [signed[1] for text in texts if (signed := pair(text))]
        if len(set(numbers)) < 2:
            raise ParameterError(
                f"pairs: the texts key=number have {len(set(numbers))} different numbers; needs "
                f"{NEEDS}"
            )
        if len(self.keys) + self.some_have_none < 2:
            raise ParameterError(
                f"pairs: all texts have the key {self.keys[0]!r}; needs two keys, or a text that "
                "is no pair key=number; for numbers alone take Duchi or Piecewise"
            )

    def __str__(self) -> str:
        return f"{type(self).__name__}({len(self.keys)} keys, epsilon={self.epsilon:g})"

    @property
    @abstractmethod
    def own_key_chance(self) -> float:
        """The probability that a report names the key that its person has."""

    @property
    @abstractmethod
    def other_key_chance(self) -> float:
        """The probability that a report names a given key that its person does not have."""

    @property
    @abstractmethod
    def sign(self) -> float:
        """The probability that a report of the person's key has the person's sign.

        A person's number is rounded at random to a sign, 1 or -1.
        """

    @abstractmethod
    def _watch(self, keys: int, has: Has) -> Floats:
        """Return the distribution of a report, as far as it concerns the first `keys` keys.

        has: the person's key and sign (0 for 1, 1 for -1); None for a person without these keys.
        """

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The different keys of the pairs, in order of their first appearance."""
        return tuple(dict.fromkeys(signed[0] for text in self.pairs if (signed := pair(text))))

    @property
    def some_have_none(self) -> bool:
        """Whether some text is no pair, so that people may have no key."""
        return any(pair(text) is None for text in self.pairs)

    @cached_property
    def limits(self) -> tuple[float, float]:
        """The least and the largest number of all pairs."""
        numbers = [signed[1] for text in self.pairs if (signed := pair(text))]
        return min(numbers), max(numbers)

    @cached_property
    def places(self) -> npt.NDArray[np.int64]:
        """The index of each text's key; the number of keys for a text without a key.

        Shape (inputs,).
        """
        at = {key: place for place, key in enumerate(self.keys)}
        pairs = [pair(text) for text in self.pairs]
        return np.array([at[signed[0]] if signed else len(at) for signed in pairs], np.int64)

    @cached_property
    def scaled(self) -> Floats:
        """The number of each text, scaled to [-1, 1]; 0 for a text that is no pair `key=number`.

        Shape (inputs,).
        """
        low, high = self.limits
        pairs = [pair(text) for text in self.pairs]
        return np.array(
            [(2 * signed[1] - low - high) / (high - low) if signed else 0.0 for signed in pairs]
        )

    @property
    def a(self) -> int:
        """The number of texts that people may have."""
        return len(self.pairs)

    @property
    def inputs(self) -> int:
        """The number of texts that people may have."""
        return len(self.pairs)

    @property
    def positions(self) -> int:
        """The length of `support_counts`: for each key its reports with sign 1 and with sign -1."""
        return 2 * len(self.keys)

    def signs(self, x: npt.NDArray[np.int64], rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return the sign to which each person's number is rounded: 0 for sign 1, 1 for sign -1.

        A number t, scaled to [-1, 1], gets sign 1 with probability (1 + t) / 2.

        x: for each person the number of its text `key=number`.
        """
        return (rng.random(len(x)) >= (1 + self.scaled[x]) / 2).astype(np.int64)

    def estimate(self, reports: Any, *, population: bool = False) -> Estimate:  # noqa: ARG002
        """Refuse with a ParameterError: `measures` estimates keys and means from these reports."""
        raise ParameterError(f"{self}: its reports estimate keys and means; use `measures`")

    def measures(self, counts: npt.ArrayLike, people: int) -> tuple[Measure, ...]:
        """Return, for each key, the share of people with the key and the mean of their numbers.

        Standard errors include the drawing of the people from a population. Confidence limits are
        for these people: they include only the randomizer's noise. If no person seems to have a
        key, its mean is the middle of the range.

        counts: the numbers of `support_counts`. people: the number of reports.
        """
        pair, people = self._key_table(counts), whole(people, "people", 1)
        measures: list[Measure] = []
        for place, key in enumerate(self.keys):
            measures += self._key_measures(place, key, pair[place], people)
        return tuple(measures)

    def _key_table(self, counts: npt.ArrayLike) -> Floats:
        """Return `counts` as a table with a row for each key, shape (keys, 2).

        A row has the number of reports of the key with sign 1, and with sign -1.
        """
        table = as_floats(counts, "counts")
        if table.shape != (self.positions,):
            raise ParameterError(f"counts: shape {table.shape}; needs ({self.positions},)")
        return np.asarray(table.reshape(-1, 2))

    def _key_measures(self, place: int, key: str, pair: Floats, people: int) -> Iterator[Measure]:
        """Yield the share of people with a key, then the mean of their numbers.

        Args:
            place: index of the key.
            key: the key.
            pair: the number of reports of the key with sign 1, and with sign -1.
            people: the number of all reports.
        """
        rate, tilted = float(pair.sum()) / people, float(pair[0] - pair[1]) / people
        share, sum_scale = (
            (rate - self.other_key_chance) / (self.own_key_chance - self.other_key_chance),
            1 / self._sign_gain,
        )
        total = tilted * sum_scale
        # Variances and covariance of a report's contributions to the share of people with the key
        # and to the total of their numbers. Even if all reports are alike, each variance is at
        # least the randomizer's noise for fixed people.
        coins = min(p * (1 - p) for p in (self.own_key_chance, self.other_key_chance))
        spread = max(rate * (1 - rate), coins) / (self.own_key_chance - self.other_key_chance) ** 2
        total_spread = (
            max(
                rate - tilted**2,
                min(self.own_key_chance - self._sign_gain**2, self.other_key_chance),
            )
            * sum_scale**2
        )
        common = tilted * (1 - rate) * sum_scale / (self.own_key_chance - self.other_key_chance)
        yield Measure(
            f"share with {key}",
            share,
            sqrt(spread / people),
            lambda p: float(p @ (self._has(place))),
            lambda alpha: share_limits(
                pair.sum(keepdims=True), people, self.own_key_chance, self.other_key_chance, alpha
            ),
        )
        mean = Ratio(total, share, total_spread / people, spread / people, common / people)
        low, high = self.limits
        middle, half = (low + high) / 2, (high - low) / 2
        up, down = pair.tolist()
        yield Measure(
            f"mean of {key}",
            middle + half * mean.value,
            half * mean.error,
            lambda p: middle + half * self._mean(place, p),
            lambda alpha: moved(
                key_mean_limits(self, up, down, people, mean.value, alpha), middle, half
            ),
            biased=True,
        )

    def expected_limits(self, people: int) -> tuple[ExpectedLimits, ...]:
        """Return expected 95 % limits of a key's share, and of the mean of its numbers.

        The limits of the mean are for a key that half of the people have.
        """
        shares = expected_shares("key-shares", people, self.own_key_chance, self.other_key_chance)
        return (shares, expected_key_mean(self, people))

    def _has(self, place: int) -> Floats:
        """Return 1 for each possible text `key=number` with a given key, else 0; shape (inputs,).

        place: index of the key.
        """
        return np.asarray(self.places == place, np.float64)

    def _mean(self, place: int, shares: Floats) -> float:
        """Return the true mean of a key's numbers, scaled to [-1, 1]; 0 if no person has the key.

        place: index of the key. shares: true shares of the texts.
        """
        has = float(shares @ self._has(place))
        return float(shares @ (self._has(place) * self.scaled)) / has if has > 0 else 0.0

    @property
    def _sign_gain(self) -> float:
        """The mean of a report's sign for the person's key, for a person with the largest number.

        It is a (2 p - 1): a is the probability that the person's key is reported, p that its sign
        is true. For a number scaled to t in [-1, 1] the mean is t times this.
        """
        return self.own_key_chance * (2 * self.sign - 1)

    def variances(self, p: npt.ArrayLike, people: int) -> Floats:
        """Return the exact variances of two estimates for every key, shape (keys, 2).

        The estimates are the share of people with the key, and the sum of their numbers, scaled to
        [-1, 1], divided by the number of all people.

        p: the true shares of the texts. people: the number of reports.
        """
        shares, people = as_probabilities(p), whole(people, "people", 1)
        if len(shares) != self.inputs:
            raise ParameterError(
                f"p: found {len(shares)} shares; needs {self.inputs}, one for each text"
            )
        has = np.array([self._has(place) for place in range(len(self.keys))])
        f, squares = has @ shares, has @ (shares * self.scaled**2)
        a, b, sign_gain = self.own_key_chance, self.other_key_chance, self._sign_gain
        share = (f * a * (1 - a) + (1 - f) * b * (1 - b)) / (a - b) ** 2
        total = (f * a + (1 - f) * b) / sign_gain**2 - squares
        return np.stack([share, total], axis=1) / people

    def noise(self) -> float:
        """Return the variance of a report's estimate of a key's total, for uniform texts.

        The total is the sum of the numbers of people with the key, divided by all people. The
        variance is a share of the squared range of the numbers, averaged over the keys.
        """
        uniform = np.full(self.inputs, 1 / self.inputs)
        return float(self.variances(uniform, 1)[:, 1].mean()) / 4

    def noise_of(self, task: str) -> float:
        """Return the variance of a report's estimate of a key's share or total.

        task: "keys" for the share of people with the key; any other task for the total of their
        numbers. Averaged over keys, for uniform texts.
        """
        if task != "keys":
            return self.noise()
        return float(self.variances(np.full(self.inputs, 1 / self.inputs), 1)[:, 0].mean())

    def capacity(self, people: int) -> tuple[float, bool]:
        """Return (bound, attained): a report's most information about its sender among n people.

        The bound in nats, for n = `people`, is log n. It is the log of the number of texts that
        people may have, if that is less. `attained` is False, because a report reveals less.
        """
        return min(log(people), log(self.inputs)), False

    def contraction(self) -> float:
        """Return the contraction coefficient: the maximum over pairs of extreme inputs.

        It is the largest share of any information in the input that a report retains. An extreme
        input has the largest or the least number, or no key; any other number is a mixture of these
        two.
        """
        from .numerical_capacity import two_inputs

        return max(two_inputs(u, v) for u, v, _ in self._cases())

    def _cases(self) -> Iterator[tuple[Floats, Floats, list[Has]]]:
        """Yield the report distributions of two inputs, and the inputs that other people may have.

        An extreme input is a key with sign 1 or -1, or no key. A number between the largest and the
        least is a mixture of both signs. Because delta is convex in every distribution, extreme
        inputs are enough. The randomizers of `key_value_reports.py` treat all keys alike, and both
        signs, so a pair of inputs of each kind is enough: the signs of a key, two keys, a key and
        no key.
        """
        watch = min(WATCHED, len(self.keys))
        no_value: list[Has] = [None] if self.some_have_none else []

        def law(has: Has) -> Floats:
            """Return the report distribution of a person, over the keys that the bounds consider.

            has: the person's key and sign (0 for 1, 1 for -1); None: no key among these.
            """
            return self._watch(watch, has)

        other_values: list[Has] = [(i, s) for i in range(watch) for s in (0, 1)]
        yield law((0, 0)), law((0, 1)), [*other_values, *no_value]
        if watch > 1:
            yield law((0, 0)), law((1, 0)), [*other_values, *no_value]
        if no_value:
            yield law((0, 0)), law(None), [*other_values, *no_value]
            yield law(None), law((0, 0)), [*other_values, *no_value]

    def neighbours(self) -> list[Neighbours]:
        """Return the report distributions of two extreme inputs, for bounds after shuffling.

        An extreme input is a key with the largest or the least number, or no key. The pairs are a
        key with both numbers, two keys, and a key and no key. The privacy blanket, a part of other
        people's reports that does not depend on their inputs, is the normalized minimum of all
        distributions.
        """
        watch = min(WATCHED, len(self.keys))
        common = np.min([self._watch(watch, has) for has in ((0, 0), (0, 1), None)], axis=0)
        for place in range(1, watch):
            common = np.min([common, *(self._watch(watch, (place, s)) for s in (0, 1))], axis=0)
        weight = float(common.sum())
        b = common / weight
        neighbours: list[Neighbours] = []
        for u, v, rest in self._cases():
            pairs = [PairLaw.over(self._watch(watch, has), u, v, shared=b) for has in rest]
            neighbours.append((PairLaw.over(b, u, v, weight), pairs))
        return neighbours

    def encode(self, reports: Any, domain: Sequence[str]) -> list[str]:  # noqa: ARG002 - of values
        """Return each report as hexadecimal text of `text_width` digits."""
        return [f"{symbol:0{self.text_width}x}" for symbol in self.symbols(reports).tolist()]

    def log_likelihood(self, values: npt.NDArray[Any], own: Any, rng: Any) -> Floats:
        """Return the log-likelihood of simulated reports under each text, shape (own, values).

        It is the log of an entry of the randomizer's matrix.

        values: numbers of the texts, shape (values, 1). own: the row of each sender in `values`.
        """
        symbols = self.symbols(self.sample(values[own, 0], rng))
        return np.asarray(np.log(self.matrix[symbols][:, values[:, 0]]))


@dataclass(frozen=True, slots=True)
class Ratio:
    """The ratio total / share of two estimates with a joint normal error, for a truth in [-1, 1].

    `KeyValue` estimates the mean of a key's numbers with it.

    Attributes:
        total: the estimated sum of the scaled numbers of people with the key, divided by the number
            of all people.
        share: the estimated share of people with the key.
        total_variance, share_variance, covariance: of these two estimates.
    """

    total: float
    share: float
    total_variance: float
    share_variance: float
    covariance: float

    @property
    def value(self) -> float:
        """The ratio total / share, cut to [-1, 1]; 0 if the share is not above 0."""
        return min(1.0, max(-1.0, self.total / self.share)) if self.share > 0 else 0.0

    @property
    def error(self) -> float:
        """The standard error of the ratio to first order, at most 2, the length of its range."""
        m = self.value
        spread = self.total_variance - 2 * m * self.covariance + m**2 * self.share_variance
        return min(2.0, sqrt(max(spread, 0.0)) / self.share) if self.share > 0 else 2.0


def pair(text: str) -> tuple[str, float] | None:
    """Return the key and the number of a text `key=number`; None for any other text."""
    key, mark, number = text.rpartition("=")
    try:
        mean = float(number)
    except ValueError:
        return None
    return (key, mean) if mark and key and isfinite(mean) else None
