"""Numbers of reports: which row of its randomizer's matrix a report is, if 64 bits hold it."""

from math import log2
from typing import Protocol

from ...errors import ParameterError

# Limit of the different reports with 64-bit numbers, with room for sums.
MOST_ROWS = 1 << 62


class Rows(Protocol):
    """A randomizer, as far as its reports are numbered."""

    @property
    def outputs(self) -> int:
        """The number of different reports."""
        raise NotImplementedError


def check_rows(randomizer: Rows) -> None:
    """Refuse with a ParameterError to number more than 2^62 different reports."""
    if randomizer.outputs > MOST_ROWS:
        raise ParameterError(
            f"symbols: {randomizer} has 2^{log2(randomizer.outputs):.4g} different reports; needs "
            "at most 2^62, whose numbers are of 64 bits"
        )
