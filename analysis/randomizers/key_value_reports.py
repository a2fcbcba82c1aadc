"""Three reports about pairs of a key and a number.

    PckvGRR   a key and a sign, by randomized response: GRR on the 2 K' ends of all keys. K' counts
              one key more if people may have none.
    PckvUE    for every key 1, -1 or neither.
    PrivKV    for one key, drawn independently of the person's input: 1, -1 or neither.

PCKV (X. Gu, M. Li, Y. Cheng, L. Xiong, Y. Cao, USENIX Security 2020), with the best parameters for
one pair a person (padding length 1), reports the true sign with p = e^eps / (e^eps + 1), and

    GRR   a = (e^eps + 1) / (e^eps + 2 K' - 1)    b = (1 - a) / (K' - 1)
    UE    a = 1 / 2                               b = 2 / (e^eps + 3)

PrivKV (Q. Ye, H. Hu, X. Meng, H. Zheng, IEEE S&P 2019) keeps a key, or its absence, with
probability P and a sign with probability P, P = e^h / (e^h + 1) for half h of its budget. Its cost
is less than 2 h: a person with the key reports 1 with P^2, without it with (1 - P) / 2, so

    eps = h + log(2 P)        and for an eps    e^h = (e^eps + sqrt(e^(2 eps) + 8 e^eps)) / 4.

An absent key has a sign drawn evenly (one round, without an earlier estimate of the mean). Its own
mean, over all reports of the key, is biased to the middle by people without it; s / f is not.
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
    """A family with a number as report."""

    def support_counts(self, reports: Any) -> Counts:
        """Return, per key, the reports of 1, and the reports of -1."""
        symbol_counts = np.bincount(
            as_symbols(reports, self.outputs, "reports"), minlength=self.outputs
        )
        return np.asarray(symbol_counts[self._key_reports])

    @property
    def _key_reports(self) -> npt.NDArray[np.int64]:
        """The reports that say 1 and -1 of each key, one after the other."""
        raise NotImplementedError


class PckvGRR(_OfOneNumber):
    """A key and a sign; the number of a report is twice the key's, and 1 more for -1."""

    @property
    def symbols_of_ends(self) -> GRR:
        """The randomized response that a report is drawn by."""
        return GRR(2 * (len(self.keys) + self.some_have_none), self.epsilon)

    @property
    def outputs(self) -> int:
        """Number of reports: two for each key, and two for no key."""
        return self.symbols_of_ends.a

    @property
    def own_key_chance(self) -> float:
        """Both signs of the own key."""
        return self.symbols_of_ends.truth + self.symbols_of_ends.lie

    @property
    def other_key_chance(self) -> float:
        """Both signs of another."""
        return 2 * self.symbols_of_ends.lie

    @property
    def sign(self) -> float:
        """E^eps / (e^eps + 1)."""
        return 1 / (1 + exp(-self.epsilon))

    @property
    def _key_reports(self) -> npt.NDArray[np.int64]:
        return np.arange(self.positions, dtype=np.int64)

    def _columns(self) -> Floats:
        ends, (up, down) = self.symbols_of_ends.matrix, _chances(self)
        return np.asarray(ends[:, 2 * self.places] * up + ends[:, 2 * self.places + 1] * down)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Symbols:
        """One number for each person.

        Args:
            x: which text each has, shape (people,).
            rng: generator or seed.
        """
        values, rng = as_symbols(x, self.inputs), as_generator(rng)
        ends = 2 * self.places[values] + self.signs(values, rng)
        return np.asarray(self.symbols_of_ends.sample(ends, rng))

    def _watch(self, keys: int, has: Has) -> Floats:
        law = np.full(2 * keys + 1, self.symbols_of_ends.lie)
        law[-1] *= self.outputs - 2 * keys
        if has is None:  # the key that stands for no key, with either sign
            law[-1] += self.symbols_of_ends.truth - self.symbols_of_ends.lie
        else:
            law[2 * has[0] + has[1]] = self.symbols_of_ends.truth
        return law


class PrivKV(_OfOneNumber):
    """One key's turn; the number of a report is thrice the key's, and 1 for 1, 2 for -1."""

    @property
    def outputs(self) -> int:
        """Three for each key."""
        return 3 * len(self.keys)

    @property
    def half(self) -> float:
        """The epsilon that PrivKV spends on the key, and again on the value; nats."""
        # e^h = e^eps (1 + sqrt(1 + 8 e^-eps)) / 4, and that root is at least 1
        return self.epsilon + log1p((np.sqrt(1 + 8 * exp(-self.epsilon)) - 3) / 4)

    @property
    def sign(self) -> float:
        """P."""
        return 1 / (1 + exp(-self.half))

    @property
    def own_key_chance(self) -> float:
        """The key's turn comes, and it is kept."""
        return self.sign / len(self.keys)

    @property
    def other_key_chance(self) -> float:
        """The turn of a key that is not there comes, and it is said."""
        return (1 - self.sign) / len(self.keys)

    @property
    def _key_reports(self) -> npt.NDArray[np.int64]:
        first = 3 * np.arange(len(self.keys), dtype=np.int64)[:, None]
        return np.asarray((first + np.array([1, 2])).ravel(), np.int64)

    def _columns(self) -> Floats:
        up, down = _chances(self)
        reported_law = self._law(up, down)
        absent = self._law(np.full(self.inputs, 0.5), np.full(self.inputs, 0.5), absent=True)
        mine = np.arange(len(self.keys))[:, None] == self.places
        law = np.where(mine[:, None, :], reported_law[None], absent[None])
        return np.asarray(law.reshape(self.outputs, self.inputs) / len(self.keys))

    def _law(self, up: Floats, down: Floats, *, absent: bool = False) -> Floats:
        """Return the law of neither, 1 and -1 of the drawn key, given the chances of both signs."""
        keeps_sign, p = (1 - self.sign if absent else self.sign), self.sign
        turned = p * up + (1 - p) * down
        return np.stack(
            [np.full(len(up), 1 - keeps_sign), keeps_sign * turned, keeps_sign * (1 - turned)]
        )

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Symbols:
        """One number for each person.

        Args:
            x: which text each has, shape (people,).
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
    """A report of 1, -1 or neither for every key: two bits for each, the first for 1."""

    @property
    def outputs(self) -> int:
        """Number of reports: three states of each key."""
        outputs: int = 3 ** len(self.keys)
        return outputs

    @property
    def own_key_chance(self) -> float:
        """One half."""
        return 0.5

    @property
    def other_key_chance(self) -> float:
        """2 / (e^eps + 3)."""
        return 2 * exp(-self.epsilon) / (1 + 3 * exp(-self.epsilon))

    @property
    def sign(self) -> float:
        """E^eps / (e^eps + 1)."""
        return 1 / (1 + exp(-self.epsilon))

    def _coin(self, minus: int | None) -> Floats:
        """Return the law of neither, 1 and -1 of one key: the person's key, or another."""
        if minus is None:
            return np.array(
                [1 - self.other_key_chance, self.other_key_chance / 2, self.other_key_chance / 2]
            )
        own_coin = self.own_key_chance * np.array([self.sign, 1 - self.sign])
        return np.append(1 - self.own_key_chance, own_coin[::-1] if minus else own_coin)

    def _watch(self, keys: int, has: Has) -> Floats:
        law = np.ones(1)
        for place in range(keys):
            mine = has is not None and has[0] == place
            law = np.outer(law, self._coin(has[1] if mine and has else None)).ravel()
        return law

    def _columns(self) -> Floats:
        up, down = _chances(self)
        key_count, ends = len(self.keys), range(len(self.keys) + 1)
        laws = [
            [self._watch(key_count, (place, s) if place < key_count else None) for place in ends]
            for s in (0, 1)
        ]
        plus, minus = (np.stack(law, axis=1)[:, self.places] for law in laws)
        return np.asarray(plus * up + minus * down)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Bits:
        """One row of bits for each person, uint8 of shape (people, 2 K).

        Args:
            x: which text each has, shape (people,).
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
        """Return the row of each report: a digit per key, 0 for neither, 1 for 1 and 2 for -1."""
        check_rows(self)
        rows = as_bits(reports, self.positions, "reports").astype(np.int64)
        digits = rows[:, ::2] + 2 * rows[:, 1::2]
        return np.asarray(digits @ 3 ** np.arange(len(self.keys) - 1, -1, -1))

    def support_counts(self, reports: Any) -> Counts:
        """Return, per key, the reports of 1, and the reports of -1."""
        return np.asarray(column_sums(as_bits(reports, self.positions, "reports")))

    def log_likelihood(self, values: npt.NDArray[Any], own: Any, rng: Seed) -> Floats:
        """Return the log chance of a drawn report about a value's key, over that of another's."""
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
        """Two hexadecimal digits for each four keys."""
        return hex_width(self.positions)

    def encode(self, reports: Bits, domain: Sequence[str]) -> list[str]:  # noqa: ARG002 - of values
        """Bits packed eight to a byte, in hex."""
        return to_hex(reports)

    def decode(self, texts: Sequence[str]) -> Bits:
        """Rows of bits; texts with spare bits, or a key that is both 1 and -1, are left out."""
        bits = from_hex(texts, self.positions)
        return np.asarray(bits[~(bits[:, ::2] & bits[:, 1::2]).any(axis=1)])


def _chances(randomizer: KeyValue) -> tuple[Floats, Floats]:
    """Return, per text, the chances of its two signs."""
    return (1 + randomizer.scaled) / 2, (1 - randomizer.scaled) / 2
