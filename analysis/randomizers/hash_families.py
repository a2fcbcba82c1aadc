"""Keyed hash families with collision probability exactly 1/g, for every number g of hash values.

Paper 003 (local hashing and re-identification) requires only a universal family (collision
probability at most 1/g), but its estimators (20) and (23) are unbiased only if the probability is
exactly 1/g. Permutations of three values never collide, and a true share of 0.5 then has the
expected estimate 0.25; (u x + v mod 5) mod 3 collides with probability 0.2, and the expected
estimate is 0.40. Two exact families hash a symbols:

    field   g = 2^j: h(x) = the j low coordinates of u x + v in GF(2^k), 2^k >= a, g; u, v uniform
    digits  any g:   h(x) = v + sum_i u_i x_i mod g, x_i the digits of x in base r, the least prime
                     factor of g; u_i, v uniform

Proofs of exactness, for x != x'. Field: (u, v) -> (u x + v, u x' + v) is a bijection of GF(2^k)^2,
so the two elements are independent and uniform, and so are their low coordinates. Only the j low
coordinates of v matter; the key holds these. Digits: some difference d = x_i - x'_i is not 0 and
|d| < r, so d is prime to g and u_i d is uniform mod g; v makes h(x) uniform and independent of the
difference. Both families are pairwise independent.

The field family has short keys and cheap preimages. u x = w has a single solution for u != 0, so
the 2^(k - j) values of x with h(x) = y are found without a scan of the domain. The key u = 0 sends
all symbols to one value. All other keys have the collision probability 1/g times
(1 - 2^(j - k)) / (1 - 2^-k); the key u = 0 raises the mean to 1/g. k >= j + 6 makes this key
rare. The digit family has keys of 1 + log_r a numbers and no such method: for large domains let g
be a power of two.

The probability that three symbols x, x + d, x + d' have the same hash value is between two values
(`meetings`):

    field   It is 2^-(j + e) with 1 <= e <= min(m - 1, j, k - j), m the bits of the largest symbol.
            Proof: let w = k - j, c = d'/d and W the polynomials of degree below w. The u with j
            low coordinates 0 are z^j W. So 2^k times the probability is the number of common
            elements of W and c W, two spaces of dimension w in a space of dimension k: at least
            2^(w - j) and at least 1. If W = c W, then c is in W, because 1 is in W. Let i be its
            degree, 0 < i < w; then z^(w - i) is in W and c z^(w - i) is not. So e >= 1. d and d'
            have degrees below m, so c = p / q with p and q of degrees below m. Then all p f with f
            of degree at most w - m are common. For c = z^e the spaces share 2^(w - e) elements.
    digits  It is gcd(g, D) / g^2, D the greatest common divisor of the 2 x 2 minors of the digits
            of d and d': 1/g if D = 0, at least 1/g^2. With base 2 it is 1/g^2: two different
            columns of 0 and 1 have the minor 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .galois import Elements, degree_for, hadamard, invert, multiply, shift

Support = npt.NDArray[np.int64]

# The field has at least this many bits more than a hash value. So at most 2^-6 of all collisions of
# two symbols are due to the key u = 0, which hashes every symbol to the same value.
SPARE = 6
# Hash values computed at a time, so that they stay in the processor's cache.
BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class FieldFamily:
    """Hash functions x -> low coordinates of u x + v in GF(2^k), for g = 2^j hash values.

    x is a symbol, as an element of the field. A key is a row (u, v). Local hashing uses the family
    if g is a power of two.

    Attributes:
        a: size of the domain 0 .. a - 1.
        j: logarithm of the number g of hash values.
    """

    a: int
    j: int

    @property
    def k(self) -> int:
        """The degree k of the field GF(2^k): the least with room for all symbols and k >= j + 6.

        A hash value has j bits. The 6 further bits make the key u = 0, which hashes all symbols to
        the same value, rare.
        """
        return degree_for(max(self.a, 1 << (self.j + SPARE)))

    @property
    def size(self) -> int:
        """The number of keys (u, v): 2^k values of u times 2^j values of v."""
        return 1 << (self.k + self.j)

    @property
    def constant(self) -> float:
        """The probability of a key that hashes all symbols to the same value."""
        return float(2.0**-self.k)

    def keeps_apart(self, inputs: int) -> bool:
        """Whether every key that is not constant gives each hash value to equally many inputs.

        That is so if the inputs are the whole field. A constant key hashes all inputs to one value.
        """
        return inputs == 1 << self.k

    @property
    def meetings(self) -> tuple[float, ...]:
        """The least and the largest probability that three symbols have the same hash value.

        The symbols 0, 1, 2 attain the largest. 0, 1, 2^e attain the least, for the largest e
        possible: e is at most the bits of the largest symbol minus 1, j, and k - j. () if a < 3.
        """
        if self.a < 3:
            return ()
        farthest = min((self.a - 1).bit_length() - 1, self.j, self.k - self.j)
        return tuple(2.0 ** -(self.j + e) for e in sorted({farthest, 1}, reverse=True))

    @property
    def limits(self) -> tuple[int, ...]:
        """The exclusive upper limits of the two numbers u and v of a key: 2^k and 2^j.

        GF(2^k) is the field of the hash functions, and 2^j the number of hash values.
        """
        return 1 << self.k, 1 << self.j

    def draw(self, people: int, rng: np.random.Generator) -> Elements:
        """Return uniform random keys (u, v), shape (people, 2)."""
        return rng.integers(0, self.limits, (people, 2), dtype=np.uint64)

    def number(self, keys: Elements) -> npt.NDArray[np.int64]:
        """Return the number of each key, from 0 to `size` - 1.

        keys: shape (people, 2).
        """
        return ((keys[:, 0] << np.uint64(self.j)) | keys[:, 1]).astype(np.int64)

    def keys(self) -> Elements:
        """Return all keys, in the order of `number`; shape (size, 2)."""
        number = np.arange(self.size, dtype=np.uint64)
        return np.stack([number >> np.uint64(self.j), number & self._mask], axis=1)

    def hash(self, keys: Elements, x: Support) -> Elements:
        """Return the hash values of symbols x under keys (u, v).

        x has a symbol for each key, or the shape (1, symbols) against keys[:, None], for all pairs.
        """
        u, v = keys[..., 0], keys[..., 1]
        return (multiply(u, x.astype(np.uint64), self.k) & self._mask) ^ v

    def tally(self, keys: Elements, values: Elements) -> Support:
        """Return, for every symbol x, the number of reports (key, value) with h(x) = value.

        h is the hash function of the key. Shape (inputs,).

        keys: the keys (u, v) of the reports, shape (people, 2). values: the reported hash values.
        """
        k, j = self.k, self.j
        # The cheaper method is taken. Symbols are in GF(2^k), hash values are 0 .. 2^j - 1. For n
        # reports, to list the symbols x with h(x) = value takes n 2^(k - j) steps; the Walsh-
        # Hadamard transform takes n 2^j + k 2^k steps.
        by_preimage = len(keys) << (k - j)
        by_characters = (len(keys) << j) + (k << k)
        road = self._by_preimages if by_preimage <= by_characters else self._by_characters
        return road(keys[:, 0], values ^ keys[:, 1])

    def _by_preimages(self, u: Elements, target: Elements) -> Support:
        """Count, for every symbol x, the reports with low(u x) = target, by solving for x.

        low(u x) are the j low coordinates of the product of key u and symbol x in GF(2^k). `target`
        is the report's hash value plus the key's v. Reports are handled in blocks that fit in the
        processor's cache.
        """
        counts = np.zeros(self.a, np.int64)
        for first in range(0, len(u), BLOCK):
            piece = slice(first, first + BLOCK)
            self._count_preimages(counts, u[piece], target[piece])
        return counts

    def _count_preimages(self, counts: Support, u: Elements, target: Elements) -> None:
        """Add to `counts` all symbols x with low(u x) = target, for each report.

        low(u x) are the j low coordinates of the product of key u and symbol x in GF(2^k). `target`
        is the report's hash value plus the key's v. The solutions are 1 / u times all elements with
        these coordinates. They are listed in Gray-code order, so that each follows from the last by
        an addition.
        """
        # The key u = 0 sends every symbol to 0, so its report counts for all symbols or for none.
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
        """Count, for every x, the reports with low(u x) = target, by a Walsh-Hadamard transform.

        x is a symbol. low(u x) are the j low coordinates of the product of key u and x in GF(2^k),
        `target` is the report's hash value plus the key's v. With <s, y> the parity of the common
        1-bits of s and y, and a sum over all t of j bits,

            1{low(u x) = target} = 2^-j sum_t (-1)^(<t, low(u x)> + <t, target>).

        <t, low(u x)> is linear in x: it is <f, x>, with f the XOR of the forms (`_forms`) of the
        bits of t.
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
        """Return j linear forms f_i for each u, such that bit i of the product u x is <f_i, x>.

        u x is a product in GF(2^k), <f, x> the parity of the common 1-bits of f and x. Bit l of f_i
        is bit i of u z^l, with z the element with the number 2.
        """
        forms = [np.zeros(u.shape, np.uint64) for _ in range(self.j)]
        for bit in range(self.k):
            for i in range(self.j):
                forms[i] |= ((u >> np.uint64(i)) & np.uint64(1)) << np.uint64(bit)
            u = shift(u, self.k)
        return forms

    @property
    def _mask(self) -> np.uint64:
        """The bit mask of the j low coordinates, which are the hash value."""
        return np.uint64((1 << self.j) - 1)


@dataclass(frozen=True, slots=True)
class DigitFamily:
    """Hash functions x -> v + sum u_i x_i mod g, over the digits x_i of x, for any number g.

    x is a symbol, written with digits in base r, the least prime factor of g. A key is a row
    (v, u_0, u_1, ...).

    Attributes:
        a: size of the domain 0 .. a - 1.
        g: number of hash values, at most 2^31.
    """

    a: int
    g: int

    @property
    def base(self) -> int:
        """The base of the symbols' digits: the least prime factor of the number of hash values."""
        divisors = (r for r in range(2, int(self.g**0.5) + 1) if self.g % r == 0)
        return next(divisors, self.g)

    @property
    def digits(self) -> int:
        """The number of digits of the largest symbol in base `base`."""
        count, reach, base = 1, self.base, self.base
        while reach < self.a:
            count, reach = count + 1, reach * base
        return count

    @property
    def size(self) -> int:
        """The number of keys: g^(1 + digits), g the number of hash values."""
        return int(self.g ** (1 + self.digits))

    @property
    def constant(self) -> float:
        """The probability of a key that hashes all symbols to the same value."""
        return float(self.g) ** -self.digits

    def keeps_apart(self, inputs: int) -> bool:  # noqa: ARG002 - all are below the base
        """Whether every key that is not constant gives all inputs different hash values.

        A constant key hashes all inputs to one value.
        """
        return self.digits == 1

    @property
    def meetings(self) -> tuple[float, ...]:
        """The least and the largest probability that three symbols have the same hash value.

        The symbols 0, 1, r attain the least, with r the base of their digits, and 0, 1, 2 the
        largest. () if a < 3.
        """
        if self.a < 3:
            return ()
        base_meeting = [self.g**-2.0] if self.a > self.base else []
        return (*base_meeting, *([1 / self.g] if self.base > 2 else []))

    @property
    def limits(self) -> tuple[int, ...]:
        """The exclusive upper limit of each number of a key: g, the number of hash values."""
        return (self.g,) * (1 + self.digits)

    def draw(self, people: int, rng: np.random.Generator) -> Elements:
        """Return uniform random keys (v, u_0, u_1, ...), shape (people, 1 + digits)."""
        return rng.integers(0, self.g, (people, 1 + self.digits), dtype=np.uint64)

    def number(self, keys: Elements) -> npt.NDArray[np.int64]:
        """Return the number of each key, from 0 to `size` - 1.

        keys: shape (people, 1 + digits).
        """
        number = np.zeros(len(keys), np.int64)
        for column in keys.T:
            number = number * self.g + column.astype(np.int64)
        return number

    def keys(self) -> Elements:
        """Return all keys, in the order of `number`; shape (size, 1 + digits)."""
        powers = self.g ** np.arange(self.digits, -1, -1, dtype=np.int64)
        return ((np.arange(self.size)[:, None] // powers) % self.g).astype(np.uint64)

    def hash(self, keys: Elements, x: Support) -> Elements:
        """Return the hash values of symbols x under keys (v, u_0, u_1, ...).

        x has a symbol for each key, or the shape (1, symbols) against keys[:, None], for all pairs.
        """
        rest, g, base = x.astype(np.uint64), np.uint64(self.g), np.uint64(self.base)
        value = np.broadcast_to(keys[..., 0], np.broadcast_shapes(keys.shape[:-1], x.shape))
        for i in range(self.digits):
            value = (value + keys[..., i + 1] * (rest % base)) % g
            rest = rest // base
        return value

    def tally(self, keys: Elements, values: Elements) -> Support:
        """Return, for every symbol x, the number of reports (key, value) with h(x) = value.

        h is the hash function of the key. Shape (inputs,). The domain is scanned for each report:
        people times a steps.

        keys: the keys of the reports, a row each. values: the reported hash values.
        """
        counts = np.zeros(self.a, np.int64)
        # The integer type must hold the sum of two hash values. Matches are added for 255 reports
        # at a time, so that their number fits in a byte.
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
            # The sum of two terms below g is below 2 g. If it is below g, table - g wraps around to
            # a large number, so the minimum is the sum modulo g.
            np.minimum(table, table - g, out=table)
        return table[:, : self.a]


Family = FieldFamily | DigitFamily


def family(a: int, g: int) -> Family:
    """Return the family of hash functions from a domain of size a to g values.

    Two symbols have the same value with probability exactly 1/g. The hash functions are linear over
    a field if g is a power of two, else linear in the digits of a symbol.
    """
    return FieldFamily(a, g.bit_length() - 1) if g & (g - 1) == 0 else DigitFamily(a, g)
