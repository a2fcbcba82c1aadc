"""Suites that encrypt or decrypt many layers at a time with the engine of `multibuffer.py`.

The engine multiplies the points of eight keys at once, if the processor and the library have it.
Each suite defines the engine's work for a group of layers; the least number of layers and the size
of a group are the same for all suites.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .entropy import Entropy
from .keys import PublicKey, SecretKey
from .sealing import Suite

if TYPE_CHECKING:
    from .multibuffer import MultiBuffer

MIN_LAYERS = 32  # least number of layers for which the fixed cost of the engine pays
GROUP_SIZE = 2048  # layers handled at a time, so that their keys stay in the processor's cache


def engine_for(count: int) -> "MultiBuffer | None":
    """Return the engine for `count` keys; None if there is none or `count` is below MIN_LAYERS."""
    if count < MIN_LAYERS:
        return None
    from .multibuffer import multibuffer

    return multibuffer()


class OpenedTogether(Suite):
    """A suite that opens many layers in groups with the engine, if there is an engine."""

    def _open_all(
        self, secret: SecretKey, sealed: Sequence[bytes], context: bytes
    ) -> list[bytes | None]:
        """Open many layers with the engine; None for each layer that does not open.

        Without an engine the layers are opened one after the other.
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
        """Open a group of layers with the engine; None for each that does not open."""


class SealedTogether(OpenedTogether):
    """A suite that also seals many layers in groups with the engine."""

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
        """Seal many plaintexts, each with its entropy, in groups with the engine.

        Without an engine they are sealed one after the other.
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
        """Seal a group of plaintexts with the engine, each with its entropy."""
