"""Facts that a coalition may know of a run, and the reasons of each fact (derivation.py)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from .transcript import Event


class FactRule(StrEnum):
    """The rule by which a fact is derived."""

    OWN = "own"
    KEY = "key"
    SHOWN = "shown"
    SAW = "saw"
    SENDER = "sender"
    OPEN = "open"
    FOLLOW = "follow"
    ORDER = "order"
    READ = "read"


@dataclass(frozen=True, slots=True)
class KeyFact:
    """The coalition has a party's key."""

    party: str


@dataclass(frozen=True, slots=True)
class Ciphertext:
    """The coalition has a ciphertext, or (opened) the answer that was in it.

    Attributes:
        name: of the ciphertext, eight bytes.
        opened: whether it is the answer inside.
    """

    name: bytes
    opened: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """The coalition knows a ciphertext to be a user's (its index).

    Attributes:
        name: of the ciphertext, eight bytes.
        user: by index, from 0.
    """

    name: bytes
    user: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The coalition knows the answer of a user to a query of a round.

    Attributes:
        user: by index, from 0.
        round: from 1.
        ask: the query, by its number in the call, from 0.
    """

    user: int
    round: int
    ask: int


Fact = KeyFact | Ciphertext | Origin | Answer


class FactReason(NamedTuple):
    """The reason of a fact: the rule, its premises, and the observed event.

    Attributes:
        rule: the rule by which it follows.
        premises: the facts that it follows from.
        event: the observation; None if it follows from facts alone.
    """

    rule: FactRule
    premises: tuple[Fact, ...] = ()
    event: Event | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """A ciphertext: its maker, its opener, its content, and its layer (1: the envelope).

    Attributes:
        name: eight bytes of its hash.
        user: by index, from 0.
        round: from 1.
        layer: from 1.
        opener: the party whose key opens it.
        inside: the names of the ciphertexts in it; () for an innermost layer.
        answers: of an innermost layer, the queries that it answers, with the values.
    """

    name: bytes
    user: int
    round: int
    layer: int
    opener: str
    inside: tuple[bytes, ...]
    answers: tuple[tuple[int, tuple[str, ...]], ...] = ()
