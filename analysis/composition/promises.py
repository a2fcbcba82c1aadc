"""Upper bounds on the exposed people of several columns together, chosen by the name of a rule.

A person is exposed if fewer than k people have its combination of values. `best_bound` with the
rule `margins` gives the number that a run with the default policy promises. The formulas are in
bounds.py and coverage.py. The linear program behind `margins` is in margins_bound.py.
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
    marginals: Sequence[ArrayLike],
    k: int,
    rule: RuleName = "coverage",
    # certificate of an upper bound on exposed people; the full definition follows below
) -> Certificate: ...
@overload
def best_bound(
    marginals: Sequence[ArrayLike],
    k: int,
    rule: PromiseRule | str,
    # certificate of an upper bound, by any rule; defined below
) -> Certificate | MarginsCertificate: ...
def best_bound(
    marginals: Sequence[ArrayLike], k: int, rule: PromiseRule | str = "coverage"
) -> Certificate | MarginsCertificate:
    """Return the smallest upper bound on the people in a cell of fewer than k people.

    A cell is a combination of values of all columns. Each formula needs a threshold for each
    column: values of fewer people count as rare. The bound is the exact minimum over all
    thresholds. For `theorem2` and `theorem3` it may be too large by one part in 10^11, and is never
    too small. The certificate's rule is `exact` if the marginals determine the number (one column,
    k <= 1, k > n).

    Args:
        marginals: count arrays with one total n >= 1, one per column; zeros are ignored.
        k: people in the smallest cell that is not exposed, an integer.
        rule: `margins` is the promise of a run with `policy.rule = "margins"`, its default, and the
            least of all. It comes from a linear program: its multipliers, rounded to whole numbers,
            prove the bound. `coverage` is returned instead if it is as small, and for joints with
            more than 8,000 cells. The other rules are formulas: `coverage`, `refined`, `theorem2`,
            `theorem3` of paper 000, or `printed`, the smaller of Theorems 2 and 3.

    Returns:
        A certificate. `people` is the bound, n if the rule has no better bound; `value` is the
        bound as a share of the people; `verify(marginals)` proves it again.

    Raises:
        ParameterError: marginals, k or the name of the rule is not accepted.
    """
    one_of(rule, "rule", PROMISE_RULES)
    if rule == "margins":
        return margins_bound(marginals, k)
    return smallest_bound(marginals, k, rule)
