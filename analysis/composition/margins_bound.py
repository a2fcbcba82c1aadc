"""The sharpest bound on exposed people, from single columns, that whole numbers alone can check.

The worst case is the most exposed people over all tables with these column counts. Its linear
relaxation has inequalities about blocks, sets of cells that cannot all be exposed
(`contingency/cuts.py`). The dual prices of this linear program, rounded to whole multiples of 1 /
SCALE, prove an upper bound. Any prices prove a valid bound, and good prices a small bound. So an
inaccurate solver makes the bound worse, never wrong. `check_margins.py` checks the proof, and
shares no code with this search.

The search is limited by rounds and by cells, never by seconds. The coverage bound (coverage.py)
needs no such proof, so it is returned if it is as good.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ...errors import VerificationError
from ..validation import whole
from .bounds import smallest_bound
from .certificate import Certificate
from .check_margins import SCALE, check_margins, proved_people

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ..contingency.prices import Prices

MOST_CELLS = 8_000  # limit of the cells of a joint table; larger tables get only the coverage bound
# number of cached proofs and tables, because a decision and its report need the same results
REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class MarginsCertificate:
    """A provable claim: at most `people` of `n` are exposed at `k` in any table with these columns.

    Attributes:
        people: upper bound on the exposed people.
        n: people counted.
        k: the smallest crowd in which no person is exposed.
        proof: dual prices of values and of blocks (sets of cells that cannot all be exposed), as
            JSON in the form that `check_margins` reads.
        rule: the name of the bound.
    """

    people: int
    n: int
    k: int
    proof: bytes
    rule: str = "margins"

    @property
    def value(self) -> float:
        """Upper bound on the share of people exposed."""
        return self.people / self.n

    def verify(self, marginals: "Sequence[ArrayLike]") -> None:
        """Prove the claim again from the counts of the columns and the certificate alone.

        Raises VerificationError if the counts are of another number of people, or if the dual
        prices in the certificate prove less.
        """
        counts = [[int(people) for people in np.ravel(column)] for column in marginals]
        if any(sum(column) != self.n for column in counts):
            raise VerificationError(
                f"certificate: is about {self.n:,} people; a column counts another number"
            )
        check_margins(counts, self.k, self.people, self.proof)

    def __str__(self) -> str:
        """Return the bound on exposed people in a sentence."""
        return f"at most {self.people:,} of {self.n:,} people exposed ({self.rule})"


def margins_bound(marginals: "Sequence[ArrayLike]", k: int) -> Certificate | MarginsCertificate:
    """Return the smaller of two bounds on the exposed people of any joint of these columns.

    The coverage bound (coverage.py) is a formula in the counts. The other bound follows from the
    dual prices of a linear program; it is computed for small joints, and whole numbers prove it.

    Args:
        marginals: counts of each column, all with one total n.
        k: people in the smallest crowd in which no person is exposed, a whole number.

    Raises:
        ParameterError: counts or k out of range.
    """
    k = whole(k, "k")
    plain = smallest_bound(marginals, k, "coverage")
    columns = [sorted(map(int, np.ravel(column)), reverse=True) for column in marginals]
    columns = [[people for people in column if people] for column in columns]
    small = joint_cells(columns, k) <= MOST_CELLS
    if len(columns) < 2 or not 1 < k <= plain.n or plain.people == 0 or not small:
        return plain
    proof = _proof(tuple(map(tuple, columns)), k)
    people = proved_people(columns, k, proof)
    return MarginsCertificate(people, plain.n, k, proof) if people < plain.people else plain


def joint_cells(marginals: "Sequence[ArrayLike]", k: int) -> int:
    """Return the number of cells of a joint, with values of fewer than k people merged.

    Values without people are left out. marginals: the counts of each column.
    """
    cells = 1
    for column in map(np.ravel, marginals):
        common = int((column >= k).sum())
        cells *= common + bool(((column > 0) & (column < k)).any())
    return cells


def bad_table(marginals: "Sequence[ArrayLike]", k: int) -> int:
    """Return the people exposed in one table with these column counts, found by a heuristic.

    The number is a lower bound on the worst case, so no valid upper bound can be below it.

    marginals: the counts of each column. k: people in the smallest cell that is not exposed.
    """
    return _exposed(tuple(tuple(map(int, np.ravel(column))) for column in marginals), k)


@lru_cache(maxsize=REMEMBERED)
def _exposed(columns: tuple[tuple[int, ...], ...], k: int) -> int:
    """Return the people in cells below k of the heuristic's table with these column counts.

    The heuristic looks for a table that exposes many people. The result is cached.
    """
    from ..contingency import frechet_class, heuristic_table

    return heuristic_table(frechet_class(columns, k), k).exposed(k)


@lru_cache(maxsize=REMEMBERED)
def _proof(columns: tuple[tuple[int, ...], ...], k: int) -> bytes:
    """Return the proof of a bound on exposed people, as JSON: dual prices of a linear program.

    columns: the counts of each column, in descending order.
    """
    from ..contingency import find_prices, frechet_class

    tables = frechet_class(columns, k)
    return _encoded_proof(find_prices(tables, k), tables.shape)


def _encoded_proof(proved: "Prices", shape: "Sequence[int]") -> bytes:
    """Return dual prices of values and blocks as the JSON that `check_margins` reads.

    A block is a set of cells that cannot all be exposed. shape: the number of values of each
    column.
    """
    prices, start = [], 0
    for size in shape:
        prices.append([_whole(price) for price in proved.margins[start : start + size]])
        start += size
    blocks = [
        [_whole(price), [[group[0], list(values)] for group, values in block.parts]]
        for block, price in proved.blocks
        if _whole(price)
    ]
    return json.dumps({"prices": prices, "blocks": blocks}, separators=(",", ":")).encode()


def _whole(price: float) -> int:
    """Return a constraint's multiplier as a whole multiple of 1 / SCALE, so proofs are exact."""
    return round(float(price) * SCALE)
