"""Batches larger than memory: collected, sorted and handed on in pieces.

A batch travels as messages of at most `piece_size` layers (mixing.py); all but the last are full,
and the account on the board says how many layers there are in all and what their digest is. A
shuffler whose batch is larger than one message sorts it as it opens it: each run of opened layers
is sorted where it was opened and cut by how its layers begin; then part after part is put together,
each with its repeats dropped. Behind the byte of the suite stands a key that was drawn, so parts
are alike in size; whoever begins its layers otherwise makes one part larger, and nothing wrong.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from ..crypto.keys import SecretKey
from ..errors import Reason, Refused
from ..protocol.messages import Batch, Mixed
from ..protocol.mixing import BatchDigest, arranges, open_envelopes, open_layers, piece_size
from ..protocol.session import Round
from .spool import Spool

PREFIX = 2  # bytes by which layers are told apart: the suite's, and one of 256 behind it
PART = 1 << 28  # bytes of a part that are sorted in memory; the runs of a larger one are merged


def in_parts(plan: Round, hop: int, arriving: int) -> bool:
    """Whether a shuffler sorts in parts what it opens, of so many that arrive.

    Where the order is that of the bytes, layers have one size, and it is too much for one message.
    """
    layers = arriving * plan.slots if hop == 1 else arriving
    return arranges(plan, hop + 1) and layers > piece_size(plan, hop + 1)


@dataclass(frozen=True, slots=True)
class Run:
    """Layers that were opened together, in order, cut by how they begin.

    Attributes:
        parts: how the layers of each part begin, and these layers, one after the other.
        layers: how many there are in all.
        refused: layers or envelopes that did not open, by reason.
        failed: of envelopes, the places of those that were refused.
    """

    parts: tuple[tuple[bytes, bytes], ...]
    layers: int
    refused: Counter[Reason]
    failed: tuple[int, ...] = ()


def run_of_envelopes(plan: Round, secret: SecretKey, envelopes: Sequence[bytes]) -> Run:
    """First shuffler: open envelopes, and sort the onions in them."""
    onions: list[bytes] = []
    failed: list[int] = []
    refused = Counter[Reason]()
    for at, inside in enumerate(open_envelopes(plan, secret, list(envelopes))):
        if isinstance(inside, Reason):
            failed.append(at)
            refused[inside] += 1
        else:
            onions += inside
    return Run(_cut(onions), len(onions), refused, tuple(failed))


def run_of_layers(plan: Round, hop: int, secret: SecretKey, layers: Sequence[bytes]) -> Run:
    """Shuffler at `hop` (2 or later): open layers, and sort what was in them."""
    opened = open_layers(plan, hop, secret, list(layers))
    return Run(_cut(opened.inside), len(opened.inside), opened.refused)


def _cut(layers: list[bytes]) -> tuple[tuple[bytes, bytes], ...]:
    """Layers, sorted, cut where the bytes change that they begin with."""
    layers.sort()
    alike = groupby(layers, lambda layer: layer[:PREFIX])
    return tuple((prefix, b"".join(some)) for prefix, some in alike)


class Sorting:
    """Runs that come in any order; all that was in them leaves sorted, each layer once."""

    def __init__(self, width: int) -> None:
        self.layers = 0
        self._width = width
        self._spool = Spool()
        self._parts = defaultdict[bytes, list[range]](list)  # where the layers of each run lie

    def add(self, run: Run) -> None:
        """Take a run."""
        for prefix, data in run.parts:
            first = len(self._spool)
            self._spool.add(data, self._width)
            self._parts[prefix].append(range(first, len(self._spool)))
        self.layers += run.layers

    def batch(self) -> tuple[Spool, bytes]:
        """Put the parts together; gives the batch and its digest. Can be called once."""
        batch, digest = Spool(), BatchDigest()
        for _, places in sorted(self._parts.items()):
            for layers in self._sorted(places):
                batch.add(b"".join(layers), self._width)
                digest.add(layers)
        self._spool.close()
        return batch, digest.done()

    def _sorted(self, places: list[range]) -> Iterator[list[bytes]]:
        """The layers of one part, each once and in order, some at a time."""
        width = self._width
        if sum(map(len, places)) * width <= PART:
            data = b"".join([self._spool.joined(run.start, run.stop) for run in places])
            layers = sorted(data[at : at + width] for at in range(0, len(data), width))
            yield list(dict.fromkeys(layers))
            return
        runs = [self._spool.between(run.start, run.stop) for run in places]
        some: list[bytes] = []
        last = None
        for layer in heapq.merge(*runs):
            if layer != last:
                some.append(layer)
                last = layer
            if len(some) * width >= PART:
                yield some
                some = []
        yield some


def pieces_of(plan: Round, hop: int, batch: Sequence[bytes]) -> Iterator[Batch]:
    """Shuffler: the messages in which a batch goes to the party at `hop`; one at least."""
    size = piece_size(plan, hop)
    for at in range(0, max(1, len(batch)), size):
        yield Batch(tuple(batch[at : at + size]))


class Arriving:
    """A batch on its way to the party at `hop`, piece after piece.

    people: how many may have sent, where that is known. When as many layers have come as theirs can
    be, and more are to come, it is in excess: no sender fills the disk of whoever waits for it.
    """

    def __init__(self, plan: Round, hop: int, people: int | None) -> None:
        self.whole = False
        self.excess = False
        self._bound = None if people is None else people * plan.slots
        self.layers: Sequence[bytes] = ()
        self._most = piece_size(plan, hop)

    def add(self, piece: Batch, account: Mixed | None) -> None:
        """Take a piece; Refused if it holds more than any may.

        account: what its sender has said of the batch. The last piece is one that is not full, or
        that brings as many layers as there are.
        """
        if len(piece.layers) > self._most:
            raise Refused(Reason.MALFORMED)
        due = account.forwarded if account is not None else 0
        come = len(self.layers) + len(piece.layers)
        self.whole = len(piece.layers) < self._most or come >= due
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
    """The envelope of each sender, in the order in which they came.

    Attributes:
        places: of each sender's in the spool.
        spool: the envelopes, once they are put there (`settle`).
    """

    places: dict[str, int] = field(default_factory=dict)
    spool: Spool = field(default_factory=Spool)
    _fresh: list[bytes] = field(default_factory=list)

    def take(self, sender: str, envelope: bytes) -> None:
        """Keep one."""
        self.places[sender] = len(self.places)
        self._fresh.append(envelope)

    def settle(self) -> None:
        """Put those that were kept since the last time into the spool, all at once."""
        self.spool.extend(self._fresh)
        self._fresh.clear()

    def __getitem__(self, sender: str) -> bytes:
        return self.spool[self.places[sender]]
