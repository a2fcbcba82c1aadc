"""Attacks on a release, as regulators define them: singling out, linkability, inference, k, l, t.

Each attack is compared with guessing, and with its success on people outside the release. k, l and
t are k-anonymity, l-diversity and t-closeness. May import `exposure` and the modules directly in
`analysis`. Must never know the origin of a release.
"""

from typing import TYPE_CHECKING

from ...deferred import deferred
from ...deprecated import find_old

if TYPE_CHECKING:
    from .guesses import LEFT_OUT, Inference, Linkability, ask
    from .k_l_t import Diversity, diversity
    from .predicates import SinglingOut, singling_out
    from .rates import Rate, ReleaseAttack, ShareInterval
    from .unchanged_table import EVERY, TableColumns, TableRisks, table_risks
else:
    __getattr__, __dir__ = deferred(
        __name__,
        {
            ".guesses": ["Inference", "LEFT_OUT", "Linkability", "ask"],
            ".k_l_t": ["Diversity", "diversity"],
            ".unchanged_table": ["EVERY", "TableColumns", "TableRisks", "table_risks"],
            ".predicates": ["SinglingOut", "singling_out"],
            ".rates": ["ReleaseAttack", "ShareInterval", "Rate"],
        },
    )
    __getattr__ = find_old(__name__, __getattr__, Attack="ReleaseAttack", Interval="ShareInterval")

__all__ = [
    "EVERY",
    "LEFT_OUT",
    "Diversity",
    "Inference",
    "Linkability",
    "Rate",
    "ReleaseAttack",
    "ShareInterval",
    "SinglingOut",
    "TableColumns",
    "TableRisks",
    "ask",
    "diversity",
    "singling_out",
    "table_risks",
]
