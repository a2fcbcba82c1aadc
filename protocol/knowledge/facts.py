"""Facts that a coalition may know about a run, and the reason of each fact (derivation.py)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from .transcript import Event


class FactRule(StrEnum):
    """The rule by which a coalition derives a fact; derivation.py has the exact rules.

    OWN: a member sealed it. KEY: a member has the private key. SHOWN: an audit opened it in public.
    SAW: a member observed the message. SENDER: a member observed the submission of an envelope.
    OPEN: a key opens a ciphertext. FOLLOW: the content belongs to the sender of its ciphertext.
    ORDER: a batch kept its order. READ: an opened answer shows its values.
    """

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
    """The fact that a coalition has a party's private key.

    Attributes:
        party: the owner of the key.
    """

    party: str


@dataclass(frozen=True, slots=True)
class Ciphertext:
    """The fact that a coalition has a ciphertext or, if `opened`, the content of a ciphertext.

    Attributes:
        name: the ciphertext's hash, eight bytes.
        opened: whether the coalition has the content.
    """

    name: bytes
    opened: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """The fact that a coalition knows the user that made a ciphertext.

    Attributes:
        name: the ciphertext's hash, eight bytes.
        user: the user, by index, from 0.
    """

    name: bytes
    user: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The fact that a coalition knows the answer of a user to a query of a round.

    Attributes:
        user: the user, by index, from 0.
        round: the number of the round, from 1.
        ask: the query, by its number in the call, from 0.
    """

    user: int
    round: int
    ask: int


Fact = KeyFact | Ciphertext | Origin | Answer


class FactReason(NamedTuple):
    """The reason of a fact: the rule, its premises, and the observed event.

    Attributes:
        rule: the rule by which the fact is derived.
        premises: the facts from which the rule derives it.
        event: the observation; None if the fact is derived from facts alone.
    """

    rule: FactRule
    premises: tuple[Fact, ...] = ()
    event: Event | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """A ciphertext of a run: the user that made it, its opener, its content, and its layer.

    Attributes:
        name: the ciphertext's hash, eight bytes.
        user: the user that made it, by index, from 0.
        round: the number of the round, from 1.
        layer: the depth of its layer; 1 is the envelope.
        opener: the party with the key that opens it.
        inside: the names (hashes) of the ciphertexts in it; () for an innermost layer.
        answers: for an innermost layer, the queries that it answers, with the values.
    """

    name: bytes
    user: int
    round: int
    layer: int
    opener: str
    inside: tuple[bytes, ...]
    answers: tuple[tuple[int, tuple[str, ...]], ...] = ()
