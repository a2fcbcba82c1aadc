"""Secret sharing with publicly checkable shares: Shamir 1979, commitments of Feldman 1987.

    polynomial     f(x) = a_0 + a_1 x + .. + a_{k-1} x^{k-1},  over the scalars of ristretto255
    coefficients   a_i = SHA-512(label || seed || i), reduced: the seed gives them all
    commitments    C_i = a_i G, in their order, 32 bytes each
    a share        (x, f(x)), x != 0; right if f(x) G = C_0 + x C_1 + .. + x^{k-1} C_{k-1}

G is the generator and a_0 the secret. Any k shares give a_0 = f(0). Fewer shares reveal no more
than C_0, and a_0 cannot be computed from C_0. The coefficients follow from the seed. So all people
with one seed share one polynomial without communication (Davidson et al., STAR, CCS 2022, 4.1).
"""

from collections.abc import Sequence
from hashlib import sha512
from typing import NamedTuple

from ..errors import ParameterError, Reason, Refused
from .ristretto import (
    ELEMENT,
    IDENTITY,
    ORDER,
    SCALAR,
    base_times,
    decoded_scalar,
    plus,
    times_decoded,
)

LABEL = b"veilmix polynomial 1\0"
MOST_SHARES = 255  # most shares needed for a secret: a coefficient's number is one byte


class SharePoint(NamedTuple):
    """A person's share: a point of the secret-sharing polynomial.

    Attributes:
        x: the argument of the polynomial, a scalar other than 0.
        y: the polynomial's value at x, a scalar.
    """

    x: int
    y: int

    def encode(self) -> bytes:
        """Return x and y as two scalars, 64 bytes."""
        return self.x.to_bytes(SCALAR, "little") + self.y.to_bytes(SCALAR, "little")


SHARE = 2 * SCALAR  # bytes of an encoded share: x and y


def decode_share(data: bytes) -> SharePoint:
    """Return the share in bytes that another party sent, after a check.

    Raises:
        Refused: (MALFORMED) not two scalars, or x is 0. The polynomial's value at 0 is the secret.
    """
    x, y = (decoded_scalar(data[at : at + SCALAR]) for at in (0, SCALAR))
    if len(data) != SHARE or not any(x):
        raise Refused(Reason.MALFORMED, "not a share: two scalars, the first not 0")
    return SharePoint(int.from_bytes(x, "little"), int.from_bytes(y, "little"))


def polynomial(seed: bytes, needed: int) -> tuple[int, ...]:
    """Return the coefficients a_0 .. a_{k-1} that follow from a seed; a_0 is the secret.

    k is `needed`, the number of shares that reveal the secret.

    Raises:
        ParameterError: needed is not 1 to 255.
    """
    check_needed(needed)
    return tuple(
        int.from_bytes(sha512(LABEL + seed + bytes((i,))).digest(), "little") % ORDER
        for i in range(needed)
    )


def check_needed(needed: int) -> None:
    """Check that the number of shares needed for a secret is from 1 to MOST_SHARES.

    Raises ParameterError if it is not.
    """
    if not 1 <= needed <= MOST_SHARES:
        raise ParameterError(f"needed: found {needed}; 1 to {MOST_SHARES} shares are accepted")


def commitments(coefficients: Sequence[int]) -> bytes:
    """Return the Feldman commitments C_i = a_i G of the coefficients a_i, concatenated.

    G is the generator of the group; a commitment has 32 bytes.
    """
    return b"".join(base_times(_scalar(coefficient)) for coefficient in coefficients)


def share_at(coefficients: Sequence[int], x: int) -> SharePoint:
    """Return the share at x: x, and the value of the polynomial at x.

    coefficients: of the polynomial, the constant first.
    """
    value = 0
    for coefficient in reversed(coefficients):
        value = (value * x + coefficient) % ORDER
    return SharePoint(x, value)


def is_right(share: SharePoint, committed: bytes) -> bool:
    """Whether a share is a point of the committed polynomial.

    committed: the commitments to the polynomial's coefficients, concatenated.

    Raises:
        Refused: (MALFORMED) a commitment is not a group element.
    """
    expected, power = IDENTITY, 1
    for at in range(0, len(committed), ELEMENT):
        expected = plus(expected, times_decoded(_scalar(power), committed[at : at + ELEMENT]))
        power = power * share.x % ORDER
    return base_times(_scalar(share.y)) == expected


def opens(secret: int, committed: bytes) -> bool:
    """Whether a secret is the value at 0 of the committed polynomial.

    committed: the commitments to the polynomial's coefficients, concatenated.
    """
    return base_times(_scalar(secret)) == committed[:ELEMENT]


def secret_of(shares: Sequence[SharePoint]) -> int:
    """Return the secret: the value at 0 of the polynomial through these shares (Lagrange).

    The polynomial is that of the least degree. No two shares may have the same x.
    """
    total = 0
    for i, (x, y) in enumerate(shares):
        above = below = 1
        for j, (other_x, _) in enumerate(shares):
            if i != j:
                above = above * other_x % ORDER
                below = below * (other_x - x) % ORDER
        total = (total + y * above * pow(below, -1, ORDER)) % ORDER
    return total


def _scalar(value: int) -> bytes:
    """Return an integer as a scalar of 32 bytes."""
    return value.to_bytes(SCALAR, "little")
