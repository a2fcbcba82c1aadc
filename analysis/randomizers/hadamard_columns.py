"""Columns of Hadamard matrices by the rows that have a 1 in them.

H[x, y] = 1 where x and y have an even number of common bits, else -1. Two rows of 1 .. b - 1 agree
in half of the b columns. A third row is either their product, 1 where they agree, or independent of
both: then every pattern of three has b / 8 columns. Rows of two blocks have no column in common.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

# Columns of one kind as a share of a block, and whether they support u, v and z.
Kind = tuple[float, bool, bool, bool]


def agree(columns: npt.NDArray[Any], rows: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return a mask of H = 1: an even number of common bits."""
    return np.asarray(np.bitwise_count(columns & rows) % 2 == 0)


def same_block_kinds() -> list[Kind]:
    """Two rows of one block."""
    return [(0.25, u, v, False) for u in (True, False) for v in (True, False)]


def product() -> list[Kind]:
    """Two rows of one block, and the row that is 1 where they agree."""
    return [(0.25, u, v, u == v) for u in (True, False) for v in (True, False)]


def independent() -> list[Kind]:
    """Return three rows of a block, none of them the product of the other two."""
    return [(share / 2, u, v, z) for share, u, v, _ in same_block_kinds() for z in (True, False)]


def two_block_kinds() -> list[Kind]:
    """Rows of two blocks."""
    halves = (True, False)
    return [(0.5, u, False, False) for u in halves] + [(0.5, False, v, False) for v in halves]


def near_v() -> list[Kind]:
    """A row of a block, and two of another block."""
    further_kinds = [(0.25, False, v, z) for v in (True, False) for z in (True, False)]
    return [*two_block_kinds()[:2], *further_kinds]


def with_other_block(kinds: Sequence[Kind]) -> list[Kind]:
    """The same, and a row of a block that has neither."""
    return [*kinds, (0.5, False, False, True), (0.5, False, False, False)]
