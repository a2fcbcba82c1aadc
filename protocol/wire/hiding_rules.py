"""Hiding of values before users submit them: the rules of a call, column by column.

    Mask(column, named_values)     submit the value if it is listed here, else OTHER (hierarchical)
    Redact(column, values, cover)  suppress the value (BLANK) if it is listed here; users with
                                   another value suppress it too with probability cover / 2^32, so
                                   that a blank does not prove a listed value (local-suppression)

All users see the same rules: they are part of the call, which is bound inside every layer. No value
can be spelt OTHER or BLANK, because a value has no space at either end (schema.py).

Other messages have readers and writers that are generated from a list of field types (fields.py).
Those of a rule are written by hand, because its kind is encoded after its first field.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated

from ...crypto.entropy import Entropy
from ...errors import ParameterError
from .coarsening import UNSAID
from .fields import Array, Codec
from .schema import MAX_FEATURES
from .wire import Reader, Writer

OTHER_VALUE = " other"  # text submitted for a value that is not listed
BLANK = UNSAID  # text submitted for a suppressed value
HIDDEN = frozenset((OTHER_VALUE, BLANK))
WIDEST = max(len(spelt.encode()) for spelt in HIDDEN)  # bytes of the longest text of a hidden value
COVERS = 1 << 32  # probabilities of suppression are multiples of 1 / COVERS
DRAW = 4  # random bytes that decide whether a person's value is suppressed, for each rule
COVER = "cover"  # label from which a person's random bytes for suppression are derived


@dataclass(frozen=True, slots=True)
class Mask:
    """The rule that in a column only listed values are submitted by name, and OTHER for the rest.

    Attributes:
        column: the column's number, from 0.
        named_values: the listed values, after generalization, in ascending order.
    """

    column: int
    named_values: tuple[str, ...]

    def __post_init__(self) -> None:
        """Raise ParameterError unless the column and the values are valid."""
        _check(self.column, self.named_values)


@dataclass(frozen=True, slots=True)
class Redact:
    """The rule that in a column listed values are suppressed, and other values at random.

    Random suppression hides which values were suppressed because they are listed.

    Attributes:
        column: the column's number, from 0.
        values: the listed values, after generalization, in ascending order.
        cover: the probability, in units of 2^-32, with which a user suppresses another value.
    """

    column: int
    values: tuple[str, ...]
    cover: int

    def __post_init__(self) -> None:
        """Raise ParameterError unless column, values and probability (`cover` / 2^32) are valid."""
        _check(self.column, self.values)
        if not 0 <= self.cover < COVERS:
            raise ParameterError(f"cover: found {self.cover}; 0 to 2^32 - 1 is accepted")

    @property
    def rate(self) -> float:
        """The probability (0 to 1) with which a user suppresses a value that is not listed."""
        return self.cover / COVERS


Hiding = Mask | Redact


def _check(column: int, values: tuple[str, ...]) -> None:
    """Raise ParameterError unless a rule's column exists, and its values are valid and ascend."""
    if not 0 <= column < MAX_FEATURES:
        raise ParameterError(f"column: found {column}; 0 to {MAX_FEATURES - 1} is accepted")
    if not values or list(values) != sorted(set(values)):
        raise ParameterError(
            f"column {column}: found {values}; one or more different values in ascending order "
            "are accepted"
        )
    for value in values:
        if not value or value != value.strip():
            raise ParameterError(
                f"column {column}: found {value!r}; a value without surrounding spaces is accepted"
            )


def check_hidden(hidden: Sequence[Hiding], queried_columns: Collection[int]) -> None:
    """Any party: ParameterError unless each queried column has at most one rule, in column order.

    Masks and redactions belong to different programs, so all rules must be of one kind.
    """
    columns = [rule.column for rule in hidden]
    if columns != sorted(set(columns)) or not set(columns) <= set(queried_columns):
        raise ParameterError(
            f"hidden: found rules for columns {columns}; at most one rule for each of "
            f"{sorted(queried_columns)} is accepted, in ascending order"
        )
    if len({type(rule) for rule in hidden}) > 1:
        raise ParameterError(
            "hidden: found masks and redactions in one call; rules of one kind are accepted"
        )


def write_hiding(out: Writer, rule: Hiding) -> None:
    """Append the hiding rule of a column."""
    match rule:
        case Mask(column, values):
            out.u8(column).flag(False).structures(values, Writer.text)
        case Redact(column, values, cover):
            out.u8(column).flag(True).structures(values, Writer.text).u32(cover)


def read_hiding(data: Reader) -> Hiding:
    """Read the hiding rule of a column."""
    column, redacts, values = data.u8(), data.flag(), data.structures(Reader.text)
    return Redact(column, values, data.u32()) if redacts else Mask(column, values)


HidingRules = Annotated[tuple[Hiding, ...], Array(Codec("rule", read_hiding, write_hiding))]


def hide(hidden: Sequence[Hiding], row: Sequence[str], entropy: Entropy) -> Sequence[str]:
    """User: return its row with the values hidden as the rules demand, ready to be submitted.

    hidden: the rules. entropy: the person's randomness, for this purpose alone.
    """
    if not hidden:
        return row
    submitted_row = list(row)
    draws = cover_draws(hidden, entropy)
    for rule, draw in zip(hidden, draws, strict=True):
        submitted_row[rule.column] = apply_rule(rule, row[rule.column], draw)
    return submitted_row


def apply_rule(rule: Hiding, value: str, draw: int) -> str:
    """Return a value as it is submitted under a rule: itself, OTHER or BLANK.

    draw: a random number, uniform on 0 .. 2^32 - 1. A redaction suppresses a value that it does not
    list if the number is below its cover; a mask ignores it.
    """
    match rule:
        case Mask(named_values=named_values):
            return value if value in named_values else OTHER_VALUE
        case Redact(values=values, cover=cover):
            return BLANK if value in values or draw < cover else value


def cover_draws(hidden: Sequence[Hiding], entropy: Entropy) -> list[int]:
    """User: return the random numbers that decide which values are suppressed by chance.

    hidden: the rules, with a number for each. A number is uniform on 0 .. 2^32 - 1 and independent
    of the person's values. A rule `Mask` suppresses no value: if all rules are masks, the numbers
    are zeros.
    """
    if not any(isinstance(rule, Redact) for rule in hidden):
        return [0] * len(hidden)
    fresh = entropy.fork(COVER).random(DRAW * len(hidden))
    return [int.from_bytes(fresh[at : at + DRAW], "big") for at in range(0, len(fresh), DRAW)]


def admitted(rule: Hiding, value: str, *, plain: bool) -> bool:
    """Curator or analyst: whether a value can have been submitted under a rule.

    plain: whether the value is in the domain of its column.
    """
    match rule:
        case Mask(named_values=named_values):
            return value == OTHER_VALUE or value in named_values
        case Redact(values=values):
            return value == BLANK or (plain and value not in values)
