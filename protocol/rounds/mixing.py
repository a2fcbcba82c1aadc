"""The work of a shuffler on a batch: open, refuse, remove duplicates, sort, forward.

A batch leaves in the order of its bytes. Every party can check this order. It hides the order of
arrival, and leaves no room for a message in the order itself.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from operator import le, lt

from ...crypto.keys import SecretKey
from ...crypto.layer import open_layers as open_all
from ...errors import Reason, Refused
from ..wire.announcement import Flaw
from ..wire.messages import Mixed
from ..wire.wire import Reader, decode
from .round_context import Round

# fewest envelopes that a thread decrypts together, before it reads their contents
MIN_ENVELOPES = 16
PIECE = 1 << 25  # largest number of bytes of layers in one message
UNPADDED = 1 << 15  # largest number of layers in one message, if their sizes differ
HASHED = 1 << 12  # number of layers that are hashed together, for speed


@dataclass(frozen=True, slots=True)
class OpenedLayers:
    """The result of opening a batch: contents of valid layers, and the number of refused layers.

    Attributes:
        inside: the content of each layer that opened.
        refused: number of other layers, by reason.
    """

    inside: list[bytes]
    refused: Counter[Reason]


def open_envelope(plan: Round, secret: SecretKey, envelope: bytes) -> list[bytes]:
    """First shuffler: return the inner onions of an envelope; Refused if it is invalid."""
    (opened,) = open_envelopes(plan, secret, [envelope])
    if isinstance(opened, Reason):
        raise Refused(opened)
    return opened


def open_envelopes(
    plan: Round, secret: SecretKey, envelopes: Sequence[bytes]
) -> list[list[bytes] | Reason]:
    """First shuffler: open many envelopes.

    Return the onions of each, or the reason of a refusal.
    """
    context, results = plan.hops[0].context, list[list[bytes] | Reason]()
    size = max(MIN_ENVELOPES, plan.suite.batch_size)
    for at in range(0, len(envelopes), size):
        group = envelopes[at : at + size]
        bundles = open_all(secret, group, context)
        results += [inside(plan, *pair) for pair in zip(group, bundles, strict=True)]
    return results


def inside(plan: Round, envelope: bytes, bundle: bytes | None) -> list[bytes] | Reason:
    """Opener of an envelope: return the onions in its plaintext, or the reason of a refusal.

    All slots must be there, each of the round's size, in ascending order: an envelope that breaks
    the rule could smuggle a mark through the mix or vote twice. bundle: the plaintext; None if the
    envelope did not open.
    """
    if plan.envelope and len(envelope) != plan.envelope:
        return Reason.WRONG_SIZE
    if bundle is None:
        return Reason.DOES_NOT_OPEN
    try:
        onions = decode(bundle, Reader.items)
    except Refused as refusal:
        return refusal.reason
    if len(onions) != plan.slots or not _ascending(onions):
        return Reason.MALFORMED
    if plan.inner[2] and any(len(onion) != plan.inner[2] for onion in onions):
        return Reason.WRONG_SIZE
    return onions


def open_layers(plan: Round, hop: int, secret: SecretKey, layers: Sequence[bytes]) -> OpenedLayers:
    """Shuffler at `hop` (2 or later) or reader: open a batch; count and drop invalid layers.

    secret: the opener's key.
    """
    size = plan.inner[hop]  # 0 if layers are not padded
    right = [layer for layer in layers if len(layer) == size] if size else layers
    plaintexts = open_all(secret, right, plan.hops[hop - 1].context)
    inside = [plaintext for plaintext in plaintexts if plaintext is not None]
    wrong = {
        Reason.WRONG_SIZE: len(layers) - len(right),
        Reason.DOES_NOT_OPEN: len(right) - len(inside),
    }
    return OpenedLayers(
        inside, Counter({reason: count for reason, count in wrong.items() if count})
    )


def check_batch(plan: Round, layers: Sequence[bytes]) -> None:
    """Shuffler or reader: refuse a batch that is not sorted, if the rules require an order.

    Layers must strictly ascend, unless a lesson keeps repeats.
    """
    if plan.announcement.rules.ordered and not _ascending(layers, repeats=_repeats(plan)):
        raise Refused(Reason.MALFORMED)


def check_accounted(account: Mixed | None, layers: Sequence[bytes]) -> None:
    """Shuffler or reader: refuse a batch unless its digest is the digest in its sender's account.

    The account (numbers of messages and a digest) is on the board before the batch is used, so that
    a sender cannot exchange the batch.
    """
    if account is None or account.digest != batch_digest(layers):
        raise Refused(Reason.UNEXPECTED)


def arrange(plan: Round, layers: Sequence[bytes]) -> tuple[tuple[bytes, ...], int]:
    """Shuffler: drop repeats and sort; return the batch and the number of dropped repeats.

    A lesson may switch the order off: then the batch leaves in the order of arrival, which allows
    an attack. It may also keep repeats.
    """
    unique = layers if _repeats(plan) else dict.fromkeys(layers)
    batch = tuple(sorted(unique)) if plan.announcement.rules.ordered else tuple(unique)
    return batch, len(layers) - len(batch)


def _repeats(plan: Round) -> bool:
    """Whether a mix keeps ciphertexts that occur repeatedly (a design error, for a lesson)."""
    return Flaw.REPEATS in plan.announcement.rules.flaws


def _ascending(layers: Sequence[bytes], *, repeats: bool = False) -> bool:
    """Whether layers are in ascending order; `repeats`: equal neighbours are allowed."""
    return all(map(le if repeats else lt, layers, islice(layers, 1, None)))


def piece_size(plan: Round, hop: int) -> int:
    """Shuffler or reader: return the largest number of layers in one message to the party at `hop`.

    A batch is as many messages as it needs, and all but the last are full. The account on the board
    describes it as a whole: the number of layers, and their digest.
    """
    width = plan.inner[hop]
    return max(1, PIECE // width) if width else UNPADDED


def arranges(plan: Round, hop: int) -> bool:
    """Shuffler: whether a batch to `hop` has unique, sorted layers of one size.

    False only if a lesson changes this, or padding is off.
    """
    return plan.announcement.rules.ordered and not _repeats(plan) and bool(plan.inner[hop])


def account(
    hop: int,
    people: int,
    received: int,
    refused: Mapping[Reason, int],
    batch: Sequence[bytes],
    digest: bytes | None = None,
) -> Mixed:
    """Return the account of a batch that a shuffler posts: numbers of messages, and a digest.

    people: at the first hop, the users whose layers leave. received, refused: messages. batch: the
    forwarded layers. digest: the batch's digest, if it is known already.
    """
    digest = batch_digest(batch) if digest is None else digest
    return Mixed(hop, people, received, len(batch), refused, digest)


class BatchDigest:
    """A SHA-256 hash of a forwarded batch, computed while its layers arrive in parts."""

    def __init__(self) -> None:
        """Start the hash of an empty batch."""
        self._state = hashlib.sha256(b"veilmix batch 1\0")

    def add(self, layers: Iterable[bytes]) -> None:
        """Add the next layers of the batch to the hash."""
        rest = iter(layers)
        while chunk := list(islice(rest, HASHED)):
            for size, group in groupby(chunk, len):
                head = size.to_bytes(4, "big")
                self._state.update(head + head.join(group))

    def digest(self) -> bytes:
        """Return the digest, 32 bytes."""
        return self._state.digest()


def batch_digest(layers: Iterable[bytes]) -> bytes:
    """Return the digest of a forwarded batch for its account on the board (SHA-256, 32 bytes)."""
    digest = BatchDigest()
    digest.add(layers)
    return digest.digest()
