r"""Registered users: who may send is published before the session; all submissions are signed.

    signature = Ed25519("veilmix submission 1\0" || session || round || SHA-256(envelope)
                        || witness)      (of the board's head, where it is signed; else nothing)

Key i of the registry belongs to user i. The announcement holds the root of the registry, so that it
is bound inside every layer. A registry keeps out whoever is not on it, and no more: it is as good
as whoever put people on it.
"""

import hashlib
from collections.abc import Sequence

from ..crypto.merkle import MerkleTree
from ..crypto.signing import Signer, sign_all, valid_signatures
from ..errors import Reason
from . import parties
from .messages import Registry, Submission
from .session import Round

LABEL = b"veilmix submission 1\0"


def registry_root(registry: Registry | None) -> bytes:
    """Anybody: the root (32 bytes) that an announcement cites; empty where there is no registry."""
    return b"" if registry is None else MerkleTree(registry.keys).root()


def submissions(
    plan: Round, envelopes: Sequence[bytes], signers: Sequence[Signer | None]
) -> list[Submission]:
    """Users: hand in an envelope each, signed where users are registered."""
    signing = [
        (at, signer)
        for at, signer in enumerate(signers)
        if signer is not None and plan.announcement.registry
    ]
    said = [_signed(plan, envelopes[at]) for at, _ in signing]
    made = sign_all([signer for _, signer in signing], said)
    signatures = dict(zip((at for at, _ in signing), made, strict=True))
    return [
        Submission(envelope, signatures.get(at, b""), plan.witness)
        for at, envelope in enumerate(envelopes)
    ]


def submission(plan: Round, envelope: bytes, signer: Signer | None) -> Submission:
    """User: hand in an envelope, signed where users are registered."""
    return submissions(plan, [envelope], [signer])[0]


def check_senders(
    plan: Round, registry: Registry, sent: Sequence[tuple[str, Submission]]
) -> list[Reason | None]:
    """First shuffler: per submission None, or UNREGISTERED unless a registered sender signed it."""
    claims = [
        (parties.index(sender), _signed(plan, body.envelope), body.signature)
        for sender, body in sent
    ]
    return [None if fits else Reason.UNREGISTERED for fits in signed_by(registry, claims)]


def signed_by(registry: Registry, claims: Sequence[tuple[int, bytes, bytes]]) -> list[bool]:
    """Anybody: whether each message is signed by the registered person with an index.

    claims: the index, the message and the signature. No person has an index beyond the registry.
    """
    known = [at for at, (index, _, _) in enumerate(claims) if index < len(registry.keys)]
    valid = valid_signatures(
        [registry.keys[claims[at][0]] for at in known],
        [claims[at][1] for at in known],
        [claims[at][2] for at in known],
    )
    good = {at for at, fits in zip(known, valid, strict=True) if fits}
    return [at in good for at in range(len(claims))]


def signed_digest(plan: Round, digest: bytes) -> bytes:
    """Anybody: what a person signs of the envelope with this digest."""
    return LABEL + plan.session + bytes([plan.call.round]) + digest + plan.witness


def _signed(plan: Round, envelope: bytes) -> bytes:
    return signed_digest(plan, hashlib.sha256(envelope).digest())
