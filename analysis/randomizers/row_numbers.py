"""A limit on row numbers: a report's row in its randomizer's matrix must fit in 64 bits."""

from math import log2
from typing import Protocol

from ...errors import ParameterError

# Most different reports that can be numbered in 64 bits, with room for sums; more are refused.
MOST_ROWS = 1 << 62


class Rows(Protocol):
    """The part of a randomizer's interface that `check_rows` needs."""

    @property
    def outputs(self) -> int:
        """The number of different reports: rows of the matrix."""
        raise NotImplementedError


def check_rows(randomizer: Rows) -> None:
    """Refuse with a ParameterError a randomizer with more than 2^62 different reports.

    Reports are numbered as the rows of the randomizer's matrix, and these numbers must fit in 64
    bits.
    """
    if randomizer.outputs > MOST_ROWS:
        raise ParameterError(
            f"symbols: {randomizer} has 2^{log2(randomizer.outputs):.4g} different reports; at "
            "most 2^62 reports can be numbered, because a number has 64 bits"
        )
