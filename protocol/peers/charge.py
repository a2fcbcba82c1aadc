"""That a peer is named by everybody: what follows from the board (accounting.py), as it is told."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Charge:
    """A peer named by everybody, and for what. round 0: when keys were posted.

    Attributes:
        peer: its name.
        round: from 1; 0: when keys were posted.
        step: of the round.
        why: what it did or left undone, in words.
    """

    peer: str
    round: int
    step: int
    why: str
