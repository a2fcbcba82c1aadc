"""What texts of a column mean: numbers, dates, codes of one length."""

import re
from collections.abc import Sequence

from ...protocol.coarsening import NUMBER

DATE = re.compile(r"\d{4}-\d{1,2}(-\d{1,2})?([T ]\d{1,2}:\d{2}.*)?|\d{1,2}([./-])\d{1,2}\3\d{4}")


def numbers_of(texts: Sequence[str]) -> list[float] | None:
    """The numbers that texts are; None if one is none, or there is none."""
    if not texts or not all(map(NUMBER.fullmatch, texts)):
        return None
    return [float(text) for text in texts]
