"""The most even table with given margins, and a lower bound on the bits that margins reveal.

Margins are counts of groups of columns, which may overlap. Divided by n, the number of people, they
are shares. Among all distributions q over the cells with these shares, one has the largest entropy
H(q). It is a product of one factor for each entry of the margins (it is log-linear), and iterative
proportional fitting finds it (Deming and Stephan 1940, Csiszar 1975).

The bound is on the information that margins give about the row of each person. A labelled table
assigns a cell to each of n people. Before counting, all cells^n are equally likely; the bits
received are log2 of that, less log2 of the number N of labelled tables with these margins.

    N  <=  2^(n H(q)),  so      bits  >=  n (log2 cells - H(q))

Proof. Let q be any product of factors, one f(e) for each entry e of the margins, that sums to at
most 1 over the cells. A labelled table t has probability q(t) = product over people of q(cell) =
product over entries of f(e)^count(e): the same for every labelled table with these margins. There
are N such tables, and their probabilities add up to at most 1, so N q(t) <= 1, and bits >= n log2
cells + log2 q(t) = n log2 cells + sum over e of count(e) log2 f(e). That holds for all factors, so
rounding or an unfinished fit makes the bound less sharp and never wrong. It is largest for the
fitted factors: n (log2 cells - H(q)). (So it is n times the log-likelihood ratio against the even
table.) QED

* More margins never lower the bound: factors for fewer margins are also factors for more.
* It is no upper bound. A single column with V values and counts c gives n log2 V - log2
  multinomial(n; c) bits, and log2 multinomial(n; c) <= n H(c / n). The two differ by about half a
  bit times log2 n for each free count.
"""

from collections.abc import Sequence
from math import fsum, log2

import numpy as np

from ..validation import Counts, Floats
from .frechet import Margin

ROUNDS = 200  # limit of the fitting rounds: a number, not a time, so that results repeat
CLOSE = 1e-9  # fitting ends early if no margin entry of the table has a larger relative error
# decimals to which fractional numbers of people are rounded before they are compared; further
# decimals depend on the machine
PLACES = 6


def fitted(shape: Sequence[int], margins: Sequence[Margin]) -> Floats:
    """Return the people (with fractions) in each cell of the most even table with these margins.

    The table has the largest entropy among all tables with these counts.

    Args:
        shape: number of values of each column.
        margins: counts of groups of columns.
    """
    table, _ = _fit(shape, margins)
    return table


def bits_at_least(shape: Sequence[int], margins: Sequence[Margin]) -> float:
    """Return a lower bound on the bits that these margins reveal about the cells of all people.

    The bits are summed over the people.

    Args:
        shape: number of values of each column.
        margins: counts of groups of columns, all of the same people; no counts of other columns are
            known.
    """
    if not margins or not (n := int(margins[0].counts.sum())):
        return 0.0
    table, factors = _fit(shape, margins)
    factor_bits = fsum(
        float(margin.counts[has_people] @ np.log2(factor[has_people]))
        for margin, factor in zip(margins, factors, strict=True)
        for has_people in [margin.counts > 0]
    )
    # The fitted table is a product of factors, one for each margin entry. Divided by the table's
    # sum the product is a distribution, as the bound requires, even if the fit stopped early.
    return max(n * (log2(table.size) - log2(float(table.sum()))) + factor_bits, 0.0)


def rounded(table: Floats) -> Counts:
    """Return a table of fractional people in whole people, with the same total (rounded).

    Cells are rounded down; then the cells with the largest fractions get one person more.
    """
    down = np.floor(np.round(table, PLACES)).astype(np.int64)
    short = round(float(table.sum())) - int(down.sum())
    remainders = np.round(table - down, PLACES).ravel()
    down.ravel()[np.argsort(-remainders, kind="stable")[:short]] += 1
    return down


def entropy(people: Floats | Counts) -> float:
    """Return the entropy in bits of the distribution of people over cells; 0 without people.

    people: numbers of people, an array of any shape.
    """
    counts = np.asarray(people, np.float64).ravel()
    shares = counts[counts > 0] / max(float(counts.sum()), 1.0)
    return max(-float(shares @ np.log2(shares)), 0.0)


def _fit(shape: Sequence[int], margins: Sequence[Margin]) -> tuple[Floats, list[Floats]]:
    """Return the most even table with these margins, and its factors, by proportional fitting.

    The table is the product of one factor for each entry of each margin.

    Args:
        shape: number of values of each column.
        margins: counts of groups of columns.

    Returns:
        The table, and for each margin an array with the factor of each entry.
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
