"""The questions about people: features, each with a public or an open domain of values.

A value is text. A public domain lists the values that a ballot may hold, in an order that all
parties use; an open domain admits any text of at most `width` bytes, and the tally shows the
occurring values. A missing answer is a value like any other, after the loader of the data has given
it a name.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from ...errors import ParameterError
from .coarsening import MAX_RULES, Rule, coarsened
from .fields import Array, Number

MAX_FEATURES = 255  # a column is one byte on the wire
MAX_NAME = 255  # bytes of UTF-8: its length is one byte on the wire
MAX_VALUES = 65_535  # values of a public domain: their number is two bytes on the wire
MAX_WIDTH = 1_024  # bytes of UTF-8 in one value: more would pad every ballot to more than a packet

COLUMNS = Array(Number(1), maximum=MAX_FEATURES, order="ascending")  # by their numbers
Columns = Annotated[tuple[int, ...], COLUMNS]


def is_line(text: str) -> bool:
    """Whether text is one line that a screen shows unchanged: no control characters or separators.

    Answers are printed sooner or later: they must not clear a terminal or forge a line.
    """
    if text.isascii():
        return text.isprintable()
    return not any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text)


def _text(subject: str, text: str, max_bytes: int) -> None:
    """Refuse text that a screen could not distinguish, or that is too long for the wire."""
    if not text or text != text.strip():
        raise ParameterError(
            f"{subject}: found {text!r}; text without surrounding spaces is accepted"
        )
    if not is_line(text):
        raise ParameterError(f"{subject}: {text!r} holds a control character or a lone surrogate")
    if len(text.encode()) > max_bytes:
        raise ParameterError(
            f"{subject}: {text[:40]!r}... takes {len(text.encode())} bytes of UTF-8; "
            f"at most {max_bytes} are accepted"
        )


def _distinct(subject: str, names: Sequence[str]) -> None:
    unique_names: set[str] = set()
    for name in names:
        if name in unique_names:
            raise ParameterError(f"{subject}: {name!r} occurs twice")
        unique_names.add(name)


@dataclass(frozen=True, slots=True)
class Feature:
    """A column: its name, its values in public order (None: open domain), its width in bytes.

    The rules are applied to a person's value, in order, before it is submitted; they leave values
    of the domain unchanged. Raises ParameterError for empty, doubled or oversized names and values.

    Attributes:
        name: of the column.
        values: of the domain, in public order; None: open.
        width: the most bytes of UTF-8 of a value; 0: those of the longest value of a public domain.
        rules: the generalizations of a value, one after the other, before it is submitted.
    """

    name: str
    values: tuple[str, ...] | None = None
    width: int = 0
    rules: tuple[Rule, ...] = ()

    def __post_init__(self) -> None:
        _text("feature name", self.name, MAX_NAME)
        where = f"feature {self.name!r}"
        if len(self.rules) > MAX_RULES:
            raise ParameterError(f"{where}: {len(self.rules)} rules; at most {MAX_RULES}")
        if self.values is None:
            if not 1 <= self.width <= MAX_WIDTH:
                raise ParameterError(
                    f"{where}: an open domain needs a width of 1 to {MAX_WIDTH} bytes, "
                    f"found {self.width}"
                )
            return
        if not 1 <= len(self.values) <= MAX_VALUES:
            raise ParameterError(
                f"{where}: {len(self.values)} values; 1 to {MAX_VALUES} are accepted"
            )
        for value in self.values:
            _text(f"{where}: value", value, MAX_WIDTH)
        _distinct(f"{where}: value", self.values)
        longest = max(len(value.encode()) for value in self.values)
        if self.width and not longest <= self.width <= MAX_WIDTH:
            raise ParameterError(
                f"{where}: width {self.width} bytes; its longest value takes {longest}, "
                f"and at most {MAX_WIDTH} are accepted"
            )
        object.__setattr__(self, "width", self.width or longest)
        for value in self.values if self.rules else ():
            if (coarse_value := self.coarsen(value)) != value:
                raise ParameterError(
                    f"{where}: {value!r} is in its domain, but its rules make it {coarse_value!r}"
                )

    def coarsen(self, value: str) -> str:
        """Return the submitted value of a person with this value."""
        return coarsened(self.rules, value)

    def admits(self, value: str) -> bool:
        """Whether a ballot may hold this value."""
        if self.values is not None:
            return value in self.values
        return is_line(value) and value == value.strip() and 0 < len(value.encode()) <= self.width


@dataclass(frozen=True, slots=True)
class Schema:
    """The features asked about, in the order in which columns are numbered (from 0)."""

    features: tuple[Feature, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.features) <= MAX_FEATURES:
            raise ParameterError(
                f"schema: {len(self.features)} features; 1 to {MAX_FEATURES} are accepted"
            )
        _distinct("schema: feature", self.names)

    def coarsen(self, row: Sequence[str]) -> tuple[str, ...]:
        """User: return the submitted values of a person with these values."""
        pairs = zip(self.features, row, strict=True)
        return tuple(feature.coarsen(value) if feature.rules else value for feature, value in pairs)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features, in column order."""
        return tuple(feature.name for feature in self.features)

    def column(self, name: str) -> int:
        """Return the number of a feature's column. ParameterError if no feature has that name."""
        if name not in self.names:
            raise ParameterError(
                f"no feature is called {name!r}; the schema has {', '.join(self.names)}"
            )
        return self.names.index(name)
