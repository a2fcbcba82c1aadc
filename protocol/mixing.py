"""What a shuffler does: open, refuse, de-duplicate, sort, forward.

The order in which a batch leaves is that of its bytes. Anybody can check it, it hides who came
when, and it leaves no room for a message in the order itself.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..crypto.keys import SecretKey
from ..crypto.layer import open_layer
from ..errors import Reason, Refused
from .session import Round
from .wire import decode


@dataclass(frozen=True, slots=True)
class Opened:
    """Layers that opened, as what was inside, and how many did not, by reason."""

    inside: list[bytes]
    refused: Counter[Reason]


def open_envelope(plan: Round, secret: SecretKey, envelope: bytes) -> list[bytes]:
    """First shuffler: take the inner onions out of one envelope; Refused if anything is wrong.

    All slots must be there, each of the round's size, in ascending order: an envelope that breaks
    the rule could smuggle a mark through the mix or vote twice.
    """
    if plan.envelope and len(envelope) != plan.envelope:
        raise Refused(Reason.WRONG_SIZE)
    bundle = open_layer(secret, envelope, plan.hops[0].context)
    onions = decode(bundle, lambda reader: reader.items())
    if len(onions) != plan.slots or not _ascending(onions):
        raise Refused(Reason.MALFORMED)
    if plan.inner[2] and any(len(onion) != plan.inner[2] for onion in onions):
        raise Refused(Reason.WRONG_SIZE)
    return onions


def open_envelopes(
    plan: Round, secret: SecretKey, envelopes: Iterable[bytes]
) -> list[list[bytes] | Reason]:
    """First shuffler: open many envelopes; in place of one that is refused stands the reason."""
    results: list[list[bytes] | Reason] = []
    for envelope in envelopes:
        try:
            results.append(open_envelope(plan, secret, envelope))
        except Refused as refusal:
            results.append(refusal.reason)
    return results


def open_layers(plan: Round, hop: int, secret: SecretKey, layers: Iterable[bytes]) -> Opened:
    """Shuffler at `hop` (2 or later) or reader: open a batch; count and drop what is wrong."""
    arriving = plan.inner[hop]  # and with it the size of what is inside
    context = plan.hops[hop - 1].context
    inside: list[bytes] = []
    refused: Counter[Reason] = Counter()
    for layer in layers:
        if arriving and len(layer) != arriving:
            refused[Reason.WRONG_SIZE] += 1
            continue
        try:
            inside.append(open_layer(secret, layer, context))
        except Refused as refusal:
            refused[refusal.reason] += 1
    return Opened(inside, refused)


def check_batch(plan: Round, layers: Sequence[bytes]) -> None:
    """Shuffler or reader: refuse a batch that is not strictly ascending where that is the rule."""
    if plan.announcement.rules.ordered and not _ascending(layers):
        raise Refused(Reason.MALFORMED)


def arrange(plan: Round, layers: Sequence[bytes]) -> tuple[tuple[bytes, ...], int]:
    """Shuffler: drop repeats and sort; returns the batch and how many repeats there were.

    A lesson may switch the order off: then the batch leaves as it came, which is the attack.
    """
    unique = dict.fromkeys(layers)
    batch = tuple(sorted(unique)) if plan.announcement.rules.ordered else tuple(unique)
    return batch, len(layers) - len(batch)


def _ascending(layers: Sequence[bytes]) -> bool:
    return all(a < b for a, b in pairwise(layers))


def batch_digest(layers: Iterable[bytes]) -> bytes:
    """Hash a batch as it leaves: what the board shows of it (SHA-256, 32 bytes)."""
    digest = hashlib.sha256(b"veilmix batch 1\0")
    for layer in layers:
        digest.update(len(layer).to_bytes(4, "big"))
        digest.update(layer)
    return digest.digest()
