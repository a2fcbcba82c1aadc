"""Reports by randomizers that each user draws and names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .randomizer import Randomizer, Symbols


@dataclass(frozen=True, slots=True, eq=False)
class MixedReports:
    """Reports of a mixture, or of one feature of several.

    Attributes:
        choice: the part of each person, shape (people,).
        reports: for each part the reports of its users, in order of people; None without users.
    """

    choice: Symbols
    reports: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.choice)

    def rows(self, parts: Sequence[Randomizer]) -> Symbols:
        """Row numbers, shape (people,): the rows of the parts one after another."""
        rows, offset = np.zeros(len(self), np.int64), 0
        for j, (part, part_reports) in enumerate(zip(parts, self.reports, strict=True)):
            if part_reports is not None:
                rows[self.choice == j] = offset + part.symbols(part_reports)
            offset += part.outputs
        return rows
