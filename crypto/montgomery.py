"""Points of Curve25519 up to their sign (RFC 7748), many multiplied at a time.

A point is given by its u coordinate alone, 32 bytes in a unique encoding; u is the same for P and
-P. So a multiple is known only up to its sign, and sums are not defined. But `meets` decides
whether a point is the sum or the difference of two other points (Renes and Smith, qDSA, 2017).

X25519's ladder multiplies by a multiple of 8 from 2^254 to 2^255 - 8, which removes the small
subgroups. For almost every nonzero number modulo the prime order, such a multiple equals the number
or its negative (`multiplier`).

    u of an element s of ristretto255 (RFC 9496) = 1 / s^2, up to a point of order 4 or less

Eight points are multiplied at once if Intel's library for that is there (`multibuffer.py`).
"""

from collections.abc import Sequence

from nacl.bindings import crypto_scalarmult, crypto_scalarmult_base

from ..errors import Reason, Refused
from .batched import engine_for
from .ristretto import ORDER
from .x25519 import X25519_SIZE, is_public_key

POINT = X25519_SIZE  # bytes of a point, and of a multiplier

_P = 2**255 - 19
_A = 486662  # coefficient: the curve is v^2 = u^3 + A u^2 + u
_COFACTOR = 8
_EIGHTH = pow(_COFACTOR, -1, ORDER)
# X25519 multiplies only by multiples of 8 from 2**254 to 2**255. So a multiplier divided by 8 is at
# least the first number and below the second.
_MINIMUM, _LIMIT = 2**251, 2**252


def multiplier(number: int) -> bytes:
    """Return 32 bytes with which X25519 multiplies a point by `number`, up to the sign.

    Raises:
        Refused: (MALFORMED) there are no such bytes: for 0, and for a share of 2^-126 of all
            numbers.
    """
    eighth = number * _EIGHTH % ORDER
    if eighth < _MINIMUM:
        eighth = ORDER - eighth
    if not _MINIMUM <= eighth < _LIMIT:
        raise Refused(Reason.MALFORMED, "not a number by which X25519 can multiply")
    return (_COFACTOR * eighth).to_bytes(POINT, "little")


def number_of(drawn: bytes) -> int:
    """Return the number by which X25519 multiplies for these 32 bytes; X25519 fixes five bits."""
    multiple = int.from_bytes(drawn, "little") % (_COFACTOR * _LIMIT) & -_COFACTOR
    return multiple % (_COFACTOR * _MINIMUM) + _COFACTOR * _MINIMUM


def point(data: bytes) -> bytes:
    """Return a point that another party sent, after a check.

    Raises:
        Refused: (MALFORMED) not a u coordinate in its unique encoding, or a point of low order.
    """
    if not is_public_key(data):
        raise Refused(Reason.MALFORMED, "not a point of Curve25519, or a point of low order")
    return data


def multiples(multipliers: Sequence[bytes], points: Sequence[bytes]) -> list[bytes]:
    """Return each point times the multiplier of the same index.

    If there is a single multiplier, all points are multiplied by it. No point may be of low order,
    because its multiple would be zero.
    """
    engine = engine_for(len(points))
    if engine is None:
        one_each = len(multipliers) == len(points)
        each = multipliers if one_each else [multipliers[0]] * len(points)
        return [crypto_scalarmult(by, point) for by, point in zip(each, points, strict=True)]
    shared = engine.shared_points(b"".join(multipliers), b"".join(points))
    results = _cut(shared.tobytes())
    shared.fill(0)
    return results


def base_multiples(multipliers: Sequence[bytes]) -> list[bytes]:
    """Return the base point, u = 9, times each multiplier."""
    engine = engine_for(len(multipliers))
    if engine is None:
        return [crypto_scalarmult_base(by) for by in multipliers]
    return _cut(engine.public_keys(b"".join(multipliers)))


def meets(first: bytes, second: bytes, third: bytes) -> bool:
    """Whether the third point, up to its sign, is the sum or difference of the first two points.

    The u coordinates of sum and difference are the roots of a polynomial of degree 2, by which the
    third point is tested. If the first two points are equal, their difference has no u coordinate,
    and the degree is 1.
    """
    a, b, x = (int.from_bytes(each, "little") for each in (first, second, third))
    both, difference = a * b % _P, a - b
    middle = 2 * ((both + 1) * (a + b) + 2 * _A * both)
    return ((difference * x) ** 2 - middle * x + (both - 1) ** 2) % _P == 0


def element_points(elements: Sequence[bytes]) -> list[bytes]:
    """Return elements of ristretto255 as points of Curve25519; the identity is not accepted.

    All of them together need a single modular inversion.
    """
    squares = [int.from_bytes(element, "little") ** 2 % _P for element in elements]
    return [number.to_bytes(POINT, "little") for number in inverses(squares, _P)]


def inverses(numbers: Sequence[int], modulus: int) -> list[int]:
    """Return the modular inverses of nonzero numbers, with a single inversion of their product.

    This is Montgomery's trick. modulus: a prime.
    """
    prefix_products, running = list[int](), 1
    for number in numbers:
        prefix_products.append(running)
        running = running * number % modulus
    rest, results = pow(running, -1, modulus), list[int]()
    for number, sofar in zip(reversed(numbers), reversed(prefix_products), strict=True):
        results.append(rest * sofar % modulus)
        rest = rest * number % modulus
    return results[::-1]


def _cut(row: bytes) -> list[bytes]:
    """Return concatenated points as a list."""
    return [row[at : at + POINT] for at in range(0, len(row), POINT)]
