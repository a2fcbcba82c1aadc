"""Shares of millions of symbols (possible values), most of which no person has.

An unbiased estimate of the share of such a symbol is noise around 0. Paper 003, Section 5.3,
keeps the significant symbols and sets all other shares to 0 ("emp+thr"). A report supports the
symbols that are consistent with it. nu is the probability that a report supports a symbol that its
person does not have. A symbol is significant if at least c of n reports support it. With
probability at most level / |X| this happens to a given symbol that no person has (Bonferroni over
all |X| symbols):

    normal   the paper's: n nu + z sqrt(n nu (1 - nu)), z the normal quantile at 1 - level / |X|
    exact    the least c with P(Bin(n, nu) >= c) <= level / |X|

The exact threshold is the default. With 10^7 symbols and n nu below 1, as in the paper, the
binomial distribution is far from normal: the paper's threshold then admits thousands of symbols
that no person has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ...deprecated import keeps_old
from ...errors import ParameterError
from ..validation import Counts, Floats, open_unit, whole
from .pure import Pure

Rule = Literal["exact", "normal"]


@keeps_old(kept="supported_symbols", least="base_support")
@dataclass(frozen=True, slots=True, eq=False)
class LargeDomain:
    """The number of supporting reports of each symbol in a large domain.

    A report supports the symbols that are consistent with it. Most symbols have the least number of
    supporting reports; only symbols with more are stored.

    Attributes:
        symbols: the number |X| of symbols.
        people: n, the number of reports.
        supported_symbols: symbols with more supporting reports than the least, ascending, shape
            (s,).
        support: their numbers of supporting reports, shape (s,).
        base_support: the least number of supporting reports, that of all symbols not stored.
        truth, lie: probabilities that a report supports the true symbol, and a given other symbol.
        randomizer: description of the randomizer.
    """

    symbols: int
    people: int
    supported_symbols: Counts
    support: Counts
    base_support: int
    truth: float
    lie: float
    randomizer: str

    def shares(self) -> Floats:
        """Return unbiased shares of people with each of `supported_symbols`, shape (s,).

        A share is (support / people - lie) / (truth - lie); paper 003, (19) and (20).
        """
        return np.asarray((self.support / self.people - self.lie) / (self.truth - self.lie))

    @property
    def rest(self) -> float:
        """The unbiased share of each symbol with the least support (supporting reports).

        It is often negative.
        """
        return (self.base_support / self.people - self.lie) / (self.truth - self.lie)

    def dense(self) -> Floats:
        """Return unbiased shares of all symbols, shape (symbols,)."""
        all_shares = np.full(self.symbols, self.rest)
        all_shares[self.supported_symbols] = self.shares()
        return all_shares

    def threshold(self, level: float = 0.05, rule: Rule = "exact") -> int:
        """Return the least number of supporting reports with which a symbol counts as present.

        level: probability that any symbol that no person has passes. rule: "exact" (binomial) or
        "normal" (the paper's approximation).
        """
        return significant_support(self.people, self.lie, self.symbols, level, rule)

    def significant(self, level: float = 0.05, rule: Rule = "exact") -> tuple[Counts, Floats]:
        """Return (symbols, shares) of the significant symbols; all other shares count as 0.

        Under the rule "exact", the result holds any symbol that no person has with probability at
        most `level`.
        """
        least_support = self.threshold(level, rule)
        present = self.support >= least_support
        return self.supported_symbols[present], self.shares()[present]

    def loss(
        self,
        p: npt.ArrayLike,
        *,
        top: int | None = None,
        level: float | None = None,
        rule: Rule = "exact",
    ) -> float:
        """Return the squared error of the estimated shares, summed over symbols.

        See paper 003, Section 5.3.

        Args:
            p: the true shares, shape (symbols,).
            top: only this many symbols with the largest true shares; all if not given.
            level: significance level of the threshold ("emp+thr"); none ("emp") if not given.
            rule: rule of the threshold, "exact" or "normal".
        """
        truth = np.asarray(p, dtype=np.float64)
        if truth.shape != (self.symbols,):
            raise ParameterError(
                f"p: shape {truth.shape}; needs ({self.symbols},), a true share for each symbol"
            )
        guess = self.dense() if level is None else np.zeros(self.symbols)
        if level is not None:
            present, shares = self.significant(level, rule)
            guess[present] = shares
        if top is not None and whole(top, "top", 1) < self.symbols:
            largest_places = np.argpartition(-truth, top)[:top]
            truth, guess = truth[largest_places], guess[largest_places]
        return float(((truth - guess) ** 2).sum())

    def __repr__(self) -> str:
        """Return a short text with the numbers of symbols and reports instead of all arrays."""
        return (
            f"<LargeDomain of {self.symbols:,} symbols from {self.people:,} reports of "
            f"{self.randomizer}: {len(self.supported_symbols):,} supported>"
        )


def large_domain(randomizer: Pure, reports: Any) -> LargeDomain:
    """Count the supporting reports of each symbol over the whole domain.

    A report supports the symbols that are consistent with it. The fastest method of the randomizer
    is used (`tally`). An array of |X| counts, for |X| symbols, is held for a moment.

    Args:
        randomizer: GRR, LocalHash or a unary encoding.
        reports: the result of its `sample`.
    """
    if not isinstance(randomizer, Pure):
        raise ParameterError(
            f"randomizer: found a {type(randomizer).__name__}; needs a randomizer whose "
            "reports support symbols (GRR, LocalHash, UnaryEncoding)"
        )
    counts, people = randomizer.tally(reports)
    if not randomizer.truth > randomizer.lie:
        raise ParameterError(
            f"randomizer: the reports of {randomizer} do not depend on the value; nothing can be "
            "estimated"
        )
    least_support = int(counts.min())
    kept_values = np.flatnonzero(counts > least_support)
    return LargeDomain(
        symbols=randomizer.inputs,
        people=people,
        supported_symbols=kept_values,
        support=counts[kept_values],
        base_support=least_support,
        truth=randomizer.truth,
        lie=randomizer.lie,
        randomizer=str(randomizer),
    )


def significant_support(
    people: int, lie: float, symbols: int, level: float = 0.05, rule: Rule = "exact"
) -> int:
    """Return the least number of supporting reports that is significant for a symbol.

    The level is divided by the number of symbols (Bonferroni).

    Args:
        people: n, the number of reports.
        lie: nu, the probability that a report supports a given symbol that its person does not
            have, in (0, 1).
        symbols: |X|, the number of symbols.
        level: chance that any symbol that no person has is significant, in (0, 1); 0.05 in the
            paper.
        rule: "exact" (binomial) or "normal" (the paper's).
    """
    from scipy.special import betainc, ndtri

    n, lie = whole(people, "people", 1), open_unit(lie, "lie")
    tail = open_unit(level, "level") / whole(symbols, "symbols", 1)
    if rule == "normal":
        return int(np.ceil(n * lie - ndtri(tail) * np.sqrt(n * lie * (1 - lie))))
    if rule != "exact":
        raise ParameterError(f"rule: found {rule!r}; needs 'exact' or 'normal'")
    low, high = 0, n + 1
    while high - low > 1:
        middle = (low + high) // 2
        # The binomial tail is a regularized incomplete beta function I:
        # P(Bin(n, nu) >= c) = I_nu(c, n - c + 1), here with c = `middle` and nu = `lie`.
        unlikely = float(betainc(middle, n - middle + 1, lie)) <= tail
        low, high = (low, middle) if unlikely else (middle, high)
    return high
