"""Bounds on the exposed people of a joint by name, among them the bound that a run promises.

`best_bound` with the rule `margins` gives the number that a run with the default policy promises.
The formulas are in bounds.py and coverage.py, the search for prices in margins_bound.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args, overload

from numpy.typing import ArrayLike

from ..validation import one_of
from .bounds import RuleName, smallest_bound
from .certificate import Certificate
from .margins_bound import MarginsCertificate, margins_bound

PromiseRule = Literal["margins", "coverage", "refined", "theorem2", "theorem3", "printed"]
PROMISE_RULES: tuple[PromiseRule, ...] = get_args(PromiseRule)


@overload
def best_bound(
    marginals: Sequence[ArrayLike], k: int, rule: RuleName = "coverage"
) -> Certificate: ...
@overload
def best_bound(
    marginals: Sequence[ArrayLike], k: int, rule: PromiseRule | str
) -> Certificate | MarginsCertificate: ...
def best_bound(
    marginals: Sequence[ArrayLike], k: int, rule: PromiseRule | str = "coverage"
) -> Certificate | MarginsCertificate:
    """Return the smallest bound on the people in a cell of fewer than k people.

    The minimum over all thresholds is exact: over all breakpoints, and for Theorem 2 over all real
    thresholds (for `theorem2` and `theorem3` up to one part in 10^11, never below the truth). Where
    the marginals leave no doubt (one column, k <= 1, k > n) the certificate's rule is `exact`.

    Args:
        marginals: count arrays with one total n >= 1, one per column; zeros are ignored.
        k: an integer.
        rule: `margins` is the promise of a run with `policy.rule = "margins"`, its default, and the
            least of all: prices of a linear program, rounded to whole numbers that prove the bound;
            where they prove no more, and of joints with more than 8,000 cells, it is `coverage`.
            The other rules are formulas: `coverage`, `refined`, `theorem2`, `theorem3` of paper
            000, or `printed`, the smaller of Theorems 2 and 3; the certificate names it.

    Returns:
        A certificate; its `people` is at most n, and n if the rule has no better bound, `value` is
        the same as a share, and `verify(marginals)` proves it again.

    Raises:
        ParameterError: marginals, k or the name of the rule is not accepted.
    """
    one_of(rule, "rule", PROMISE_RULES)
    if rule == "margins":
        return margins_bound(marginals, k)
    return smallest_bound(marginals, k, rule)
