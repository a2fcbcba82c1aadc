"""Verifiable oblivious pseudorandom function: RFC 9497, mode VOPRF, suite ristretto255-SHA512.

A key holder computes F(key, input) of an input that it never sees, and proves that it used its
public key. It can never connect a request with the later use of the output, because every blinded
element is uniformly random for it. H is a hash to the group, and G the generator.

    person        P = H(input), r random          ->  B = r P
    key holder    E = key B, proof                <-  E, proof that log_G(public) = log_B(E)
    person        checks, N = E / r = key P           output = SHA-512(input, N, "Finalize")
    key holder    computes the output of a shown input alone, and compares

One proof covers a whole batch: it is for a random combination of all B and E. So a key holder
cannot use a special key for one person, by which this person's output could be recognized.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha512
from hmac import compare_digest
from typing import Never, final

from ..errors import ParameterError, Reason, Refused
from .entropy import Entropy
from .ristretto import (
    ELEMENT,
    IDENTITY,
    SCALAR,
    UNIFORM,
    base_times,
    decoded,
    decoded_scalar,
    difference,
    element,
    inverse,
    plus,
    product,
    scalar,
    times,
)

OUTPUT = 64  # bytes of the function's output
PROOF = 2 * SCALAR  # bytes of a proof: the challenge and the response
# most inputs of one batch: the index of an input has two bytes in the hash of the proof
MOST_INPUTS = 2**16 - 1
SEED = 32  # bytes of the seed from which a key is derived

_CONTEXT = b"OPRFV1-\x01-ristretto255-SHA512"  # RFC 9497, 3.1: version, mode, suite
_BLOCK = 128  # bytes of a block of SHA-512


@final
class OprfKey:
    """The secret key of the oblivious function. It is never shown, pickled or copied.

    Args:
        entropy: 32 bytes are taken from it.
        info: purpose of the key; different bytes give different keys (RFC 9497, 3.2.1).
    """

    __slots__ = ("_secret", "public")
    public: bytes  # an element: the generator times the secret

    def __init__(self, entropy: Entropy, info: bytes = b"") -> None:
        """Derive the key pair from 32 bytes of entropy and from `info`, the purpose of the key."""
        self._secret = _derived(entropy.random(SEED) + _sized(info))
        self.public = base_times(self._secret)

    def evaluate(self, blinded: Sequence[bytes], entropy: Entropy) -> tuple[list[bytes], bytes]:
        """Return blinded inputs times the key, with one proof that all were multiplied by it.

        Raises:
            Refused: (MALFORMED) an item is not a group element, or there are too few or too many.
        """
        _check_size(len(blinded))
        evaluated = [times(self._secret, decoded(element)) for element in blinded]
        nonce = scalar(entropy.random(UNIFORM))
        return evaluated, self._prove(blinded, evaluated, nonce)

    def output(self, data: bytes) -> bytes:
        """Return the function's output, 64 bytes, for an input that the key holder may see."""
        return finished(data, times(self._secret, hashed(data)))

    def accepts(self, data: bytes, output: bytes) -> bool:
        """Whether `output` is the function's output for `data`, compared in constant time."""
        return compare_digest(self.output(data), output)

    def _prove(self, blinded: Sequence[bytes], evaluated: Sequence[bytes], nonce: bytes) -> bytes:
        """Return the proof that all blinded inputs were multiplied by this key.

        It is a proof of equal discrete logarithms (Chaum and Pedersen). evaluated: the products.
        nonce: a random scalar.
        """
        mixed = _mixed(blinded, _weights(self.public, blinded, evaluated))
        both = times(self._secret, mixed)
        challenge = _challenge(self.public, mixed, both, base_times(nonce), times(nonce, mixed))
        return challenge + difference(nonce, product(challenge, self._secret))

    def __repr__(self) -> str:
        return "OprfKey(secret hidden)"

    def __reduce_ex__(self, protocol: object) -> Never:
        """Refuse to be pickled or copied."""
        raise TypeError("an OprfKey is not pickled or copied; make it where it is used")


@dataclass(frozen=True, slots=True)
class Blinded:
    """The blinded inputs of a person: a key holder evaluates them without seeing the inputs.

    Attributes:
        inputs: the inputs of the function.
        elements: the blinded inputs, which the person sends; 32 bytes each, independent of the
            inputs.
        factors: the scalars by which the hashed inputs were multiplied; division by them removes
            the blinding. Secrets of the person.
    """

    inputs: tuple[bytes, ...] = field(repr=False)
    elements: tuple[bytes, ...]
    factors: tuple[bytes, ...] = field(repr=False)


def blind(inputs: Sequence[bytes], entropy: Entropy) -> Blinded:
    """Return a person's inputs, of at most 65,535 bytes each, blinded with random scalars.

    Raises:
        ParameterError: no input, or too many, or an input is too long.
    """
    if not 0 < len(inputs) <= MOST_INPUTS:
        raise ParameterError(f"inputs: got {len(inputs)}, accepted: 1 to {MOST_INPUTS:,}")
    return blinded_by([scalar(entropy.random(UNIFORM)) for _ in inputs], inputs)


def blinded_by(factors: Sequence[bytes], inputs: Sequence[bytes]) -> Blinded:
    """Return inputs blinded by these scalars: the hash of each input times its scalar, not 0."""
    for data in inputs:
        _sized(data)  # refuses an input of more than 65,535 bytes
    elements = tuple(
        times(factor, hashed(data)) for factor, data in zip(factors, inputs, strict=True)
    )
    return Blinded(tuple(inputs), elements, tuple(factors))


def finalize(
    blinded_inputs: Blinded, evaluated: Sequence[bytes], proof: bytes, public: bytes
) -> list[bytes]:
    """Return the outputs, 64 bytes each, from the key holder's answer, after a check of its proof.

    evaluated: the blinded inputs times the key. public: the key holder's public key.

    Raises:
        Refused: (MALFORMED) a wrong number of elements, or no elements, or no proof;
            (DOES_NOT_OPEN) the proof fails: another key than `public` was used for an element.
    """
    if len(evaluated) != len(blinded_inputs.elements):
        raise Refused(Reason.MALFORMED, "the answer has more or fewer elements than the request")
    verify(blinded_inputs.elements, evaluated, proof, public)
    return [
        finished(data, times(inverse(factor), element))
        for data, factor, element in zip(
            blinded_inputs.inputs, blinded_inputs.factors, evaluated, strict=True
        )
    ]


def verify(
    blinded: Sequence[bytes], evaluated: Sequence[bytes], proof: bytes, public: bytes
) -> None:
    """Check that all blinded inputs were multiplied by the key of `public` (RFC 9497, 2.2.2).

    blinded: the blinded inputs. evaluated: the products with the key.

    Raises:
        Refused: (MALFORMED) malformed elements, proof or key; (DOES_NOT_OPEN) the proof fails.
    """
    _check_size(len(blinded))
    if len(evaluated) != len(blinded) or len(proof) != PROOF:
        raise Refused(Reason.MALFORMED, "not a proof for these elements")
    challenge, response = decoded_scalar(proof[:SCALAR]), decoded_scalar(proof[SCALAR:])
    for encoded in (public, *blinded, *evaluated):
        decoded(encoded)
    weights = _weights(public, blinded, evaluated)
    mixed, both = _mixed(blinded, weights), _mixed(evaluated, weights)
    first = plus(base_times(response), times(challenge, public))
    second = plus(times(response, mixed), times(challenge, both))
    if not compare_digest(challenge, _challenge(public, mixed, both, first, second)):
        raise Refused(Reason.DOES_NOT_OPEN, "evaluated with another key")


def _check_size(count: int) -> None:
    """Refuse (MALFORMED) a batch without elements or with too many."""
    if not 0 < count <= MOST_INPUTS:
        raise Refused(
            Reason.MALFORMED, f"a batch of {count} elements; accepted: 1 to {MOST_INPUTS:,}"
        )


def _weights(public: bytes, blinded: Sequence[bytes], evaluated: Sequence[bytes]) -> list[bytes]:
    """Return the pseudorandom weight of each pair of elements (RFC 9497, 2.2.1).

    A pair is a blinded element and its product with the key. A weight depends on the public key,
    the pair and its number. So a key holder must choose an element before it knows the weight.
    """
    seed = sha512(_sized(public) + _sized(b"Seed-" + _CONTEXT)).digest()
    return [
        _hashed_scalar(
            _sized(seed)
            + number.to_bytes(2, "big")
            + _sized(blinded_element)
            + _sized(evaluated_element)
            + b"Composite"
        )
        for number, (blinded_element, evaluated_element) in enumerate(
            zip(blinded, evaluated, strict=True)
        )
    ]


def _mixed(elements: Sequence[bytes], weights: Sequence[bytes]) -> bytes:
    """Return the weighted sum of group elements, so that one proof covers a whole batch."""
    mixed = IDENTITY
    for weight, point in zip(weights, elements, strict=True):
        mixed = plus(mixed, times(weight, point))
    return mixed


def _challenge(*elements: bytes) -> bytes:
    """Return the challenge scalar of a proof: a hash of its elements."""
    return _hashed_scalar(b"".join(map(_sized, elements)) + b"Challenge")


def finished(data: bytes, unblinded: bytes) -> bytes:
    """Return the output, 64 bytes, of the function for an input.

    unblinded: the element that the input hashes to, times the key.
    """
    return sha512(_sized(data) + _sized(unblinded) + b"Finalize").digest()


def hashed(data: bytes) -> bytes:
    """Return the group element that an input hashes to; its logarithm is unknown."""
    return element(_expanded(data, b"HashToGroup-" + _CONTEXT))


def _hashed_scalar(data: bytes, label: bytes = b"HashToScalar-" + _CONTEXT) -> bytes:
    """Return the scalar that bytes hash to.

    label: names the purpose of the hash, so that different purposes give different scalars.
    """
    return scalar(_expanded(data, label))


def _derived(drawn: bytes) -> bytes:
    """Return a secret key other than 0, a function of the drawn bytes (RFC 9497, 3.2.1)."""
    for count in range(256):
        secret = _hashed_scalar(drawn + bytes((count,)), b"DeriveKeyPair" + _CONTEXT)
        if any(secret):
            return secret
    raise AssertionError("256 hashes in a row are 0")  # pragma: no cover - of probability 2^-64000


def _expanded(data: bytes, label: bytes) -> bytes:
    """Return 64 bytes of a hash: expand_message_xmd of RFC 9380, 5.3.1, with a single block.

    label: the domain separation tag, so that hashes for different purposes differ.
    """
    tail = label + bytes((len(label),))
    first = sha512(bytes(_BLOCK) + data + UNIFORM.to_bytes(2, "big") + b"\0" + tail).digest()
    return sha512(first + b"\1" + tail).digest()


def _sized(data: bytes) -> bytes:
    """Return bytes with their length, two bytes long, in front."""
    if len(data) >= 2**16:
        raise ParameterError(f"input: got {len(data):,} bytes, accepted: fewer than 65,536")
    return len(data).to_bytes(2, "big") + data


assert sha512().digest_size == OUTPUT and ELEMENT == SCALAR  # noqa: S101, PT018 - the layout above
