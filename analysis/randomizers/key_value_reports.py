"""Three local randomizers of pairs of a key and a number, such as a product and its rating.

Each person has one pair. Its number is scaled to t in [-1, 1] and rounded at random to a sign: 1
with probability (1 + t) / 2, else -1. The estimators are in `key_value.py`.

    PckvGRR   a report is one key with a sign, by generalized randomized response (GRR)
    PckvUE    a report has 1, -1 or neither for every key
    PrivKV    a report has 1, -1 or neither for one key, drawn independently of the person's pair

A report names the person's key with probability a and a given other key with probability b. eps is
the local epsilon.

PCKV (X. Gu, M. Li, Y. Cheng, L. Xiong, Y. Cao, USENIX Security 2020), with the best parameters for
one pair a person (padding length 1), reports the true sign with p = e^eps / (e^eps + 1), and

    GRR   a = (e^eps + 1) / (e^eps + 2 K' - 1)    b = (1 - a) / (K' - 1)
    UE    a = 1 / 2                               b = 2 / (e^eps + 3)

K' is the number of keys, and 1 more if people may have no key.

PrivKV (Q. Ye, H. Hu, X. Meng, H. Zheng, IEEE S&P 2019) keeps the presence or absence of the drawn
key with probability P = e^h / (e^h + 1), and then the sign with probability P. Its eps is less than
2 h: a person with the key reports 1 with probability P^2 at most, a person without it with
(1 - P) / 2, so

    eps = h + log(2 P)        and for an eps    e^h = (e^eps + sqrt(e^(2 eps) + 8 e^eps)) / 4.

For a key that the person lacks, both signs have probability 1/2. (The paper's later rounds draw it
from an earlier estimate of the mean; here there is one round.) The paper averages the signs of all
reports of a key, so people without the key move the mean towards 0. `key_value.py` divides by the
estimated number of people with the key instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log1p
from typing import Any

import numpy as np
import numpy.typing as npt

from ..validation import Counts, Floats
from .bit_vectors import as_bits, column_sums, from_hex, hex_width, to_hex
from .grr import GRR
from .key_value import Has, KeyValue
from .numbered import Numbered
from .randomizer import Bits, Seed, Symbols, as_generator, as_symbols
from .row_numbers import check_rows


class _OfOneNumber(KeyValue, Numbered):  # pyright: ignore[reportIncompatibleVariableOverride]
    """The common part of `PckvGRR` and `PrivKV`: a report is a number for a key and a sign."""

    def support_counts(self, reports: Any) -> Counts:
        """Return the number of reports with sign 1, and with sign -1, of each key; (2 x keys,)."""
        symbol_counts = np.bincount(
            as_symbols(reports, self.outputs, "reports"), minlength=self.outputs
        )
        return np.asarray(symbol_counts[self._key_reports])

    @property
    def _key_reports(self) -> npt.NDArray[np.int64]:
        """The report numbers for sign 1 and sign -1 of each key, flattened; shape (2 x keys,)."""
        raise NotImplementedError


class PckvGRR(_OfOneNumber):
    """Reports of one key and a sign, by generalized randomized response (PCKV-GRR).

    A report is the number 2 key for sign 1, and 2 key + 1 for sign -1, where key is the index of
    the reported key.
    """

    @property
    def symbols_of_ends(self) -> GRR:
        """The randomized response from which reports are drawn.

        Its symbols are the pairs of a key and a sign, and two more if people may have no key.
        """
        return GRR(2 * (len(self.keys) + self.some_have_none), self.epsilon)

    @property
    def outputs(self) -> int:
        """The number of possible reports: two for each key, and two if people may have no key."""
        return self.symbols_of_ends.a

    @property
    def own_key_chance(self) -> float:
        """The probability that a report names the person's key, with either sign."""
        return self.symbols_of_ends.truth + self.symbols_of_ends.lie

    @property
    def other_key_chance(self) -> float:
        """The probability that a report names a given key that its person does not have.

        The reported sign may be either.
        """
        return 2 * self.symbols_of_ends.lie

    @property
    def sign(self) -> float:
        """The probability e^eps / (e^eps + 1) of the true sign, if the person's key is reported."""
        return 1 / (1 + exp(-self.epsilon))

    @property
    def _key_reports(self) -> npt.NDArray[np.int64]:
        """The report numbers for sign 1 and sign -1 of each key: 0 .. 2 K - 1 for K keys."""
        return np.arange(self.positions, dtype=np.int64)

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of text x."""
        ends, (up, down) = self.symbols_of_ends.matrix, _chances(self)
        return np.asarray(ends[:, 2 * self.places] * up + ends[:, 2 * self.places + 1] * down)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Symbols:
        """Return one report, as a number, for each person.

        Args:
            x: the index in `pairs` of each person's text `key=number`, shape (people,).
            rng: generator or seed.
        """
        values, rng = as_symbols(x, self.inputs), as_generator(rng)
        ends = 2 * self.places[values] + self.signs(values, rng)
        return np.asarray(self.symbols_of_ends.sample(ends, rng))

    def _watch(self, keys: int, has: Has) -> Floats:
        """Return the distribution of a report over the first `keys` keys with a sign.

        The last entry is the probability of all other reports; shape (2 x keys + 1,). has: the
        person's key and sign (0 for 1, 1 for -1); None for a person without these keys.
        """
        law = np.full(2 * keys + 1, self.symbols_of_ends.lie)
        law[-1] *= self.outputs - 2 * keys  # all reports of other keys together
        # the person's true key is among the other keys, or the extra key that stands for no key
        if has is None:
            law[-1] += self.symbols_of_ends.truth - self.symbols_of_ends.lie
        else:
            law[2 * has[0] + has[1]] = self.symbols_of_ends.truth
        return law


class PrivKV(_OfOneNumber):
    """Reports about one uniformly drawn key: 1, -1 or neither (PrivKV).

    A report is the number 3 key for neither, 3 key + 1 for sign 1, and 3 key + 2 for sign -1, where
    key is the index of the drawn key.
    """

    @property
    def outputs(self) -> int:
        """The number of possible reports: three for each key."""
        return 3 * len(self.keys)

    @property
    def half(self) -> float:
        """The epsilon h in nats that PrivKV spends on the key's presence, and again on the sign."""
        # From e^h = e^eps (1 + sqrt(1 + 8 e^-eps)) / 4, in a form without overflow.
        return self.epsilon + log1p((np.sqrt(1 + 8 * exp(-self.epsilon)) - 3) / 4)

    @property
    def sign(self) -> float:
        """The probability P = e^h / (e^h + 1) that the key's presence, or its sign, is kept.

        h is `half`, the part of epsilon that is spent on each of them.
        """
        return 1 / (1 + exp(-self.half))

    @property
    def own_key_chance(self) -> float:
        """The probability that the person's key is drawn and its presence is reported."""
        return self.sign / len(self.keys)

    @property
    def other_key_chance(self) -> float:
        """The probability that a key the person does not have is drawn and reported as present."""
        return (1 - self.sign) / len(self.keys)

    @property
    def _key_reports(self) -> npt.NDArray[np.int64]:
        """The report numbers for sign 1 and sign -1 of each key: 3 key + 1 and 3 key + 2."""
        first = 3 * np.arange(len(self.keys), dtype=np.int64)[:, None]
        return np.asarray((first + np.array([1, 2])).ravel(), np.int64)

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of text x."""
        up, down = _chances(self)
        reported_law = self._law(up, down)
        absent = self._law(np.full(self.inputs, 0.5), np.full(self.inputs, 0.5), absent=True)
        mine = np.arange(len(self.keys))[:, None] == self.places
        law = np.where(mine[:, None, :], reported_law[None], absent[None])
        return np.asarray(law.reshape(self.outputs, self.inputs) / len(self.keys))

    def _law(self, up: Floats, down: Floats, *, absent: bool = False) -> Floats:
        """Return the probabilities of neither, 1 and -1, given the drawn key; shape (3, texts).

        up, down: probabilities of sign 1 and -1 before the noise, for each text. absent: whether
        the person lacks the drawn key.
        """
        keeps_sign, p = (1 - self.sign if absent else self.sign), self.sign
        turned = p * up + (1 - p) * down
        return np.stack(
            [np.full(len(up), 1 - keeps_sign), keeps_sign * turned, keeps_sign * (1 - turned)]
        )

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Symbols:
        """Return one report, as a number, for each person.

        Args:
            x: the index in `pairs` of each person's text `key=number`, shape (people,).
            rng: generator or seed.
        """
        values, rng = as_symbols(x, self.inputs), as_generator(rng)
        turn = rng.integers(0, len(self.keys), len(values))
        has = turn == self.places[values]
        is_reported = rng.random(len(values)) < np.where(has, self.sign, 1 - self.sign)
        coin_signs = rng.integers(0, 2, len(values))
        minus = np.where(has, self.signs(values, rng), coin_signs) ^ (
            rng.random(len(values)) >= self.sign
        )
        return np.asarray(3 * turn + np.where(is_reported, 1 + minus, 0))

    def _watch(self, keys: int, has: Has) -> Floats:
        """Return the distribution of a report over the first `keys` keys, and all other reports.

        Each of these keys has three entries: the probabilities that the report names it with
        neither, 1 or -1. The last entry is the probability of all reports about other keys. Shape
        (3 x keys + 1,). has: the person's key and sign (0 for 1, 1 for -1); None for a person
        without these keys.
        """
        up = np.array([0.5 if has is None else 1.0 - has[1]])
        own_law, absent = (
            self._law(up, 1 - up)[:, 0],
            self._law(up * 0 + 0.5, up * 0 + 0.5, absent=True),
        )
        law = np.tile(absent[:, 0], (keys, 1))
        if has is not None:
            law[has[0]] = own_law
        key_count = len(self.keys)
        return np.append(law.ravel() / key_count, (key_count - keys) / key_count)


class PckvUE(KeyValue):
    """Reports of 1, -1 or neither for every key, by unary encoding (PCKV-UE).

    A report is a row of two bits for each key: the first for sign 1, the second for -1.
    """

    @property
    def outputs(self) -> int:
        """The number of possible reports: 3^K for K keys, because each key has 1, -1 or neither."""
        outputs: int = 3 ** len(self.keys)
        return outputs

    @property
    def own_key_chance(self) -> float:
        """The probability 1/2 that a report names the person's key."""
        return 0.5

    @property
    def other_key_chance(self) -> float:
        """The probability 2 / (e^eps + 3) that a report names a given key that its person lacks."""
        return 2 * exp(-self.epsilon) / (1 + 3 * exp(-self.epsilon))

    @property
    def sign(self) -> float:
        """The probability e^eps / (e^eps + 1) of the true sign, if the person's key is reported."""
        return 1 / (1 + exp(-self.epsilon))

    def _coin(self, minus: int | None) -> Floats:
        """Return the probabilities that a report has neither, 1 or -1 at a single key; shape (3,).

        minus: 0 if it is the person's key with sign 1, 1 if with sign -1; None if it is another
        key.
        """
        if minus is None:
            return np.array(
                [1 - self.other_key_chance, self.other_key_chance / 2, self.other_key_chance / 2]
            )
        own_coin = self.own_key_chance * np.array([self.sign, 1 - self.sign])
        return np.append(1 - self.own_key_chance, own_coin[::-1] if minus else own_coin)

    def _watch(self, keys: int, has: Has) -> Floats:
        """Return the joint distribution of a report's entries at the first `keys` keys.

        An entry is 1, -1 or neither. Shape (3^keys,). has: the person's key and sign (0 for 1, 1
        for -1); None for a person without these keys.
        """
        law = np.ones(1)
        for place in range(keys):
            mine = has is not None and has[0] == place
            law = np.outer(law, self._coin(has[1] if mine and has else None)).ravel()
        return law

    def _columns(self) -> Floats:
        """Return the matrix Q: column x is the distribution of the report of text x."""
        up, down = _chances(self)
        key_count, ends = len(self.keys), range(len(self.keys) + 1)
        laws = [
            [self._watch(key_count, (place, s) if place < key_count else None) for place in ends]
            for s in (0, 1)
        ]
        plus, minus = (np.stack(law, axis=1)[:, self.places] for law in laws)
        return np.asarray(plus * up + minus * down)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Bits:
        """Return one row of bits for each person, uint8 of shape (people, 2 x keys).

        Args:
            x: the index in `pairs` of each person's text `key=number`, shape (people,).
            rng: generator or seed.
        """
        values, rng = as_symbols(x, self.inputs), as_generator(rng)
        key_count, b = len(self.keys), self.other_key_chance
        chances = rng.random((len(values), key_count))
        rows = np.stack([chances < b / 2, (chances >= b / 2) & (chances < b)], axis=2)
        has = np.flatnonzero(self.places[values] < key_count)
        key, minus = self.places[values[has]], self.signs(values, rng)[has]
        is_reported = rng.random(len(has)) < self.own_key_chance
        minus ^= rng.random(len(has)) >= self.sign
        rows[has, key] = (minus[:, None] == [0, 1]) & is_reported[:, None]
        return np.asarray(rows.reshape(len(values), -1).astype(np.uint8))

    def symbols(self, reports: Any) -> Symbols:
        """Return the row number of each report in the matrix.

        The number has a digit to base 3 for each key: 0 for neither, 1 for sign 1, 2 for sign -1.
        """
        check_rows(self)
        rows = as_bits(reports, self.positions, "reports").astype(np.int64)
        digits = rows[:, ::2] + 2 * rows[:, 1::2]
        return np.asarray(digits @ 3 ** np.arange(len(self.keys) - 1, -1, -1))

    def support_counts(self, reports: Any) -> Counts:
        """Return the number of reports with sign 1, and with sign -1, of each key; (2 x keys,)."""
        return np.asarray(column_sums(as_bits(reports, self.positions, "reports")))

    def log_likelihood(self, values: npt.NDArray[Any], own: Any, rng: Seed) -> Floats:
        """Return the log-likelihood of simulated reports under each value, shape (own, values).

        Only the report's entry (neither, 1 or -1) at the key of a value depends on that value. The
        result is the log of the entry's probability if the person has this key, over that if not.
        Terms that are equal for all values are left out. own: for each sender, the index in
        `values` of its value.
        """
        rows = self.sample(values[own, 0], rng).reshape(len(own), -1, 2)
        digits = np.concatenate(
            [rows[..., 0] + 2 * rows[..., 1], np.zeros((len(own), 1), np.uint8)], 1
        )
        up, down = _chances(self)
        plus, minus = (self._coin(s)[:, None] * part for s, part in ((0, up), (1, down)))
        ratio = (plus + minus) / self._coin(None)[:, None]
        ratio[:, self.places == len(self.keys)] = 1.0
        x = values[:, 0]
        return np.asarray(np.log(ratio[digits[:, self.places[x]], x]))

    @property
    def text_width(self) -> int:
        """The number of hexadecimal digits of a report: two for each four keys."""
        return hex_width(self.positions)

    def encode(self, reports: Bits, domain: Sequence[str]) -> list[str]:  # noqa: ARG002 - unused here
        """Return reports as hexadecimal text, eight bits to a byte (two digits)."""
        return to_hex(reports)

    def decode(self, texts: Sequence[str]) -> Bits:
        """Return rows of bits from hexadecimal texts.

        Texts with a bit after the last key, or with a key that is both 1 and -1, are left out.
        """
        bits = from_hex(texts, self.positions)
        return np.asarray(bits[~(bits[:, ::2] & bits[:, 1::2]).any(axis=1)])


def _chances(randomizer: KeyValue) -> tuple[Floats, Floats]:
    """Return each text's probabilities of rounding to sign 1 and to -1, shape (inputs,) each."""
    return (1 + randomizer.scaled) / 2, (1 - randomizer.scaled) / 2
