"""The number of refused messages, by reason, as bytes: part of every account of a party.

    u16 number of reasons, then for each: u8 index of the reason in `Reason`, u32 messages

Indices ascend, and each number of messages is positive.

Other messages have readers and writers that are generated from a list of field types (fields.py).
Here both are written by hand, because no other field maps members of an enumeration to numbers.
"""

from collections.abc import Mapping
from typing import Annotated

from ...errors import Reason, Refused
from .fields import Codec
from .wire import Reader, Writer


def write_refused(out: Writer, refused: Mapping[Reason, int]) -> None:
    """Write the number of refused messages of each reason that occurred."""
    reasons = [reason for reason in Reason if refused.get(reason, 0)]
    out.structures(reasons, lambda w, reason: w.u8(list(Reason).index(reason)).u32(refused[reason]))


def read_refused(data: Reader) -> dict[Reason, int]:
    """Read the numbers of refused messages by reason; Refused unless canonical and positive."""
    pairs = data.structures(lambda r: (r.u8(), r.u32()))
    codes = [code for code, _ in pairs]
    if codes != sorted(set(codes)) or any(code >= len(Reason) for code in codes):
        raise Refused(Reason.MALFORMED)
    if any(people == 0 for _, people in pairs):
        raise Refused(Reason.MALFORMED)
    return {list(Reason)[code]: people for code, people in pairs}


Refusals = Annotated[Mapping[Reason, int], Codec("refusals", read_refused, write_refused)]
