"""Attacks on a release, as regulators define them: singling out, linkability, inference, k, l, t.

Each attack is compared with guessing, and with its success on people outside the release. k, l and
t are k-anonymity, l-diversity and t-closeness. May import `exposure` and the modules directly in
`analysis`. Must never know the origin of a release.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred

if TYPE_CHECKING:
    from .guesses import LEFT_OUT, Inference, Linkability, ask
    from .k_l_t import Diversity, diversity
    from .predicates import SinglingOut, singling_out
    from .rates import Attack, Interval, Rate
    from .unchanged_table import EVERY, TableColumns, TableRisks, table_risks
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            ".guesses": ["Inference", "LEFT_OUT", "Linkability", "ask"],
            ".k_l_t": ["Diversity", "diversity"],
            ".unchanged_table": ["EVERY", "TableColumns", "TableRisks", "table_risks"],
            ".predicates": ["SinglingOut", "singling_out"],
            ".rates": ["Attack", "Interval", "Rate"],
        },
    )

__all__ = [
    "EVERY",
    "LEFT_OUT",
    "Attack",
    "Diversity",
    "Inference",
    "Interval",
    "Linkability",
    "Rate",
    "SinglingOut",
    "TableColumns",
    "TableRisks",
    "ask",
    "diversity",
    "singling_out",
    "table_risks",
]
