"""Choose the columns to keep: the largest weight with a bound on exposure within a target.

Global suppression (paper 000, Section 5.1): the curator sees only the marginal counts and keeps or
suppresses whole columns. A set of columns is safe if the bound is within the target. Every rule's
bound adds up people with rare values (of a count below a threshold, per column) and a term for all
other cells (`composition/bounds.py`). No bound rises when a column is dropped:

* Theorem 2: without the column's threshold (a share, at most 1), the product of thresholds grows,
  and the sum loses terms. If the column was the pivot, which adds no term, another column takes its
  place and so loses a term too. Theorem 3: the product grows, and the sum loses a term.
* refined: people with rare values become fewer, and so do the cells of common values.
* coverage: see `composition/coverage.py`.
* a single column left: its exposure is known exactly, and at most any valid bound of more columns.

So any set that contains an unsafe set is unsafe. The choice is exact: the set of largest total
weight. Ties are decided first by more columns, then by the lower bound (for Theorem 3 before
rounding down to people). The last rule is the first set in lexicographic order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ParameterError
from ..composition import RULES, Certificate, Rule, RuleName, best_bound
from ..composition.column_sets import bounds_of_all_sets
from ..composition.coverage import smallest_coverage
from ..composition.pareto import Options
from ..composition.theorem2_minimum import minimize_theorem2
from ..exposure.cells import as_columns
from ..exposure.counts import Integers, Steps, positive_counts
from ..validation import brief, whole
from .column_choice import ColumnChoice, Considered, Dropped, Promise, RuleFunction
from .packing import MAX_COLUMNS, Packing
from .weights import as_gains, as_weights

__all__ = ["ColumnChoice", "Considered", "Dropped", "Promise", "choose_columns"]

# Most columns for which the bound of every set of columns is computed and shown, by rule. With more
# columns only some sets are shown.
EXHAUSTIVE_COLUMNS = {"coverage": 10, "refined": 10, "theorem2": 4, "theorem3": 8, "printed": 4}


def choose_columns(
    marginals: Sequence[ArrayLike],
    k: int,
    target: float,
    weights: Sequence[float] | None = None,
    rule: RuleName | str | RuleFunction = "coverage",
    required: Sequence[int] = (),
    forbidden: Sequence[int] = (),
) -> ColumnChoice:
    """Return the columns to keep: the largest total weight with a bound within `target`; exact.

    The bound is on the share of exposed people, computed from the marginal counts alone.

    Args:
        marginals: count arrays with one total n >= 1, one per column.
        k: an integer; a person in a cell of fewer than k people is exposed.
        target: the share of people that may be exposed, in [0, 1].
        weights: a finite number of at least 0 per column, 1 each by default. Weights are compared
            as the decimal numbers they are written as, to 2^52 units of the total.
        rule: name of the bound, as in `best_bound`, or a function of (marginals, k). The function
            returns an object with a `value`, never smaller when a column is added.
        required: columns that are kept in any case.
        forbidden: columns that are dropped in any case.

    Raises:
        ParameterError: for arguments outside these ranges, and when the required columns alone
            exceed the target.
    """
    problem = SuppressionProblem.from_marginals(
        marginals, k, target, weights, rule, required, forbidden
    )
    kept_columns = problem.solve()
    return ColumnChoice(
        kept=kept_columns,
        weight=float(sum((problem.exact[j] for j in kept_columns), Fraction(0))),
        certificate=problem.promise(kept_columns),
        k=problem.k,
        target=problem.target,
        dropped=tuple(problem.dropped(kept_columns)),
        considered=tuple(problem.considered(kept_columns)),
    )


def people_allowed(target: float, n: int) -> int:
    """Return the largest number of n people that is within the target, as a share in floats.

    `target` is the share of people that may be exposed.
    """
    people = int(target * n)
    while people < n and (people + 1) / n <= target:
        people += 1
    while people / n > target:
        people -= 1
    return people


@dataclass(slots=True)
class SuppressionProblem:
    """The problem of choosing columns: marginals, bound and target, with cached results.

    Attributes:
        columns: counts of each column's values.
        k: the smallest equivalence class in which no person is exposed.
        target: the share of people that may be exposed.
        exact: weights of the columns.
        gains: the weights as integers, each times the number of columns + 1, plus 1. So of sets
            with equal weight, the set with more columns has the larger sum.
        rule: the name of a bound, or a function.
        required: columns that are kept in any case, ascending.
        forbidden: columns that are dropped in any case.
        memory: cache of the rule's results for sets of columns.
        bounds: cache of the bound, in people, of every set of columns; None until needed.
    """

    columns: list[Integers]
    k: int
    target: float
    exact: list[Fraction]
    gains: list[int]
    rule: str | RuleFunction
    required: tuple[int, ...]
    forbidden: frozenset[int]
    memory: dict[tuple[int, ...], Promise]
    bounds: dict[tuple[int, ...], int] | None = field(default=None, init=False)

    @classmethod
    def from_marginals(
        cls,
        marginals: Sequence[ArrayLike],
        k: int,
        target: float,
        weights: Sequence[float] | None,
        rule: str | RuleFunction,
        required: Sequence[int],
        forbidden: Sequence[int],
    ) -> SuppressionProblem:
        """Check the arguments of `choose_columns` and return the problem.

        Raises:
            ParameterError: an argument out of its range, a column both required and forbidden, or
                too many columns.
        """
        columns = positive_counts(marginals)
        if not (isinstance(target, (int, float, Fraction, np.floating)) and 0 <= target <= 1):
            raise ParameterError(f"target: found {target!r}; a share in [0, 1] is accepted")
        if not callable(rule) and not (isinstance(rule, str) and rule in RULES):
            raise ParameterError(
                f"rule: found {brief(rule)}; {', '.join(RULES)} or a function are accepted"
            )
        must, forbidden_columns = (
            tuple(sorted(as_columns(c, len(columns)))) for c in (required, forbidden)
        )
        if set(must) & set(forbidden_columns):
            raise ParameterError(
                f"required: {sorted(set(must) & set(forbidden_columns))} are also forbidden"
            )
        if len(columns) - len(forbidden_columns) > MAX_COLUMNS:
            raise ParameterError(
                f"marginals: {len(columns) - len(forbidden_columns)} columns to choose from; "
                f"at most {MAX_COLUMNS} are accepted (forbid some)"
            )
        exact = as_weights(weights, len(columns))
        threshold = whole(k, "k")
        gains = as_gains(exact)
        return cls(
            columns,
            threshold,
            float(target),
            exact,
            gains,
            rule,
            must,
            frozenset(forbidden_columns),
            {},
        )

    @property
    def n(self) -> int:
        """The number of people."""
        return int(self.columns[0].sum())

    @property
    def max_exposed(self) -> int:
        """The largest number of people that the target allows to be exposed."""
        return people_allowed(self.target, self.n)

    def promise(self, chosen: tuple[int, ...]) -> Promise:
        """Return the bound on exposed people for a set of columns, by the problem's rule.

        Without columns no person is exposed. chosen: the numbers of the columns.
        """
        if not chosen:
            return Certificate(Rule.EXACT, self.k, self.n, 0, ())
        if chosen not in self.memory:
            marginals = [self.columns[j] for j in chosen]
            self.memory[chosen] = (
                self.rule(marginals, self.k)
                if callable(self.rule)
                else best_bound(marginals, self.k, self.rule)
            )
        return self.memory[chosen]

    def safe(self, chosen: tuple[int, ...]) -> bool:
        """Whether a set of columns is safe: the bound on exposure is within the target.

        chosen: the numbers of the columns of the set. Exposure is the share of exposed people.
        """
        return self.promise(chosen).value <= self.target

    def solve(self) -> tuple[int, ...]:
        """Return the set of columns of largest weight with a bound within the target.

        Raises:
            ParameterError: the required columns alone exceed the target.
        """
        if not self.safe(self.required):
            raise ParameterError(
                f"required: columns {list(self.required)} alone allow a share of "
                f"{self.promise(self.required).value:.4g} exposed at k = {self.k}, above the "
                f"target {self.target:.4g}; require fewer, lower k or raise the target"
            )
        free = [j for j in range(len(self.columns)) if j not in self.forbidden]
        if self.target >= 1 or self.safe(tuple(free)):
            return tuple(free)
        return self.solve_safe(free)

    def solve_safe(self, free: list[int]) -> tuple[int, ...]:
        """Return the set of largest weight with a bound within the target, for this rule.

        `free` are the columns that are not forbidden; together they exceed the target. The rule
        decides the search: theorem2, and any function, need branch and bound; for other rules all
        sets are searched at once (`packing.py`).
        """
        if callable(self.rule) or self.rule == "theorem2" or self.k > self.n:
            return self._walk(free)
        # The rule "printed" is the smaller bound of Theorems 2 and 3 of paper 000, so a set is safe
        # if either bound is within the target.
        if self.rule == "printed":
            halves = (replace(self, rule=rule, memory={}) for rule in ("theorem2", "theorem3"))
            return max((half.solve_safe(free) for half in halves), key=self._key)
        kept_columns = self._pack(free)
        # A bound in floats may be rounded to the wrong side of the target, so the set is tested
        # again.
        return kept_columns if self.safe(kept_columns) else self._walk(free)

    def _pack(self, free: list[int]) -> tuple[int, ...]:
        """Return the set of largest weight with a bound within the target, by `packing.py`.

        `free` are the columns that are not forbidden. Single columns are judged by their exact
        exposure.
        """
        steps = [Steps.from_counts(self.columns[j]) for j in free]
        packing = Packing(
            steps=steps,
            gains=[self.gains[j] for j in free],
            required=frozenset(free.index(j) for j in self.required),
            options=[
                Options.inverse(s, self.n) if self.rule == "theorem3" else Options.common(s)
                for s in steps
            ],
            scale=self.k - 1 if self.rule == "coverage" else self.k,
            max_exposed=self.max_exposed,
            best=(-1, 0, 0),
        )
        if not self.required:
            packing.best = (0, 0, 0)
        for j, column in enumerate(free):
            if set(self.required) <= {column} and self.safe((column,)):
                people = packing.steps[j].at(self.k)[0]
                packing.best = max(packing.best, (self.gains[column], -people, packing.bit(j)))
        if self.rule == "coverage":
            packing.coverage()
        else:
            packing.product()
        member = packing.best[2]
        return tuple(column for j, column in enumerate(free) if member & packing.bit(j))

    def _walk(self, free: list[int]) -> tuple[int, ...]:
        """Return the set of largest weight with a bound within the target, by branch and bound.

        The search suits any rule. Columns are kept or dropped in turn, the heaviest first. Sets
        that contain an unsafe column or pair are skipped, because they are unsafe too. `free` are
        the columns that are not forbidden.
        """
        order = sorted((j for j in free if j not in self.required), key=lambda j: -self.gains[j])
        start = sum(self.gains[j] for j in self.required)
        best = self._key(self.required)
        unsafe: list[frozenset[int]] = []
        stack = [(0, start, self.required)]
        while stack:
            position, gain, columns = stack.pop()
            if gain + sum(self.gains[j] for j in order[position:]) < best[0]:
                continue
            if gain >= best[0]:
                best = max(best, self._key(columns))
            if position == len(order):
                continue
            stack.append((position + 1, gain, columns))
            j = order[position]
            wider = tuple(sorted((*columns, j)))
            if any(pair <= {*wider} for pair in unsafe):
                continue
            if self.safe(wider) if callable(self.rule) else self._is_within_target(wider, self.k):
                stack.append((position + 1, gain + self.gains[j], wider))
            elif len(wider) <= 2:
                unsafe.append(frozenset(wider))
        return tuple(-j for j in best[2])

    def _key(self, chosen_columns: tuple[int, ...]) -> tuple[int, float, tuple[int, ...]]:
        """Return a sort key of a set of columns; the larger key is the better set.

        The key compares weights, then numbers of columns, then the bound on exposed people (lower
        is better), then lexicographic order.
        """
        gain = sum(self.gains[j] for j in chosen_columns)
        return gain, -self.promise(chosen_columns).value, tuple(-j for j in chosen_columns)

    def dropped(self, kept_columns: tuple[int, ...]) -> list[Dropped]:
        """Return the explanation of every column that is not kept."""
        columns = []
        for j in range(len(self.columns)):
            if j not in kept_columns:
                wider = tuple(sorted((*kept_columns, j)))
                largest = None if callable(self.rule) else self.largest_k(wider)
                value = self.promise(wider).value
                columns.append(Dropped(j, value, largest, j in self.forbidden))
        return columns

    def largest_k(self, chosen: tuple[int, ...]) -> int:
        """Return the largest k up to n at which the bound of a set of columns is within the target.

        The search halves a range of k.
        """
        # the bound at k = low is within the target; at k = n + 1 all people are exposed
        low, high = 1, self.n + 1
        if self.target >= 1:
            return self.n
        while high - low > 1:
            middle = min((low + high) // 2, 4 * low)
            low, high = (middle, high) if self._is_within_target(chosen, middle) else (low, middle)
        return low

    def _is_within_target(self, chosen_columns: tuple[int, ...], k: int) -> bool:
        """Whether the bound of a set of columns is within the target at this k.

        The bound is a minimum over thresholds, which divide each column's values into rare and
        common values. For the coverage bound and Theorem 2 of paper 000, the search ends as soon as
        the target decides. That is faster than the exact minimum.
        """
        marginals = [self.columns[j] for j in chosen_columns]
        doubt = len(chosen_columns) > 1 and 1 < k <= self.n
        if doubt and self.rule in ("coverage", "theorem2"):
            steps = [Steps.from_counts(values) for values in marginals]
            if self.rule == "coverage":
                return smallest_coverage(steps, k, self.max_exposed + 1) is not None
            return (
                minimize_theorem2(steps, k, self.n, self.max_exposed + 1).people <= self.max_exposed
            )
        return best_bound(marginals, k, str(self.rule)).people <= self.max_exposed

    def bounds_of_sets(self) -> dict[tuple[int, ...], int]:
        """Return the bound on exposed people for every set of columns, by the rule; cached."""
        if self.bounds is None:
            self.bounds = bounds_of_all_sets(self.columns, self.k, str(self.rule))
        return self.bounds

    def considered(self, kept_columns: tuple[int, ...]) -> list[Considered]:
        """Return sets of columns with their bounds on exposure, to show the choice.

        With few columns, all sets are returned. Else the kept set is returned, and the kept set
        with each further column. If the rule is a function, the sets are returned for which the
        search called it.
        """
        if isinstance(self.rule, str) and len(self.columns) <= EXHAUSTIVE_COLUMNS[self.rule]:
            people = self.bounds_of_sets().items()
            return [Considered(s, p / self.n, p <= self.max_exposed) for s, p in people]
        if callable(self.rule):
            column_sets = sorted(self.memory, key=lambda s: (len(s), s))
        else:
            dropped_columns = (j for j in range(len(self.columns)) if j not in kept_columns)
            column_sets = [kept_columns] if kept_columns else []
            column_sets += [tuple(sorted((*kept_columns, j))) for j in dropped_columns]
        return [Considered(s, self.promise(s).value, self.safe(s)) for s in column_sets]
