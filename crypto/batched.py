"""Suites that have an engine for many layers at a time, where processor and library are there.

What the engine does for all of a group at once is the suite's own to say; from how many on it pays,
and how many make a group, is the same for all of them.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .entropy import Entropy
from .keys import PublicKey, SecretKey
from .sealing import Suite

if TYPE_CHECKING:
    from .multibuffer import MultiBuffer

MANY = 32  # layers from which on an engine pays: what it does for all at once has a cost of its own
TOGETHER = 2048  # layers that it works on at once: their keys stay in the processor's cache


def engine_for(count: int) -> "MultiBuffer | None":
    """Give what works on so many keys at once, if it is here and they are enough."""
    if count < MANY:
        return None
    from .multibuffer import multibuffer

    return multibuffer()


class OpenedTogether(Suite):
    """Opens many layers in groups, where there is an engine."""

    def _open_all(
        self, secret: SecretKey, sealed: Sequence[bytes], context: bytes
    ) -> list[bytes | None]:
        engine = engine_for(len(sealed))
        if engine is None:
            return super()._open_all(secret, sealed, context)
        results = list[bytes | None]()
        for at in range(0, len(sealed), TOGETHER):
            results += self._open_group(engine, secret, sealed[at : at + TOGETHER], context)
        return results

    @abstractmethod
    def _open_group(
        self, engine: "MultiBuffer", secret: SecretKey, sealed: Sequence[bytes], context: bytes
    ) -> list[bytes | None]: ...


class SealedTogether(OpenedTogether):
    """Seals many layers in groups, too."""

    @property
    def batch_size(self) -> int:
        """Layers that are best handed over at once: many if the engine for many is here."""
        return 1 if engine_for(TOGETHER) is None else TOGETHER

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
        for at in range(0, len(plaintexts), TOGETHER):
            group = slice(at, at + TOGETHER)
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
