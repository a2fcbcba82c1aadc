"""The number of people with each combination of values, as bytes: part of a tally.

    u32 number of combinations, then for each: u16 number of values, the values (text), u32 people

Combinations ascend by their values, and each has at least one person.

Other messages have readers and writers that are generated from a list of field types (fields.py).
Here both are written by hand, because no other field is a mapping that is sorted when written.
"""

from collections.abc import Mapping

from ...errors import ParameterError, Reason, Refused
from .fields import Codec
from .wire import Reader, Writer

Counts = Mapping[tuple[str, ...], int]  # value of each asked column -> number of people


def write_counts(out: Writer, counts: Counts) -> None:
    """Write the number of people of each combination of values, in ascending order of values.

    ParameterError if a combination has no person.
    """
    out.u32(len(counts))
    for values in sorted(counts):
        if counts[values] < 1:
            raise ParameterError(
                f"counts: {values} has {counts[values]} people; at least 1 is accepted"
            )
        out.structures(values, Writer.text).u32(counts[values])


def read_counts(data: Reader) -> Counts:
    """Read the number of people of each combination of values.

    Refused unless combinations are unique, in ascending order, and have at least one person each.
    """
    counts: dict[tuple[str, ...], int] = {}
    last: tuple[str, ...] | None = None
    for _ in range(data.u32()):
        values, people = data.structures(Reader.text), data.u32()
        if people < 1 or (last is not None and values <= last):
            raise Refused(Reason.MALFORMED)
        counts[values] = people
        last = values
    return counts


COUNTS = Codec("counts", read_counts, write_counts)
