"""Suites that encrypt or decrypt many onion layers at a time with the engine of `multibuffer.py`.

The engine is a library that multiplies the points of eight keys at once, if the processor can. A
suite is a public-key encryption scheme; each suite defines the engine's work for a group of layers.
The least number of layers, and the size of a group, are the same for all suites.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .entropy import Entropy
from .keys import PublicKey, SecretKey
from .sealing import Suite

if TYPE_CHECKING:
    from .multibuffer import MultiBuffer

# Below this number of layers libsodium is used, which is then faster: a call of Intel's library has
# a fixed cost.
MIN_LAYERS = 32
GROUP_SIZE = 2048  # layers in a group, few enough that their keys stay in the processor's cache


def engine_for(count: int) -> "MultiBuffer | None":
    """Return the library that multiplies points for eight keys at once, if it pays for this number.

    count: number of layers or signatures to compute, each with a key. None if there is no such
    library, or if `count` is below MIN_LAYERS, as the fixed cost of a call is then too high.
    """
    if count < MIN_LAYERS:
        return None
    from .multibuffer import multibuffer

    return multibuffer()


class OpenedTogether(Suite):
    """A suite that decrypts many layers in groups with the engine, if there is an engine.

    The engine is a library that multiplies the points of eight keys at once (`multibuffer.py`).
    """

    def _open_all(
        self, secret: SecretKey, sealed: Sequence[bytes], context: bytes
    ) -> list[bytes | None]:
        """Return the plaintexts of many layers; None for each layer that does not open.

        With an engine, groups of layers are decrypted together; else one layer after the other. The
        engine is a library that multiplies the points of eight keys at once. sealed: the layers,
        without the suite byte. context: the 32 bytes to which the layers were bound.
        """
        engine = engine_for(len(sealed))
        if engine is None:
            return super()._open_all(secret, sealed, context)
        results = list[bytes | None]()
        for at in range(0, len(sealed), GROUP_SIZE):
            results += self._open_group(engine, secret, sealed[at : at + GROUP_SIZE], context)
        return results

    @abstractmethod
    def _open_group(
        self, engine: "MultiBuffer", secret: SecretKey, sealed: Sequence[bytes], context: bytes
    ) -> list[bytes | None]:
        """Return the plaintexts of a group of layers; None for each layer that does not open.

        engine: the library that multiplies the points of eight keys at once. sealed: the layers,
        without the suite byte. context: the 32 bytes to which the layers were bound.
        """


class SealedTogether(OpenedTogether):
    """A suite that also encrypts many layers in groups with the engine, if there is an engine.

    The engine is a library that multiplies the points of eight keys at once (`multibuffer.py`).
    """

    @property
    def batch_size(self) -> int:
        """The best number of layers for one call: a group's size with the engine, else 1."""
        return 1 if engine_for(GROUP_SIZE) is None else GROUP_SIZE

    def _seal_all(
        self,
        public: PublicKey,
        plaintexts: Sequence[bytes],
        context: bytes,
        entropies: Sequence[Entropy],
    ) -> list[bytes]:
        """Return many encrypted plaintexts, each with randomness of its own entropy.

        With an engine, groups of plaintexts are encrypted together; else one after the other. The
        engine is a library that multiplies the points of eight keys at once. context: the 32 bytes
        to which all results are bound.
        """
        engine = engine_for(len(plaintexts))
        if engine is None:
            return super()._seal_all(public, plaintexts, context, entropies)
        results = list[bytes]()
        for at in range(0, len(plaintexts), GROUP_SIZE):
            group = slice(at, at + GROUP_SIZE)
            results += self._seal_group(
                engine, public, plaintexts[group], context, entropies[group]
            )
        return results

    @abstractmethod
    def _seal_group(
        self,
        engine: "MultiBuffer",
        public: PublicKey,
        plaintexts: Sequence[bytes],
        context: bytes,
        entropies: Sequence[Entropy],
    ) -> list[bytes]:
        """Return a group of encrypted plaintexts, each with randomness of its own entropy.

        engine: the library that multiplies the points of eight keys at once.
        """
