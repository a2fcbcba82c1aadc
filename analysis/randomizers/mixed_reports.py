"""Reports by one of several randomizers, which each user draws and names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .randomizer import Randomizer, Symbols


@dataclass(frozen=True, slots=True, eq=False)
class MixedReports:
    """Reports of a mixture, or of one feature of several.

    Attributes:
        choice: which part each person used, shape (people,).
        reports: for each part the reports of those who used it, in order of people; None if nobody.
    """

    choice: Symbols
    reports: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.choice)

    def rows(self, parts: Sequence[Randomizer]) -> Symbols:
        """Row numbers, shape (people,): the rows of the parts one after another."""
        rows, offset = np.zeros(len(self), np.int64), 0
        for j, (part, own) in enumerate(zip(parts, self.reports, strict=True)):
            if own is not None:
                rows[self.choice == j] = offset + part.symbols(own)
            offset += part.outputs
        return rows
