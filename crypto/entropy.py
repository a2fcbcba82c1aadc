"""All randomness comes through a named, forkable `Entropy`: the system's, or the stream of a seed.

A seeded run is reproducible and NOT secret: the seed gives every key and every salt. Callers read
the attribute `seeded`, and warn of it in their output.

    root key    = BLAKE2b-256(seed as 8 bytes, little endian;      person "veilmix.seed")
                  BLAKE2b-256(32 secret bytes that a party keeps;  person "veilmix.kept")
    child key   = BLAKE2b-256(label in UTF-8;    key = parent key, person "veilmix.fork")
    block i     = BLAKE2b-512(i as 8 bytes, little endian; key,    person "veilmix.stream")
    the stream  = block 0 || block 1 || ...

"person" is BLAKE2b's personalization. The root key is that of a seed, or of a party's secret. A
child depends only on its parent's key and its label, not on the bytes read from the parent, and not
on the order of forks. So results do not depend on scheduling.
"""

import os
from abc import ABC, abstractmethod
from hashlib import blake2b
from typing import ClassVar, Never, final

from ..errors import ParameterError

SEED_LIMIT = 2**64  # seeds are 0 <= seed < SEED_LIMIT

_SEED = b"veilmix.seed"
_SECRET_LABEL = b"veilmix.kept"
_FORK = b"veilmix.fork"
_STREAM = b"veilmix.stream"
_KEY_SIZE = 32
_BLOCK_SIZE = 64


class Entropy(ABC):
    """A source of random bytes that can be divided into named, independent sources.

    Attributes:
        seeded: True if the bytes can be computed again from a seed, so that results made with them
            are not secret.
    """

    __slots__ = ()
    seeded: ClassVar[bool]

    @abstractmethod
    def random(self, n: int) -> bytes:
        """Return the next n bytes of this source.

        Raises:
            ParameterError: n is negative.
        """

    @abstractmethod
    def fork(self, label: str) -> "Entropy":
        """Return an independent source of randomness, named `label`, derived from this source.

        From a seeded source the same label gives the same bytes each time. So a label that is used
        twice gives the same salt or key twice.

        Raises:
            ParameterError: the label is not a string that UTF-8 can encode.
        """


@final
class OSEntropy(Entropy):
    """The operating system's randomness, the default of all functions that take an entropy.

    Threads may share an object.
    """

    __slots__ = ()
    seeded = False

    def random(self, n: int) -> bytes:
        """Return n fresh bytes from the operating system."""
        if n < 0:
            raise _negative(n)
        return os.urandom(n)

    def fork(self, label: str) -> "OSEntropy":
        """Return this source: system randomness needs no independent parts."""
        if not (isinstance(label, str) and label.isascii()):
            _encoded(label)
        return self

    def __repr__(self) -> str:
        return "OSEntropy()"


@final
class Drawn(Entropy):
    """A source of randomness that returns given bytes, so that a layer can be sealed again equally.

    Args:
        drawn: the bytes that `random` returns, from the first byte on.
    """

    __slots__ = ("_remainder",)
    seeded = True

    def __init__(self, drawn: bytes) -> None:
        """Begin at the first of the given bytes."""
        self._remainder = drawn

    def random(self, n: int) -> bytes:
        """Return the next n of the given bytes.

        Raises:
            ParameterError: n is negative, or there are not as many left.
        """
        if n < 0:
            raise _negative(n)
        if n > len(self._remainder):
            raise ParameterError(
                f"drawn: {n} bytes are requested, and only {len(self._remainder)} are left"
            )
        piece, self._remainder = self._remainder[:n], self._remainder[n:]
        return piece

    def fork(self, label: str) -> "Drawn":
        """Return this source: given bytes have no independent parts."""
        _encoded(label)
        return self

    def __repr__(self) -> str:
        return "Drawn(bytes hidden)"


@final
class SeededEntropy(Entropy):
    """The random stream of a seed, for simulations and test vectors. Reproducible, not secret.

    Several threads may fork an object at once, but only one thread may read it.

    Args:
        seed: 0 <= seed < 2**64.

    Raises:
        ParameterError: the seed is not an integer in that range.
    """

    __slots__ = ("_at", "_blocks", "_buffer", "_key")
    seeded = True
    _key: bytes
    _blocks: int  # number of blocks of the stream, 64 bytes each, computed so far
    _buffer: bytes  # the bytes of the latest blocks
    _at: int  # number of bytes of the buffer that were returned

    def __init__(self, seed: int) -> None:
        """Begin the stream of a seed, an integer from 0 to 2**64 - 1."""
        if not isinstance(seed, int) or isinstance(seed, bool):
            raise ParameterError(f"seed: got {type(seed).__name__}, accepted: an integer")
        if not 0 <= seed < SEED_LIMIT:
            description = "a negative one" if seed < 0 else f"one of {seed.bit_length()} bits"
            raise ParameterError(f"seed: got {description}, accepted: 0 <= seed < 2**64")
        data = seed.to_bytes(8, "little")
        self._start(blake2b(data, digest_size=_KEY_SIZE, person=_SEED).digest())

    @classmethod
    def from_secret(cls, secret: bytes) -> "SeededEntropy":
        """Return the stream of 32 secret bytes that a party stores, to repeat its messages.

        The stream is as secret as these bytes. Raises ParameterError for another number of bytes.
        """
        if len(secret) != _KEY_SIZE:
            raise ParameterError(f"secret: got {len(secret)} bytes, accepted: {_KEY_SIZE}")
        entropy = object.__new__(cls)
        entropy._start(blake2b(secret, digest_size=_KEY_SIZE, person=_SECRET_LABEL).digest())
        return entropy

    @classmethod
    def handed(cls, key: bytes) -> "SeededEntropy":
        """Return the stream of a key that another process of the same party has sent.

        The module `handing.py` sends such keys.
        """
        entropy = object.__new__(cls)
        entropy._start(key)
        return entropy

    def random(self, n: int) -> bytes:
        """Return the next n bytes of the stream; the sizes of earlier reads make no difference."""
        if n < 0:
            raise _negative(n)
        end = self._at + n
        if end > len(self._buffer):
            self._refill(n)
            end = n
        piece = self._buffer[self._at : end]
        self._at = end
        return piece

    def fork(self, label: str) -> "SeededEntropy":
        """Return the stream named `label`: a function of this source's key and the label alone."""
        child = object.__new__(SeededEntropy)
        child._start(
            blake2b(_encoded(label), digest_size=_KEY_SIZE, key=self._key, person=_FORK).digest()
        )
        return child

    def __repr__(self) -> str:
        return "SeededEntropy(seed hidden)"

    def __reduce_ex__(self, protocol: object) -> Never:
        """Refuse to be pickled or copied: a copy would give the same bytes a second time."""
        raise TypeError("a SeededEntropy is not pickled or copied; fork it")

    def _start(self, key: bytes) -> None:
        """Set the key of the stream and go to its beginning."""
        self._key = key
        self._blocks = 0
        self._buffer = b""
        self._at = 0

    def _refill(self, n: int) -> None:
        """Drop bytes already read and append blocks until n bytes are in the buffer."""
        rest = self._buffer[self._at :]
        first = self._blocks
        self._blocks += -((len(rest) - n) // _BLOCK_SIZE)
        self._buffer = rest + b"".join(
            blake2b(i.to_bytes(8, "little"), key=self._key, person=_STREAM).digest()
            for i in range(first, self._blocks)
        )
        self._at = 0


def entropy_of(seed: int | None) -> Entropy:
    """Return the entropy of a seed; the system's randomness if the seed is None."""
    return OSEntropy() if seed is None else SeededEntropy(seed)


def _negative(n: int) -> ParameterError:
    """Return the error for a negative number of bytes."""
    return ParameterError(f"n: got {n}, accepted: a number of bytes >= 0")


def _encoded(label: str) -> bytes:
    """Return a fork's label as UTF-8; ParameterError if it is not encodable text."""
    try:
        return label.encode()
    except (AttributeError, UnicodeEncodeError):
        description = (
            type(label).__name__ if not isinstance(label, str) else "one with lone surrogates"
        )
        raise ParameterError(
            f"label: got {description}, accepted: a string of Unicode text"
        ) from None
