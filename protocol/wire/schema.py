"""The questions about people: features (columns), each with a public or an open domain of values.

A value is text. A public domain lists the values that a ballot may hold, in an order that all
parties use. An open domain admits any text of at most `width` bytes, and the tally shows the values
that occur. A missing answer is a value like any other: the loader of the data gives it a name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from ...errors import ParameterError
from .coarsening import MAX_RULES, RULES, Rule, coarsened
from .fields import Array, Flagged, LineText, Nested, Number
from .lines import line_fault
from .records import MessageRecord

MAX_FEATURES = 255  # largest number of columns, since a column number has one byte
MAX_NAME = 255  # largest number of UTF-8 bytes of a name, since its length has one byte
MAX_VALUES = 65_535  # largest number of listed values, since their number has two bytes
MAX_WIDTH = 1_024  # largest number of UTF-8 bytes of a value, so that ballots fit a network packet

# a set of columns: numbers from 0, ascending
COLUMNS = Array(Number(1), maximum=MAX_FEATURES, order="ascending")
Columns = Annotated[tuple[int, ...], COLUMNS]
# the listed values of a column's domain
VALUES = Array(LineText(MAX_WIDTH), minimum=1, maximum=MAX_VALUES, order="distinct")


@dataclass(frozen=True, slots=True)
class Feature(MessageRecord):
    """A column: its name, its values in public order (None: open domain), its width in bytes.

    The rules generalize a person's value, in order, before it is submitted. They leave values of
    the domain unchanged. ParameterError for empty, repeated or oversized names and values.

    Attributes:
        name: the name of the column.
        values: the values of the domain, in public order; None: an open domain.
        width: the largest number of UTF-8 bytes of a value; 0: that of the longest value of a
            public domain.
        rules: the generalizations of a value, one after the other, before it is submitted.
    """

    name: Annotated[str, LineText(MAX_NAME)]
    values: Annotated[tuple[str, ...] | None, Flagged(VALUES, absent=None)] = None
    width: Annotated[int, Number(2, minimum=1, maximum=MAX_WIDTH)] = 0
    rules: Annotated[
        tuple[Rule, ...], Flagged(Array(RULES, minimum=1, maximum=MAX_RULES), absent=())
    ] = ()
    ORDER = ("name", "width", "values", "rules")

    def complete(self) -> None:
        """Set the width of a public domain, if it is 0, to the bytes of its longest value."""
        if self.values is not None and not self.width:
            # Invalid values are reported later by the check of `values`, so here any accepted width
            # will do.
            sizes = [len(value.encode(errors="replace")) for value in self.values]
            object.__setattr__(self, "width", min(max(sizes, default=1) or 1, MAX_WIDTH))

    def error_place(self) -> str:
        """Return the words with which an error about this feature begins: its name."""
        return f"feature {self.name!r}: "

    def check(self) -> None:
        """Raise ParameterError if a value is longer than the width, or the rules change a value."""
        for value in self.values or ():
            if len(value.encode()) > self.width:
                raise ParameterError(
                    f"{self.error_place()}width {self.width} bytes; {value!r} takes more"
                )
        for value in (self.values or ()) if self.rules else ():
            if (coarse_value := self.coarsen(value)) != value:
                raise ParameterError(
                    f"{self.error_place()}{value!r} is in its domain, but its rules make it "
                    f"{coarse_value!r}"
                )

    def coarsen(self, value: str) -> str:
        """Return a value as it is submitted: generalized by the feature's rules."""
        return coarsened(self.rules, value)

    def admits(self, value: str) -> bool:
        """Whether a ballot may hold this value: it is in the domain."""
        if self.values is not None:
            return value in self.values
        return not line_fault(value, self.width)


@dataclass(frozen=True, slots=True)
class Schema(MessageRecord):
    """The queried columns (features), numbered from 0 in this order.

    Attributes:
        features: the columns.
    """

    features: Annotated[
        tuple[Feature, ...],
        Array(Nested(Feature), minimum=1, maximum=MAX_FEATURES, order="distinct"),
    ]

    def coarsen(self, row: Sequence[str]) -> tuple[str, ...]:
        """User: return a row as it is submitted: each value generalized by its feature's rules."""
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
