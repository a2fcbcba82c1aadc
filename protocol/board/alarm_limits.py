"""Limits of the size of alarms, checked before storage, so that no party fills the board.

An alarm is a party's public statement that something is wrong, with bytes that prove it (evidence).

    cause                         evidence is at most
    split                         the size of a signed tree head of a board
    balance, accounts, decision   empty
    order                         as long as a batch of its round can be; only shufflers and
                                  readers, which handle batches, may raise this alarm
    announcement                  64 KiB, or four times the announcement of the session
    changed                       one envelope, and the randomness that sealed its layers

alarms.py explains the causes. Each party raises at most one alarm for each round and cause.
"""

from collections.abc import Iterable, Mapping

from ..wire.announcement import MAX_SHUFFLERS
from ..wire.fields import DIGEST
from ..wire.messages import WITNESS, Alarm, Cause
from ..wire.parties import Role, role

# bytes; an alarm may show another announcement up to this size, or up to four times as long as the
# session's announcement
LEAST_ANNOUNCEMENT = 1 << 16
# upper bound on the bytes of length fields in an encoded list: so many before the list, and so many
# before each item
LENGTHS = 12
# bytes that count for each layer in the evidence of an alarm, if padding is off and layers differ
# in size; an alarm with longer evidence is refused
LARGEST_LAYER = 1 << 16
HANDLERS = (Role.SHUFFLER, Role.CURATOR, Role.ANALYST)
EVIDENCE_LIMITS: Mapping[Cause, int] = {
    Cause.SPLIT: WITNESS,
    Cause.BALANCE: 0,
    Cause.ACCOUNTS: 0,
    Cause.DECISION: 0,
}  # largest evidence of these causes, in bytes


def fits(alarm: Alarm, author: str, layers: int, widest: int, announced: int) -> bool:
    """Any party: whether evidence is no longer than the longest valid evidence of its cause.

    author: the party that raised the alarm. layers: the number of layers in the largest batch on
    the board. widest: bytes of an envelope; 0 if padding is off, so that sizes differ. announced:
    bytes of the announcement.
    """
    if alarm.cause is Cause.ORDER:
        if role(author) not in HANDLERS:
            return False
        return len(alarm.evidence) <= LENGTHS + layers * (LENGTHS + (widest or LARGEST_LAYER))
    if alarm.cause is Cause.CHANGED:
        return len(alarm.evidence) <= widest + DIGEST * (MAX_SHUFFLERS + 2)
    if alarm.cause is Cause.ANNOUNCEMENT:
        return len(alarm.evidence) <= max(LEAST_ANNOUNCEMENT, 4 * announced)
    return len(alarm.evidence) <= EVIDENCE_LIMITS[alarm.cause]


def has_raised(alarms: Iterable[tuple[str, Alarm]], author: str, alarm: Alarm) -> bool:
    """Any party: whether the author has already raised an alarm of this cause about this round.

    alarms: the alarms on the board, each with its author.
    """
    about = author, alarm.round, alarm.cause
    return any((party, earlier.round, earlier.cause) == about for party, earlier in alarms)
