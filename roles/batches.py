"""Batches larger than memory: collected, sorted and forwarded in pieces.

A batch travels as messages of at most `piece_size` layers (mixing.py); all but the last are full.
Its sender posts the number and the digest of all layers on the board.

A shuffler whose batch needs several messages sorts the layers while it opens them. Layers that are
opened together form a run: they are sorted, and cut into parts by their first bytes. Then the runs
of one part after the other are merged, and repeated layers dropped. The first byte of a layer is
the code of the cipher suite. The next byte is random, as a rule, so parts have about the same size.
A user that chooses this byte only makes a part larger.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from ..crypto.keys import SecretKey
from ..errors import Reason, Refused
from ..protocol.rounds.mixing import BatchDigest, arranges, open_envelopes, open_layers, piece_size
from ..protocol.rounds.round_context import Round
from ..protocol.wire.messages import Batch, Mixed
from .compute.spool import Spool

# first bytes that decide the part of a layer: the code of the cipher suite, and a random byte
PREFIX = 2
# bytes of the largest part that is sorted at once; a larger part is merged from its sorted runs
PART = 1 << 28


def in_parts(plan: Round, hop: int, arriving: int) -> bool:
    """Whether a shuffler sorts its opened layers in parts, by their first bytes.

    True if layers have equal size, leave in order of bytes, and are too many for one message. hop:
    the shuffler's position, from 1. arriving: the number of envelopes at the first shuffler, of
    layers at a later shuffler.
    """
    layers = arriving * plan.slots if hop == 1 else arriving
    return arranges(plan, hop + 1) and layers > piece_size(plan, hop + 1)


@dataclass(frozen=True, slots=True)
class LayerRun:
    """Layers that were opened together, sorted, and cut by their first bytes.

    Attributes:
        parts: for each part, the first bytes of its layers, and the concatenated layers.
        layers: the total number of layers.
        refused: the number of layers or envelopes that did not open, by reason.
        failed: the positions of the refused envelopes among the envelopes of this run.
    """

    parts: tuple[tuple[bytes, bytes], ...]
    layers: int
    refused: Counter[Reason]
    failed: tuple[int, ...] = ()


def run_of_envelopes(plan: Round, secret: SecretKey, envelopes: Sequence[bytes]) -> LayerRun:
    """First shuffler: open envelopes; return the onions in them, sorted and cut into parts."""
    onions: list[bytes] = []
    failed: list[int] = []
    refused = Counter[Reason]()
    for at, inside in enumerate(open_envelopes(plan, secret, list(envelopes))):
        if isinstance(inside, Reason):
            failed.append(at)
            refused[inside] += 1
        else:
            onions += inside
    return LayerRun(_cut(onions), len(onions), refused, tuple(failed))


def run_of_layers(plan: Round, hop: int, secret: SecretKey, layers: Sequence[bytes]) -> LayerRun:
    """Shuffler `hop`, after the first: open layers; return the contents, sorted and in parts."""
    opened = open_layers(plan, hop, secret, list(layers))
    return LayerRun(_cut(opened.inside), len(opened.inside), opened.refused)


def _cut(layers: list[bytes]) -> tuple[tuple[bytes, bytes], ...]:
    """Sort layers and cut them into parts with the same first bytes.

    Returns:
        For each part, its first bytes and the concatenated layers.
    """
    layers.sort()
    groups = groupby(layers, lambda layer: layer[:PREFIX])
    return tuple((prefix, b"".join(group)) for prefix, group in groups)


class Sorting:
    """A sorter for batches larger than memory.

    It takes the layers of a batch as sorted runs, in any order of the runs, and returns them
    sorted.
    """

    def __init__(self, width: int) -> None:
        """Start without layers. width: bytes of each layer of the batch."""
        self.layers = 0
        self._width = width
        self._spool = Spool()
        # first bytes of layers -> for each sorted run, positions in the spool of its layers with
        # these bytes
        self._parts = defaultdict[bytes, list[range]](list)

    def add(self, run: LayerRun) -> None:
        """Add layers that were opened together, as a sorted run."""
        for prefix, data in run.parts:
            first = len(self._spool)
            self._spool.add(data, self._width)
            self._parts[prefix].append(range(first, len(self._spool)))
        self.layers += run.layers

    def batch(self) -> tuple[Spool, bytes]:
        """Return all layers, sorted and without repeats, and their digest. Can be called once."""
        batch, digest = Spool(), BatchDigest()
        for _, places in sorted(self._parts.items()):
            for layers in self._sorted(places):
                batch.add(b"".join(layers), self._width)
                digest.add(layers)
        self._spool.close()
        return batch, digest.digest()

    def _sorted(self, places: list[range]) -> Iterator[list[bytes]]:
        """Yield lists of the layers that share their first bytes, sorted and without repeats.

        places: for each sorted run, the positions of these layers in the spool.
        """
        width = self._width
        if sum(map(len, places)) * width <= PART:
            data = b"".join([self._spool.joined(run.start, run.stop) for run in places])
            layers = sorted(data[at : at + width] for at in range(0, len(data), width))
            yield list(dict.fromkeys(layers))
            return
        runs = [self._spool.between(run.start, run.stop) for run in places]
        chunk: list[bytes] = []
        last = None
        for layer in heapq.merge(*runs):
            if layer != last:
                chunk.append(layer)
                last = layer
            if len(chunk) * width >= PART:
                yield chunk
                chunk = []
        yield chunk


def pieces_of(plan: Round, hop: int, batch: Sequence[bytes]) -> Iterator[Batch]:
    """Shuffler: yield the messages with a batch for the party at position `hop`; at least one."""
    size = piece_size(plan, hop)
    for at in range(0, max(1, len(batch)), size):
        yield Batch(tuple(batch[at : at + size]))


class Arriving:
    """A batch on its way to the party with index `hop`, message after message.

    people: the most users that may have sent; None: unknown. The batch is in excess if as many
    layers have arrived as these users can send, and more are to come. Such a batch is refused, so
    that no sender fills the receiver's disk.
    """

    def __init__(self, plan: Round, hop: int, people: int | None) -> None:
        """Start without layers. people: the most users that may have sent; None: unknown."""
        self.whole = False
        self.excess = False
        self._bound = None if people is None else people * plan.slots
        self.layers: Sequence[bytes] = ()
        self._piece_size = piece_size(plan, hop)

    def add(self, piece: Batch, account: Mixed | None) -> None:
        """Add the layers of a message to the batch. A message that is not full completes the batch.

        The batch is also complete once it has as many layers as its sender has posted on the board.
        account: the sender's post with this number; None: not posted. Refused if the message has
        more layers than a full message. Refused also if the batch is incomplete, but has as many
        layers as all users together can send.
        """
        if len(piece.layers) > self._piece_size:
            raise Refused(Reason.MALFORMED)
        due = account.forwarded if account is not None else 0
        come = len(self.layers) + len(piece.layers)
        self.whole = len(piece.layers) < self._piece_size or come >= due
        if self._bound is not None and not self.whole and come >= self._bound:
            self.excess = True
            raise Refused(Reason.MALFORMED)
        if self.whole and not self.layers:
            self.layers = piece.layers
            return
        if not isinstance(self.layers, Spool):
            self.layers = Spool()
        self.layers.extend(piece.layers)


@dataclass(slots=True)
class Envelopes:
    """The envelopes that users submitted, by sender, in order of arrival.

    Attributes:
        places: the position of each sender's envelope in the spool.
        spool: the envelopes, in memory or, if large, on disk; filled by `settle`.
    """

    places: dict[str, int] = field(default_factory=dict)
    spool: Spool = field(default_factory=Spool)
    _fresh: list[bytes] = field(default_factory=list)

    def add_envelope(self, sender: str, envelope: bytes) -> None:
        """Keep the envelope of a sender."""
        self.places[sender] = len(self.places)
        self._fresh.append(envelope)

    def settle(self) -> None:
        """Move the envelopes kept since the last call into the spool, all at once."""
        self.spool.extend(self._fresh)
        self._fresh.clear()

    def __getitem__(self, sender: str) -> bytes:
        """Return the envelope of a sender."""
        return self.spool[self.places[sender]]
