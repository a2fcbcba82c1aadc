"""The prime-order group ristretto255 (RFC 9496): elements and scalars as 32 bytes each.

The functions are those of libsodium, called through the library `rbcl`. PyNaCl binds only the curve
edwards25519, and RFC 9497's test vectors hold only for ristretto255 (docs/adr/0030). An element
from another party must pass `decoded` first: 32 bytes in their unique encoding, and not the
identity.

At each import `rbcl` writes its copy of libsodium to a temporary file, and leaves it there. After
loading the file is not needed, so it is written to a folder of its own, which is removed.
"""

import tempfile
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any

from ..errors import Reason, Refused
from ..temporary_files import private_folder, set_aside

ELEMENT = 32  # bytes of an encoded element
SCALAR = 32  # bytes of a scalar, little-endian, below the order
# uniform bytes from which an element or a scalar is made; 32 bytes would make some more likely
UNIFORM = 64
ORDER = 2**252 + 27742317777372353535851937790883648493
IDENTITY = bytes(ELEMENT)
_LOAD_LOCK = Lock()


@cache
def library() -> Any:
    """Return libsodium's group functions, loaded at first use.

    Raises StorageError if there is no room for the temporary file with libsodium.
    """
    description = "libsodium (2.8 MB), to be loaded,"
    # rbcl copies libsodium into this folder. If the system refuses to remove a loaded file, the
    # copy stays, as it would in the system's own temporary folder.
    with _LOAD_LOCK, private_folder(description) as folder, set_aside(description):
        previous_folder, tempfile.tempdir = tempfile.tempdir, str(folder)
        try:
            return import_module("rbcl")  # imported by name, because it has no type hints
        finally:
            tempfile.tempdir = previous_folder


def decoded(data: bytes) -> bytes:
    """Return a group element that another party sent, after a check.

    Raises:
        Refused: (MALFORMED) not an element in its unique encoding, or the identity.
    """
    if len(data) != ELEMENT or data == IDENTITY or not _valid(data):
        raise Refused(Reason.MALFORMED, "not a group element")
    return data


def decoded_scalar(data: bytes) -> bytes:
    """Return a scalar that another party sent, after a check.

    Raises:
        Refused: (MALFORMED) not 32 bytes that are below the order.
    """
    if len(data) != SCALAR or int.from_bytes(data, "little") >= ORDER:
        raise Refused(Reason.MALFORMED, "not a scalar: 32 bytes below the order")
    return data


def element(uniform: bytes) -> bytes:
    """Return the group element that 64 uniform bytes map to; its logarithm is unknown."""
    hashed: bytes = library().crypto_core_ristretto255_from_hash(uniform)
    return hashed


def scalar(uniform: bytes) -> bytes:
    """Return 64 uniform bytes reduced to a scalar of 32 bytes."""
    return (int.from_bytes(uniform, "little") % ORDER).to_bytes(SCALAR, "little")


def times(factor: bytes, point: bytes) -> bytes:
    """Return a group element times a scalar; the product by 0 is the identity."""
    if not any(factor) or point == IDENTITY:
        return IDENTITY
    multiple: bytes = library().crypto_scalarmult_ristretto255(factor, point)
    return multiple


def times_decoded(factor: bytes, point: bytes) -> bytes:
    """Return a scalar other than 0 times an element from another party, which is checked.

    The result is that of `decoded` and then `times`, but in one step, because libsodium checks each
    element that it multiplies.

    Raises:
        Refused: (MALFORMED) not an element in its unique encoding, or the identity.
    """
    if len(point) != ELEMENT:
        raise Refused(Reason.MALFORMED, "not a group element")
    try:
        multiple: bytes = library().crypto_scalarmult_ristretto255(factor, point)
    except RuntimeError:
        raise Refused(Reason.MALFORMED, "not a group element") from None
    return multiple


def base_times(factor: bytes) -> bytes:
    """Return the generator of the group times a scalar."""
    if not any(factor):
        return IDENTITY
    multiple: bytes = library().crypto_scalarmult_ristretto255_base(factor)
    return multiple


def plus(point: bytes, addend: bytes) -> bytes:
    """Return the sum of two group elements."""
    summed: bytes = library().crypto_core_ristretto255_add(point, addend)
    return summed


def minus(point: bytes, subtrahend: bytes) -> bytes:
    """Return the first group element minus the second."""
    rest: bytes = library().crypto_core_ristretto255_sub(point, subtrahend)
    return rest


def inverse(factor: bytes) -> bytes:
    """Return the modular inverse of a scalar, which must not be 0."""
    inverted: bytes = library().crypto_core_ristretto255_scalar_invert(factor)
    return inverted


def product(factor: bytes, multiplier: bytes) -> bytes:
    """Return the product of two scalars."""
    multiplied: bytes = library().crypto_core_ristretto255_scalar_mul(factor, multiplier)
    return multiplied


def difference(scalar: bytes, subtrahend: bytes) -> bytes:
    """Return the first scalar minus the second."""
    subtracted: bytes = library().crypto_core_ristretto255_scalar_sub(scalar, subtrahend)
    return subtracted


def _valid(data: bytes) -> bool:
    """Whether 32 bytes are the unique encoding of a group element."""
    valid: bool = library().crypto_core_ristretto255_is_valid_point(data)
    return valid
