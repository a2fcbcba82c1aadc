"""The sharpest bound for single columns that can be checked with whole numbers alone.

The linear relaxation of the worst case, with inequalities of blocks, that is sets of values
(`contingency/cuts.py`), gives dual prices. Rounded to whole multiples of 1 / SCALE they prove a
bound, whether good or bad (`check_margins.py`, which shares no code with this search). So an
inaccurate solver makes the bound worse, never wrong. The search is limited by rounds and by cells,
never by seconds. If the coverage bound is as good, it is returned: it needs no proof.
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

MOST_CELLS = 8_000  # limit of the cells of a joint table; larger tables get the coverage bound
# number of cached proofs and tables: a decision and its report need the same results
REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class MarginsCertificate:
    """A provable claim: at most `people` of `n` are exposed at `k` in any table with these columns.

    Attributes:
        people: upper bound on the exposed people.
        n: people counted.
        k: the smallest crowd in which no person is exposed.
        proof: prices of values and of blocks (sets of values), in the form of `check_margins`.
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

        Raises VerificationError where the counts are of another number of people, or the prices
        prove less.
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
    """Return the least bound for a joint that whole numbers prove: by coverage, or by prices.

    Args:
        marginals: counts of each column, all with one total n.
        k: crowd size, a whole number.

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

    Values without people are left out.
    """
    cells = 1
    for column in map(np.ravel, marginals):
        common = int((column >= k).sum())
        cells *= common + bool(((column > 0) & (column < k)).any())
    return cells


def bad_table(marginals: "Sequence[ArrayLike]", k: int) -> int:
    """Return the people exposed in one table with these column counts, which a heuristic finds.

    It is a lower bound on the worst case, so no upper bound can be below it.
    """
    return _exposed(tuple(tuple(map(int, np.ravel(column))) for column in marginals), k)


@lru_cache(maxsize=REMEMBERED)
def _exposed(columns: tuple[tuple[int, ...], ...], k: int) -> int:
    """Return the people exposed (in cells below k) in the heuristic's table with these columns.

    The result is cached by columns and k.
    """
    from ..contingency import frechet_class, heuristic_table

    return heuristic_table(frechet_class(columns, k), k).exposed(k)


@lru_cache(maxsize=REMEMBERED)
def _proof(columns: tuple[tuple[int, ...], ...], k: int) -> bytes:
    """Return the proof of a bound on exposed people, as JSON: dual prices of a relaxation."""
    from ..contingency import find_prices, frechet_class

    tables = frechet_class(columns, k)
    return _encoded_proof(find_prices(tables, k), tables.shape)


def _encoded_proof(proved: "Prices", shape: "Sequence[int]") -> bytes:
    """Return dual prices of values and blocks as the JSON that `check_margins` reads.

    shape: the number of values of each column.
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
    """Return a dual price as a whole multiple of 1 / SCALE, so that proofs are exact."""
    return round(float(price) * SCALE)
