"""The public rules that generalize values (make them coarser), from the description in a scenario.

Some rules depend on the data: interval widths and quantiles of numbers, rare values, the order of
day and month in dates. They are computed here once, from the table, and announced in full. So a
user applies them without the table. The rules of a feature are applied in this order:

    1  fold                                  ignore differences in spelling, such as capitals
    2  merge                                 merge listed values
    3  date, prefix, bins or hierarchy       at most a single rule of these four
    4  merge_below                           merge rare values into "(other)"
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil, floor
from pathlib import Path

import numpy as np

from ...errors import DataError, ParameterError
from ...protocol.wire.coarsening import (
    ISO,
    PARTED,
    Bins,
    Date,
    Fold,
    Merge,
    Part,
    Prefix,
    Rule,
    Unit,
    coarsened,
)
from ..schema.model import BinsSection, FeatureSection
from ..serialization.content import Content, content_of
from . import csvfile
from .file_options import FileOptions
from .footer import Skipped
from .values import composed, numbers_of

MOST_EDGES = 10_000
OTHER_LABEL = "(other)"
KEYS = ("fold", "merge", "date", "prefix", "bins", "hierarchy", "merge_below")
ONE_OF = ("date", "prefix", "bins", "hierarchy")


def coarser_lines(
    features: Sequence[FeatureSection], labels: Mapping[str, Collection[str]] | None = None
) -> list[str]:
    """Return a line for each feature with generalized values.

    labels: for each column, the values that may be named, such as values of at least k people;
    None: all values.
    """
    return [
        f"{feature.name}: {in_words(feature, None if labels is None else labels[feature.name])}"
        for feature in features
        if is_coarser(feature)
    ]


def is_coarser(feature: FeatureSection) -> bool:
    """Whether a feature has a rule that generalizes its values."""
    return any(getattr(feature, key) is not None for key in KEYS)


def rules_of(
    feature: FeatureSection,
    texts: Sequence[str],
    people: Sequence[int],
    missing: str,
    base: Path = Path(),
) -> tuple[Rule, ...]:
    """Return the public rules that generalize the values of a feature.

    Args:
        feature: the feature of the scenario.
        texts: the values that occur.
        people: the number of people with each value.
        missing: the value of an empty cell, which stays unchanged.
        base: the folder that the path of a hierarchy file starts from.

    Raises:
        DataError: a rule cannot be made of these values.
    """
    rules: list[Rule] = []
    try:
        for make in (_spellings, _groups, _shape):
            coarse_texts = [coarsened(rules, text) for text in texts]
            rules += make(feature, coarse_texts, people, missing, base)
        coarse_texts = [coarsened(rules, text) for text in texts]
        rules += _rare(feature, coarse_texts, people, missing)
    except ParameterError as wrong:
        raise DataError(f"feature {feature.name!r}: {wrong}") from None
    return tuple(rules)


def order_of(rules: Sequence[Rule], labels: Sequence[str]) -> tuple[str, ...]:
    """Return the different values in reading order: intervals ascending, then other values by text.

    rules: the rules of the feature. labels: its values after generalization.
    """
    values = sorted(set(labels))
    bins = next((rule for rule in rules if isinstance(rule, Bins)), None)
    if bins is None:
        return tuple(values)
    ascending = {label: place for place, label in enumerate(bins.labels)}
    return tuple(sorted(values, key=lambda text: (ascending.get(text, len(ascending)), text)))


def in_words(feature: FeatureSection, labels: Collection[str] | None = None) -> str:
    """Return a description of the rules that generalize a feature's values.

    labels: the values that may be named, such as values of at least k people. If they are given,
    merged source values are only counted, because naming them would reveal rare values. None: all
    values may be named.
    """
    return "; ".join(_words(feature, labels))


def _words(feature: FeatureSection, labels: Collection[str] | None) -> Iterator[str]:
    """Yield a clause for each rule that generalizes a feature's values.

    labels: the values that may be named; None: all.
    """
    if feature.fold is not None:
        yield f"spellings that differ in {' and '.join(feature.fold)} are one"
    if feature.merge is not None:
        yield "; ".join(_merged(*pair, labels) for pair in feature.merge.items())
    if feature.date is not None:
        yield f"of a date the {feature.date}"
    if feature.prefix is not None:
        yield "the first sign" if feature.prefix == 1 else f"the first {feature.prefix} signs"
    if feature.bins is not None:
        yield _binned(feature.bins)
    if feature.hierarchy is not None:
        yield f"level {feature.level} of the hierarchy {Path(feature.hierarchy).name}"
    if feature.merge_below is not None:
        yield f"values of fewer than {feature.merge_below:,} people are {OTHER_LABEL}"


def _merged(label: str, values: Sequence[str], labels: Collection[str] | None) -> str:
    """Return a clause for a group of merged values, such as "a, b as c".

    label: the name of the group. values: the merged values. labels: the values that may be named;
    then the merged values are only counted. None: all values may be named.
    """
    if labels is not None:
        label_text = label if label in labels and label not in values else "another"
        return f"{len(values)} value{'s' * (len(values) != 1)} as {label_text}"
    examples = values if len(values) <= 3 else (*values[:2], f"{len(values) - 2} more")
    return f"{', '.join(examples)} as {label}"


def _binned(bins: BinsSection) -> str:
    """Return a clause that describes the intervals of a column of numbers."""
    if bins.edges is not None and len(bins.edges) > 2:
        steps = {round(b - a, 9) for a, b in pairwise(bins.edges)}
        if len(steps) == 1:
            low, high = bins.edges[0], bins.edges[-1]
            return f"intervals of {steps.pop():g} from {low:g} to {high:g}, and beyond"
    if bins.edges is not None:
        return f"intervals that begin at {', '.join(f'{edge:g}' for edge in bins.edges)}"
    if bins.width is not None:
        return f"intervals of {bins.width:g}"
    return f"{bins.quantiles} intervals of as many people each"


def _spellings(feature: FeatureSection, *_: object) -> Iterator[Rule]:
    """Yield the rule `fold`, which ignores differences in spelling, if the feature has this key."""
    if feature.fold is not None:
        yield Fold(tuple(part for part in Part if part in feature.fold))


def _groups(feature: FeatureSection, *_: object) -> Iterator[Rule]:
    """Yield the rule `merge`, which merges listed values, if the feature has this key."""
    if feature.merge is not None:
        yield Merge(tuple(feature.merge.items()))


def _shape(
    feature: FeatureSection, texts: Sequence[str], people: Sequence[int], missing: str, base: Path
) -> Iterator[Rule]:
    """Yield the feature's rule for dates, prefixes, intervals or a hierarchy, if given.

    texts: the values that occur. people: the number of people with each. missing: the value of an
    empty cell. base: the folder of a hierarchy's path.
    """
    if feature.date is not None:
        yield _date(feature, texts, missing)
    if feature.prefix is not None:
        # The label of merged rare values is not cut, because applying the rules again must not
        # change a coarser value.
        merged_label = (OTHER_LABEL,) if feature.merge_below is not None else ()
        yield Prefix(feature.prefix, (missing, *merged_label))
    if feature.bins is not None:
        yield _bins(feature, feature.bins, texts, people)
    if feature.hierarchy is not None:
        yield hierarchy(base / feature.hierarchy, feature.level or 1, texts, missing)


def _date(feature: FeatureSection, texts: Sequence[str], missing: str) -> Date:
    """Return the rule that keeps the year, month or another part of a date.

    The order of day and month is given, or detected. Raises DataError if no value is a date, or if
    the order stays unclear. texts: the values that occur. missing: the value of an empty cell.
    """
    unit = Unit(feature.date or "year")
    known_texts = [text for text in texts if text != missing]
    if known_texts and all(
        Date(unit).apply(text) == text and not ISO.fullmatch(text) for text in known_texts
    ):
        raise DataError(
            f"feature {feature.name!r}: of a date the {unit}, but none of its values is a date as "
            "2019-05-17, 20190517, 17.5.2019 or 5/17/2019 are; such as "
            f"{', '.join(map(repr, known_texts[:3]))}"
        )
    parted = [match for match in map(PARTED.fullmatch, texts) if match]
    if unit is not Unit.MONTH:
        return Date(unit, day_first=feature.day_first is not False)
    if feature.day_first is not None:
        wrong = [match for match in parted if int(match[3 if feature.day_first else 1]) > 12]
        if wrong:
            setting = str(feature.day_first).lower()
            raise DataError(
                f"feature {feature.name!r}: with day_first = {setting}, {wrong[0][0]!r} has no "
                "month; leave day_first out, and the order is detected"
            )
        return Date(unit, day_first=feature.day_first)
    first, second = (any(int(match[place]) > 12 for match in parted) for place in (1, 3))
    if parted and first == second:
        raise DataError(
            f"feature {feature.name!r}: in {parted[0][0]!r} either number may be the month; say "
            "day_first = true or false"
        )
    return Date(unit, day_first=not second)


def _bins(
    feature: FeatureSection, bins: BinsSection, texts: Sequence[str], people: Sequence[int]
) -> Bins:
    """Return the rule that replaces numbers by intervals.

    The edges of the intervals are given, or follow from a width or from quantiles of the people's
    numbers. Raises DataError if no value is a number. texts: the values that occur. people: the
    number of people with each.
    """
    pairs = [
        (number[0], number_of_people)
        for text, number_of_people in zip(texts, people, strict=True)
        if (number := numbers_of([text]))
    ]
    if not pairs:
        raise DataError(
            f"feature {feature.name!r}: bins of numbers, but none of its values is one; such as "
            f"{', '.join(map(repr, texts[:3]))}"
        )
    numbers = np.array([number for number, _ in pairs])
    if bins.edges is not None:
        edges = list(bins.edges)
    elif bins.width is not None:
        edges = _steps(feature, numbers, bins.width, bins.start)
    else:
        all_numbers = np.repeat(numbers, [number_of_people for _, number_of_people in pairs])
        shares = np.arange(1, bins.quantiles or 2) / (bins.quantiles or 2)
        edges = np.unique(np.quantile(all_numbers, shares, method="higher")).tolist()
    whole = bool((numbers % 1 == 0).all()) and not any(edge % 1 for edge in edges)
    return Bins(tuple(map(float, edges)), whole)


def _steps(
    feature: FeatureSection, numbers: "np.ndarray", width: float, start: float
) -> list[float]:
    """Return the edges of intervals of equal width that cover all numbers.

    start: an edge; the other edges follow at multiples of the width. Raises DataError for more than
    10,000 intervals.
    """
    low, high = floor((numbers.min() - start) / width), ceil((numbers.max() - start) / width)
    high += int((numbers.max() - start) % width == 0)
    if high - low > MOST_EDGES:
        raise DataError(
            f"feature {feature.name!r}: {high - low:,} intervals of {width:g}; at most "
            f"{MOST_EDGES:,} are accepted: take a larger width"
        )
    return [round(start + step * width, 9) for step in range(low, high + 1)]


def _rare(
    feature: FeatureSection, texts: Sequence[str], people: Sequence[int], missing: str
) -> Iterator[Rule]:
    """Yield the rule that merges values of fewer than `merge_below` people into `(other)`.

    No rule if no value is that rare. texts: the values that occur. people: the number of people
    with each. missing: the value of an empty cell, which stays unchanged.
    """
    if feature.merge_below is None:
        return
    have: dict[str, int] = {}
    for text, number_of_people in zip(texts, people, strict=True):
        have[text] = have.get(text, 0) + number_of_people
    rare = sorted(
        t
        for t, number_of_people in have.items()
        if number_of_people < feature.merge_below and t != missing
    )
    if rare and rare != [OTHER_LABEL]:
        yield Merge(((OTHER_LABEL, tuple(rare)),))


def hierarchy(path: Path, level: int, texts: Sequence[str], missing: str) -> Merge:
    """Return the rule that replaces values by a level of a hierarchy file.

    The file has the form of ARX, a tool for anonymization: each line holds a value and its coarser
    values. level: the column of the file, from 1 for the finest generalization. Raises DataError if
    the file lacks a value or the level. texts: the values that occur. missing: the value of an
    empty cell.
    """
    groups: dict[str, list[str]] = {}
    for value, line in levels(path).items():
        if level >= len(line):
            raise DataError(
                f"{path}: {value!r} has {len(line) - 1} coarser values; level = {level} is none "
                "of these levels"
            )
        groups.setdefault(line[level], []).append(value)
    known_values = {value for group in groups.values() for value in group} | set(groups)
    lacking = [text for text in texts if text not in known_values and text != missing]
    if lacking:
        raise DataError(f"{path}: has no line for {', '.join(map(repr, lacking[:5]))}")
    occurring = set(texts)
    groups_present = {
        label: tuple(v for v in group if v in occurring) for label, group in groups.items()
    }
    return Merge(tuple((label, group) for label, group in groups_present.items() if group))


def levels(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the lines of a hierarchy file, by their exact value. Raises DataError."""
    try:
        content = content_of(path)
    except OSError as bad:
        raise DataError(f"{path}: cannot be read: {bad.strerror or bad}") from None
    return _levels(content)


@lru_cache(maxsize=16)
def _levels(content: Content) -> dict[str, tuple[str, ...]]:
    """Return the lines of a hierarchy file, by their exact value.

    Raises DataError for a value with two different lines.
    """
    options = FileOptions(header=False)
    names = csvfile.READER.header(content, options)
    levels: dict[str, tuple[str, ...]] = {}
    for row in csvfile.READER.rows(content, names, Skipped(), options):
        line = tuple(composed(cell.strip()) for cell in row)
        if levels.setdefault(line[0], line) != line:
            raise DataError(f"{content.path}: {line[0]!r} has two lines; each value has one")
    return levels
