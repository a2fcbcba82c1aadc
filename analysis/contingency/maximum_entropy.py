r"""The most even table with given margins, and a lower bound on the bits that margins reveal.

Among all distributions q over the cells with given margins (counts of groups of columns,
overlapping or not, divided by n), one has the largest entropy H(q). It is a product of one factor
for each entry of the margins (it is log-linear), and iterative proportional fitting finds it:
Deming and Stephan 1940, Csiszar 1975.

Lower bound on the information that margins give about the row of each person. A labelled table
assigns a cell to each of n people. Before counting, all cells^n are equally likely; the bits
received are log2 of that, less log2 of the number N of tables with these margins.

    N  <=  2^(n H(q)),  so      bits  >=  n (log2 cells - H(q))

Proof. Let q be any product of factors, one f(e) for each entry e of the margins, that sums to at
most 1 over the cells. A labelled table t has probability q(t) = product over people of q(cell) =
product over entries of f(e)^count(e): the same for every labelled table with these margins. There
are N such tables, and their probabilities add up to at most 1, so N q(t) <= 1, and bits >= n log2
cells + log2 q(t) = n log2 cells + sum over e of count(e) log2 f(e). That holds for all factors, so
rounding or an unfinished fit makes the bound less sharp and never wrong. It is largest for the
fitted factors: n (log2 cells - H(q)). (So it is n times the log-likelihood ratio against the even
table.) QED

* More margins never lower it: factors for fewer margins are also factors for more.
* It is no upper bound: a single column of counts c gives n log2 V - log2 multinomial(n; c), and
  log2 multinomial(n; c) <= n H(c / n), by about half a bit times log2 n for each free count.
"""

from collections.abc import Sequence
from math import fsum, log2

import numpy as np

from ..validation import Counts, Floats
from .frechet import Margin

ROUNDS = 200  # limit of the fitting rounds: a number, not a time, so that results repeat
CLOSE = 1e-9  # the largest relative error of a margin at which fitting ends early
# decimals to which people are compared when they are rounded; further decimals depend on the
# machine
PLACES = 6


def fitted(shape: Sequence[int], margins: Sequence[Margin]) -> Floats:
    """Return people in each cell of the most even table, shape `shape`; they need not be whole."""
    table, _ = _fit(shape, margins)
    return table


def bits_at_least(shape: Sequence[int], margins: Sequence[Margin]) -> float:
    """Return a lower bound on the bits that these margins reveal about each person's cell.

    Args:
        shape: values of each column.
        margins: counts of groups of columns of the same people; other columns are free.
    """
    if not margins or not (n := int(margins[0].counts.sum())):
        return 0.0
    table, factors = _fit(shape, margins)
    factor_bits = fsum(
        float(margin.counts[has_people] @ np.log2(factor[has_people]))
        for margin, factor in zip(margins, factors, strict=True)
        for has_people in [margin.counts > 0]
    )
    # The factors become a distribution if they are divided by the table's sum; this corrects for a
    # fit that stopped early.
    return max(n * (log2(table.size) - log2(float(table.sum()))) + factor_bits, 0.0)


def rounded(table: Floats) -> Counts:
    """Return a table in whole people with the same total; the largest remainders go up."""
    down = np.floor(np.round(table, PLACES)).astype(np.int64)
    short = round(float(table.sum())) - int(down.sum())
    remainders = np.round(table - down, PLACES).ravel()
    down.ravel()[np.argsort(-remainders, kind="stable")[:short]] += 1
    return down


def entropy(people: Floats | Counts) -> float:
    """Return the entropy in bits of the shares of these people, any shape; 0 without people."""
    counts = np.asarray(people, np.float64).ravel()
    shares = counts[counts > 0] / max(float(counts.sum()), 1.0)
    return max(-float(shares @ np.log2(shares)), 0.0)


def _fit(shape: Sequence[int], margins: Sequence[Margin]) -> tuple[Floats, list[Floats]]:
    """Return the most even table with these margins, and its factors, by proportional fitting.

    There is a factor for each entry of each margin.
    """
    table = np.ones(tuple(shape), dtype=np.float64)
    factors = [np.ones(margin.counts.shape) for margin in margins]
    for _ in range(ROUNDS):
        worst = 0.0
        for place, margin in enumerate(margins):
            summed_axes = tuple(axis for axis in range(len(shape)) if axis not in margin.group)
            sums = table.sum(axis=summed_axes)
            ratio = np.divide(margin.counts, sums, out=np.zeros_like(sums), where=sums > 0)
            factors[place] *= ratio
            table *= np.expand_dims(ratio, summed_axes)
            has_people = margin.counts > 0
            worst = max(worst, float(np.abs(ratio[has_people] - 1).max(initial=0.0)))
        if worst < CLOSE:
            break
    return table, factors
