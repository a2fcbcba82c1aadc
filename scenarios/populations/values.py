"""The meaning of texts of a column: numbers, dates, missing values."""

import re
import unicodedata
from collections.abc import Collection, Sequence

from ...protocol.wire.coarsening import COMPACT, NUMBER
from .column_words import missing_words

DATE = re.compile(
    r"\d{4}-\d{1,2}(-\d{1,2})?([T ]\d{1,2}:\d{2}.*)?|\d{1,2}([./-])\d{1,2}\3\d{4}|"
    f"{COMPACT.pattern}"
)
UNKNOWN = missing_words()  # texts that stand for a missing value, in small letters
NO_NUMBER = frozenset(("-1", "-9", "-99", "-999", "999", "9999"))
MAX_CATEGORIES = 12  # a column with at most so many different numbers is read as categories
# least share of a column's values that are numbers (or dates, or codes) to give it that kind
KIND_SHARE = 0.95


def composed(text: str) -> str:
    """Return a text with each letter and its accent as one sign (Unicode's NFC)."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def numbers_of(texts: Sequence[str]) -> list[float] | None:
    """Return texts as numbers; None if a text is no number, or there is no text."""
    if not texts or not all(map(NUMBER.fullmatch, texts)):
        return None
    return [float(text) for text in texts]


def outlying_numbers(texts: Collection[str]) -> list[str]:
    """Return numbers such as -1 or 999 that are probably codes for a missing value.

    They lie far from all other values of the column. texts: the column's values. [] if the column
    has few different numbers, or other texts than numbers.
    """
    numbers = {text for text in texts if NUMBER.fullmatch(text)}
    rest = [float(text) for text in numbers - NO_NUMBER]
    if not rest or len(numbers) <= MAX_CATEGORIES or len(numbers) < KIND_SHARE * len(texts):
        return []
    low, high = min(rest), max(rest)
    return [
        text
        for text in sorted(numbers & NO_NUMBER)
        if float(text) < 0 <= low or float(text) > high + (high - low) / 2
    ]
