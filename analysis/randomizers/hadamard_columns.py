"""Kinds of columns of Hadamard matrices, by the symbols' rows that have a 1 in them.

Hadamard response uses them to compute how well two symbols u and v are distinguished, and a third
symbol z of other people. H[x, y] = 1 if x and y have an even number of common bits, else -1. Two
rows of 1 .. b - 1 agree in half of the b columns. A third row is either their product, 1 where they
agree, or independent of the two: then every pattern of three has b / 8 columns. Rows of two blocks
have no column in common.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

# A kind of Hadamard columns: its share of a block's columns, and whether such a column supports the
# attacked person's two symbols u and v, and a third symbol z of other people.
Kind = tuple[float, bool, bool, bool]


def agree(columns: npt.NDArray[Any], rows: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return a mask: whether H[row, column] = 1, that is, an even number of common bits."""
    return np.asarray(np.bitwise_count(columns & rows) % 2 == 0)


def same_block_kinds() -> list[Kind]:
    """Return the kinds of columns for two symbols u and v with rows in one block.

    A kind is a share of the columns, and whether such a column supports u, v and a third symbol.
    """
    return [(0.25, u, v, False) for u in (True, False) for v in (True, False)]


def product() -> list[Kind]:
    """Return the kinds of columns for two rows of one block and their product, the row of z."""
    return [(0.25, u, v, u == v) for u in (True, False) for v in (True, False)]


def independent() -> list[Kind]:
    """Return the kinds of columns for three independent rows of a block.

    No row is the product of the other two.
    """
    return [(share / 2, u, v, z) for share, u, v, _ in same_block_kinds() for z in (True, False)]


def two_block_kinds() -> list[Kind]:
    """Return the kinds of columns for two symbols u and v with rows in different blocks.

    A kind is a share of the columns, and whether such a column supports u, v and a third symbol.
    """
    halves = (True, False)
    return [(0.5, u, False, False) for u in halves] + [(0.5, False, v, False) for v in halves]


def near_v() -> list[Kind]:
    """Return the kinds of columns for u in one block, and v and a third symbol z in another."""
    further_kinds = [(0.25, False, v, z) for v in (True, False) for z in (True, False)]
    return [*two_block_kinds()[:2], *further_kinds]


def with_other_block(kinds: Sequence[Kind]) -> list[Kind]:
    """Return these kinds of columns, and the kinds in a block that has only a third symbol z."""
    return [*kinds, (0.5, False, False, True), (0.5, False, False, False)]
