"""Randomizers with a number as report, below the number of reports, written in hex."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .randomizer import Randomizer, Symbols


class Numbered(Randomizer):
    """A randomizer with a report that is a number, 0 .. outputs - 1, written in hexadecimal."""

    __slots__ = ()

    @property
    def text_width(self) -> int:
        """The number of hexadecimal digits of the largest report."""
        return len(f"{self.outputs - 1:x}")

    def encode(self, reports: Symbols, domain: Sequence[str]) -> list[str]:  # noqa: ARG002 - of values
        """Return each report as hexadecimal text of `text_width` digits."""
        return [f"{report:0{self.text_width}x}" for report in reports.tolist()]

    def decode(self, texts: Sequence[str]) -> Symbols:
        """Return reports from hexadecimal texts; numbers from `outputs` on are left out."""
        numbers = np.array([int(text, 16) for text in texts], np.int64)
        return np.asarray(numbers[numbers < self.outputs])
