"""The sharpest promise of single columns that anybody checks with whole numbers alone.

The linear relaxation of the worst case, with inequalities of blocks (`contingency/cuts.py`), gives
prices; rounded to whole multiples of 1 / SCALE they prove a bound, whatever they are
(`check_margins.py`, which shares nothing with this search). So an inaccurate solver makes the bound
worse, never wrong. The search is limited by rounds and by cells, never by seconds. Where the
coverage bound says as little or less, that is given: it needs no proof.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ..validation import whole
from .bounds import best_bound
from .certificate import Certificate
from .check_margins import SCALE, proved_people

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ..contingency.prices import Prices

MOST_CELLS = 8_000  # of a joint that is looked at; of larger ones, coverage
REMEMBERED = 256  # proofs, and tables, that a process keeps: who decides and reports asks again


@dataclass(frozen=True, slots=True)
class MarginsCertificate:
    """At most `people` of `n` are exposed at `k` in any table with these columns.

    Attributes:
        people: at most so many are exposed.
        n: people who were counted.
        k: the smallest crowd in which nobody is exposed.
        proof: prices and blocks, as `check_margins` reads them.
        rule: the name of the bound.
    """

    people: int
    n: int
    k: int
    proof: bytes
    rule: str = "margins"

    @property
    def value(self) -> float:
        """Share of people exposed, at most."""
        return self.people / self.n

    def __str__(self) -> str:
        return f"at most {self.people:,} of {self.n:,} people exposed ({self.rule})"


def margins_bound(marginals: "Sequence[ArrayLike]", k: int) -> Certificate | MarginsCertificate:
    """The least that whole numbers prove of a joint: by coverage, or by prices.

    Args:
        marginals: counts of each column, all with one total n.
        k: crowd size, a whole number.

    Raises:
        ParameterError: counts or k out of range.
    """
    k = whole(k, "k")
    plain = best_bound(marginals, k, "coverage")
    columns = [sorted(map(int, np.ravel(column)), reverse=True) for column in marginals]
    columns = [[people for people in column if people] for column in columns]
    small = joint_cells(columns, k) <= MOST_CELLS
    if len(columns) < 2 or not 1 < k <= plain.n or plain.people == 0 or not small:
        return plain
    proof = _proof(tuple(map(tuple, columns)), k)
    people = proved_people(columns, k, proof)
    return MarginsCertificate(people, plain.n, k, proof) if people < plain.people else plain


def joint_cells(marginals: "Sequence[ArrayLike]", k: int) -> int:
    """Cells of a joint once values of fewer than k people are one value; zeros are left out."""
    cells = 1
    for column in map(np.ravel, marginals):
        common = int((column >= k).sum())
        cells *= common + bool(((column > 0) & (column < k)).any())
    return cells


def bad_table(marginals: "Sequence[ArrayLike]", k: int) -> int:
    """People exposed in a table with these columns that is made at once: no bound is below."""
    return _exposed(tuple(tuple(map(int, np.ravel(column))) for column in marginals), k)


@lru_cache(maxsize=REMEMBERED)
def _exposed(columns: tuple[tuple[int, ...], ...], k: int) -> int:
    from ..contingency import frechet_class, heuristic_table

    return heuristic_table(frechet_class(columns, k), k).exposed(k)


@lru_cache(maxsize=REMEMBERED)
def _proof(columns: tuple[tuple[int, ...], ...], k: int) -> bytes:
    """Prices and blocks by the relaxation."""
    from ..contingency import find_prices, frechet_class

    tables = frechet_class(columns, k)
    return _written(find_prices(tables, k), tables.shape)


def _written(proved: "Prices", shape: "Sequence[int]") -> bytes:
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
    return round(float(price) * SCALE)
