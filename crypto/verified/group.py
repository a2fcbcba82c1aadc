"""The group of a verified mix: the interface of functions on encoded elements and integer scalars.

An element is bytes in its unique encoding, and a scalar is an integer, 0 <= scalar < order. The
functions work on lists, so that a group whose library works on many elements at once can do so.
`RISTRETTO255` is the implementation; `docs/adr/0105` says why.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import final

from ...errors import Refused
from ..entropy import Entropy
from ..ristretto import (
    ELEMENT,
    IDENTITY,
    ORDER,
    SCALAR,
    UNIFORM,
    base_times,
    decoded,
    decoded_scalar,
    element,
    minus,
    plus,
    times,
)

# bytes of data that an element carries; one of its two further bytes is chosen to make it valid
PAYLOAD = 30


class PrimeGroup(ABC):
    """The interface of a group of prime order in which discrete logarithms are hard.

    Attributes:
        name: the name in transcripts and records.
        order: the number of elements, a prime.
        element_size, scalar_size: bytes of an encoded element and of an encoded scalar.
        identity: the neutral element, which no record may contain.
    """

    name: str
    order: int
    element_size: int
    scalar_size: int
    identity: bytes

    @abstractmethod
    def decode(self, data: bytes) -> bytes:
        """Return an element that another party sent, after a check.

        Raises Refused for a wrong length, bytes that are no element, or the identity.
        """

    @abstractmethod
    def decode_scalar(self, data: bytes) -> int:
        """Return a scalar that another party sent, after a check.

        Raises Refused for a wrong length, or a number that is not below the order.
        """

    @abstractmethod
    def encode_scalar(self, scalar: int) -> bytes:
        """Return a scalar as bytes of fixed length."""

    @abstractmethod
    def hash_to_element(self, uniform: bytes) -> bytes:
        """Return the element that 64 uniform bytes map to; no party knows its logarithm."""

    @abstractmethod
    def embed(self, payload: bytes) -> bytes:
        """Return the group element that carries a payload of 30 bytes."""

    @abstractmethod
    def payload(self, carrier: bytes) -> bytes:
        """Return the 30 bytes at the payload's position of an element, without a check.

        carrier: the element. It was made by `embed` only if `embed` of the result gives the same
        element.
        """

    @abstractmethod
    def base_multiples(self, scalars: Iterable[int]) -> list[bytes]:
        """Return the generator times each scalar."""

    @abstractmethod
    def multiples(self, scalars: Iterable[int], elements: Iterable[bytes]) -> list[bytes]:
        """Return each element times the scalar of the same index; a scalar 0 gives the identity."""

    @abstractmethod
    def sums(self, elements: Iterable[bytes], second: Iterable[bytes]) -> list[bytes]:
        """Return the sums of elements at equal indices of two lists."""

    @abstractmethod
    def differences(self, elements: Iterable[bytes], second: Iterable[bytes]) -> list[bytes]:
        """Return the differences of elements at equal indices: first list minus second list."""

    @abstractmethod
    def total(self, elements: Iterable[bytes]) -> bytes:
        """Return the sum of all group elements in a list."""

    @abstractmethod
    def weighted_sum(self, scalars: Iterable[int], elements: Iterable[bytes]) -> bytes:
        """Return the sum of all elements, each times the scalar of the same index."""


@final
class Ristretto255(PrimeGroup):
    """The group ristretto255 of RFC 9496, with the functions of the library `rbcl`."""

    name = "ristretto255"
    order = ORDER
    element_size = ELEMENT
    scalar_size = SCALAR
    identity = IDENTITY

    def decode(self, data: bytes) -> bytes:
        """Return an element that another party sent, after a check.

        Raises Refused for a wrong length, bytes that are no element, or the identity.
        """
        return decoded(data)

    def decode_scalar(self, data: bytes) -> int:
        """Return a scalar that another party sent, after a check.

        Raises Refused for a wrong length, or a number that is not below the order.
        """
        return int.from_bytes(decoded_scalar(data), "little")

    def encode_scalar(self, scalar: int) -> bytes:
        """Return the 32 bytes of a scalar, little-endian."""
        return scalar.to_bytes(SCALAR, "little")

    def hash_to_element(self, uniform: bytes) -> bytes:
        """Return the element that 64 uniform bytes map to; no party knows its logarithm."""
        return element(uniform)

    def embed(self, payload: bytes) -> bytes:
        """Return the group element that carries a payload of 30 bytes.

        The element is a byte 2n, the payload and a zero byte, with the least n > 0 for which these
        bytes encode an element. An encoding must pass two tests, each with a chance of 1/2. So
        four tries are expected, and all 127 tries fail with a probability of 2^-52.
        """
        for prefix in range(2, 256, 2):
            candidate = bytes((prefix,)) + payload + b"\0"
            if _is_element(candidate):
                return candidate
        raise AssertionError("no prefix gives an element")

    def payload(self, carrier: bytes) -> bytes:
        """Return the 30 bytes at the payload's position of an element, without a check.

        carrier: the element. It was made by `embed` only if `embed` of the result gives the same
        element.
        """
        return carrier[1:-1]

    def base_multiples(self, scalars: Iterable[int]) -> list[bytes]:
        """Return the generator times each scalar."""
        return [base_times(scalar.to_bytes(SCALAR, "little")) for scalar in scalars]

    def multiples(self, scalars: Iterable[int], elements: Iterable[bytes]) -> list[bytes]:
        """Return each element times the scalar of the same index; a scalar 0 gives the identity."""
        return [
            times(scalar.to_bytes(SCALAR, "little"), point)
            for scalar, point in zip(scalars, elements, strict=True)
        ]

    def sums(self, elements: Iterable[bytes], second: Iterable[bytes]) -> list[bytes]:
        """Return the sums of elements at equal indices of two lists."""
        return [plus(point, addend) for point, addend in zip(elements, second, strict=True)]

    def differences(self, elements: Iterable[bytes], second: Iterable[bytes]) -> list[bytes]:
        """Return the differences of elements at equal indices: first list minus second list."""
        return [
            minus(point, subtrahend) for point, subtrahend in zip(elements, second, strict=True)
        ]

    def total(self, elements: Iterable[bytes]) -> bytes:
        """Return the sum of all group elements in a list."""
        total = IDENTITY
        for point in elements:
            total = plus(total, point)
        return total

    def weighted_sum(self, scalars: Iterable[int], elements: Iterable[bytes]) -> bytes:
        """Return the sum of all elements, each times the scalar of the same index."""
        total = IDENTITY
        for scalar, point in zip(scalars, elements, strict=True):
            total = plus(total, times(scalar.to_bytes(SCALAR, "little"), point))
        return total


RISTRETTO255: PrimeGroup = Ristretto255()


def draw_scalars(group: PrimeGroup, entropy: Entropy, count: int) -> list[int]:
    """Return `count` random scalars, uniform below the group's order up to a bias of 2^-256."""
    drawn = entropy.random(UNIFORM * count)
    return [
        int.from_bytes(drawn[at : at + UNIFORM], "little") % group.order
        for at in range(0, len(drawn), UNIFORM)
    ]


def inner_product(group: PrimeGroup, scalars: Sequence[int], factors: Sequence[int]) -> int:
    """Return the sum of the products of scalars at equal indices of two lists."""
    return sum(a * b for a, b in zip(scalars, factors, strict=True)) % group.order


def _is_element(data: bytes) -> bool:
    """Whether bytes encode a group element other than the identity."""
    try:
        decoded(data)
    except Refused:
        return False
    return True
