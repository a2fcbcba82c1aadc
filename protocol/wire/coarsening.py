"""Generalization rules: public rules that a person applies to its own values before it answers.

Rules are part of a feature's announcement, so every party knows the possible answers and their
meaning. They are applied one after another. A rule leaves a value unchanged if it does not apply:
the value is no number, no date, or not listed.

    Fold    spellings become equal: case, spaces, accents
    Merge   listed values become a single value: rare values, or the groups of a hierarchy
    Date    a date becomes its month, year or decade
    Prefix  a code becomes its first characters
    Bins    a number becomes its interval

The encoding of a rule is its kind (its index in `RULES`, from 1), then its fields (fields.py).
"""

import hashlib
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import isfinite
from typing import Annotated, NamedTuple

from ...errors import ParameterError
from .fields import DOUBLE, Array, Flag, Name, Nested, OneOf, Step, Text, Texts
from .records import MessageRecord, writer
from .wire import Writer

MAX_RULES = 8  # largest number of generalization rules of a feature
UNSAID = " blank"  # text of a suppressed value; no value has a space at its ends
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
ISO = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ].*)?)?)?")
COMPACT = re.compile(r"(1[89]\d\d|20\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
PARTED = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")
SPACES = re.compile(r"\s+")


class Unit(StrEnum):
    """The unit to which a rule generalizes a date."""

    MONTH = "month"
    YEAR = "year"
    DECADE = "decade"


class Part(StrEnum):
    """A difference of spellings that a rule `Fold` ignores."""

    CASE = "case"
    SPACES = "spaces"
    ACCENTS = "accents"


@dataclass(frozen=True, slots=True)
class Fold(MessageRecord):
    """The rule that makes spellings equal if they differ only in certain parts.

    Case becomes lower case, spaces become single, accents are removed.

    Attributes:
        parts: the ignored differences, in the order of `Part`.
    """

    parts: Annotated[tuple[Part, ...], Array(Name(Part), minimum=1, order="listed")]

    def apply(self, value: str) -> str:
        """Return the value in the common spelling, without the ignored differences."""
        if Part.ACCENTS in self.parts:
            decomposition = unicodedata.normalize("NFKD", value)
            value = unicodedata.normalize("NFC", "".join(c for c in decomposition if not _mark(c)))
        if Part.CASE in self.parts:
            value = value.casefold()
        return SPACES.sub(" ", value).strip() if Part.SPACES in self.parts else value

    def describe(self) -> str:
        """Return the rule in words."""
        return f"spellings that differ in {' and '.join(self.parts)} are one"


class MergedValues(NamedTuple):
    """A group of values that a rule replaces by a single label.

    Attributes:
        label: the label.
        values: the values that it replaces.
    """

    label: Text
    values: Texts


@dataclass(frozen=True)
class Merge(MessageRecord):
    """The rule that replaces the values of a group by its label; no value is in two groups.

    Attributes:
        groups: (label, values) of each group.
    """

    groups: Annotated[
        tuple[tuple[str, tuple[str, ...]], ...], Array(Nested(MergedValues), order="distinct")
    ]

    def check(self) -> None:
        """Raise ParameterError if a value is in two groups."""
        values = [value for _, group in self.groups for value in group]
        if len(set(values)) < len(values):
            raise ParameterError("merge: a value is in two groups; each value may be in one group")

    @cached_property
    def _label(self) -> dict[str, str]:
        """The label of each value in a group."""
        return {value: label for label, group in self.groups for value in group}

    def apply(self, value: str) -> str:
        """Return the label of the value's group; a value of no group is unchanged."""
        return self._label.get(value, value)

    def describe(self) -> str:
        """Return the rule in words."""
        values = sum(len(group) for _, group in self.groups)
        into = self.groups[0][0] if len(self.groups) == 1 else f"{len(self.groups)} groups"
        return f"{values} value{'s are' if values != 1 else ' is'} merged into {into}"


@dataclass(frozen=True, slots=True)
class Date(MessageRecord):
    """The rule that turns a date into a month, year or decade.

    Accepted forms: 2019-05-17, 20190517, 17.5.2019, 5/17/2019.

    Attributes:
        unit: the unit to which dates are generalized: month, year or decade.
        day_first: whether the 3 in 3/4/2020 is the day, and not the month.
    """

    unit: Annotated[Unit, Name(Unit)]
    day_first: Flag = True

    def apply(self, value: str) -> str:
        """Return the month (2019-05), year (2019) or decade (2010s); other values are unchanged."""
        if iso := ISO.fullmatch(value) or COMPACT.fullmatch(value):
            year, month = iso[1], iso[2]
        elif parted := PARTED.fullmatch(value):
            year, month = parted[4], parted[3 if self.day_first else 1]
        else:
            return value
        if self.unit is Unit.DECADE:
            return f"{year[:3]}0s"
        return year if self.unit is Unit.YEAR or month is None else f"{year}-{int(month):02}"

    def describe(self) -> str:
        """Return the rule in words."""
        return f"of a date the {self.unit} is said"


@dataclass(frozen=True, slots=True)
class Prefix(MessageRecord):
    """The rule that cuts a code after `length` characters.

    Attributes:
        length: the number of remaining characters.
        keep: values that are not cut, such as texts for missing values.
    """

    length: Step
    keep: Texts = ()

    def apply(self, value: str) -> str:
        """Return the first characters, and a star if characters were cut."""
        short = len(value) <= self.length or value in self.keep
        return value if short else f"{value[: self.length]}*"

    def describe(self) -> str:
        """Return the rule in words: the number of first characters that are submitted."""
        return (
            f"the first {self.length} signs are said"
            if self.length > 1
            else "the first sign is said"
        )


@dataclass(frozen=True, slots=True)
class Bins(MessageRecord):
    """The rule that turns a number into an interval between ascending edges.

    The intervals: below edges[0], from edges[i] to below edges[i + 1], and from the last edge on.

    Attributes:
        edges: the limits between intervals, ascending.
        whole: whether numbers are integers. If so, the interval from 20 to below 30 is "20 to 29".
    """

    edges: Annotated[tuple[float, ...], Array(DOUBLE, minimum=1, order="ascending")]
    whole: Flag = False
    ORDER = ("whole", "edges")

    def check(self) -> None:
        """Raise ParameterError unless all edges are finite, and whole if `whole` is set."""
        if not all(map(isfinite, self.edges)):
            raise ParameterError(
                "bins: found an infinite or undefined edge; finite edges are accepted"
            )
        if self.whole and any(edge % 1 for edge in self.edges):
            raise ParameterError("bins: found a fractional edge; whole numbers need whole edges")

    def apply(self, value: str) -> str:
        """Return the text of the interval in which a number lies; other values are unchanged."""
        if not NUMBER.fullmatch(value):
            return value
        number = float(value)
        return self.label(bisect_right(self.edges, number)) if isfinite(number) else value

    def label(self, place: int) -> str:
        """Return the text of an interval.

        place: the index of the interval; 0 is the interval below the first edge.
        """
        if place == 0:
            return f"below {_number(self.edges[0])}"
        low = self.edges[place - 1]
        if place == len(self.edges):
            return f"{_number(low)} or more"
        high = self.edges[place]
        if not self.whole:
            return f"{_number(low)} to below {_number(high)}"
        return _number(low) if high - low == 1 else f"{_number(low)} to {_number(high - 1)}"

    @property
    def labels(self) -> tuple[str, ...]:
        """The texts of all intervals, ascending."""
        return tuple(map(self.label, range(len(self.edges) + 1)))

    def describe(self) -> str:
        """Return the rule in words."""
        widths = {b - a for a, b in zip(self.edges, self.edges[1:], strict=False)}
        if len(widths) == 1:
            return f"numbers are said as intervals of {_number(widths.pop())}"
        return f"numbers are said as {len(self.edges) + 1} intervals"


Rule = Fold | Merge | Date | Prefix | Bins
RULES = OneOf((Fold, Merge, Date, Prefix, Bins))


def coarsened(rules: Sequence[Rule], value: str) -> str:
    """User: return a value after all generalization rules, in order.

    A suppressed value stays suppressed.
    """
    if value == UNSAID:
        return value
    for rule in rules:
        value = rule.apply(value)
    return value


def rule_digest(rule: Rule) -> str:
    """Return a hash that identifies a generalization rule, 32 hexadecimal digits.

    Different rules have different hashes.
    """
    out = Writer()
    writer(RULES)(out, rule)
    return hashlib.blake2b(out.finish(), digest_size=16).hexdigest()


def _mark(sign: str) -> bool:
    """Whether a character is a combining character, such as an accent.

    sign: the character.
    """
    return unicodedata.combining(sign) != 0


def _number(value: float) -> str:
    """Return a number as text with up to 12 digits."""
    return f"{value:.12g}"
