"""Randomizers with reports that are whole numbers from 0, written as hexadecimal text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .randomizer import Randomizer, Symbols


class Numbered(Randomizer):
    """A randomizer with whole numbers 0 .. `outputs` - 1 as reports, in hexadecimal text."""

    __slots__ = ()

    @property
    def text_width(self) -> int:
        """The number of hexadecimal digits of the largest report."""
        return len(f"{self.outputs - 1:x}")

    def encode(self, reports: Symbols, domain: Sequence[str]) -> list[str]:  # noqa: ARG002 - unused here
        """Return each report as hexadecimal text of `text_width` digits."""
        return [f"{report:0{self.text_width}x}" for report in reports.tolist()]

    def decode(self, texts: Sequence[str]) -> Symbols:
        """Return reports from hexadecimal texts; numbers that are no report are left out."""
        numbers = np.array([int(text, 16) for text in texts], np.int64)
        return np.asarray(numbers[numbers < self.outputs])
