"""Repeated reports about one value: a permanent noise, and a fresh noise on top of it.

Each person randomizes its value once, by unary encoding (one bit for every symbol), and keeps the
bits: permanent noise. Every report is these bits, with every bit flipped again with probability r:
instantaneous noise. Any number of reports reveals at most the permanent bits. So all reports about
one value together have the local epsilon

    forever = log(k (1 - m) / (m (1 - k)))

with k and m the probabilities of a permanent 1 at the true symbol and at another symbol. The first
T reports have exactly, because the likelihood ratio of a bit is monotone in its number of 1-bits,

    epsilon_T = log (k s^T + (1 - k) r^T) / (m s^T + (1 - m) r^T)
              + log (m r^T + (1 - m) s^T) / (k r^T + (1 - k) s^T),        s = 1 - r.

The first logarithm is that of T 1-bits at the true symbol, the second that of no 1-bit at another
symbol. A single report is unary encoding with kappa = k s + (1 - k) r and
lambda = m s + (1 - m) r, the probabilities of a 1 at the true and at another symbol. Its epsilon is
epsilon_1; estimates and their errors are as in unary encoding.

`from_epsilon` has k = 1/2 (L-OSUE: H. Arcolezi, J.-F. Couchot, B. Al Bouna, X. Xiao, Improving the
utility of locally differentially private protocols for longitudinal and multidimensional frequency
estimates, 2021, Section 3.4). Then kappa = 1/2 for every r, so a report is optimised unary encoding
at epsilon_1, of least variance for rare values. `rappor` has k = 1 - m (U. Erlingsson, V. Pihur, A.
Korolova, CCS 2014, with unary encoding). A person that changes its value spends `forever` again for
every new value. Hashing (LOLOHA) and buckets (dBitFlip) would bound that cost. But they send a
constant in clear, a key or the numbers of buckets, and in a mix this would link a person's reports
from run to run.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, log1p
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...deprecated import accepts_old, keeps_old
from ...errors import ParameterError
from ..validation import number, whole
from .randomizer import MOST_NATS, Bits, Seed, as_epsilon, as_generator
from .unary import UnaryEncoding


@keeps_old(kept="permanent_truth", made="permanent_lie", of="from_epsilon")
@dataclass(frozen=True, slots=True)
class Memoized(UnaryEncoding):
    """Unary encoding with permanent noise that a person keeps and fresh noise in each report.

    The constructors are `from_epsilon` and `rappor`.

    Attributes:
        a: number of symbols, >= 2.
        kappa: probability of a 1 at the own symbol, of one report.
        lam: probability of a 1 at another symbol, of one report.
        permanent_truth: probability of a permanent 1 at the own symbol.
        permanent_lie: probability of a permanent 1 at another symbol.
        turned: probability r that a report has a permanent bit flipped, below 1/2.
    """

    permanent_truth: float
    permanent_lie: float
    turned: float

    remembers: ClassVar[bool] = True

    @classmethod
    def from_epsilon(cls, a: int, epsilon: float, forever: float | None = None) -> Memoized:
        """Return the randomizer with the least variance for rare values (L-OSUE).

        a: number of symbols. epsilon: local epsilon of one report, in nats. forever: local epsilon
        of all reports about one value together, in nats; None: 2 epsilon.
        """
        epsilon, forever = _prices(epsilon, forever)
        memoized_lie, lam = 1 / (1 + exp(forever)), 1 / (1 + exp(epsilon))
        return cls(a, 0.5, lam, 0.5, memoized_lie, (lam - memoized_lie) / (1 - 2 * memoized_lie))

    @classmethod
    def rappor(cls, a: int, epsilon: float, forever: float | None = None) -> Memoized:
        """Return basic RAPPOR, with symmetric probabilities.

        The probabilities of a 1 at the true symbol and at another symbol add up to 1. epsilon:
        local epsilon of one report, in nats. forever: local epsilon of all reports about one value
        together, in nats; None: 2 epsilon.
        """
        epsilon, forever = _prices(epsilon, forever)
        memoized_lie, lam = 1 / (1 + exp(forever / 2)), 1 / (1 + exp(epsilon / 2))
        return cls(
            a,
            1 - lam,
            lam,
            1 - memoized_lie,
            memoized_lie,
            (lam - memoized_lie) / (1 - 2 * memoized_lie),
        )

    def __str__(self) -> str:
        return f"Memoized(a={self.a}, epsilon={self.epsilon:g}, forever={self.forever:g})"

    @property
    def forever(self) -> float:
        """The local epsilon in nats of all reports of a person about one value, however many."""
        return (
            log(self.permanent_truth)
            - log(self.permanent_lie)
            + log1p(-self.permanent_lie)
            - log1p(-self.permanent_truth)
        )

    def epsilon_after(self, reports: int) -> float:
        """Return the exact local epsilon in nats of several reports of a person about one value.

        reports: the number of these reports.
        """
        times = whole(reports, "reports", 0)
        if not times:
            return 0.0
        # log((r / s)^T) for T reports: r is the probability of a flipped bit, s = 1 - r
        odds = times * (log(self.turned) - log1p(-self.turned))
        loss_of_kept = _mixed(self.permanent_truth, odds) - _mixed(self.permanent_lie, odds)
        return (
            loss_of_kept
            + _mixed(1 - self.permanent_lie, odds)
            - _mixed(1 - self.permanent_truth, odds)
        )

    def permanent(self, x: npt.ArrayLike, rng: Seed = None) -> Bits:
        """Return the permanent bits of people with the symbols x, as uint8; shape (people, inputs).

        Permanent bits are noisy bits, one for each symbol, which each person draws once and keeps.
        """
        return UnaryEncoding(self.a, self.permanent_truth, self.permanent_lie).sample(x, rng)

    @accepts_old(kept="permanent_bits")
    def fresh(self, permanent_bits: Any, rng: Seed = None) -> Bits:
        """Return a new report of each person, as uint8; shape (people, inputs).

        It is the person's permanent bits, each flipped with probability `turned`.
        """
        bits = np.asarray(permanent_bits, np.uint8)
        if bits.ndim != 2 or bits.shape[1] != self.a or (bits > 1).any():
            raise ParameterError(
                f"permanent_bits: shape {bits.shape}; needs bits, people x {self.a}"
            )
        return bits ^ (as_generator(rng).random(bits.shape) < self.turned).astype(np.uint8)

    def sample(self, x: npt.ArrayLike, rng: Seed = None) -> Bits:
        """Return the first report of each person, as uint8; shape (people, inputs).

        A person draws permanent noisy bits of its value once; each report is a noisy copy of them.
        `permanent` and `fresh` make further reports.

        x: true symbols, shape (people,).
        """
        rng = as_generator(rng)
        return self.fresh(self.permanent(x, rng), rng)


def _prices(epsilon: float, forever: float | None) -> tuple[float, float]:
    """Return (epsilon of one report, epsilon of all reports about a value), in nats.

    forever: the second number, or None for twice the first. Raises a ParameterError unless it is
    above the first.
    """
    fresh = as_epsilon(epsilon)
    nats = 2 * fresh if forever is None else number(forever, "forever", "a finite number of nats")
    if not fresh < nats <= MOST_NATS:
        raise ParameterError(
            f"forever, epsilon of all reports about a value: found {nats:g} nats; needs a "
            f"number above epsilon of one report, {fresh:g}, and at most {MOST_NATS:g}"
        )
    return fresh, nats


def _mixed(share: float, odds: float) -> float:
    """Return log(share + (1 - share) e^odds), a log-likelihood of equal bits in T reports.

    share: the probability of a permanent bit that is equal to these bits. odds: T log(r / (1 - r)),
    with r the probability of a flip. A constant, T log(1 - r), is left out.
    """
    return log(share + (1 - share) * exp(odds))
