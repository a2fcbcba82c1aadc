"""Values of a release that was made elsewhere, and the original values that each may stand for.

A released value stands for every original value that it is or contains:

    itself                     also as a number (67 and 67.0), or in capitals, unless that original
                               value is released too
    interval                   20 to 29, 20 to below 30, below 18, 65 or more, 20-29, [20, 30[,
                               [20, 30), ]20, 30], <18, >=65, 65+
    part of a date             2019-05, 2019, 2010s
    cut code                   101*, 1011**
    set                        {a, b, c}
    level of a hierarchy       of a file for this column, as ARX has them
    (missing)                  an empty cell, a word for missing, numbers such as -1
    (other)                    every original value that no other released value stands for
    *                          every value

An empty cell or a word for missing stands for the missing cells of the original, if the
original has at least as many. Otherwise it stands for every value, because the release
then hides values in this way.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..analysis.release_risks.compatible_rows import NO_VALUE, CompatibleColumn
from ..errors import DataError
from ..protocol.wire.coarsening import NUMBER, Date, Unit
from ..scenarios.populations.people import Codes
from ..scenarios.populations.values import DATE, UNKNOWN, outlying_numbers

STAR, OTHER_TEXT, MISSING = "*", "(other)", "(missing)"
# most comparisons of released with original values, for one column; more raise DataError
PAIRS = 50_000_000
N = r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))"
BRACKETS = re.compile(rf"([\[\]\(])\s*{N}\s*(?:[,;]|-|–)\s*{N}\s*([\[\]\)])")
RANGE = re.compile(rf"{N}\s*(?:(to below)|to|-|–|\.\.)\s*{N}")
BELOW = re.compile(rf"(?:below|<|under)\s*{N}")
UP_TO = re.compile(rf"(?:<=|≤)\s*{N}")
ABOVE = re.compile(rf"(?:>|over)\s*{N}")
AT_LEAST = re.compile(rf"(?:>=|≥)\s*{N}|{N}\s*(?:or more|\+)")
QUOTED = re.compile(r"'[-+=@]")  # a quote that keeps a spreadsheet from reading a formula
PART_OF_DATE = re.compile(r"\d{4}(-\d{2})?|\d{3}0s")
SET = re.compile(r"\{(.*)\}")
Interval = tuple[float, float, bool, bool]  # low and high end, and whether each is inside
Fits = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class ValueTexts:
    """The different texts of a column, each with its number of cells.

    Attributes:
        texts: a text for each code.
        cells: number of cells of each code, shape (values,).
    """

    texts: tuple[str, ...]
    cells: NDArray[np.int64]

    @classmethod
    def from_column(cls, texts: tuple[str, ...], codes: Codes) -> "ValueTexts":
        """Return the texts of a column with their cells counted."""
        return cls(texts, np.bincount(codes, minlength=len(texts)))


@dataclass(frozen=True, slots=True)
class FittedColumn:
    """A column of a release, matched with the original's column of that name.

    Attributes:
        column: the original values that each released value may stand for.
        equal_codes: the code of the equal original text of each released value, or
            NO_VALUE.
        coarser: number of released values that stand for other original values than
            themselves.
        strange: released texts that stand for no original value.
    """

    column: CompatibleColumn
    equal_codes: NDArray[np.int64]
    coarser: int
    strange: tuple[str, ...]


def interval_of(text: str) -> Interval | None:
    """Return the interval that a text states, such as `20 to 29`; None for other texts.

    The result: low end, high end, whether the low end belongs to it, whether the high end
    does.
    """
    if match := BRACKETS.fullmatch(text):
        return float(match[2]), float(match[3]), match[1] == "[", match[4] == "]"
    if match := RANGE.fullmatch(text):
        return float(match[1]), float(match[3]), True, match[2] is None
    for pattern, low, inside in ((BELOW, False, False), (UP_TO, False, True)):
        if match := pattern.fullmatch(text):
            return float("-inf"), float(match[1]), low, inside
    if match := ABOVE.fullmatch(text):
        return float(match[1]), float("inf"), False, False
    if match := AT_LEAST.fullmatch(text):
        return float(match[1] or match[2]), float("inf"), True, False
    return None


def fit_column(
    name: str,
    original: ValueTexts,
    released: ValueTexts,
    hierarchy: Mapping[str, Sequence[str]] | None = None,
) -> FittedColumn:
    """Return, for each released value of a column, the original values that it may stand for.

    Args:
        name: of the column, for messages.
        original: the values of the column in the original.
        released: the values of the column in the release.
        hierarchy: for each original value its generalization levels, finest first; None: no
            hierarchy file.

    Raises:
        DataError: too many pairs of values would have to be compared.
    """
    return _Fit(name, original, released, hierarchy).column()


class _Fit:
    """The matching of the released values of a column with its original values.

    Original values are looked up by their text, as a number, without case and spaces, and
    by level of the hierarchy.
    """

    def __init__(
        self,
        name: str,
        original: ValueTexts,
        released: ValueTexts,
        hierarchy: Mapping[str, Sequence[str]] | None,
    ) -> None:
        """Index the original values by text, number, plain text, and hierarchy level.

        Plain text has no difference of case and spaces.
        """
        self.name, self.original, self.released = name, original, released
        self.code = {text: code for code, text in enumerate(original.texts)}
        released_texts = set(released.texts)
        # An original text that is released unchanged stands for itself. So only the other original
        # texts are matched as numbers, or without case and spaces.
        self.free = [t for t in original.texts if t not in released_texts]
        self.numbers = np.array([_number(text) for text in original.texts])
        self.by_number, self.by_fold = defaultdict[float, list[int]](list), defaultdict(list)
        for text in self.free:
            self.by_fold[_folded(text)].append(self.code[text])
            if not np.isnan(number := _number(text)):
                self.by_number[number].append(self.code[text])
        self.by_level = defaultdict[str, list[int]](list)
        for text, levels in (hierarchy or {}).items():
            for level in levels[1:]:
                if text in self.code:
                    self.by_level[level].append(self.code[text])
        self.compared = 0

    def column(self) -> FittedColumn:
        """Return the matched column: the original values of every released value."""
        texts = self.released.texts
        equal_codes = np.array([self.code.get(text, NO_VALUE) for text in texts], np.int64)
        fits = {code: self._originals(text) for code, text in enumerate(texts)}
        fits |= self._missing()
        covered = {
            a
            for fitting_codes in fits.values()
            if fitting_codes is not None
            for a in fitting_codes.tolist()
        }
        for code, text in enumerate(texts):
            if text == OTHER_TEXT and not len(_codes_or_empty(fits[code])):
                rest = [a for a in range(len(self.original.texts)) if a not in covered]
                fits[code] = np.array(rest, np.int64)
        return FittedColumn(
            CompatibleColumn.from_values(
                [fits[code] for code in range(len(texts))], len(self.original.texts)
            ),
            equal_codes,
            sum(
                fitting_codes is None or fitting_codes.tolist() != [equal_codes[code]]
                for code, fitting_codes in fits.items()
                if fitting_codes is None or len(fitting_codes)
            ),
            tuple(
                texts[c]
                for c, fitting_codes in fits.items()
                if fitting_codes is not None and not len(fitting_codes)
            ),
        )

    def _missing(self) -> dict[int, NDArray[np.int64] | None]:
        """Return, for each released text that means missing, the codes of its original values.

        None if the text may stand for any value, because the release has more missing cells
        than the original.
        """
        texts, original_texts = self.released.texts, self.original.texts
        lacking = [a for a, text in enumerate(original_texts) if _is_missing(text)]
        odd = [
            self.code[text]
            for text in outlying_numbers([t for t in original_texts if not _is_missing(t)])
        ]
        labels = [code for code, text in enumerate(texts) if _is_missing(text)]
        wide = [*lacking, *odd] if MISSING in texts else lacking
        if not labels:
            return {}
        if self.released.cells[labels].sum() > self.original.cells[wide].sum():
            return dict.fromkeys(labels)
        return {
            code: np.array(wide if texts[code] == MISSING else lacking, np.int64) for code in labels
        }

    def _originals(self, text: str) -> NDArray[np.int64] | None:
        """Return the codes of the original values that a released text may stand for.

        None if the text may stand for every value.
        """
        text = text[1:] if QUOTED.match(text) else text
        if text and not text.strip(STAR):
            return None
        codes = {*self.by_fold.get(_folded(text), ()), *self.by_level.get(text, ())}
        if text in self.code:
            return np.array(sorted({*codes, self.code[text]}), np.int64)
        if not np.isnan(number := _number(text)):
            codes.update(self.by_number.get(number, ()))
        if (interval := interval_of(text)) is not None:
            codes.update(_within(self.numbers, interval).tolist())
        for fits in _rules(text):
            self._compare()
            codes.update(
                a for a, original_text in enumerate(self.original.texts) if fits(original_text)
            )
        return np.array(sorted(codes), np.int64)

    def _compare(self) -> None:
        """Count the comparisons of a text with all original values; DataError for too many."""
        self.compared += len(self.original.texts)
        if self.compared > PAIRS:
            raise DataError(
                f"column {self.name!r}: more than {PAIRS:,} pairs of a released and an original "
                "value would be compared; a hierarchy for it names the released values "
                f"(--hierarchy {self.name}=FILE)"
            )


def _rules(text: str) -> list[Fits]:
    """Return functions that test whether a released text may stand for an original text.

    text: the released text, such as `101*`, which may stand for `1012`.
    """
    rules = list[Fits]()
    if STAR in text:
        pattern = re.compile(".*".join(map(re.escape, re.split(r"\*+", text))), re.DOTALL)
        rules.append(lambda original_text: pattern.fullmatch(original_text) is not None)
    if match := SET.fullmatch(text):
        members = {member.strip() for member in match[1].split(",")}
        rules.append(lambda original_text: original_text in members)
    if PART_OF_DATE.fullmatch(text):
        dates = (Date(unit, day_first) for unit in Unit for day_first in (True, False))
        rules += (partial(_has_part, date, text) for date in dates)
    return rules


def _has_part(date: Date, text: str, original_text: str) -> bool:
    """Whether an original text is a date in the released month, year or decade.

    date: the rule that makes a date coarser. text: the released part of a date.
    """
    return DATE.fullmatch(original_text) is not None and date.apply(original_text) == text


def _within(numbers: NDArray[np.float64], interval: Interval) -> NDArray[np.intp]:
    """Return the indices of the numbers in an interval; nan is in no interval."""
    low, high, low_in, high_in = interval
    above = numbers >= low if low_in else numbers > low
    return np.flatnonzero(above & (numbers <= high if high_in else numbers < high))


def _codes_or_empty(codes: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return codes, or an empty array for None."""
    return np.zeros(0, np.int64) if codes is None else codes


def _is_missing(text: str) -> bool:
    """Whether a text means that a value is missing."""
    return not text or text == MISSING or text.casefold() in UNKNOWN


def _number(text: str) -> float:
    """Return the number that a text states; nan for any other text."""
    return float(text) if NUMBER.fullmatch(text) else float("nan")


def _folded(text: str) -> str:
    """Return a text without differences of case and spaces, to compare it with other texts."""
    return " ".join(text.casefold().split())
