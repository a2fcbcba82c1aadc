"""Bounds on exposure in an unknown joint, from the marginals of single columns (paper 000, 6).

This room holds the theorems as printed, the refined and the coverage bound, certificates, bounds
from known joints, and the exact worst case. May import `exposure`, `contingency`, `optimization`
and the ground files. Must never know which columns are wanted in a release: `suppression` chooses.
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
