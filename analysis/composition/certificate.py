"""A certificate: thresholds from which a bound on exposure is recomputed from the marginals.

A person is exposed in a joint cell of fewer than k people. Each of d columns has a threshold t_j in
people (t_j / n is the paper's probability, n the number of all people). A value of fewer people is
rare, any other value is common.

    rule       people =                                                          proved in
    exact      users below k of the only column (0 if k <= 1, n if k > n)        -
    theorem2   sum R_j + sum_{j != pivot} t_j |V_j|  if prod t_j >= k n^(d-1)    paper 000, App. A
    theorem3   sum R_j + c n,  c = k n^(d-1) / prod t_j <= 1                     paper 000, App. B
    refined    sum R_j + k prod N_j                                              bounds.py
    coverage   sum R_j + (k-1) (prod N_j - max H_j)                              coverage.py

R_j counts the people with a rare value in column j, N_j its common values, |V_j| all its values.
The pivot is a freely chosen column, left out of the second sum. H_j cells, each with a different
common value of column j, are proved to hold k people or more.

Exposed people are whole, so every bound is rounded down; no bound exceeds n. The arithmetic is
exact: integers, and fractions for Theorems 2 and 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from math import isfinite, prod

from msgspec import Struct
from msgspec.structs import force_setattr
from numpy.typing import ArrayLike

from ...errors import ParameterError, VerificationError
from ..exposure.counts import Steps, positive_counts
from ..validation import whole
from .coverage import covered

Threshold = int | float


class Rule(StrEnum):
    """The name of the formula from which a certificate's bound on exposed people follows."""

    EXACT = "exact"
    THEOREM2 = "theorem2"
    THEOREM3 = "theorem3"
    REFINED = "refined"
    COVERAGE = "coverage"


class Certificate(Struct, frozen=True, forbid_unknown_fields=True):
    """A provable claim: at most `people` of `n` people are in a joint cell of fewer than `k`.

    Any party with the marginals can check the claim (`verify`). `msgspec` writes a certificate
    (`json.encode`) and reads it, and refuses invalid certificates.

    Attributes:
        rule: the name of the formula that proves the claim.
        k: people in the smallest crowd in which no person is exposed.
        n: people in the table.
        people: upper bound on the people in a smaller crowd.
        thresholds: one per column, in people; the formula counts values of fewer people as rare. A
            count that occurs in the column, or for Theorem 2 perhaps a float between two counts;
            for the rule `exact` it is k.
        pivot: the index of the column that Theorem 2 leaves out of its second sum; None under other
            rules.
        c: the bound that Theorem 3 adds for the people without a rare value, a share of all people;
            None under other rules.
    """

    rule: Rule
    k: int
    n: int
    people: int
    thresholds: tuple[Threshold, ...]
    pivot: int | None = None
    c: float | None = None

    def __post_init__(self) -> None:
        """Convert the fields to their types; ParameterError for an invalid certificate."""
        if self.rule not in tuple(Rule):
            raise ParameterError(f"rule: found {self.rule!r}; {', '.join(Rule)} are accepted")
        force_setattr(self, "rule", Rule(self.rule))
        for name in ("k", "n", "people"):
            force_setattr(self, name, whole(getattr(self, name), name))
        force_setattr(self, "thresholds", tuple(self.thresholds))
        if self.n < 1 or not 0 <= self.people <= self.n:
            raise ParameterError(
                f"people: found {self.people} of n = {self.n}; 0 <= people <= n is accepted, n >= 1"
            )
        for threshold in self.thresholds:
            if isinstance(threshold, bool) or not isinstance(threshold, (int, float)):
                raise ParameterError(f"thresholds: found {threshold!r}; numbers are accepted")
            if not isfinite(threshold) or (threshold <= 0 and self.rule is not Rule.EXACT):
                raise ParameterError(
                    f"thresholds: found {threshold}; positive numbers of people are accepted"
                )
        if (self.pivot is not None) != (self.rule is Rule.THEOREM2):
            raise ParameterError(
                f"pivot: found {self.pivot} under {self.rule}; the rule theorem2 needs the number "
                "of the column that its second sum leaves out, other rules need None"
            )
        if self.pivot is not None and whole(self.pivot, "pivot") not in range(len(self.thresholds)):
            raise ParameterError(
                f"pivot: found {self.pivot}; the number of a column, 0 to "
                f"{len(self.thresholds) - 1}, is accepted"
            )
        if (self.c is not None) != (self.rule is Rule.THEOREM3):
            raise ParameterError(
                f"c: found {self.c} under {self.rule}; the rule theorem3 needs c, its bound on the "
                "share of exposed people without a rare value, other rules need None"
            )

    @property
    def value(self) -> float:
        """The bound as a share of the people, in [0, 1]."""
        return self.people / self.n

    @property
    def vacuous(self) -> bool:
        """Whether the bound is trivial: all people may be exposed."""
        return self.people == self.n

    def __repr__(self) -> str:
        """Return the rule, k and the bound on exposed people in a line."""
        bound_text = f"at most {self.people:,} of {self.n:,} people ({self.value:.4g})"
        if self.vacuous:
            bound_text = f"vacuous, all {self.n:,} people (1.0)"
        return (
            f"<Certificate {self.rule}, {len(self.thresholds)} columns, k = {self.k}: {bound_text}>"
        )

    def verify(self, marginals: Sequence[ArrayLike]) -> None:
        """Recompute the bound from the counts of the columns alone.

        marginals: the people by value of each column.

        Raises VerificationError if the number of columns or people differs, or if the rule does not
        admit a threshold. The same error is raised if the rule gives other `people`, or another `c`
        (the parameter of Theorem 3).
        """
        try:
            columns = (
                [Steps.from_counts(values) for values in positive_counts(marginals)]
                if marginals
                else []
            )
        except ParameterError as error:
            raise VerificationError(f"certificate: {error}") from None
        if len(columns) != len(self.thresholds):
            raise VerificationError(
                f"certificate: is about {len(self.thresholds)} columns; found {len(columns)}"
            )
        if columns and int(columns[0].values.sum()) != self.n:
            raise VerificationError(
                f"certificate: is about {self.n:,} people; the marginals count "
                f"{int(columns[0].values.sum()):,}"
            )
        fresh = certify(self.rule, columns, self.k, self.thresholds, self.pivot, n=self.n)
        if fresh != self:
            raise VerificationError(
                f"certificate: claims {self.people:,} people (c = {self.c}); "
                f"rule {self.rule} with these thresholds gives {fresh.people:,} (c = {fresh.c})"
            )


# The formulas are computed by separate functions too, so that a mistake in one shows against the
# others: evaluated for any thresholds, optimised over all thresholds, and verified here. Theorem 2,
# Theorem 3 and the refined bound are implemented again, on purpose, in composition/bounds.py
# theorem2 (evaluated), composition/theorem2_minimum.py minimize_theorem2 (optimised),
# composition/bounds.py theorem3 (evaluated), composition/pareto.py minimize (optimised),
# composition/bounds.py refined (evaluated).
def certify(
    rule: Rule,
    columns: Sequence[Steps],
    k: int,
    thresholds: Sequence[Threshold],
    pivot: int | None = None,
    *,
    n: int,
) -> Certificate:
    """Return the certificate of a rule with these thresholds: its bound on exposed people.

    Args:
        rule: the name of the formula.
        columns: the counts of each column, as step functions of the threshold.
        k: people in the smallest crowd in which no person is exposed.
        thresholds: one per column, in people; values of fewer people count as rare.
        pivot: the index of the column that Theorem 2 leaves out of its second sum; None under other
            rules.
        n: people in the table.

    Raises VerificationError if the rule does not admit a threshold.
    """
    if rule is Rule.EXACT:
        if any(t != k for t in thresholds):
            raise VerificationError(
                f"certificate: found thresholds {tuple(thresholds)}; under rule exact each "
                f"threshold is k = {k}"
            )
        return Certificate(rule, k, n, _exact(columns, k, n), tuple(thresholds))
    fractional = rule is Rule.THEOREM2
    for j, (column, t) in enumerate(zip(columns, thresholds, strict=True)):
        if not fractional and not (isinstance(t, int) and t in column.threshold):
            raise VerificationError(
                f"certificate: found threshold {t}; a count that occurs in column {j} is accepted"
            )
    points = [column.at(t) for column, t in zip(columns, thresholds, strict=True)]
    rare = sum(r for r, _ in points)
    c = None
    if rule is Rule.COVERAGE:
        _, cells, common_cells = covered(columns, thresholds, k)
        people = Fraction(rare + (k - 1) * (cells - common_cells))
    elif rule is Rule.REFINED:
        people = Fraction(rare + k * prod(common for _, common in points))
    elif rule is Rule.THEOREM3:
        parameter = Fraction(k * n ** (len(columns) - 1), prod(int(t) for t in thresholds))
        people, c = rare + parameter * n, float(parameter)
    else:
        people = Fraction(rare) + _slack(columns, k, thresholds, pivot, n)
    return Certificate(rule, k, n, min(n, int(people)), tuple(thresholds), pivot, c)


def _exact(columns: Sequence[Steps], k: int, n: int) -> int:
    """Return the number of exposed people if the marginals determine it; else VerificationError.

    The marginals determine it for a single column, for k <= 1 and for k > n people.
    """
    if k <= 1 or not columns:
        return 0
    if k > n:
        return n
    if len(columns) > 1:
        raise VerificationError(
            f"certificate: rule exact needs one column, k <= 1 or k > n; found {len(columns)} "
            f"columns, k = {k}"
        )
    return columns[0].at(k)[0]


def _slack(
    columns: Sequence[Steps], k: int, thresholds: Sequence[Threshold], pivot: int | None, n: int
) -> Fraction:
    """Return the second sum of Theorem 2 (paper 000), of threshold x number of values, in people.

    The sum runs over all columns but the pivot, a freely chosen column. thresholds: one per column,
    in people. If their product is below k n^(d-1), for d columns and n people, the theorem does not
    apply. Then the result is n, a trivial bound.
    """
    exact = [Fraction(t) for t in thresholds]
    if prod(exact) < k * n ** (len(columns) - 1):
        return Fraction(n)
    shortfalls = (
        t * c.values.size for j, (c, t) in enumerate(zip(columns, exact, strict=True)) if j != pivot
    )
    return sum(shortfalls, Fraction(0))
