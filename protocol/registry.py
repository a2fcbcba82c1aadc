r"""Registered users: who may send is published before the session; all submissions are signed.

    signature = Ed25519("veilmix submission 1\0" || session || round || SHA-256(envelope)
                        || witness)      (of the board's head, where it is signed; else nothing)

Key i of the registry belongs to user i. The announcement holds the root of the registry, so that it
is bound inside every layer. A registry keeps out whoever is not on it, and no more: it is as good
as whoever put people on it.
"""

import hashlib
from collections.abc import Iterable

from ..crypto.merkle import MerkleTree
from ..crypto.signing import Signer, verify_signature
from ..errors import Reason, Refused
from . import parties
from .messages import Registry, Submission
from .session import Round

LABEL = b"veilmix submission 1\0"


def registry_root(registry: Registry | None) -> bytes:
    """Anybody: the root (32 bytes) that an announcement cites; empty where there is no registry."""
    return b"" if registry is None else MerkleTree(registry.keys).root()


def submission(plan: Round, envelope: bytes, signer: Signer | None) -> Submission:
    """User: hand in an envelope, signed where users are registered."""
    if signer is None or not plan.announcement.registry:
        return Submission(envelope, witness=plan.witness)
    return Submission(envelope, signer.sign(_signed(plan, envelope)), plan.witness)


def check_sender(plan: Round, registry: Registry, sender: str, sent: Submission) -> None:
    """First shuffler: Refused (UNREGISTERED) unless a registered sender has signed this."""
    index = parties.index(sender)
    if index >= len(registry.keys):
        raise Refused(Reason.UNREGISTERED)
    verify_signature(registry.keys[index], _signed(plan, sent.envelope), sent.signature)


def check_senders(
    plan: Round, registry: Registry, sent: Iterable[tuple[str, Submission]]
) -> list[Reason | None]:
    """First shuffler: check many; per submission None, or why it is refused."""
    results: list[Reason | None] = []
    for sender, sending in sent:
        try:
            check_sender(plan, registry, sender, sending)
        except Refused as refusal:
            results.append(refusal.reason)
        else:
            results.append(None)
    return results


def signed_digest(plan: Round, digest: bytes) -> bytes:
    """Anybody: what a person signs of the envelope with this digest."""
    return LABEL + plan.session + bytes([plan.call.round]) + digest + plan.witness


def _signed(plan: Round, envelope: bytes) -> bytes:
    return signed_digest(plan, hashlib.sha256(envelope).digest())
