"""Charges: peers at fault according to the board of peers (accounting.py), each with the reason."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Charge:
    """A peer that all peers find at fault, and the reason.

    Attributes:
        peer: name of the peer.
        round: the number of the round, from 1; 0: when keys were posted.
        step: the step of the round in which the fault occurred.
        why: the act or omission of the peer, in words.
    """

    peer: str
    round: int
    step: int
    why: str
