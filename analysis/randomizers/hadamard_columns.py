"""Kinds of columns of Hadamard matrices: whether a column has a 1 in the rows of certain symbols.

In Hadamard response each symbol has a row of a Hadamard matrix, and a report is a column. The
column supports the symbols with a 1 in it. Symbols may be divided into blocks, each with a matrix
of its own. Bounds after shuffling need to know how many columns support two symbols u and v of the
attacked person and a third symbol z of other people.

H[x, y] = 1 if the binary numbers x and y have an even number of common 1-bits, else -1. In a matrix
with b columns, two different rows of 1 .. b - 1 agree in half of the columns. A third row is either
the product of these two, so it is 1 where they agree, or independent of them. If it is independent,
each of the eight patterns of the three rows occurs in b / 8 columns. A column belongs to a single
block, so it does not support symbols of two blocks.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

# A kind of columns of a Hadamard matrix: the number of these columns as a share of a matrix's
# columns, and whether they have a 1 in the rows of (that is, support) the attacked person's two
# symbols u and v, and a third symbol z of other people.
Kind = tuple[float, bool, bool, bool]


def agree(columns: npt.NDArray[Any], rows: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return a mask: whether the Hadamard matrix has a 1 at each row and column.

    An entry is 1 if the binary numbers of row and column have an even number of common 1-bits.

    columns, rows: numbers of columns and rows, arrays that broadcast to the shape of the mask.
    """
    return np.asarray(np.bitwise_count(columns & rows) % 2 == 0)


def same_block_kinds() -> list[Kind]:
    """Return the kinds of columns for two symbols u and v with rows in the same Hadamard matrix.

    A kind is a share of the columns, and three flags. The flags say whether the columns have a 1 in
    the rows of u, of v and of a third symbol; the third flag is False here.
    """
    return [(0.25, u, v, False) for u in (True, False) for v in (True, False)]


def product() -> list[Kind]:
    """Return the kinds of columns if the row of symbol z is the product of the rows of u and v.

    The three rows are in the same Hadamard matrix. So a column has a 1 for z if its entries for u
    and v are equal. A kind is a share of the columns, and whether they have a 1 for u, v and z.
    """
    return [(0.25, u, v, u == v) for u in (True, False) for v in (True, False)]


def independent() -> list[Kind]:
    """Return the kinds of columns for three independent rows of a Hadamard matrix.

    No row is the product of the other two. A kind is a share of the columns, and whether they have
    a 1 in each of the rows.
    """
    return [(share / 2, u, v, z) for share, u, v, _ in same_block_kinds() for z in (True, False)]


def two_block_kinds() -> list[Kind]:
    """Return the kinds of columns for two symbols u and v with rows in different matrices.

    Each block of symbols has a Hadamard matrix of its own. A kind is a number of columns, as a
    share of a matrix's columns, and three flags. The flags say whether the columns have a 1 in the
    rows of u, of v and of a third symbol; the third flag is False here.
    """
    halves = (True, False)
    return [(0.5, u, False, False) for u in halves] + [(0.5, False, v, False) for v in halves]


def near_v() -> list[Kind]:
    """Return the kinds of columns if v and a third symbol z share a block that u is not in.

    Each block of symbols has a Hadamard matrix of its own. A kind is a number of columns, as a
    share of a matrix's columns, and three flags. The flags say whether the columns have a 1 in the
    rows of u, v and z.
    """
    further_kinds = [(0.25, False, v, z) for v in (True, False) for z in (True, False)]
    return [*two_block_kinds()[:2], *further_kinds]


def with_other_block(kinds: Sequence[Kind]) -> list[Kind]:
    """Return the given kinds of columns, and the kinds of a block with a third symbol z.

    Each block of symbols has a Hadamard matrix of its own. The block of z has neither of the
    attacked person's two symbols. A kind is a number of columns, as a share of a matrix's columns,
    and three flags. The flags say whether the columns have a 1 in the rows of the two symbols and
    of z.

    kinds: the kinds of columns of the two symbols' blocks.
    """
    return [*kinds, (0.5, False, False, True), (0.5, False, False, False)]
