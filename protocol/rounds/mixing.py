"""The work of a shuffler on a batch: open, refuse, remove duplicates, sort, forward.

A batch leaves in ascending order of its ciphertext bytes. Every party can check this order. It
hides the order of arrival, and a malicious shuffler cannot encode a message in the order.
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

# Number of envelopes that one call decrypts, at least: one call for many is faster than many calls.
MIN_ENVELOPES = 16
PIECE = 1 << 25  # largest number of bytes of layers in one message; a larger batch is sent in parts
# largest number of layers in one message, if their sizes differ because padding is off
UNPADDED = 1 << 15
HASHED = 1 << 12  # number of layers that are hashed together, for speed


@dataclass(frozen=True, slots=True)
class OpenedLayers:
    """The result of opening a batch: contents of valid layers, and the number of refused layers.

    Attributes:
        inside: the content of each layer that opened.
        refused: the number of layers that were refused, by reason.
    """

    inside: list[bytes]
    refused: Counter[Reason]


def open_envelope(plan: Round, secret: SecretKey, envelope: bytes) -> list[bytes]:
    """First shuffler: return the inner onions of a user's envelope; Refused if it is invalid."""
    (opened,) = open_envelopes(plan, secret, [envelope])
    if isinstance(opened, Reason):
        raise Refused(opened)
    return opened


def open_envelopes(
    plan: Round, secret: SecretKey, envelopes: Sequence[bytes]
) -> list[list[bytes] | Reason]:
    """First shuffler: open many envelopes (the submissions of users).

    Return, for each envelope, its inner onions or the reason of the refusal.
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

    An envelope must hold an onion for each ballot, all of the round's size, in ascending order.
    Otherwise a user could mark its answers by order or size, or submit two ballots for one query.
    bundle: the plaintext of the envelope; None if the envelope did not open.
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
    """Shuffler, curator or analyst: open a batch; drop invalid layers and count them by reason.

    hop: the opener's index in the chain of shufflers, and curator or analyst, from 2. secret: the
    opener's key.
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
    """Shuffler, curator or analyst: refuse an unsorted batch if the rules require an order.

    Layers must strictly ascend. Equal layers may follow each other only if the announcement allows
    repeats, a deliberate weakness that demonstrates an attack in class.
    """
    if plan.announcement.rules.ordered and not _ascending(layers, repeats=_repeats(plan)):
        raise Refused(Reason.MALFORMED)


def check_accounted(account: Mixed | None, layers: Sequence[bytes]) -> None:
    """Receiver of a batch: refuse it unless its digest is the digest that its sender posted.

    account: the numbers of messages and the digest that the sender posted, before the batch is
    used. So the sender cannot exchange the batch afterwards. layers: the batch.
    """
    if account is None or account.digest != batch_digest(layers):
        raise Refused(Reason.UNEXPECTED)


def arrange(plan: Round, layers: Sequence[bytes]) -> tuple[tuple[bytes, ...], int]:
    """Shuffler: drop repeats and sort; return the batch and the number of dropped repeats.

    A teaching scenario may weaken the protocol to demonstrate an attack: the batch then leaves in
    the order of arrival, or with its repeats.
    """
    unique = layers if _repeats(plan) else dict.fromkeys(layers)
    batch = tuple(sorted(unique)) if plan.announcement.rules.ordered else tuple(unique)
    return batch, len(layers) - len(batch)


def _repeats(plan: Round) -> bool:
    """Whether shufflers keep repeated ciphertexts.

    It is a deliberate weakness that demonstrates an attack in class.
    """
    return Flaw.REPEATS in plan.announcement.rules.flaws


def _ascending(layers: Sequence[bytes], *, repeats: bool = False) -> bool:
    """Whether layers are in ascending order of bytes.

    repeats: whether equal neighbours are allowed.
    """
    return all(map(le if repeats else lt, layers, islice(layers, 1, None)))


def piece_size(plan: Round, hop: int) -> int:
    """Return the largest number of layers in one message to the shuffler, curator or analyst.

    hop: index of the receiving party in the chain, from 1; after the shufflers comes the curator or
    analyst. A larger batch is sent as several messages; all but the last hold this number of
    layers. The sender's account on the board describes the whole batch: the number of layers and
    their digest.
    """
    width = plan.inner[hop]
    return max(1, PIECE // width) if width else UNPADDED


def arranges(plan: Round, hop: int) -> bool:
    """Shuffler: whether a batch has unique, sorted layers of one size.

    hop: the index of the receiver in the chain. False without padding, because sizes then differ.
    Also False in a teaching scenario that keeps the order of arrival or repeated layers.
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

    hop: the shuffler's index in the chain, from 1.
    people: at the first shuffler, the number of users with forwarded layers.
    received: the number of messages that arrived.
    refused: the number of refused messages, by reason.
    batch: the forwarded layers.
    digest: the digest of the batch; computed if None.
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
        """Return the SHA-256 digest, 32 bytes, of all layers that were added."""
        return self._state.digest()


def batch_digest(layers: Iterable[bytes]) -> bytes:
    """Return the digest of a forwarded batch (SHA-256, 32 bytes), which its sender posts."""
    digest = BatchDigest()
    digest.add(layers)
    return digest.digest()
