"""What the marginals of single columns promise of a joint that nobody has seen (paper 000, 6).

Here live the theorems as printed, the refined and the coverage bound, certificates, what known
joints add, and the exact worst case. May import `exposure`, `contingency` and the ground files.
Must never know which columns somebody would like to release: `suppression` chooses.
"""

from typing import TYPE_CHECKING, Any

from .bounds import RULES, Bound, RuleName, best_bound, refined, theorem2, theorem3
from .certificate import Certificate, Rule
from .lower_bounds import fewest_exposed, lower_bound
from .tightness_examples import TightnessExample, strict_example, tightness_example

if TYPE_CHECKING:
    from .exact_worst_case import WorstCase, worst_case

__all__ = [
    "RULES",
    "Bound",
    "Certificate",
    "Rule",
    "RuleName",
    "TightnessExample",
    "WorstCase",
    "best_bound",
    "fewest_exposed",
    "lower_bound",
    "refined",
    "strict_example",
    "theorem2",
    "theorem3",
    "tightness_example",
    "worst_case",
]


def __getattr__(name: str) -> Any:
    """Import the exact worst case at first use: it stands on SciPy."""
    if name not in ("WorstCase", "worst_case"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import exact_worst_case

    return getattr(exact_worst_case, name)
