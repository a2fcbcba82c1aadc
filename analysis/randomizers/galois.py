"""The fields GF(2^k), k <= 62, on arrays: numbers are polynomials over GF(2), addition is XOR.

Bit i of a number is the coefficient of z^i. The modulus is the smallest irreducible polynomial of
degree k, found by Rabin's test when first needed. Multiplication by a fixed element, and squaring,
are linear over GF(2); they use a table of 256 entries for each byte of a number. Inverses follow
Itoh and Tsujii: u^(2^k - 2) in about log2 k products.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError

Elements = npt.NDArray[np.uint64]

# Largest degree k for which the product of an element and z, before reduction, fits in 64 bits.
LARGEST_DEGREE = 62
UINT_ONE = np.uint64(1)


def degree_for(symbols: int) -> int:
    """Return the least degree k >= 1 of a field GF(2^k) with at least `symbols` elements."""
    k = max(1, (symbols - 1).bit_length())
    if k > LARGEST_DEGREE:
        raise ParameterError(f"symbols: found {symbols}; needs at most 2^62")
    return k


@lru_cache
def modulus(k: int) -> int:
    """Return the smallest irreducible polynomial of degree k; bit i is the coefficient of z^i."""
    return next(f for f in range((1 << k) + 1, 1 << (k + 1), 2 if k > 1 else 1) if _irreducible(f))


def multiply(u: Elements, x: Elements, k: int) -> Elements:
    """Return the products u x in GF(2^k), element by element, by k shifts, masks and XORs."""
    product = np.zeros(np.broadcast_shapes(u.shape, x.shape), np.uint64)
    for i in range(k):
        # In 64-bit arithmetic 0 - 1 is the number with all bits 1, and 0 - 0 is 0. So each bit of x
        # becomes a mask.
        product ^= u & (np.uint64(0) - ((x >> np.uint64(i)) & UINT_ONE))
        u = shift(u, k)
    return product


def shift(u: Elements, k: int) -> Elements:
    """Return the products u z in GF(2^k), with z the element with the number 2."""
    carry = np.uint64(0) - (u >> np.uint64(k - 1))
    return ((u << UINT_ONE) & np.uint64((1 << k) - 1)) ^ (
        carry & np.uint64(modulus(k) & ((1 << k) - 1))
    )


def invert(u: Elements, k: int) -> Elements:
    """Return the inverses 1 / u in GF(2^k); 0 stays 0."""
    if k == 1:
        return u.copy()
    # The loop builds u^(2^i - 1) for the binary prefixes i of k - 1; the inverse is the square of
    # the power at i = k - 1.
    power, exponent = u, 1
    for bit in bin(k - 1)[3:]:
        power = multiply(power, _frobenius(power, exponent, k), k)
        exponent *= 2
        if bit == "1":
            power = multiply(_frobenius(power, 1, k), u, k)
            exponent += 1
    return _frobenius(power, 1, k)


def apply_linear(images: Sequence[int], x: Elements) -> Elements:
    """Apply to x the GF(2)-linear map that sends bit i to images[i], by tables of 256 entries."""
    result = np.zeros(x.shape, np.uint64)
    for first in range(0, len(images), 8):
        table = np.zeros(1, np.uint64)
        for image in images[first : first + 8]:
            table = np.concatenate([table, table ^ np.uint64(image)])
        byte = (x >> np.uint64(first)) & np.uint64(len(table) - 1)
        result ^= table[byte.astype(np.intp)]
    return result


def hadamard(values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the sum over f of values[f] (-1)^<f, x> for every x: a Walsh-Hadamard transform.

    <f, x> is the parity of the common 1-bits of f and x. Exact and in place; shape (2^k, ...).
    """
    half = 1
    while half < len(values):
        pairs = values.reshape(-1, 2, half, *values.shape[1:])
        low = pairs[:, 0].copy()
        pairs[:, 0] += pairs[:, 1]
        np.subtract(low, pairs[:, 1], out=pairs[:, 1])
        half *= 2
    return values


def _frobenius(u: Elements, times: int, k: int) -> Elements:
    """Return u^(2^times) in GF(2^k): repeated squaring, which is a linear map."""
    return apply_linear(_frobenius_images(times, k), u)


@lru_cache(maxsize=256)
def _frobenius_images(times: int, k: int) -> tuple[int, ...]:
    """Return the image of each basis element z^i under squaring `times` times in GF(2^k)."""
    images = []
    for i in range(k):
        power = 1 << i
        for _ in range(times):
            power = _multiply(power, power, modulus(k))
        images.append(power)
    return tuple(images)


def _irreducible(f: int) -> bool:
    """Whether a polynomial f over GF(2) is irreducible, by Rabin's test.

    For f of degree k, z^(2^k) = z modulo f, and z^(2^(k/r)) - z and f have no common factor for
    each prime r that divides k.
    """
    k = f.bit_length() - 1
    if k == 1:
        return True
    for r in (r for r in range(2, k + 1) if k % r == 0 and all(r % s for s in range(2, r))):
        if _gcd(_power_of_z(k // r, f) ^ 2, f) != 1:
            return False
    return _power_of_z(k, f) == 2


def _power_of_z(times: int, f: int) -> int:
    """Return z^(2^times) modulo the polynomial f over GF(2)."""
    power = 2
    for _ in range(times):
        power = _multiply(power, power, f)
    return power


def _multiply(x: int, y: int, f: int) -> int:
    """Return the product of the polynomials x and y modulo f over GF(2), for x and y below f."""
    product, k = 0, f.bit_length() - 1
    while y:
        if y & 1:
            product ^= x
        x <<= 1
        if x >> k:
            x ^= f
        y >>= 1
    return product


def _gcd(x: int, y: int) -> int:
    """Return the greatest common divisor of the polynomials x and y over GF(2)."""
    while y:
        while x.bit_length() >= y.bit_length():
            x ^= y << (x.bit_length() - y.bit_length())
        x, y = y, x
    return x
