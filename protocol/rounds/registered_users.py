r"""Registered users: a list of public keys is published before the session; submissions are signed.

    signature = Ed25519("veilmix submission 1\0" || session || round || SHA-256(envelope)
                        || witness)

The witness is the signed tree head of the board; it is empty without signed heads. Key
i of the registry (the list) belongs to user i. The announcement holds the Merkle root of the
registry, and each layer is bound to the announcement.

A registry excludes people that are not on the list. It is as trustworthy as the party that made it,
because that party could list invented people.
"""

import hashlib
from collections.abc import Sequence

from ...crypto.merkle import merkle_root
from ...crypto.signing import Signer, sign_all, valid_signatures
from ...errors import Reason
from ..wire import parties
from ..wire.messages import Registry, Submission
from .round_context import Round

LABEL = b"veilmix submission 1\0"


def registry_root(registry: Registry | None) -> bytes:
    """Any party: return the Merkle root (32 bytes) of the registered keys, as in the announcement.

    Empty without a registry.
    """
    return b"" if registry is None else merkle_root(registry.keys)


def submissions(
    plan: Round, envelopes: Sequence[bytes], signers: Sequence[Signer | None]
) -> list[Submission]:
    """Users: return the submission of each envelope, signed if users are registered.

    signers: the signing key of each user; None if the user is unregistered.
    """
    signing = [
        (at, signer)
        for at, signer in enumerate(signers)
        if signer is not None and plan.announcement.registry
    ]
    messages = [_signed(plan, envelopes[at]) for at, _ in signing]
    raw_signatures = sign_all([signer for _, signer in signing], messages)
    signatures = dict(zip((at for at, _ in signing), raw_signatures, strict=True))
    return [
        Submission(envelope, signatures.get(at, b""), plan.witness)
        for at, envelope in enumerate(envelopes)
    ]


def submission(plan: Round, envelope: bytes, signer: Signer | None) -> Submission:
    """User: return the submission of its envelope, signed if users are registered."""
    return submissions(plan, [envelope], [signer])[0]


def check_senders(
    plan: Round, registry: Registry, sender_submissions: Sequence[tuple[str, Submission]]
) -> list[Reason | None]:
    """First shuffler: check the signatures of submissions.

    Returns:
        For each submission None, or UNREGISTERED unless the named sender has signed it.
    """
    claims = [
        (parties.index(sender), _signed(plan, body.envelope), body.signature)
        for sender, body in sender_submissions
    ]
    return [None if fits else Reason.UNREGISTERED for fits in signed_by(registry, claims)]


def signed_by(registry: Registry, claims: Sequence[tuple[int, bytes, bytes]]) -> list[bool]:
    """Any party: return, for each claim, whether the registered person of that index signed it.

    claims: (index in the registry, message, signature). A claim with an index beyond the registry
    is not valid.
    """
    registered_places = [
        at for at, (index, _, _) in enumerate(claims) if index < len(registry.keys)
    ]
    valid = valid_signatures(
        [registry.keys[claims[at][0]] for at in registered_places],
        [claims[at][1] for at in registered_places],
        [claims[at][2] for at in registered_places],
    )
    good = {at for at, fits in zip(registered_places, valid, strict=True) if fits}
    return [at in good for at in range(len(claims))]


def signed_digest(plan: Round, digest: bytes) -> bytes:
    """Any party: return the bytes that a person signs for an envelope.

    digest: SHA-256 of the envelope.
    """
    return LABEL + plan.session + bytes([plan.call.round]) + digest + plan.witness


def _signed(plan: Round, envelope: bytes) -> bytes:
    """Return the bytes that a person signs when it submits an envelope (its encrypted answers)."""
    return signed_digest(plan, hashlib.sha256(envelope).digest())
