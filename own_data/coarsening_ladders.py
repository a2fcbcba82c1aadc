"""Ladders for the columns of a table: the generalization levels of each, from fine to coarse.

    numbers     intervals of 5, 10, 20, 40 (and similar widths at other scales)
    dates       month, year, decade
    codes       one character less at a time; numbers of a register (`roles.key_like`) not at all
    categories  values of fewer and fewer people are merged
    hierarchy   the levels of its file

Changes without loss come first. They merge spellings that differ only in case or
spaces, and turn words such as "unknown" into missing values. Rules of a scenario's
`[[feature]]` make every level, so people can answer a run's query at any level. The
loss of a level is half the share of entropy lost, and 1 if the column is dropped: a
coarse age still carries information.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import convert

from ..analysis.advice import Ladder, LadderLevel
from ..analysis.advice.ladder import Codes, entropy, entropy_losses, nested
from ..errors import DataError
from ..protocol.wire.coarsening import NUMBER, coarsened
from ..scenarios.populations.coarsening import in_words, levels, rules_of
from ..scenarios.populations.column_forms import number_spellings
from ..scenarios.populations.column_words import cut
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.roles import key_like
from ..scenarios.populations.values import (
    DATE,
    KIND_SHARE,
    MAX_CATEGORIES,
    UNKNOWN,
    outlying_numbers,
)
from ..scenarios.schema.model import FeatureSection

AS_IS, DROPPED = "as it is", "dropped"
# The loss of a coarser column is its share of entropy lost times this factor. So it is below 1, the
# loss of a dropped column, which gives no information at all.
PARTIAL_WEIGHT = 0.5
# largest share of people below the first interval's edge, or above the last one's: outliers get no
# intervals of their own
TAIL = 0.01
WIDTHS = (5, 10, 20, 40)
CODE = re.compile(r"[A-Z0-9]{3,12}")
CODED = frozenset(("zip", "zipcode", "postcode", "postal", "plz", "icd", "code"))
# A category column gets a level for each share, with its rare values merged: those of fewer people
# than this share of all people.
RARE = (0.001, 0.005, 0.02, 0.05)


@dataclass(frozen=True, slots=True)
class LadderColumn:
    """A column with its ladder, the levels of generalization from fine to coarse.

    Attributes:
        ladder: the levels and their losses.
        steps: for each level, its rule as keys of a scenario's `[[feature]]`, such as
            {"prefix": 2}; None: the level drops the column.
    """

    ladder: Ladder
    steps: tuple[dict[str, Any] | None, ...]

    def feature(self, level: int) -> FeatureSection | None:
        """Return the column at a generalization level, as a feature of a scenario.

        level: 0 is the finest. None if the level drops the column.
        """
        keys = self.steps[level]
        return None if keys is None else _feature(self.ladder.column, keys)


def column(
    table: SourceTable,
    j: int,
    k: int,
    missing: str,
    hierarchy: Path | None = None,
    weight: float = 1.0,
) -> LadderColumn:
    """Return column `j` of a table with its ladder: its generalization levels, fine to coarse.

    k: people in the smallest safe class; a level of a category column merges the values of
    fewer people. missing: the value of an empty cell. hierarchy: a file with the column's
    levels; DataError if it does not fit. weight: the weight of the column's loss among all
    columns. Levels that merge no value or all values are left out.
    """
    name, texts = table.columns[j], table.values[j]
    people = table.people_by(table.codes[:, j], len(texts))
    clean = _clean(texts, missing)
    steps: list[dict[str, Any]] = [clean]
    levels = [_codes(name, clean, texts, people, missing)]
    # A level merges the values of fewer than k people. At most n people have a value, so every k
    # above n merges all values, as n + 1 does.
    fewest = min(k, table.n + 1)
    for more in _coarser(name, texts, people, fewest, missing, hierarchy, clean):
        try:
            codes = _codes(name, more, texts, people, missing)
        except DataError:
            if hierarchy is not None:
                raise
            continue  # skip a rule that does not apply to the column's values
        if 1 < codes.max() + 1 < levels[-1].max() + 1 and nested(levels[-1], codes):
            steps.append(more)
            levels.append(codes)
    levels.append(np.zeros(len(texts), np.int64))
    losses = np.maximum.accumulate(entropy_losses(people, levels)) * PARTIAL_WEIGHT
    losses[-1] = 1.0
    names = [*(_name(name, step) for step in steps), DROPPED]
    rungs = zip(names, levels, losses.tolist(), strict=True)
    ladder = Ladder(name, tuple(LadderLevel(*rung) for rung in rungs), weight)
    return LadderColumn(ladder, (*steps, None))


def given_column(
    table: SourceTable, j: int, keys: Mapping[str, Any] | None, missing: str
) -> LadderColumn:
    """Return a column with at most three generalization levels: as it is, given, dropped.

    j: position of the column in the table. keys: the rule of the given level, as keys of a
    scenario's `[[feature]]`, such as {"prefix": 2}; None: no such level. missing: the value
    of an empty cell. DataError if the rule does not fit the column's values.
    """
    name, texts = table.columns[j], table.values[j]
    people = table.people_by(table.codes[:, j], len(texts))
    steps = [dict[str, Any](), *([dict(keys)] if keys else [])]
    levels = [_codes(name, step, texts, people, missing) for step in steps]
    levels.append(np.zeros(len(texts), np.int64))
    losses = np.maximum.accumulate(entropy_losses(people, levels)) * PARTIAL_WEIGHT
    losses[-1] = 1.0
    names = [*(_name(name, step) for step in steps), DROPPED]
    rungs = zip(names, levels, losses.tolist(), strict=True)
    weight = max(1e-6, entropy(people) ** 0.5)
    ladder = Ladder(name, tuple(LadderLevel(*rung) for rung in rungs), weight)
    return LadderColumn(ladder, (*steps, None))


def given_feature(name: str, keys: Mapping[str, Any]) -> FeatureSection:
    """Return a column as a `[[feature]]` section of a scenario, with its rule of generalization.

    keys: the rule as keys of that section; {"prefix": 2} keeps the first two characters.
    ValueError for unknown keys.
    """
    return _feature(name, keys)


def _feature(name: str, keys: Mapping[str, Any]) -> FeatureSection:
    """Return a feature of a scenario: a column's name with the keys of its rules."""
    return convert({"name": name, **keys}, FeatureSection)


def _name(name: str, keys: Mapping[str, Any]) -> str:
    """Return the name of a level in words, such as "intervals of 10", from the keys of its rule."""
    return in_words(_feature(name, keys)) or AS_IS


def _codes(
    name: str, keys: Mapping[str, Any], texts: Sequence[str], people: Codes, missing: str
) -> Codes:
    """Return, for each value of a column, the code of its coarser value, from 0.

    name: name of the column. keys: the rule of generalization, as keys of a scenario's
    `[[feature]]`. texts: the values. people: the people with each value. missing: the value
    of an empty cell.
    """
    rules = rules_of(_feature(name, keys), texts, people.tolist(), missing)
    place: dict[str, int] = {}
    coarse_texts = [coarsened(rules, text) for text in texts]
    return np.array([place.setdefault(text, len(place)) for text in coarse_texts], np.int64)


def _clean(texts: Sequence[str], missing: str) -> dict[str, Any]:
    """Return the rules that change a column without loss, as keys of a scenario's `[[feature]]`.

    The rules merge spellings that differ in case or spaces, and words that mean missing.
    """
    clean: dict[str, Any] = {}
    known_texts = [text for text in texts if text != missing]
    parts = [part for part, changed in _spellings(known_texts) if changed]
    if parts:
        clean["fold"] = parts
    folded = {text.casefold() if "case" in parts else text for text in known_texts}
    lacking = sorted(text for text in folded if text.casefold() in UNKNOWN) + outlying_numbers(
        known_texts
    )
    if lacking:
        clean["merge"] = {missing: lacking}
    if spellings := number_spellings(known_texts, zeros=False):
        clean["merge"] = {**spellings, **clean.get("merge", {})}
    return clean


def _spellings(texts: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield "case" and "spaces", each with whether some values differ in it alone."""
    yield "case", len({text.casefold() for text in texts}) < len(texts)
    yield "spaces", len({re.sub(r"\s+", " ", text) for text in texts}) < len(texts)


def _coarser(
    name: str,
    texts: Sequence[str],
    people: Codes,
    k: int,
    missing: str,
    hierarchy: Path | None,
    clean: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    """Yield the rules of the coarser levels that a column may have, from fine to coarse.

    Each rule is a mapping of keys of a scenario's `[[feature]]`. people: the people with
    each value. k: a category of fewer people is merged at some level. clean: keys of
    changes without loss, part of every rule.
    """
    if hierarchy is not None:
        depth = min(map(len, levels(hierarchy).values()))
        for level in range(1, depth):
            yield {**clean, "hierarchy": str(hierarchy), "level": level}
        return
    unknown_texts = {missing, *clean.get("merge", {}).get(missing, ())}
    known_texts = {
        text: None for text in texts if text not in unknown_texts and text.casefold() not in UNKNOWN
    }
    if _is_mostly(known_texts, DATE):
        for unit in ("month", "year", "decade"):
            yield {**clean, "date": unit}
    elif _is_code(name, known_texts):
        for length in range(max(map(len, known_texts)) - 1, 0, -1):
            yield {**clean, "prefix": length}
    elif key_like(list(known_texts), int(people.sum())):
        return  # no levels: register numbers, such as insurance numbers, have no meaning by size
    elif _is_mostly(known_texts, NUMBER) and len(known_texts) > MAX_CATEGORIES:
        numbers = [
            (float(text), int(number_of_people))
            for text, number_of_people in zip(texts, people, strict=True)
            if text in known_texts and NUMBER.fullmatch(text)
        ]
        for edges in cuts(*map(np.array, zip(*numbers, strict=True))):
            yield {**clean, "bins": {"edges": edges}}
    else:
        n = int(people.sum())
        for fewest in sorted({k, *(round(share * n) for share in RARE)}):
            yield {**clean, "merge_below": max(1, fewest)}


def cuts(numbers: "np.ndarray", people: "np.ndarray") -> Iterator[list[float]]:
    """Yield lists of interval edges for a column of numbers; each list is a subset of the last.

    Few people lie beyond the outermost edges. numbers: different values. people: the people
    with each value.
    """
    order = np.argsort(numbers)
    up_to = people[order].cumsum() / people.sum()
    low, high = (float(numbers[order][np.searchsorted(up_to, at)]) for at in (TAIL, 1 - TAIL))
    for width in widths([float(number) for number in numbers]):
        first, last = ceil(low / width), floor(high / width)
        edges = [_plain(width * step) for step in range(first, last + 1)]
        edges = [edge for edge in edges if low < edge <= high]
        if edges:
            yield edges


def _plain(number: float) -> float:
    """Return a number as people write it: 20, not 20.0."""
    rounded = float(f"{number:.9g}")
    return int(rounded) if rounded.is_integer() else rounded


def widths(numbers: Sequence[float]) -> list[float]:
    """Return widths of intervals for a column of numbers, such as 5, 10, 20, 40 for ages.

    Each width is a multiple of the width before.
    """
    span = max(numbers) - min(numbers)
    if not span:
        return []
    scale = 10.0 ** round(log10(span / 100))
    widths_tried = [width * scale for width in WIDTHS]
    if any(number % 1 for number in numbers) and scale <= 1:
        widths_tried = [scale, *widths_tried]
    return [float(f"{width:.6g}") for width in widths_tried]


def _is_mostly(texts: Collection[str], kind: "re.Pattern[str]") -> bool:
    """Whether nearly all texts match a pattern. kind: the pattern."""
    fits = sum(kind.fullmatch(text) is not None for text in texts)
    return bool(texts) and fits >= KIND_SHARE * len(texts)


def _is_code(name: str, texts: Collection[str]) -> bool:
    """Whether values are codes of equal length, such as postcodes, that may be shortened.

    The first characters of such codes carry most of their meaning. name: name of the column,
    which may show that it holds codes. texts: the different values.
    """
    if len(texts) <= 2 or not _is_mostly(texts, CODE):
        return False
    lengths = {len(text) for text in texts}
    has_code_name = bool(set(cut(name)) & CODED)
    zeros = any(text.startswith("0") and len(text) > 1 for text in texts)
    digits = all(text.isdigit() for text in texts)
    mixed = any(map(str.isdigit, "".join(texts))) and not digits
    return len(lengths) == 1 and (has_code_name or zeros or (mixed and len(texts) > MAX_CATEGORIES))
