r"""Tokens: a ballot counts only with one that the round's reader gave, blindly, to a person.

    a person asks     for each question, one output of input = label || session || round || salt
    plaintext         padded ballot || token (16 bytes), innermost; the salt is that of the ballot

A shuffler can make ballots, but no tokens: what it puts in is refused, and what it takes out is
missing (`ledger.unspent`). The reader of a round gives the tokens of that round, with a key for it
alone; whoever reads can lie about what it reads anyway, so a second key holder would add nothing
but time. It tells the other reader who asked, so that each knows whether later the same people do.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from ..crypto import tokens as blind
from ..crypto.entropy import Entropy
from ..crypto.signing import Signer, verify_signature
from ..crypto.tokens import TOKEN
from ..crypto.voprf import OprfKey
from ..errors import Reason, Refused
from . import parties
from .ballots import VALUES, Token, fresh_salts
from .messages import Registry
from .session import Round
from .tallying import Reading, read_ballots
from .token_messages import Ask, Grant, PublicGrant

LABEL = b"veilmix token 1\0"
ASK_LABEL = b"veilmix ask 1\0"


def other_reader(reader: str) -> str:
    """The one of curator and analyst that does not read a round, and hears who takes part in it."""
    return parties.ANALYST if reader == parties.CURATOR else parties.CURATOR


def token_input(plan: Round, salt: bytes) -> bytes:
    """Person or reader: what a token is the output for."""
    return LABEL + plan.session + bytes([plan.call.round]) + salt


@dataclass(frozen=True, slots=True)
class PendingTokens:
    """What a person keeps while it waits for its tokens.

    Attributes:
        salts: one a token, so that two tokens of a person are two.
        asked: what the key holder may not see.
        body: the message that asks.
    """

    salts: tuple[bytes, ...] = field(repr=False)
    asked: blind.BlindedInputs
    body: Ask


def make_ask(plan: Round, signer: Signer, entropy: Entropy) -> PendingTokens:
    """Person: ask for one token a question, each for a fresh salt."""
    salts = fresh_salts(entropy, plan.slots)
    asked = blind.ask([token_input(plan, salt) for salt in salts], entropy)
    signature = signer.sign(_signed(plan, asked.elements))
    return PendingTokens(tuple(salts), asked, Ask(asked.elements, signature))


def take_grant(
    asking: PendingTokens, granted: Grant | PublicGrant, public: bytes
) -> tuple[Token, ...]:
    """Person: the tokens in an answer, with their salts.

    Refused (DOES_NOT_OPEN) unless all are of the key that is on the board: another key could be
    this person's alone.
    """
    if isinstance(granted, PublicGrant):
        tokens = blind.proved_tokens(asking.asked, granted.elements, granted.proof, public)
    else:
        tokens = blind.tokens(asking.asked, granted.elements, granted.check, public)
    return tuple(zip(asking.salts, tokens, strict=True))


def check_ask(plan: Round, registry: Registry, sender: str, asked: Ask) -> None:
    """Reader: Refused unless a registered person has signed that it asks, once for each question.

    MALFORMED: for more or fewer. UNREGISTERED: not signed by whom it comes from.
    """
    index = parties.index(sender)
    if index >= len(registry.keys):
        raise Refused(Reason.UNREGISTERED)
    if len(asked.elements) != plan.slots + 1:
        raise Refused(Reason.MALFORMED)
    verify_signature(registry.keys[index], _signed(plan, asked.elements), asked.signature)


def give(key: OprfKey, asked: Ask) -> Grant:
    """Reader: answer what a person has asked; Refused (MALFORMED) if it holds no elements."""
    return Grant(*blind.grant(key, asked.elements))


def give_publicly(key: OprfKey, person: int, asked: Ask, entropy: Entropy) -> PublicGrant:
    """Reader: answer on the board what a person has asked there."""
    return PublicGrant(person, *blind.grant_publicly(key, asked.elements, entropy))


def ask_digest(elements: Sequence[bytes]) -> bytes:
    """Person or reader: the digest (32 bytes) of a request, which is signed and compared."""
    return sha256(b"".join(elements)).digest()


def read_with_tokens(plan: Round, key: OprfKey, plaintexts: Sequence[bytes]) -> Reading:
    """Reader: count the ballots with a fresh token; refuse, and count, the others.

    UNREGISTERED: without a token, or with another's. DUPLICATE: with one that is spent already.
    """
    bare, spent, refused = list[bytes](), dict[bytes, None](), Counter[Reason]()
    for plaintext in plaintexts:
        ballot, token = plan.bare(plaintext), plaintext[-TOKEN:]
        salt = ballot[1:VALUES]
        if not blind.accepts(key, token_input(plan, salt), token):
            refused[Reason.UNREGISTERED] += 1
        elif salt in spent:
            refused[Reason.DUPLICATE] += 1
        else:
            spent[salt] = None
            bare.append(ballot)
    reading = read_ballots(plan, bare)
    reading.refused.update(refused)
    reading.spent += spent
    return reading


def _signed(plan: Round, elements: Sequence[bytes]) -> bytes:
    place = plan.session + bytes([plan.call.round])
    return ASK_LABEL + place + ask_digest(elements)
