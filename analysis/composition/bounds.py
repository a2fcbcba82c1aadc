"""Upper bounds on the exposed people of an unknown table, from the counts of single columns.

A person is exposed in a cell (combination of values) of fewer than k people. Every column j gets a
freely chosen threshold t_j, a share of people. A value with a smaller share is rare, any other
value is common. The bounds of "Statistical anonymity" (paper 000, Section 6.2) use

    Q_J(s)    share of people in a cell of the columns J with a share below s
    Q_j(t_j)  share of people with a rare value in column j
    |V_j|     number of values that occur in column j
    N_j       number of common values of column j
    pivot     a freely chosen column, left out of the second sum of Theorem 2
    c         a freely chosen number in (0, 1]

    Theorem 2   Q_J(prod t_j)   <= sum Q_j(t_j) + sum_{j != pivot} t_j |V_j|
    Theorem 3   Q_J(c prod t_j) <= sum Q_j(t_j) + c
    refined     Q_J(s)          <= sum Q_j(t_j) + s prod_j N_j

The refined bound holds because the people without a rare value are in prod N_j cells, and an
exposed cell has a share below s. (The proof of Theorem 3 has this step.) It is at most the bound of
Theorem 3, because N_j <= 1 / t_j. For two columns or more it is at most the bound of Theorem 2:
every t_j N_j is at most 1, so prod (t_j N_j) <= t_i N_i <= t_i |V_i| for any column i but the
pivot.

The coverage bound (coverage.py) is smaller still. `best_bound` returns the exact minimum of one of
these bounds over all thresholds, as a certificate. `lower_bound` returns a lower bound on
the exposed share of every joint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter, prod
from typing import Literal

from numpy.typing import ArrayLike

from ...deprecated import keeps_old
from ...errors import ParameterError
from ..exposure.counts import Steps, positive_counts
from ..validation import NO_NUMBERS, fraction, one_of, sequence, whole
from .certificate import Certificate, Rule, certify
from .coverage import smallest_coverage
from .pareto import Growth, Options, descend, minimize
from .theorem2_minimum import minimize_theorem2

__all__ = [
    "Bound",
    "Certificate",
    "Rule",
    "RuleName",
    "refined",
    "smallest_bound",
    "theorem2",
    "theorem3",
]

RuleName = Literal["coverage", "refined", "theorem2", "theorem3", "printed"]
RULES: tuple[RuleName, ...] = ("coverage", "refined", "theorem2", "theorem3", "printed")
Probability = float | Fraction


@keeps_old(of="from_fractions")
@dataclass(frozen=True, slots=True)
class Bound:
    """An upper bound on exposure: Q_J(threshold) <= value.

    Q_J(threshold) is the share of people in a cell of the columns J with a share below the
    threshold.

    Attributes:
        threshold: a share of people; in floats rounded down.
        value: a share of people, in floats rounded up.
    """

    threshold: float
    value: float

    @classmethod
    def from_fractions(cls, threshold: Fraction, value: Fraction) -> Bound:
        """Return the bound in floats: the threshold rounded down, the value rounded up, at most 1.

        This rounding keeps the bound valid.
        """
        value, low, high = min(value, Fraction(1)), float(threshold), float(min(value, Fraction(1)))
        return cls(
            nextafter(low, -inf) if low > threshold else low,
            nextafter(high, inf) if high < value else high,
        )


# Three functions compute the bound of Theorem 2, so that a mistake in one shows against the others:
# it is evaluated here, verified in a certificate, and optimised over thresholds. The formula is
# implemented again, on purpose, in composition/certificate.py certify (verified),
# composition/theorem2_minimum.py minimize_theorem2 (optimised).
def theorem2(
    marginals: Sequence[ArrayLike], thresholds: Sequence[Probability], pivot: int
) -> Bound:
    """Return the bound on a joint's exposed share by Theorem 2 of paper 000, as printed.

    The bound is Q_J(prod t_j) <= sum Q_j(t_j) + sum_{j != pivot} t_j |V_j|. Q_J(s) is the share of
    people in a joint cell with a share below s. Q_j(t_j) is the share with a value of column j
    rarer than its threshold t_j, and |V_j| the number of values that occur in column j.

    Args:
        marginals: count arrays with one total n, one per column.
        thresholds: t_j, one probability in [0, 1] per column. A float that is the nearest to m / n
            for an integer m is read as m / n, so that a value of share exactly t_j is not below
            t_j.
        pivot: the index of the column that the second sum leaves out.
    """
    columns, exact, n = _inputs(marginals, thresholds)
    spared = whole(pivot, "pivot")
    if spared not in range(len(columns)):
        raise ParameterError(f"pivot: found {pivot}; 0 to {len(columns) - 1} are accepted")
    rare = sum(c.at(_people(t, n))[0] for c, t in zip(columns, exact, strict=True))
    slack = sum(
        t * c.values.size
        for j, (c, t) in enumerate(zip(columns, exact, strict=True))
        if j != spared
    )
    return Bound.from_fractions(prod(exact, start=Fraction(1)), Fraction(rare, n) + slack)


# Three functions compute the bound of Theorem 3, so that a mistake in one shows against the others:
# it is evaluated here, verified in a certificate, and optimised over thresholds. The formula is
# implemented again, on purpose, in composition/certificate.py certify (verified),
# composition/pareto.py minimize (optimised).
def theorem3(
    marginals: Sequence[ArrayLike], thresholds: Sequence[Probability], c: Probability
) -> Bound:
    """Return the bound on a joint's exposed share by Theorem 3 of paper 000, as printed.

    The bound is Q_J(c prod t_j) <= sum Q_j(t_j) + c. Q_J(s) is the share of people in a joint cell
    with a share below s. Q_j(t_j) is the share with a value of column j rarer than its threshold
    t_j.

    Args:
        marginals: count arrays with one total n, one per column.
        thresholds: t_j, one probability in [0, 1] per column. A float that is the nearest to m / n
            for an integer m is read as m / n.
        c: a free parameter in (0, 1]: a larger c raises the threshold of the joint and the bound.
            At c = 1 the bound is trivial.
    """
    columns, exact, n = _inputs(marginals, thresholds)
    parameter = fraction(c, "c", "a number in (0, 1]")
    if not 0 < parameter <= 1:
        raise ParameterError(f"c: found {c}; a number in (0, 1] is accepted")
    rare = sum(column.at(_people(t, n))[0] for column, t in zip(columns, exact, strict=True))
    return Bound.from_fractions(
        parameter * prod(exact, start=Fraction(1)), Fraction(rare, n) + parameter
    )


# Three functions compute the refined bound, so that a mistake in one shows against the others: it
# is evaluated here, verified in a certificate, and optimised over thresholds. The formula is
# implemented again, on purpose, in composition/certificate.py certify (verified),
# composition/pareto.py minimize (optimised).
def refined(
    marginals: Sequence[ArrayLike], thresholds: Sequence[Probability], threshold: Probability
) -> Bound:
    """Return the refined bound on the share of people in joint cells with a share below s.

    The bound is Q_J(s) <= sum Q_j(t_j) + s prod_j N_j. Q_J(s) is the bounded share, Q_j(t_j) the
    share of people with a value of column j rarer than its threshold t_j, and N_j the number of
    other values of column j.

    Args:
        marginals: count arrays with one total n, one per column.
        thresholds: t_j, one probability in [0, 1] per column. A float that is the nearest to m / n
            for an integer m is read as m / n.
        threshold: s, the threshold of the joint, in [0, 1].
    """
    columns, exact, n = _inputs(marginals, thresholds)
    target = _probability(threshold, n, "threshold")
    points = [column.at(_people(t, n)) for column, t in zip(columns, exact, strict=True)]
    cells = prod(common for _, common in points)
    return Bound.from_fractions(
        target, Fraction(sum(rare for rare, _ in points), n) + target * cells
    )


def smallest_bound(
    marginals: Sequence[ArrayLike], k: int, rule: RuleName | str = "coverage"
) -> Certificate:
    """Return the smallest bound on exposed people that one rule gives, over all thresholds.

    A rule is a formula in the marginals and in one threshold per column, below which a value counts
    as rare. The bound by dual prices of a linear program (margins_bound.py) is not among these
    rules.

    The minimum is exact (for `theorem2` and `theorem3` up to one part in 10^11, never too small).
    If the marginals determine the exposed people (one column, k <= 1, k > n), the certificate's
    rule is `exact`.

    Args:
        marginals: count arrays with one total n >= 1, one per column; zeros are ignored.
        k: an integer: people in the smallest cell that is not exposed.
        rule: `coverage` (the smallest bound), `refined`, `theorem2`, `theorem3`, or `printed`, the
            smaller of Theorems 2 and 3; the certificate names the rule used.

    Returns:
        A `Certificate`; its `people` is at most n, and n if the bound is trivial.
    """
    one_of(rule, "rule", RULES)
    least_class = whole(k, "k")
    columns = [Steps.from_counts(values) for values in positive_counts(marginals)]
    n = int(columns[0].values.sum())
    if least_class <= 1 or least_class > n or len(columns) == 1:
        return certify(Rule.EXACT, columns, least_class, (least_class,) * len(columns), n=n)
    if rule == "printed":
        certificates = (
            _minimum_certificate(columns, least_class, n, name)
            for name in (Rule.THEOREM3, Rule.THEOREM2)
        )
        return min(certificates, key=lambda certificate: certificate.people)
    return _minimum_certificate(columns, least_class, n, Rule(rule))


def coverage_below(marginals: Sequence[ArrayLike], k: int, limit: int) -> int:
    """Return the coverage bound on exposed people, or `limit` if the bound is not smaller.

    The coverage bound (coverage.py) counts people with a rare value, and k - 1 people for each cell
    of common values that may be exposed. A small limit makes the search faster than `best_bound`.

    Args:
        marginals: count arrays with one total n, one per column.
        k: people in the smallest cell that is not exposed.
        limit: a number of people; n is returned if it is smaller than `limit`.
    """
    columns = [Steps.from_counts(values) for values in positive_counts(marginals)]
    n = int(columns[0].values.sum())
    if k <= 1 or k > n or len(columns) == 1:
        return min(smallest_bound(marginals, k).people, limit)
    certificate = smallest_coverage(columns, k, min(limit, n))
    return min(limit, n) if certificate is None else certificate[0]


def _minimum_certificate(columns: list[Steps], k: int, n: int, rule: Rule) -> Certificate:
    """Return the certificate of the smallest bound on exposed people that one rule gives.

    The bound is minimised over all thresholds, counts of people below which a value is rare.

    columns: the counts of two columns or more, as step functions of the threshold. k: from 2 to n.
    """
    if rule is Rule.THEOREM2:
        return minimize_theorem2(columns, k, n)
    if rule is Rule.COVERAGE:
        coverage = smallest_coverage(columns, k, n)
        choice = [0] * len(columns) if coverage is None else coverage[1]
    else:
        choice = _minimizing_options(columns, k, n, rule)
    thresholds = tuple(int(c.threshold[i]) for c, i in zip(columns, choice, strict=True))
    return certify(rule, columns, k, thresholds, n=n)


def _minimizing_options(columns: list[Steps], k: int, n: int, rule: Rule) -> list[int]:
    """Return, for each column, the index of the threshold that gives the smallest bound.

    The bound is R + k P. R counts the people with a rare value: fewer people than the column's
    threshold have it. P is a product over the columns: of the number of other values (rule
    `refined`), or of n / threshold (rule `theorem3`).
    """
    options = [
        Options.common(c) if rule is Rule.REFINED else Options.inverse(c, n) for c in columns
    ]
    start, choice = descend(options, k, n)
    product = minimize(options, k, min(start, n), Growth(options, k))
    return choice if product is None else product[1]


def _inputs(
    marginals: Sequence[ArrayLike], thresholds: Sequence[Probability]
) -> tuple[list[Steps], list[Fraction], int]:
    """Return each column's counts as steps, the thresholds as fractions, and the people n.

    Steps are the rare people and common values of a column, by threshold. Raises ParameterError
    unless there is one probability in [0, 1] for each column.
    """
    columns = [Steps.from_counts(values) for values in positive_counts(marginals)]
    shares = sequence(thresholds, "thresholds", "one for each column")
    if len(shares) != len(columns):
        raise ParameterError(
            f"thresholds: found {len(shares)} for {len(columns)} columns; one for each column is "
            "accepted"
        )
    n = int(columns[0].values.sum())
    return columns, [_probability(t, n, "thresholds") for t in shares], n


def _probability(value: Probability, n: int, name: str) -> Fraction:
    """Return a probability as an exact fraction; the float nearest to m / n becomes m / n.

    m is an integer, n the number of people. name: name of the parameter, for the message of an
    error.
    """
    try:
        exact = Fraction(-1) if isinstance(value, NO_NUMBERS) else Fraction(value)
    except (TypeError, ValueError, OverflowError):
        exact = Fraction(-1)
    if not 0 <= exact <= 1:
        raise ParameterError(f"{name}: found {value!r}; a probability in [0, 1] is accepted")
    people = round(exact * n)
    return Fraction(people, n) if people / n == value else exact


def _people(probability: Fraction, n: int) -> int:
    """Return the smallest whole number of people that is at least the share `probability` of n."""
    return -((-probability * n) // 1)
