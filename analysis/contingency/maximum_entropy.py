r"""The most even table with given margins, and the bits that the margins tell at least.

Of all distributions q over the cells with given margins (counts of groups of columns, overlapping
or not, divided by n) one has the largest entropy H(q). It is a product of one factor for each entry
of the margins (it is log-linear), and iterative proportional fitting finds it: Deming and Stephan
1940, Csiszar 1975.

What the margins tell of who has which row, at least. A labelled table says which of n people is in
which cell; before anything is counted all cells^n are equally likely, and bits told = log2 of that,
less log2 of how many N have these margins.

    N  <=  2^(n H(q)),  so      bits  >=  n (log2 cells - H(q))

Proof. Let q be any product of factors, one f(e) for each entry e of the margins, that sums to at
most 1 over the cells. A labelled table t has probability q(t) = product over people of q(cell) =
product over entries of f(e)^count(e): the same for every labelled table with these margins. There
are N of these, and their probabilities add up to at most 1, so N q(t) <= 1, and bits >= n log2
cells + log2 q(t) = n log2 cells + sum over e of count(e) log2 f(e). That holds for all factors, so
rounding or a fit that has not ended costs sharpness and never makes it wrong. It is largest at the
fitted ones, where it is n (log2 cells - H(q)). (So it is n times the log-likelihood ratio against
the even table.) QED

* More margins never lower it: factors for the fewer are factors for the more.
* It is no upper bound: a single column of counts c tells n log2 V - log2 multinomial(n; c), and
  log2 multinomial(n; c) <= n H(c / n), by about half a bit times log2 n for each free count.
"""

from collections.abc import Sequence
from math import fsum, log2

import numpy as np

from ..validation import Counts, Floats
from .frechet import Margin

ROUNDS = 200  # of fitting; numbers limit it, not time
CLOSE = 1e-9  # the largest relative error of a margin at which fitting ends early
PLACES = 6  # decimals that decide which cell is rounded up: more would depend on the machine


def fitted(shape: Sequence[int], margins: Sequence[Margin]) -> Floats:
    """People in each cell of the most even table, shape `shape`; they need not be whole."""
    table, _ = _fit(shape, margins)
    return table


def bits_at_least(shape: Sequence[int], margins: Sequence[Margin]) -> float:
    """Bits that these margins tell at least of who is in which of the cells.

    Args:
        shape: values of each column.
        margins: counts of groups of columns of the same people; columns in none are free.
    """
    if not margins or not (n := int(margins[0].counts.sum())):
        return 0.0
    table, factors = _fit(shape, margins)
    told = fsum(
        float(margin.counts[some] @ np.log2(factor[some]))
        for margin, factor in zip(margins, factors, strict=True)
        for some in [margin.counts > 0]
    )
    # The factors times a number make a distribution; where it is not quite one, the sum says so.
    return max(n * (log2(table.size) - log2(float(table.sum()))) + told, 0.0)


def rounded(table: Floats) -> Counts:
    """A table in whole people, as many as before: the cells with the largest remainders go up."""
    down = np.floor(np.round(table, PLACES)).astype(np.int64)
    short = round(float(table.sum())) - int(down.sum())
    remainders = np.round(table - down, PLACES).ravel()
    down.ravel()[np.argsort(-remainders, kind="stable")[:short]] += 1
    return down


def entropy(people: Floats | Counts) -> float:
    """Entropy in bits of the shares of these people, any shape; 0 of nobody."""
    counted = np.asarray(people, np.float64).ravel()
    shares = counted[counted > 0] / max(float(counted.sum()), 1.0)
    return max(-float(shares @ np.log2(shares)), 0.0)


def _fit(shape: Sequence[int], margins: Sequence[Margin]) -> tuple[Floats, list[Floats]]:
    """The fitted table, and the factors that it is the product of."""
    table = np.ones(tuple(shape), dtype=np.float64)
    factors = [np.ones(margin.counts.shape) for margin in margins]
    for _ in range(ROUNDS):
        worst = 0.0
        for place, margin in enumerate(margins):
            others = tuple(axis for axis in range(len(shape)) if axis not in margin.group)
            now = table.sum(axis=others)
            ratio = np.divide(margin.counts, now, out=np.zeros_like(now), where=now > 0)
            factors[place] *= ratio
            table *= np.expand_dims(ratio, others)
            held = margin.counts > 0
            worst = max(worst, float(np.abs(ratio[held] - 1).max(initial=0.0)))
        if worst < CLOSE:
            break
    return table, factors
