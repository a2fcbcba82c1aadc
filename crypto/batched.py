"""Suites with an engine for many layers at a time, if the processor and the library have it.

Each suite defines the engine's work for a group; the least number of layers and the size of a group
are the same for all suites.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .entropy import Entropy
from .keys import PublicKey, SecretKey
from .sealing import Suite

if TYPE_CHECKING:
    from .multibuffer import MultiBuffer

MIN_LAYERS = 32  # layers; with fewer the fixed cost of an engine does not pay
GROUP_SIZE = 2048  # layers per group: their keys stay in the processor's cache


def engine_for(count: int) -> "MultiBuffer | None":
    """Return the engine for `count` keys, or None if it is missing or `count` is below MANY."""
    if count < MIN_LAYERS:
        return None
    from .multibuffer import multibuffer

    return multibuffer()


class OpenedTogether(Suite):
    """Suite that opens many layers in groups, if there is an engine."""

    def _open_all(
        self, secret: SecretKey, sealed: Sequence[bytes], context: bytes
    ) -> list[bytes | None]:
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
    ) -> list[bytes | None]: ...


class SealedTogether(OpenedTogether):
    """Suite that also seals many layers in groups."""

    @property
    def batch_size(self) -> int:
        """The best number of layers per call: many if the engine is here, else 1."""
        return 1 if engine_for(GROUP_SIZE) is None else GROUP_SIZE

    def _seal_all(
        self,
        public: PublicKey,
        plaintexts: Sequence[bytes],
        context: bytes,
        entropies: Sequence[Entropy],
    ) -> list[bytes]:
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
    ) -> list[bytes]: ...
