r"""One-time tokens: outputs of RFC 9497's function, with a check that everybody's is of one key.

A person asks for outputs of inputs that the key holder never sees. Whoever evaluates one person's
under a key of its own could tell that person's outputs from all others later. RFC 9497 has it prove
that it did not, which costs the key holder a multiplication an input, and the person two. Here the
person tests it with one multiplication for all its inputs, because its blinding factors are weights
that the key holder does not know:

    person        P_i = H(input_i); r_i, c random;  B_i = r_i P_i,  C = c G + sum P_i   ->
    key holder    E_i = k B_i,  V = SHA-512(label || C || k C), cut to 32 bytes         <-
    person        N_i = E_i / r_i;  refuses all unless V = hash(C, c K + sum N_i), K = k G

Whoever answers E_i = k B_i + D_i passes only by guessing k C + sum D_i / r_i. The r_i are uniform
whatever has been seen (for each r_i there is one P_i that gives this B_i, and c hides the sum): so
one answer passes with a chance of 1 in 2^252 unless all D_i are 0. And the key holder shows a hash
of k C and not the element: that would be one output more than was asked for.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha512
from hmac import compare_digest

from ..errors import ParameterError, Reason, Refused
from .entropy import Entropy
from .ristretto import (
    ELEMENT,
    ORDER,
    SCALAR,
    UNIFORM,
    base_times,
    plus,
    scalar,
    times,
    times_decoded,
)
from .voprf import OprfKey, finished, hashed, verify

TOKEN = 16  # bytes of an output that are shown: whoever guesses one is right once in 2^128
CHECK = 32  # bytes of the key holder's check
MOST_ASKED = 1024  # inputs that a person may ask for at once

_LABEL = b"veilmix token check 1\0"


@dataclass(frozen=True, slots=True)
class BlindedInputs:
    """Inputs on their way through a key holder who may not see them.

    Attributes:
        inputs: what outputs are asked for.
        elements: what is sent: B_1, .., B_s, and C; 32 bytes each; says nothing of the inputs.
        inverses: what takes the blinding off again, one an input. Secrets of the person.
        mask: what takes the blinding of the sum off. A secret of the person.
    """

    inputs: tuple[bytes, ...] = field(repr=False)
    elements: tuple[bytes, ...]
    inverses: tuple[bytes, ...] = field(repr=False)
    mask: bytes = field(repr=False)


def ask(inputs: Sequence[bytes], entropy: Entropy) -> BlindedInputs:
    """Person: blind inputs, and their sum.

    Raises:
        ParameterError: no input, or too many.
    """
    if not 0 < len(inputs) <= MOST_ASKED:
        raise ParameterError(f"inputs: got {len(inputs)}, accepted: 1 to {MOST_ASKED}")
    drawn = entropy.random(UNIFORM * (len(inputs) + 1))
    *factors, mask = (scalar(drawn[at : at + UNIFORM]) for at in range(0, len(drawn), UNIFORM))
    points = [hashed(data) for data in inputs]
    blinded = [times(factor, point) for factor, point in zip(factors, points, strict=True)]
    summed = _sum(base_times(mask), points)
    return BlindedInputs(tuple(inputs), (*blinded, summed), tuple(_inverses(factors)), mask)


def grant(key: OprfKey, elements: Sequence[bytes]) -> tuple[tuple[bytes, ...], bytes]:
    """Key holder: answer one person's elements, the last of which is for the check.

    Raises:
        Refused: (MALFORMED) one of them is not an element, or there are too few or too many.
    """
    if not 1 < len(elements) <= MOST_ASKED + 1:
        raise Refused(Reason.MALFORMED, f"{len(elements)} elements")
    *evaluated, last = map(key.times, elements)
    return tuple(evaluated), _check(elements[-1], last)


def grant_publicly(
    key: OprfKey, elements: Sequence[bytes], entropy: Entropy
) -> tuple[tuple[bytes, ...], bytes]:
    """Key holder: answer one person's elements before everybody, with a proof for everybody.

    The last element, which is for the check, is not evaluated: the proof stands in its place.

    Raises:
        Refused: (MALFORMED) one of them is not an element, or there are too few.
    """
    evaluated, proof = key.evaluate(elements[:-1], entropy)
    return tuple(evaluated), proof


def proved_tokens(
    asked: BlindedInputs, evaluated: Sequence[bytes], proof: bytes, public: bytes
) -> list[bytes]:
    """Person: check an answer that was given before everybody, and give the tokens.

    Raises:
        Refused: (MALFORMED) not as many elements as asked for, or no elements; (DOES_NOT_OPEN)
            not evaluated with the key of `public`, all of them.
    """
    verify(asked.elements[:-1], evaluated, proof, public)
    unmasked = [
        times_decoded(inverse, point)
        for inverse, point in zip(asked.inverses, evaluated, strict=True)
    ]
    return [finished(data, own)[:TOKEN] for data, own in zip(asked.inputs, unmasked, strict=True)]


def tokens(
    asked: BlindedInputs, evaluated: Sequence[bytes], check: bytes, public: bytes
) -> list[bytes]:
    """Person: check the key holder's answer and give the tokens, 16 bytes each.

    Raises:
        Refused: (MALFORMED) not as many elements as asked for, or no elements; (DOES_NOT_OPEN)
            not evaluated with the key of `public`, all of them.
    """
    if len(evaluated) != len(asked.inputs):
        raise Refused(Reason.MALFORMED, "not an answer to what was asked")
    unmasked = [
        times_decoded(inverse, point)
        for inverse, point in zip(asked.inverses, evaluated, strict=True)
    ]
    summed = _sum(times_decoded(asked.mask, public), unmasked)
    if not compare_digest(_check(asked.elements[-1], summed), check):
        raise Refused(Reason.DOES_NOT_OPEN, "evaluated with another key")
    return [finished(data, own)[:TOKEN] for data, own in zip(asked.inputs, unmasked, strict=True)]


def accepts(key: OprfKey, data: bytes, token: bytes) -> bool:
    """Key holder: whether this is the token for this input, in constant time."""
    return compare_digest(key.output(data)[:TOKEN], token)


def _check(masked: bytes, evaluated: bytes) -> bytes:
    return sha512(_LABEL + masked + evaluated).digest()[:CHECK]


def _sum(first: bytes, points: Sequence[bytes]) -> bytes:
    for point in points:
        first = plus(first, point)
    return first


def _inverses(factors: Sequence[bytes]) -> list[bytes]:
    """The inverses of scalars, by one inversion of their product (Montgomery's trick)."""
    numbers = [int.from_bytes(factor, "little") for factor in factors]
    before, running = list[int](), 1
    for number in numbers:
        before.append(running)
        running = running * number % ORDER
    rest, inverses = pow(running, -1, ORDER), list[bytes]()
    for number, sofar in zip(reversed(numbers), reversed(before), strict=True):
        inverses.append((rest * sofar % ORDER).to_bytes(SCALAR, "little"))
        rest = rest * number % ORDER
    return inverses[::-1]


assert SCALAR == ELEMENT == CHECK  # noqa: S101 - one width on the wire
