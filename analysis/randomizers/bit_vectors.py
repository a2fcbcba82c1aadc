"""Vectors of bits: their order, their numbers, their packing, and fast biased coins.

All functions use the same order of the bits. Position 0 is the first bit b_1 of the papers, and the
most significant bit if the vector is read as a binary number: (1, 0, 0) is the number 4. In packed
bytes it is the highest bit of the first byte. Paper 001, Section 2.2, lists the D vectors in
descending order, v_1 = (1, ..., 1) to v_D = (0, ..., 0), so v_j has the number D - j.
"""

from collections.abc import Sequence
from math import floor

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from .randomizer import Bits, Symbols, as_symbols

# Most bits of a vector that is read as a binary number, because these numbers are 64-bit integers.
WORD = 62


def as_bits(bits: npt.ArrayLike, width: int, name: str = "bits") -> Bits:
    """Return `bits` as a uint8 matrix of 0 and 1, shape (people, width), with at least one person.

    Raises a ParameterError, which starts with `name`, for any other shape or value.
    """
    array = np.asarray(bits)
    if array.ndim != 2 or array.shape[1] != width or array.shape[0] == 0:
        raise ParameterError(f"{name}: shape {array.shape}; needs (people, {width})")
    if array.dtype.kind not in "biu":
        raise ParameterError(f"{name}: holds {array.dtype} values; needs bits 0 and 1")
    if array.dtype.kind != "b" and (array.min() < 0 or array.max() > 1):
        raise ParameterError(f"{name}: holds {array.min()} .. {array.max()}; needs bits 0 and 1")
    return array.astype(np.uint8, copy=False)


def to_symbols(bits: npt.ArrayLike) -> Symbols:
    """Return each row of bits as a binary number, the first bit most significant.

    Shape (people,).
    """
    array = np.asarray(bits)
    rows = as_bits(array, array.shape[-1] if array.ndim else 0)
    _fits(rows.shape[1])
    number = np.zeros(len(rows), np.int64)
    for column in rows.T:
        number = (number << 1) | column
    return number


def to_bits(symbols: npt.ArrayLike, width: int) -> Bits:
    """Return binary numbers as rows of `width` bits, the most significant bit first.

    Shape (people, width). symbols: the numbers, below 2^width, shape (people,).
    """
    _fits(width)
    numbers = as_symbols(symbols, 1 << width, "symbols")
    shifts = np.arange(width - 1, -1, -1)
    return ((numbers[:, None] >> shifts) & 1).astype(np.uint8)


def pack(bits: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Return rows of bits packed into bytes, position 0 in the highest bit.

    Zeros fill the last byte.
    """
    return np.packbits(np.asarray(bits, np.uint8), axis=-1)


def unpack(packed: npt.NDArray[np.uint8], width: int) -> Bits:
    """Return the first `width` bits of packed rows; the inverse of `pack`."""
    return np.unpackbits(packed, axis=-1, count=width)


def hex_width(width: int) -> int:
    """Return the number of hexadecimal digits of `width` bits, packed eight to a byte."""
    return 2 * -(-width // 8)


def to_hex(bits: Bits) -> list[str]:
    """Return each row of bits as a text of hexadecimal digits, two for each packed byte."""
    return cut_text(pack(bits).tobytes().hex(), hex_width(bits.shape[1]))


def from_hex(texts: Sequence[str], width: int) -> Bits:
    """Return the rows of `width` bits in texts of hexadecimal digits.

    A text with a 1 in the padding after the last bit is left out: no report has such a text.
    """
    packed = np.frombuffer(bytes.fromhex("".join(texts)), np.uint8)
    rows = packed.reshape(len(texts), -1)
    spare = 8 * rows.shape[1] - width
    return unpack(rows[(rows[:, -1] & ((1 << spare) - 1)) == 0], width)


def cut_text(text: str, width: int) -> list[str]:
    """Return a long text cut into pieces of `width` characters."""
    return [text[first : first + width] for first in range(0, len(text), width)]


def column_sums(bits: Bits) -> npt.NDArray[np.int64]:
    """Return the number of rows with a 1 at each position.

    Sums of 255 rows at a time fit in a byte, which is fast. bits: 0 or 1, shape (rows, positions).
    """
    total = np.zeros(bits.shape[1], np.int64)
    for first in range(0, len(bits), 255):
        total += np.add.reduce(bits[first : first + 255], axis=0, dtype=np.uint8)
    return total


def fill_coins(target: Bits, p: float, rng: np.random.Generator) -> None:
    """Fill a contiguous array, in place, with independent bits that are 1 with probability p.

    A random byte decides a bit: 1 if the byte is below floor(256 p), 0 if it is above. If it is
    equal, a further uniform number decides. So p is exact to 2^-61, at about a byte of randomness
    for each bit.
    """
    if p <= 0 or p >= 1:
        target.fill(p >= 1)
        return
    whole = floor(256 * p)
    flat = target.reshape(-1)
    # Bits are drawn in blocks of 2^18, because a block stays in the processor's cache.
    for first in range(0, len(flat), 1 << 18):
        part = flat[first : first + (1 << 18)]
        words = rng.integers(0, 1 << 64, (len(part) + 7) // 8, dtype=np.uint64)
        byte = words.view(np.uint8)[: len(part)]
        np.less(byte, whole, out=part.view(np.bool_))
        undecided = np.flatnonzero(byte == whole)
        part[undecided] = rng.random(len(undecided)) < 256 * p - whole


def _fits(width: int) -> None:
    """Refuse with a ParameterError rows of bits that are too long for 64-bit integers.

    width: bits of a row.
    """
    if not 1 <= width <= WORD:
        raise ParameterError(
            f"bits: found {width} positions; needs 1 to {WORD}, to read vectors as 64-bit numbers"
        )
