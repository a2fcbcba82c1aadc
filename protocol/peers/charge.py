"""Charges: peers at fault by the board (accounting.py), with the reason."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Charge:
    """A peer that all peers find at fault, and the reason.

    Attributes:
        peer: its name.
        round: from 1; 0: when keys were posted.
        step: of the round.
        why: its act or omission, in words.
    """

    peer: str
    round: int
    step: int
    why: str
