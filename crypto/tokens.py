"""One-time tokens: outputs of an oblivious function, with one proof that all are made by one key.

A person requests outputs for inputs that the key holder never sees. Later the person shows an
output as a token for one submission. A key holder with a special key for one person could recognize
that person's outputs later. So it proves that it used its public key: one proof for all requests of
a person at once. A point is on Curve25519, taken up to its sign (`montgomery.py`). K = k G is the
public key, with G the base point and k the secret key, l is the order of the group, and `hash` is
HashToGroup of RFC 9497 for ristretto255:

    person        P_i = hash(input_i), r_i random,  B_i = r_i P_i                          ->
    key holder    E_i = k B_i;  t from k and all B,  T_0 = t G,  T_i = t B_i
                  c = SHA-512(label || K || B || E || T) mod l,  z = t - c k mod l         <-
    person        refuses all unless  T_0 = +-z G +- c K  and each  T_i = +-z B_i +- c E_i
                  N_i = E_i / r_i,  token_i = first 16 bytes of SHA-512(label || input_i || N_i)

This is Chaum and Pedersen's proof, for all statements with one nonce t. If E_i = e B_i with e other
than k and -k, each choice of the signs allows at most one challenge c. So each guess of a false
answer passes with a probability below 2^-248, with the hash as a random function. B_i is uniform
for any input, as in RFC 9497. Two things differ from RFC 9497: points have no sign, and the proof,
because RFC 9497's proof needs sums of points (docs/adr/0086).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha512
from hmac import compare_digest
from itertools import islice
from typing import Never, final

from ..errors import ParameterError, Reason, Refused
from .entropy import Entropy
from .montgomery import (
    POINT,
    base_multiples,
    element_points,
    inverses,
    meets,
    multiples,
    multiplier,
    number_of,
    point,
)
from .ristretto import ORDER, SCALAR, decoded_scalar
from .voprf import hashed

TOKEN = 16  # bytes of a token: a guess is right with probability 2^-128
MOST_ASKED = 1024  # most inputs in a person's request; a longer request is refused

_PROOF_LABEL = b"veilmix token proof 1\0"
_NONCE_LABEL = b"veilmix token nonce 1\0"
_TOKEN_LABEL = b"veilmix token output 1\0"


@final
class TokenKey:
    """The key with which the tokens of a round are made; its secret is never shown or copied.

    Args:
        entropy: 32 bytes are taken from it.
    """

    __slots__ = ("_number", "_secret", "public")
    public: bytes  # the public key, a point: the base point times the secret

    def __init__(self, entropy: Entropy) -> None:
        """Make a key pair from the next 32 bytes of the entropy."""
        self._secret = entropy.random(SCALAR)
        self._number = number_of(self._secret)
        (self.public,) = base_multiples([self._secret])

    def times(self, points: Sequence[bytes]) -> list[bytes]:
        """Return each point times the secret key; no point may be of low order."""
        return multiples([self._secret], points)

    def nonce(self, elements: Sequence[bytes]) -> int:
        """Return the secret nonce of a proof, which depends on the elements of the request alone.

        A repeated request gets the same nonce, so its repeated proof reveals nothing.
        """
        drawn = sha512(_NONCE_LABEL + self._secret + b"".join(elements)).digest()
        return int.from_bytes(drawn, "little") % ORDER

    def response(self, nonce: int, challenge: int) -> bytes:
        """Return the response z = nonce - challenge * secret of a proof, 32 bytes."""
        return ((nonce - challenge * self._number) % ORDER).to_bytes(SCALAR, "little")

    def __repr__(self) -> str:
        return "TokenKey(secret hidden)"

    def __reduce_ex__(self, protocol: object) -> Never:
        """Refuse to be pickled or copied."""
        raise TypeError("a TokenKey is not pickled or copied; make it where it is used")


@dataclass(frozen=True, slots=True)
class BlindedInputs:
    """The blinded inputs of a person: a key holder evaluates them without seeing the inputs.

    Attributes:
        inputs: the inputs of the oblivious function.
        elements: the blinded inputs, which the person sends; 32 bytes each, independent of the
            inputs.
        inverses: multipliers that remove the blinding of each input. Secrets of the person.
    """

    inputs: tuple[bytes, ...] = field(repr=False)
    elements: tuple[bytes, ...]
    inverses: tuple[bytes, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Granted:
    """The key holder's answer to one person: evaluated elements and a proof.

    Attributes:
        elements: the person's blinded inputs, each times the secret key.
        commitments: the first message of the proof that one key was used for all inputs: the base
            point and each blinded input, times the proof's nonce.
        response: z, the proof's response to its challenge, a scalar.
    """

    elements: tuple[bytes, ...]
    commitments: tuple[bytes, ...]
    response: bytes


def ask(requests: Sequence[Sequence[bytes]], entropies: Sequence[Entropy]) -> list[BlindedInputs]:
    """Return the blinded inputs of each person.

    requests: the inputs of each person. entropies: the source of randomness of each person.

    Raises:
        ParameterError: a person has no input, or more than MOST_ASKED.
    """
    for inputs in requests:
        if not 0 < len(inputs) <= MOST_ASKED:
            raise ParameterError(f"inputs: got {len(inputs)}, accepted: 1 to {MOST_ASKED}")
    drawn = [
        entropy.random(SCALAR * len(inputs))
        for inputs, entropy in zip(requests, entropies, strict=True)
    ]
    row = b"".join(drawn)
    factors = [row[at : at + SCALAR] for at in range(0, len(row), SCALAR)]
    points = element_points([hashed(data) for inputs in requests for data in inputs])
    blinded = iter(multiples(factors, points))
    undone = map(multiplier, inverses([number_of(factor) for factor in factors], ORDER))
    return [
        BlindedInputs(tuple(inputs), _next(blinded, inputs), _next(undone, inputs))
        for inputs in requests
    ]


def grant(key: TokenKey, requests: Sequence[Sequence[bytes]]) -> list[Granted | Reason]:
    """Return the answer to each person's blinded inputs; MALFORMED for a malformed request.

    key: the secret key, by which the inputs are multiplied. requests: the blinded inputs of each
    person.
    """
    good = [_is_request(elements) for elements in requests]
    valid_requests = [elements for elements, fits in zip(requests, good, strict=True) if fits]
    if not valid_requests:
        return [Reason.MALFORMED] * len(good)
    nonces = [key.nonce(elements) for elements in valid_requests]
    times = [multiplier(nonce) for nonce in nonces]
    flat = [element for elements in valid_requests for element in elements]
    evaluated = iter(key.times(flat))
    each = [by for by, elements in zip(times, valid_requests, strict=True) for _ in elements]
    first, element_multiples = base_multiples(times), iter(multiples(each, flat))
    answers = iter(
        [
            _proved(
                key,
                nonce,
                elements,
                _next(evaluated, elements),
                (base_multiple, *_next(element_multiples, elements)),
            )
            for nonce, elements, base_multiple in zip(nonces, valid_requests, first, strict=True)
        ]
    )
    return [next(answers) if fits else Reason.MALFORMED for fits in good]


def tokens(
    requests: Sequence[BlindedInputs], answers: Sequence[Granted], public: bytes
) -> list[list[bytes] | Reason]:
    """Return each person's tokens of 16 bytes, or the reason why the answer is refused.

    MALFORMED: the answer does not belong to the request, or holds no points. DOES_NOT_OPEN: an
    element was not evaluated with the key of `public`.
    """
    pairs = list(zip(requests, answers, strict=True))
    verdicts = [_form(request.elements, answer, public) for request, answer in pairs]
    fit = [at for at, verdict in enumerate(verdicts) if verdict is None]
    results: list[list[bytes] | Reason] = [verdict or [] for verdict in verdicts]
    if not fit:
        return results
    proved = _are_proved([(requests[at].elements, answers[at]) for at in fit], public)
    flat = [(by, element) for at in fit for by, element in _undone(*pairs[at])]
    unblinded = iter(multiples([by for by, _ in flat], [element for _, element in flat]))
    for at, good in zip(fit, proved, strict=True):
        outputs = [_output(data, next(unblinded)) for data in requests[at].inputs]
        results[at] = outputs if good else Reason.DOES_NOT_OPEN
    return results


def verify(elements: Sequence[bytes], answer: Granted, public: bytes) -> None:
    """Check the key holder's answer to the blinded inputs of one person.

    elements: the blinded inputs. public: the key holder's public key.

    Raises:
        Refused: (MALFORMED) the answer does not belong to these inputs, or holds no points;
            (DOES_NOT_OPEN) an element was not evaluated with the key of `public`.
    """
    if wrong := _form(elements, answer, public):
        raise Refused(wrong, "not an answer to the blinded inputs of this request")
    if not all(_are_proved([(elements, answer)], public)):
        raise Refused(Reason.DOES_NOT_OPEN, "evaluated with another key")


def accepts(key: TokenKey, inputs: Sequence[bytes], claimed_tokens: Sequence[bytes]) -> list[bool]:
    """Return, for each input, whether the claimed token is the right output for it.

    Only the key holder can compute this. Tokens are compared in constant time.
    """
    points = key.times(element_points([hashed(data) for data in inputs])) if inputs else []
    return [
        compare_digest(_output(data, element), token)
        for data, element, token in zip(inputs, points, claimed_tokens, strict=True)
    ]


def _is_request(elements: Sequence[bytes]) -> bool:
    """Whether blinded inputs form a request: at least one, not too many, and all of them points."""
    try:
        return 0 < len(elements) <= MOST_ASKED and all(map(point, elements))
    except Refused:
        return False


def _proved(
    key: TokenKey,
    nonce: int,
    elements: Sequence[bytes],
    evaluated: tuple[bytes, ...],
    commitments: tuple[bytes, ...],
) -> Granted:
    """Return the answer to a request: evaluated elements, commitments and the proof's response.

    nonce: the secret random number of the proof. elements: the blinded inputs of the request.
    evaluated: the blinded inputs times the secret key. commitments: base point and blinded inputs,
    times the nonce.
    """
    challenge = _challenge(key.public, elements, evaluated, commitments)
    return Granted(evaluated, commitments, key.response(nonce, challenge))


def _form(elements: Sequence[bytes], answer: Granted, public: bytes) -> Reason | None:
    """Return the reason why an answer cannot belong to a request; None if it can.

    elements: the blinded inputs of the request. public: the key holder's public key.
    """
    element_count = len(elements)
    if len(answer.elements) != element_count or len(answer.commitments) != element_count + 1:
        return Reason.MALFORMED
    try:
        for each in (public, *answer.elements, *answer.commitments):
            point(each)
        multiplier(int.from_bytes(decoded_scalar(answer.response), "little"))
    except Refused as refusal:
        return refusal.reason
    return None


def _are_proved(pairs: Sequence[tuple[Sequence[bytes], Granted]], public: bytes) -> list[bool]:
    """Return, for each answer, whether all its elements were evaluated with the key of `public`.

    pairs: the blinded inputs of each request, and the key holder's answer.
    """
    responses, challenges = list[bytes](), list[bytes]()
    for elements, answer in pairs:
        challenge = _challenge(public, elements, answer.elements, answer.commitments)
        responses.append(multiplier(int.from_bytes(answer.response, "little")))
        challenges.append(multiplier(challenge))
    flat = [
        (at, *both)
        for at, (elements, answer) in enumerate(pairs)
        for both in zip(elements, answer.elements, strict=True)
    ]
    response_multiples = base_multiples(responses)
    keys = multiples(challenges, [public] * len(pairs))
    blinded = iter(multiples([responses[at] for at, *_ in flat], [b for _, b, _ in flat]))
    evaluated = iter(multiples([challenges[at] for at, *_ in flat], [e for *_, e in flat]))
    return [
        all(
            map(
                meets,
                (response_multiples[at], *_next(blinded, elements)),
                (keys[at], *_next(evaluated, elements)),
                answer.commitments,
            )
        )
        for at, (elements, answer) in enumerate(pairs)
    ]


def _challenge(
    public: bytes,
    elements: Sequence[bytes],
    evaluated: Sequence[bytes],
    commitments: Sequence[bytes],
) -> int:
    """Return the challenge of the proof that one key made a person's answer: a hash of all parts.

    All points have the same size, so the parts cannot be confused. public: the public key.
    elements: the blinded inputs. evaluated: the blinded inputs times the secret key. commitments:
    the proof's first message.
    """
    transcript = b"".join((_PROOF_LABEL, public, *elements, *evaluated, *commitments))
    return int.from_bytes(sha512(transcript).digest(), "little") % ORDER


def _undone(request: BlindedInputs, answer: Granted) -> Iterator[tuple[bytes, bytes]]:
    """Return pairs: the multiplier that removes an input's blinding, and the evaluated element.

    request: the person's blinded inputs. answer: of the key holder.
    """
    return zip(request.inverses, answer.elements, strict=True)


def _output(data: bytes, element: bytes) -> bytes:
    """Return the token of an input: 16 bytes of a hash of the input and its evaluated element."""
    return sha512(_TOKEN_LABEL + len(data).to_bytes(2, "big") + data + element).digest()[:TOKEN]


def _next(row: Iterator[bytes], like: Sequence[object]) -> tuple[bytes, ...]:
    """Return the next items of an iterator, as many as `like` has."""
    return tuple(islice(row, len(like)))


assert POINT == SCALAR  # noqa: S101 - encodings have a single width
