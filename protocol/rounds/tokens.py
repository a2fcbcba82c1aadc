"""Tokens: a ballot counts only with a token that the round's reader issued, blindly, to a person.

    a person asks     for each query, one output of input = label || session || round || salt
    plaintext         padded ballot || token (16 bytes), innermost; the salt is that of the ballot

A shuffler can make ballots, but no tokens: an added ballot is refused, and a removed ballot leaves
a token unspent (`unspent` of crowd_limits.py). The reader (curator or analyst) of a round issues
its tokens, with a key for this round alone. A separate issuer would not add security, because a
reader can misreport its counts anyway. The curator and the analyst exchange the rolls (lists of
users with tokens) of their rounds. So both know whether later rounds have the same users.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from ...crypto import tokens as blind
from ...crypto.entropy import Entropy
from ...crypto.signing import Signer, sign_all, valid_signatures
from ...crypto.tokens import TOKEN, TokenKey
from ...errors import Reason
from ..wire import parties
from ..wire.messages import Registry
from ..wire.token_messages import Ask, Grant, PublicGrant
from .ballots import VALUES, Token, fresh_salts
from .round_context import Round
from .tallying import BallotReading, read_ballots

LABEL = b"veilmix token 1\0"
ASK_LABEL = b"veilmix ask 1\0"


def other_reader(reader: str) -> str:
    """Return the curator for the analyst, and the analyst for the curator.

    The party that did not give the round's tokens receives the list of users that got them (the
    roll).
    """
    return parties.ANALYST if reader == parties.CURATOR else parties.CURATOR


def token_input(plan: Round, salt: bytes) -> bytes:
    """Return the input of the oblivious pseudorandom function whose output is the token.

    salt: the salt of the ballot that spends the token.
    """
    return LABEL + plan.session + bytes([plan.call.round]) + salt


@dataclass(frozen=True, slots=True)
class PendingTokens:
    """The state of a user that waits for its tokens (blind credentials).

    Attributes:
        salts: a salt for each token, so that two tokens of a person differ.
        blinded_inputs: the blinded inputs, with the secrets that unblind the answer.
        body: the request that was sent.
    """

    salts: tuple[bytes, ...] = field(repr=False)
    blinded_inputs: blind.BlindedInputs
    body: Ask


def make_asks(
    plan: Round, signers: Sequence[Signer], entropies: Sequence[Entropy]
) -> list[PendingTokens]:
    """Users: return signed, blinded requests for tokens, with a fresh salt for each ballot.

    signers: the signing key of each user. entropies: the randomness of each user.
    """
    salts = [fresh_salts(entropy, plan.slots) for entropy in entropies]
    inputs = [[token_input(plan, salt) for salt in mine] for mine in salts]
    blinded_inputs = blind.ask(inputs, entropies)
    signatures = sign_all(signers, [_signed(plan, each.elements) for each in blinded_inputs])
    return [
        PendingTokens(tuple(mine), each, Ask(each.elements, signature))
        for mine, each, signature in zip(salts, blinded_inputs, signatures, strict=True)
    ]


def take_grants(
    pending: Sequence[PendingTokens], granted: Sequence[Grant | PublicGrant], public: bytes
) -> list[tuple[Token, ...] | Reason]:
    """Users: return the tokens of each answer, with their salts, or the reason of a refusal.

    DOES_NOT_OPEN unless all tokens of a person are made with the key on the board, because another
    key could mark this person.

    pending: the state of each user since its request. granted: the answers of the curator or
    analyst. public: the public token key on the board.
    """
    grants = [each.grant if isinstance(each, PublicGrant) else each for each in granted]
    results = blind.tokens(
        [each.blinded_inputs for each in pending], list(map(_answer, grants)), public
    )
    return [
        tokens if isinstance(tokens, Reason) else tuple(zip(each.salts, tokens, strict=True))
        for each, tokens in zip(pending, results, strict=True)
    ]


def check_asks(
    plan: Round, registry: Registry, asks: Iterable[tuple[str, Ask]]
) -> list[Reason | None]:
    """Curator or analyst: check token requests; return, for each, None or a reason of refusal.

    MALFORMED: the number of elements is not the number of ballots. UNREGISTERED: the named sender
    has not signed the request. asks: (name of the sender, request).
    """
    results, signed = list[Reason | None](), list[tuple[int, bytes, bytes, bytes]]()
    for sender, request in asks:
        index = parties.index(sender)
        if index >= len(registry.keys):
            results.append(Reason.UNREGISTERED)
        elif len(request.elements) != plan.slots:
            results.append(Reason.MALFORMED)
        else:
            message = _signed(plan, request.elements)
            signed.append((len(results), registry.keys[index], message, request.signature))
            results.append(None)
    if signed:
        places, *triples = zip(*signed, strict=True)
        for place, valid in zip(places, valid_signatures(*triples), strict=True):
            results[place] = None if valid else Reason.UNREGISTERED
    return results


def give(key: TokenKey, asks: Sequence[Ask]) -> list[Grant | Reason]:
    """Curator or analyst: issue the blinded tokens of each request; MALFORMED if malformed.

    key: the secret token key of the round. asks: the requests.
    """
    return [
        answer
        if isinstance(answer, Reason)
        else Grant(answer.elements, answer.commitments, answer.response)
        for answer in blind.grant(key, [request.elements for request in asks])
    ]


def _answer(granted: Grant) -> blind.Granted:
    """Return the answer to a token request as the type that `crypto.tokens` uses."""
    return blind.Granted(granted.elements, granted.commitments, granted.response)


def check_grant(request: Ask, granted: Grant, public: bytes) -> None:
    """Any party: check that an answer holds the requested tokens, made with the posted token key.

    Refused if the check fails. request: the blinded inputs of a user. granted: the answer of the
    curator or analyst. public: the public token key of this party on the board.
    """
    blind.verify(request.elements, _answer(granted), public)


def ask_digest(elements: Sequence[bytes]) -> bytes:
    """Return the digest (32 bytes) of a token request, which the user signs.

    elements: the blinded inputs in the request.
    """
    return sha256(b"".join(elements)).digest()


def read_with_tokens(plan: Round, key: TokenKey, plaintexts: Sequence[bytes]) -> BallotReading:
    """Curator or analyst: count ballots with an unspent token (blind credential), refuse others.

    UNREGISTERED: without a valid token. DUPLICATE: with a token that is already spent. key: the
    secret token key of the round. plaintexts: the decrypted ballots, each with its token.
    """
    bare, spent, refused = list[bytes](), dict[bytes, None](), Counter[Reason]()
    ballots = [plan.bare(plaintext) for plaintext in plaintexts]
    salts = [ballot[1:VALUES] for ballot in ballots]
    inputs = [token_input(plan, salt) for salt in salts]
    valid = blind.accepts(key, inputs, [plaintext[-TOKEN:] for plaintext in plaintexts])
    for ballot, salt, good in zip(ballots, salts, valid, strict=True):
        if not good:
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
    """Return the bytes over which a user signs a request for tokens (blind credentials)."""
    place = plan.session + bytes([plan.call.round])
    return ASK_LABEL + place + ask_digest(elements)
