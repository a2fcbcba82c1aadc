"""Keyed hash families with collision probability exactly 1/g, for every g.

Paper 003 asks only for a universal family (collision probability at most 1/g), but its estimators
(20) and (23) are unbiased only if the probability is exactly 1/g. Permutations of three values
never collide and turn a true share of 0.5 into an expected estimate of 0.25; (u x + v mod 5) mod 3
collides with probability 0.2 and gives 0.40. Two exact families:

    field   g = 2^j: h(x) = the j low coordinates of u x + v in GF(2^k), 2^k >= a, g; u, v uniform
    digits  any g:   h(x) = v + sum_i u_i x_i mod g, x_i the digits of x in base r, the least prime
                     factor of g; u_i, v uniform

Proofs, for x != x'. Field: (u, v) -> (u x + v, u x' + v) is a bijection of GF(2^k)^2, so the two
values are independent and uniform, and so are their coordinates. Only the j low coordinates of v
matter; the key holds these. Digits: some difference d = x_i - x'_i is not 0 and |d| < r, so d is
prime to g and u_i d is uniform mod g; v makes h(x) uniform and independent of the difference. Both
families are pairwise independent.

The field family has short keys and cheap preimages: u x = w has one solution for u != 0, so the
2^(k - j) values of x with h(x) = y are found without scanning the domain. The key u = 0 sends all
symbols to one value; it raises the collision probability of the other keys, 1/g times
(1 - 2^(j - k)) / (1 - 2^-k), to 1/g. So that this rare event matters little, k >= j + 6. The
digit family has keys of 1 + log_r a numbers and no such method: for large domains let g be a power
of two.

The probability that three symbols x, x + d, x + d' meet lies between two values (`meetings`):

    field   2^-(j + e), e from 1 to min(m - 1, j, k - j), m the bits of the largest symbol. W, the
            polynomials of fewer than w = k - j terms, is z^-j times the u with low(u) = 0. With c =
            d'/d, 2^k times the probability is the size of W and c W in common. They differ: if c
            has the degree i, 0 < i < w, z^(w - i) is in W and c z^(w - i) is not; and 1 is in W, so
            c is where both are equal. For d and d' of fewer than m terms c = p / q with p, q of
            fewer than m too, and all p f with f of w - m + 1 terms are in common. Of c = z^e that
            is all.
    digits  gcd(g, D) / g^2, D the greatest common divisor of the 2 x 2 minors of the digits of d
            and d': 1/g if D = 0, at least 1/g^2. With base 2 it is 1/g^2: two different columns
            of 0 and 1 have the minor 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .galois import Elements, degree_for, hadamard, invert, multiply, shift

Support = npt.NDArray[np.int64]

# The field has at least this many bits more than a hash value, so that at most 2^-6 of all
# collisions of two symbols are due to the key u = 0, which hashes every symbol to 0.
SPARE = 6
# Hash values computed at a time, so that they stay in the processor's cache.
BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class FieldFamily:
    """Hash functions x -> low coordinates of u x + v in GF(2^k), for g = 2^j hash values.

    A key is a row (u, v). Local hashing uses the family if g is a power of two.

    Attributes:
        a: size of the domain 0 .. a - 1.
        j: logarithm of the number g of hash values.
    """

    a: int
    j: int

    @property
    def k(self) -> int:
        """The degree k of the field: the least with 2^k >= a and k >= j + 6."""
        return degree_for(max(self.a, 1 << (self.j + SPARE)))

    @property
    def size(self) -> int:
        """The number of keys: 2^k values of u times g values of v."""
        return 1 << (self.k + self.j)

    @property
    def constant(self) -> float:
        """The probability of a key with the same hash for all symbols."""
        return float(2.0**-self.k)

    def keeps_apart(self, inputs: int) -> bool:
        """Whether every non-constant key sends equally many inputs to each hash value.

        This is so if the inputs are the whole field.
        """
        return inputs == 1 << self.k

    @property
    def meetings(self) -> tuple[float, ...]:
        """The least and the largest probability that three symbols have one hash value.

        The symbols 0, 1, 2^e attain the least, with e as in the module's docstring, and 0, 1, 2 the
        largest. () if a < 3.
        """
        if self.a < 3:
            return ()
        farthest = min((self.a - 1).bit_length() - 1, self.j, self.k - self.j)
        return tuple(2.0 ** -(self.j + e) for e in sorted({farthest, 1}, reverse=True))

    @property
    def limits(self) -> tuple[int, ...]:
        """The exclusive upper limit of each word of a key: 2^k for u, g for v."""
        return 1 << self.k, 1 << self.j

    def draw(self, people: int, rng: np.random.Generator) -> Elements:
        """Return uniform random keys, shape (people, 2)."""
        return rng.integers(0, self.limits, (people, 2), dtype=np.uint64)

    def number(self, keys: Elements) -> npt.NDArray[np.int64]:
        """Return the number of each key, 0 .. size - 1."""
        return ((keys[:, 0] << np.uint64(self.j)) | keys[:, 1]).astype(np.int64)

    def keys(self) -> Elements:
        """Return all keys, in the order of `number`; shape (size, 2)."""
        number = np.arange(self.size, dtype=np.uint64)
        return np.stack([number >> np.uint64(self.j), number & self._mask], axis=1)

    def hash(self, keys: Elements, x: Support) -> Elements:
        """Return hash values h(x) under keys (u, v).

        Either one x for each key, or x of shape (1, m) against keys[:, None], for all pairs.
        """
        u, v = keys[..., 0], keys[..., 1]
        return (multiply(u, x.astype(np.uint64), self.k) & self._mask) ^ v

    def tally(self, keys: Elements, values: Elements) -> Support:
        """Return the number of reports (key, value) with h(x) = value, for every x.

        Shape (inputs,).
        """
        k, j = self.k, self.j
        # The cheaper method is taken: n 2^(k - j) candidates, or n 2^j characters and a transform.
        by_preimage = len(keys) << (k - j)
        by_characters = (len(keys) << j) + (k << k)
        road = self._by_preimages if by_preimage <= by_characters else self._by_characters
        return road(keys[:, 0], values ^ keys[:, 1])

    def _by_preimages(self, u: Elements, target: Elements) -> Support:
        """Count, for every x, the reports with low(u x) = target, by solving for x.

        Reports are handled in blocks that fit in the processor's cache.
        """
        counts = np.zeros(self.a, np.int64)
        for first in range(0, len(u), BLOCK):
            piece = slice(first, first + BLOCK)
            self._count_preimages(counts, u[piece], target[piece])
        return counts

    def _count_preimages(self, counts: Support, u: Elements, target: Elements) -> None:
        """Add to `counts` the solutions x of low(u x) = target, listed in Gray-code order."""
        # The key u = 0 hashes every symbol to 0.
        counts += int(np.count_nonzero((u == 0) & (target == 0)))
        inverse = invert(u[u != 0], self.k)
        x = multiply(inverse, target[u != 0], self.k)
        steps = [multiply(inverse, np.full(1, 1 << self.j, np.uint64), self.k)]
        for _ in range(self.j + 1, self.k):
            steps.append(shift(steps[-1], self.k))
        for r in range(1, (1 << (self.k - self.j)) + 1):
            inside = x[x < self.a].astype(np.intp)
            if 4 * len(inside) >= self.a:
                counts += np.bincount(inside, minlength=self.a)
            else:
                np.add.at(counts, inside, 1)
            if r < 1 << (self.k - self.j):
                x = x ^ steps[(r & -r).bit_length() - 1]

    def _by_characters(self, u: Elements, target: Elements) -> Support:
        """Count, for every x, the reports with low(u x) = target, by one Walsh-Hadamard transform.

        1{low(u x) = target} = (1/g) sum_t (-1)^(<t, low(u x)> + <t, target>). <t, low(u x)> is a
        linear form <f, x>: f is the XOR of the forms of the bits of t.
        """
        forms = self._forms(u)
        weight = np.zeros(1 << self.k, np.int64)
        f, sign = np.zeros(u.shape, np.uint64), np.zeros(u.shape, np.uint64)
        for r in range(1, (1 << self.j) + 1):
            np.add.at(weight, f.astype(np.intp), 1 - 2 * sign.astype(np.int64))
            if r < 1 << self.j:
                bit = (r & -r).bit_length() - 1
                f ^= forms[bit]
                sign ^= (target >> np.uint64(bit)) & np.uint64(1)
        return hadamard(weight)[: self.a] >> self.j

    def _forms(self, u: Elements) -> list[Elements]:
        """Return j linear forms: coordinate i of u x is <form i, x>, for i below j.

        Bit l of form i is coordinate i of u z^l.
        """
        forms = [np.zeros(u.shape, np.uint64) for _ in range(self.j)]
        for bit in range(self.k):
            for i in range(self.j):
                forms[i] |= ((u >> np.uint64(i)) & np.uint64(1)) << np.uint64(bit)
            u = shift(u, self.k)
        return forms

    @property
    def _mask(self) -> np.uint64:
        """The bit mask of the j low coordinates."""
        return np.uint64((1 << self.j) - 1)


@dataclass(frozen=True, slots=True)
class DigitFamily:
    """Hash functions x -> v + sum u_i x_i mod g, over the digits x_i of x, for any number g.

    The base of the digits is the least prime factor of g. A key is a row (v, u_0, u_1, ...).

    Attributes:
        a: size of the domain 0 .. a - 1.
        g: number of hash values, at most 2^31.
    """

    a: int
    g: int

    @property
    def base(self) -> int:
        """The base of the digits: the least prime factor of g."""
        divisors = (r for r in range(2, int(self.g**0.5) + 1) if self.g % r == 0)
        return next(divisors, self.g)

    @property
    def digits(self) -> int:
        """The number of digits of the largest symbol in `base`."""
        count, reach, base = 1, self.base, self.base
        while reach < self.a:
            count, reach = count + 1, reach * base
        return count

    @property
    def size(self) -> int:
        """The number of keys: g^(1 + digits)."""
        return int(self.g ** (1 + self.digits))

    @property
    def constant(self) -> float:
        """The probability of a key with the same hash for all symbols."""
        return float(self.g) ** -self.digits

    def keeps_apart(self, inputs: int) -> bool:  # noqa: ARG002 - all are below the base
        """Whether every non-constant key gives all inputs different hash values."""
        return self.digits == 1

    @property
    def meetings(self) -> tuple[float, ...]:
        """The least and the largest probability that three symbols have one hash value.

        The symbols 0, 1, r attain the least, with r the base, and 0, 1, 2 the largest. () if a < 3.
        """
        if self.a < 3:
            return ()
        base_meeting = [self.g**-2.0] if self.a > self.base else []
        return (*base_meeting, *([1 / self.g] if self.base > 2 else []))

    @property
    def limits(self) -> tuple[int, ...]:
        """The exclusive upper limit of each word of a key: g."""
        return (self.g,) * (1 + self.digits)

    def draw(self, people: int, rng: np.random.Generator) -> Elements:
        """Return uniform random keys, shape (people, 1 + digits)."""
        return rng.integers(0, self.g, (people, 1 + self.digits), dtype=np.uint64)

    def number(self, keys: Elements) -> npt.NDArray[np.int64]:
        """Return the number of each key, 0 .. size - 1."""
        number = np.zeros(len(keys), np.int64)
        for column in keys.T:
            number = number * self.g + column.astype(np.int64)
        return number

    def keys(self) -> Elements:
        """Return all keys, in the order of `number`; shape (size, 1 + digits)."""
        powers = self.g ** np.arange(self.digits, -1, -1, dtype=np.int64)
        return ((np.arange(self.size)[:, None] // powers) % self.g).astype(np.uint64)

    def hash(self, keys: Elements, x: Support) -> Elements:
        """Return hash values h(x) under keys (v, u_0, u_1, ...).

        Either one x for each key, or x of shape (1, m) against keys[:, None], for all pairs.
        """
        rest, g, base = x.astype(np.uint64), np.uint64(self.g), np.uint64(self.base)
        value = np.broadcast_to(keys[..., 0], np.broadcast_shapes(keys.shape[:-1], x.shape))
        for i in range(self.digits):
            value = (value + keys[..., i + 1] * (rest % base)) % g
            rest = rest // base
        return value

    def tally(self, keys: Elements, values: Elements) -> Support:
        """Return the number of reports (key, value) with h(x) = value, for every x.

        Shape (inputs,). The domain is scanned for each report: people times a steps.
        """
        counts = np.zeros(self.a, np.int64)
        # The word type must hold the sum of two hash values; 255 matches at a time fit in one byte.
        word = next(
            t for t in (np.uint8, np.uint16, np.uint32) if 2 * self.g <= np.iinfo(t).max + 1
        )
        people = min(255, max(1, BLOCK // self.a))
        for first in range(0, len(keys), people):
            part = keys[first : first + people]
            matches = self._table(part, word) == values[first : first + people, None].astype(word)
            counts += np.add.reduce(matches.view(np.uint8), axis=0, dtype=np.uint8)
        return counts

    def _table(self, keys: Elements, word: type[np.unsignedinteger[Any]]) -> npt.NDArray[Any]:
        """Return the hash value of every symbol under each key, digit by digit.

        Shape (keys, inputs). word: the unsigned integer type of the result.
        """
        g = word(self.g)
        table = keys[:, :1].astype(word)
        for i in range(self.digits):
            reach = -(-self.a // table.shape[1])
            digit = np.arange(min(self.base, reach), dtype=np.uint64)
            step = (digit * keys[:, i + 1 : i + 2] % np.uint64(self.g)).astype(word)
            table = (step[:, :, None] + table[:, None, :]).reshape(len(keys), -1)
            # The sum of two terms below g exceeds g at most once. If it is below g, table - g wraps
            # around to a large number, so the minimum is the sum modulo g.
            np.minimum(table, table - g, out=table)
        return table[:, : self.a]


Family = FieldFamily | DigitFamily


def family(a: int, g: int) -> Family:
    """Return the exact hash family from a domain of size a to g values.

    It is over a field if g is a power of two, else over digits.
    """
    return FieldFamily(a, g.bit_length() - 1) if g & (g - 1) == 0 else DigitFamily(a, g)
