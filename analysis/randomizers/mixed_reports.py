"""Reports of people that each draw a randomizer (part) of several and name it in the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .randomizer import Randomizer, Symbols


@dataclass(frozen=True, slots=True, eq=False)
class MixedReports:
    """Reports of a `Mixture` or a `SampledFeature`: each person draws a randomizer of several.

    The randomizers are called parts.

    Attributes:
        choice: the index of the part that each person drew, shape (people,).
        reports: for each part the reports of the people that drew it, in order of people; None if
            no person drew it.
    """

    choice: Symbols
    reports: tuple[Any, ...]

    def __len__(self) -> int:
        """Return the number of reports, one for each person."""
        return len(self.choice)

    def rows(self, parts: Sequence[Randomizer]) -> Symbols:
        """Return each report's row number in the matrix of all reports, shape (people,).

        That matrix stacks the matrices of `parts`, the randomizers from which each person drew.
        """
        rows, offset = np.zeros(len(self), np.int64), 0
        for j, (part, part_reports) in enumerate(zip(parts, self.reports, strict=True)):
            if part_reports is not None:
                rows[self.choice == j] = offset + part.symbols(part_reports)
            offset += part.outputs
        return rows
