"""Bounds on the exposed people of an unknown joint table, from the counts of single columns.

A person is exposed in a cell (combination of values) of fewer than k people. This package holds

* the theorems of Section 6 of "Statistical anonymity" (paper 000), as printed,
* two sharper upper bounds: `refined` (bounds.py) and `coverage` (coverage.py),
* certificates, from which any party recomputes a bound,
* bounds from known joint counts, and the exact worst case over all tables with given counts.

It may import `exposure`, `contingency`, `optimization` and shared modules such as `validation`. It
never knows which columns are wanted in a release: the package `suppression` chooses them.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred

if TYPE_CHECKING:
    from .bounds import RULES, Bound, RuleName, refined, theorem2, theorem3
    from .certificate import Certificate, Rule
    from .check_cases import proved_by_cases
    from .exact_worst_case import WorstCase, worst_case
    from .lower_bounds import fewest_exposed, lower_bound
    from .margins_bound import MarginsCertificate
    from .promises import PROMISE_RULES, PromiseRule, best_bound
    from .tightness_examples import TightnessExample, strict_example, tightness_example
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            ".bounds": [
                "Bound",
                "RULES",
                "RuleName",
                "refined",
                "theorem2",
                "theorem3",
            ],
            ".certificate": ["Certificate", "Rule"],
            ".check_cases": ["proved_by_cases"],
            ".exact_worst_case": ["WorstCase", "worst_case"],
            ".lower_bounds": ["fewest_exposed", "lower_bound"],
            ".margins_bound": ["MarginsCertificate"],
            ".promises": ["PROMISE_RULES", "PromiseRule", "best_bound"],
            ".tightness_examples": ["TightnessExample", "strict_example", "tightness_example"],
        },
    )

__all__ = [
    "PROMISE_RULES",
    "RULES",
    "Bound",
    "Certificate",
    "MarginsCertificate",
    "PromiseRule",
    "Rule",
    "RuleName",
    "TightnessExample",
    "WorstCase",
    "best_bound",
    "fewest_exposed",
    "lower_bound",
    "proved_by_cases",
    "refined",
    "strict_example",
    "theorem2",
    "theorem3",
    "tightness_example",
    "worst_case",
]
